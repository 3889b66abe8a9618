/** `--line-format` and its like: every line of both files, each kind in a form of its own. */
import { UsageError } from '../support/getopt.ts';
import type { Side } from './formats.ts';
import type { Change } from './myers.ts';

export interface LineFormats {
  old: string;
  new: string;
  unchanged: string;
}

type Piece = (line: string, end: string, number: number) => string;

/** `%l` a line, `%L` with its newline, `%5dn` its number, `%c'X'` a character, `%%`. */
function compiled(format: string): Piece {
  const pieces: Piece[] = [];
  const pattern =
    /%(?:(%)|(l)|(L)|(-?)('?)(0?)(\d*)(?:\.\d+)?([doxX])n|c'(?:\\([0-7]{1,3})|([^']))')|[^%]+|%/g;
  for (const found of format.matchAll(pattern)) {
    const [whole, percent, bare, full, left, , zero, width, base, octal, char] = found;
    if (percent !== undefined) pieces.push(() => '%');
    else if (bare !== undefined) pieces.push((line) => line);
    else if (full !== undefined) pieces.push((line, end) => line + end);
    else if (base !== undefined) {
      const radix = base === 'd' ? 10 : base === 'o' ? 8 : 16;
      pieces.push((_line, _end, number) => {
        const digits = number.toString(radix);
        const text = base === 'X' ? digits.toUpperCase() : digits;
        const size = Number(width || 0);
        return left === '-' ? text.padEnd(size) : text.padStart(size, zero === '0' ? '0' : ' ');
      });
    } else if (octal !== undefined || char !== undefined) {
      const meant = char ?? String.fromCharCode(Number.parseInt(octal ?? '0', 8));
      pieces.push(() => meant);
    } else if (whole === '%') {
      throw new UsageError(`invalid line format '${format}'`, { hint: false });
    } else pieces.push(() => whole);
  }
  return (line, end, number) => pieces.map((piece) => piece(line, end, number)).join('');
}

/** Both files merged, a line at a time. */
export function inLineFormats(
  a: Side,
  b: Side,
  script: readonly Change[],
  formats: LineFormats,
): string {
  const shown = (side: Side, format: Piece, from: number, to: number): string => {
    let out = '';
    for (let at = from; at < to; at++) {
      const end = side.open && at === side.lines.length - 1 ? '' : '\n';
      out += format(side.lines[at] ?? '', end, at + 1);
    }
    return out;
  };
  const [same, gone, come] = [formats.unchanged, formats.old, formats.new].map(compiled) as [
    Piece,
    Piece,
    Piece,
  ];
  let out = '';
  let at = 0;
  for (const { startA, endA, startB, endB } of script) {
    out += shown(a, same, at, startA) + shown(a, gone, startA, endA) + shown(b, come, startB, endB);
    at = endA;
  }
  return out + shown(a, same, at, a.lines.length);
}
