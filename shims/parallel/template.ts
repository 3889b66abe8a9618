/** What parallel puts into its command: `{}`, `{.}`, `{1/}` and the like. */
import type { Options } from '../support/getopt.ts';
import { shellQuote } from '../support/tool.ts';
import type { Row } from './sources.ts';

/** A piece of text, or a place for an argument. */
type Piece = { text: string } | { which: number | string | 'all' | 'job' | 'slot'; form: string };

/** A command with its places. */
export interface Template {
  pieces: readonly Piece[];
  /** Nothing is written for the argument: a job is what it says. */
  bare: boolean;
}

const PLACE = /\{(?:(#|%)|(-?\d+|[A-Za-z_]\w*)?(\.|\/\/|\/\.|\/)?)\}/g;

/** Takes a command apart. @param appends whether a command without a place has the argument at its end */
export function compile(source: string, options: Options, appends = true): Template {
  const marker = options.get('I');
  // With a mark of its own, `{}` is a text as any other.
  const text =
    marker === undefined ? source : source.replaceAll('{}', '\0').replaceAll(marker, '{}');
  const plain = (piece: string): Piece => ({ text: piece.replaceAll('\0', '{}') });
  const pieces: Piece[] = [];
  let at = 0;
  let places = 0;
  for (const match of text.matchAll(PLACE)) {
    const [whole, special, which, form = ''] = match;
    if (which !== undefined && /^[A-Za-z_]/.test(which) && !options.has('header')) continue;
    pieces.push(plain(text.slice(at, match.index)));
    at = match.index + whole.length;
    if (special !== undefined) pieces.push({ which: special === '#' ? 'job' : 'slot', form: '' });
    else {
      const number = which === undefined ? 'all' : /^-?\d+$/.test(which) ? Number(which) : which;
      pieces.push({ which: number, form });
      places++;
    }
  }
  pieces.push(plain(text.slice(at)));
  const bare = source === '' && appends;
  if (places === 0 && appends && !options.has('pipe')) {
    if (!bare) pieces.push({ text: ' ' });
    pieces.push({ which: 'all', form: '' });
  }
  return { pieces, bare };
}

/** A word of the command as the shell leaves it alone, but for its places. */
export function quotedWord(word: string): string {
  let out = '';
  let at = 0;
  const literal = (text: string): string => (text === '' ? '' : shellQuote(text));
  for (const { 0: place, index } of word.matchAll(PLACE)) {
    out += literal(word.slice(at, index)) + place;
    at = index + place.length;
  }
  return out + literal(word.slice(at));
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
      const arg =
        typeof which === 'number'
          ? row.args.at(which < 0 ? which : which - 1)
          : row.args[row.names?.indexOf(which) ?? -1];
      if (arg === undefined && typeof which === 'string') return `{${which}${form}}`;
      return arg === undefined ? '' : quote(formed(arg, form));
    })
    .join('');
}
