/** The format of find -printf, compiled once. */
import { dirOf } from '../basename/index.ts';
import { diskKiB, inodeOf, modeText, OWNER, OWNER_ID, sizeOf } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { nanoseconds, strftime, zoned } from '../support/time.ts';
import type { Tool } from '../support/tool.ts';
import { kindOf, statOf, type WalkedEntry } from './entry.ts';

type Piece = (entry: WalkedEntry) => string | Promise<string>;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
  '\\': '\\',
};

function datePiece(tool: Tool, letter: string): Piece {
  return async (entry) => {
    const { mtime } = await entry.stat();
    const time = zoned(mtime, tool.ctx.env.get('TZ'));
    if (letter === '@') return `${Math.floor(mtime.getTime() / 1000)}.${nanoseconds(mtime)}0`;
    const fraction = `.${nanoseconds(mtime)}0`;
    if (letter === '' || letter === 'c')
      return strftime(`%a %b %e %H:%M:%S${fraction} %Y`, time, mtime);
    if (letter === 'S') return strftime('%S', time, mtime) + fraction;
    if (letter === 'T' || letter === 'X') return strftime('%H:%M:%S', time, mtime) + fraction;
    if (letter === '+') return strftime('%Y-%m-%d+%H:%M:%S', time, mtime) + fraction;
    return strftime(`%${letter}`, time, mtime);
  };
}

function below(entry: WalkedEntry): string {
  const rest = entry.shown.slice(entry.root.length);
  return rest.replace(/^\/+/, '');
}

function piece(tool: Tool, letter: string): Piece | undefined {
  const table: Readonly<Record<string, Piece>> = {
    p: (entry) => entry.shown,
    f: (entry) => entry.shown.replace(/(.)\/+$/, '$1').replace(/^.*\/(?=.)/s, ''),
    h: (entry) => (entry.shown.includes('/') ? dirOf(entry.shown) : '.'),
    P: below,
    H: (entry) => entry.root,
    d: (entry) => String(entry.depth),
    y: (entry) => entry.kind,
    Y: async (entry) => {
      if (entry.kind !== 'l') return entry.kind;
      const kind = kindOf(await statOf(tool, entry.path, true));
      return kind === 'l' ? 'N' : kind;
    },
    l: async (entry) => (entry.kind === 'l' ? tool.fs.readlink(entry.path) : ''),
    s: async (entry) => String(sizeOf(await entry.stat())),
    k: async (entry) => String(diskKiB(await entry.stat())),
    b: async (entry) => String(diskKiB(await entry.stat()) * 2),
    m: async (entry) => ((await entry.stat()).mode & 0o7777).toString(8),
    M: async (entry) => modeText(await entry.stat()),
    i: async (entry) => String(inodeOf(await entry.stat())),
    n: async (entry) => ((await entry.stat()).isDirectory ? '2' : '1'),
    t: datePiece(tool, ''),
    a: datePiece(tool, ''),
    c: datePiece(tool, ''),
    u: () => OWNER,
    g: () => OWNER,
    U: () => String(OWNER_ID),
    G: () => String(OWNER_ID),
    D: () => '1',
    F: () => 'dirigent',
    S: () => '1',
  };
  return table[letter];
}

/** No more than the precision of a directive allows, in characters. */
function cut(make: Piece, precision: string | undefined): Piece {
  if (precision === undefined) return make;
  return async (entry) => [...(await make(entry))].slice(0, Number(precision)).join('');
}

/** @param zeros what a width is filled with zeros for: most directives are texts, and `0` is nothing to them */
function padded(flags: string, width: number, make: Piece, zeros = false): Piece {
  if (width === 0) return make;
  return async (entry) => {
    const text = await make(entry);
    if (flags.includes('-')) return text.padEnd(width);
    return text.padStart(width, zeros && flags.includes('0') ? '0' : ' ');
  };
}

/** Compiles a format to a function that gives an entry's text. */
export function compileFormat(tool: Tool, format: string): (entry: WalkedEntry) => Promise<string> {
  const pieces: Piece[] = [];
  const token =
    /\\([0-7]{1,3}|c|[\s\S])|%([-+ 0#]*)(\d*)(?:\.(\d+))?(?:([ACT])([\s\S])|([\s\S]))|[^\\%]+|[\s\S]/g;
  for (const match of format.matchAll(token)) {
    const [whole, escaped, flags = '', width = '', precision, , date, letter] = match;
    if (escaped === 'c') break;
    if (escaped !== undefined) {
      const code = /^[0-7]/.test(escaped) ? String.fromCharCode(parseInt(escaped, 8)) : undefined;
      const text = code ?? ESCAPES[escaped] ?? whole;
      pieces.push(() => text);
    } else if (date !== undefined) pieces.push(padded(flags, Number(width), datePiece(tool, date)));
    else if (letter === '%') pieces.push(() => '%');
    else if (letter !== undefined) {
      const made = piece(tool, letter);
      if (made === undefined) {
        tool.warn(`warning: unrecognized format directive \`%${letter}'`);
        pieces.push(() => whole);
      } else if (letter === 'm' && flags.includes('#'))
        pieces.push(padded(flags, Number(width), async (entry) => `0${await made(entry)}`, true));
      else pieces.push(padded(flags, Number(width), cut(made, precision), 'dm'.includes(letter)));
    } else if (whole === '%')
      throw new UsageError(`error: ${format} at end of format string`, { hint: false });
    else pieces.push(() => whole);
  }
  return async (entry) => {
    let out = '';
    for (const make of pieces) {
      const made = make(entry);
      out += typeof made === 'string' ? made : await made;
    }
    return out;
  };
}
