/** What parallel puts into its command: `{}`, `{.}`, `{1/}` and the like. */
import type { Options } from '../support/getopt.ts';
import { shellQuote } from '../support/tool.ts';
import type { Row } from './sources.ts';

/** A piece of text, or a place for an argument. */
type Piece = { text: string } | { which: number | string | 'all' | 'job' | 'slot'; form: string };

/** A command with its places. */
export interface Template {
  pieces: readonly Piece[];
  quoted: boolean;
  /** Nothing is written for the argument: a job is what it says. */
  bare: boolean;
}

const PLACE = /\{(?:(#|%)|(-?\d+|[A-Za-z_]\w*)?(\.|\/\/|\/\.|\/)?)\}/g;

/** Takes a command apart. @param appends whether a command without a place has the argument at its end */
export function compile(source: string, options: Options, appends = true): Template {
  const marker = options.get('I');
  const text = marker === undefined ? source : source.replaceAll(marker, '{}');
  const pieces: Piece[] = [];
  let at = 0;
  let places = 0;
  for (const match of text.matchAll(PLACE)) {
    const [whole, special, which, form = ''] = match;
    if (which !== undefined && /^[A-Za-z_]/.test(which) && !options.has('header')) continue;
    pieces.push({ text: text.slice(at, match.index) });
    at = match.index + whole.length;
    if (special !== undefined) pieces.push({ which: special === '#' ? 'job' : 'slot', form: '' });
    else {
      const number = which === undefined ? 'all' : /^-?\d+$/.test(which) ? Number(which) : which;
      pieces.push({ which: number, form });
      places++;
    }
  }
  pieces.push({ text: text.slice(at) });
  const bare = source === '' && appends;
  if (places === 0 && appends && !options.has('pipe')) {
    if (!bare) pieces.push({ text: ' ' });
    pieces.push({ which: 'all', form: '' });
  }
  return { pieces, quoted: options.has('q'), bare };
}

function formed(arg: string, form: string): string {
  const base = arg.slice(arg.lastIndexOf('/') + 1);
  const bare = (text: string): string => text.replace(/\.[^/.]*$/, '');
  if (form === '.') return bare(arg);
  if (form === '/') return base;
  if (form === '/.') return bare(base);
  if (form === '//') return arg.includes('/') ? arg.slice(0, arg.lastIndexOf('/')) || '/' : '.';
  return arg;
}

/** The line that a job runs. @param number from 1 */
export function commandLine({ pieces, bare }: Template, row: Row, number: number): string {
  const quote = (arg: string): string => (bare ? arg : arg === '' ? "''" : shellQuote(arg));
  return pieces
    .map((piece) => {
      if ('text' in piece) return piece.text;
      const { which, form } = piece;
      if (which === 'job') return String(number);
      if (which === 'slot') return '1';
      if (which === 'all') return row.args.map((arg) => quote(formed(arg, form))).join(' ');
      const index =
        typeof which === 'string'
          ? (row.names?.indexOf(which) ?? -1)
          : which < 0
            ? row.args.length + which
            : which - 1;
      const arg = row.args[index];
      return arg === undefined ? '' : quote(formed(arg, form));
    })
    .join('');
}
