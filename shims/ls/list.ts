/** What ls shows of an entry, and in which form. */
import type { FsStat } from 'just-bash';
import { quoted as inQuotes } from '../../src/shell/quote.ts';
import {
  diskKiB,
  humanSize,
  inodeOf,
  modeText,
  OWNER,
  OWNER_ID,
  sizeOf,
} from '../support/files.ts';
import { monthName, nanoseconds, offsetText, strftime, zoned } from '../support/time.ts';

/** An entry of a listing. `stat` is there only when something shown needs it. */
export interface Entry {
  name: string;
  isDirectory: boolean;
  isSymbolicLink: boolean;
  /** A link to a directory, where that decides its place. */
  leadsToDirectory?: boolean;
  stat?: FsStat;
  /** Where a link points to, in the long format. */
  target?: string;
}

/** The styles of `--quoting-style`. */
export const QUOTINGS = [
  'literal',
  'shell',
  'shell-always',
  'shell-escape',
  'shell-escape-always',
  'c',
  'c-maybe',
  'escape',
  'locale',
] as const;
export type Quoting = (typeof QUOTINGS)[number];

/** The options that decide the looks of a listing. */
export interface Style {
  form: 'lines' | 'long' | 'columns' | 'across' | 'commas';
  indicator: 'none' | 'slash' | 'file-type' | 'classify';
  color: boolean;
  inode: boolean;
  blocks: boolean;
  human: 0 | 1000 | 1024;
  /** Bytes in what sizes are counted in, and what is shown behind them. */
  unit: number | undefined;
  unitName: string;
  numeric: boolean;
  owner: boolean;
  group: boolean;
  time: string;
  zone: string | undefined;
  width: number;
  end: string;
  quote: Quoting;
  hideControl: boolean;
}

const HALF_YEAR = 31_556_952_000 / 2;

const two = (value: number): string => String(value).padStart(2, '0');

function timeText(date: Date, style: Style): string {
  const time = zoned(date, style.zone);
  const day = `${time.year}-${two(time.month)}-${two(time.day)}`;
  const clock = `${two(time.hour)}:${two(time.minute)}`;
  const age = Date.now() - date.getTime();
  const recent = age < HALF_YEAR && age > -60_000;
  if (style.time.startsWith('+')) {
    const [old = '', fresh] = style.time.slice(1).split('\n');
    return strftime(recent ? (fresh ?? old) : old, time, date);
  }
  if (style.time === 'full-iso') {
    return `${day} ${clock}:${two(time.second)}.${nanoseconds(date)} ${offsetText(time)}`;
  }
  if (style.time === 'long-iso') return `${day} ${clock}`;
  if (style.time === 'iso') return recent ? `${day.slice(5)} ${clock}` : `${day} `;
  const short = `${monthName(time.month)} ${String(time.day).padStart(2)}`;
  return recent ? `${short} ${clock}` : `${short}  ${time.year}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** With the escapes of C, and a backslash before some others. */
function escaped(name: string, others: string): string {
  return Array.from(name, (char) => {
    if (others.includes(char)) return `\\${char}`;
    if (!/[\x00-\x1f\x7f]/.test(char)) return char;
    return ESCAPES[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  }).join('');
}

const CONTROL = /[\x00-\x1f\x7f]/;
const PLAIN = /^[\w@%+:,./\]{}-][\w@%+:,./\]{}#~^-]*$/;

/** Controls that the shell takes for text. */
const TAKEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\uffff]/g;

/** In quotes where the shell would take it apart. */
function forShell(name: string, always: boolean): string {
  if (!always && PLAIN.test(name.replace(TAKEN, '_'))) return name;
  // Double quotes, where they save the escapes of a single one.
  return name.includes("'") && !/["$`\\!\n\r\t]/.test(name) ? `"${name}"` : inQuotes(name);
}

/** The same, with what cannot be printed as `$'…'` between its quotes. */
function forShellEscaped(name: string, always: boolean): string {
  if (!CONTROL.test(name)) return forShell(name, always);
  const stretches = name.match(/[\x00-\x1f\x7f]+|[^\x00-\x1f\x7f]+/g) ?? [];
  const made = stretches.map((stretch) =>
    CONTROL.test(stretch) ? `$'${escaped(stretch, '')}'` : inQuotes(stretch),
  );
  return (made[0]?.startsWith('$') ? "''" : '') + made.join('');
}

function quoted(name: string, style: Style): string {
  switch (style.quote) {
    case 'c':
      return `"${escaped(name, '\\"')}"`;
    case 'c-maybe':
      return /["\x00-\x1f\x7f]/.test(name) ? `"${escaped(name, '\\"')}"` : name;
    case 'escape':
      return escaped(name, '\\ ');
    case 'locale':
      return `\u2018${escaped(name, '\\\u2019')}\u2019`;
    case 'shell':
    case 'shell-always':
      return forShell(withoutControl(name, style), style.quote === 'shell-always');
    case 'shell-escape':
    case 'shell-escape-always':
      return forShellEscaped(name, style.quote === 'shell-escape-always');
    case 'literal':
      return withoutControl(name, style);
  }
}

const withoutControl = (name: string, { hideControl }: Style): string =>
  hideControl ? name.replace(/[\x00-\x1f\x7f-\x9f]/g, '?') : name;

/** What stands behind a name. */
export function suffix(entry: Entry, style: Style): string {
  if (style.indicator === 'none') return '';
  if (entry.isDirectory) return '/';
  if (style.indicator === 'slash') return '';
  if (entry.isSymbolicLink) return style.form === 'long' ? '' : '@';
  const executable = ((entry.stat?.mode ?? 0) & 0o111) !== 0;
  return style.indicator === 'classify' && executable ? '*' : '';
}

function painted(text: string, entry: Entry): string {
  let code = '';
  if (entry.isSymbolicLink) code = '01;36';
  else if (entry.isDirectory) code = '01;34';
  else if (((entry.stat?.mode ?? 0) & 0o111) !== 0) code = '01;32';
  return code === '' ? text : `\x1b[0m\x1b[${code}m${text}\x1b[0m`;
}

/** A name with its quotes, colour and indicator. */
function label(entry: Entry, style: Style): string {
  const name = quoted(entry.name, style);
  return (style.color ? painted(name, entry) : name) + suffix(entry, style);
}

function sizeText(stat: FsStat, style: Style): string {
  const size = sizeOf(stat);
  if (style.human === 0 && style.unit !== undefined) return inUnits(size, style);
  return style.human === 0 ? String(size) : humanSize(size, style.human);
}

function inUnits(size: number, { unit = 1, unitName }: Style): string {
  return `${Math.ceil(size / unit)}${unitName}`;
}

function blocksText(kib: number, style: Style): string {
  if (style.human === 0 && style.unit !== undefined) return inUnits(kib * 1024, style);
  return style.human === 0 ? String(kib) : humanSize(kib * 1024, style.human);
}

/** The columns before the name, one row an entry. */
function leading(entry: Entry, style: Style): string[] {
  const row: string[] = [];
  const { stat } = entry;
  if (stat === undefined) return row;
  if (style.inode) row.push(String(inodeOf(stat)));
  if (style.blocks) row.push(blocksText(diskKiB(stat), style));
  if (style.form !== 'long') return row;
  row.push(modeText(stat), stat.isDirectory ? '2' : '1');
  const owner = style.numeric ? String(OWNER_ID) : OWNER;
  if (style.owner) row.push(owner);
  if (style.group) row.push(owner);
  row.push(sizeText(stat, style), timeText(stat.mtime, style));
  return row;
}

function rows(entries: readonly Entry[], style: Style): string[] {
  const table = entries.map((entry) => leading(entry, style));
  const widths: number[] = [];
  for (const row of table) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return entries.map((entry, at) => {
    const cells = (table[at] ?? []).map((cell, i) => {
      // Owner and group stand left, as the time does; all others are numbers.
      return /^[a-zA-Z]/.test(cell) && style.form === 'long'
        ? cell.padEnd(widths[i] ?? 0)
        : cell.padStart(widths[i] ?? 0);
    });
    const arrow = entry.target === undefined ? '' : ` -> ${entry.target}`;
    return [...cells, label(entry, style) + arrow].join(' ');
  });
}

/** Lays names out in columns, down or across, within a width. */
function columns(names: readonly string[], width: number, across: boolean): string[] {
  const lengths = names.map((name) => name.replace(/\x1b\[[\d;]*m/g, '').length);
  for (
    let count = Math.min(names.length, Math.max(1, Math.floor(width / 3)));
    count >= 1;
    count--
  ) {
    const height = Math.ceil(names.length / count);
    const column = (i: number) => (across ? i % count : Math.floor(i / height));
    const used = across ? count : Math.ceil(names.length / height);
    const widths = new Array<number>(used).fill(0);
    for (const [i, length] of lengths.entries()) {
      const at = column(i);
      widths[at] = Math.max(widths[at] ?? 0, length + 2);
    }
    const total = widths.reduce((sum, one) => sum + one, 0) - 2;
    if (total >= width && count > 1) continue;
    const lines: string[] = Array.from({ length: height }, () => '');
    const pads: number[] = new Array<number>(height).fill(0);
    for (const [i, name] of names.entries()) {
      const row = across ? Math.floor(i / count) : i % height;
      lines[row] += ' '.repeat(pads[row] ?? 0) + name;
      pads[row] = (widths[column(i)] ?? 0) - (lengths[i] ?? 0);
    }
    return lines;
  }
  return [...names];
}

function commas(names: readonly string[], width: number): string {
  let line = '';
  let out = '';
  for (const [i, name] of names.entries()) {
    const piece = i === names.length - 1 ? name : `${name}, `;
    if (line !== '' && line.length + piece.trimEnd().length >= width) {
      out += `${line.trimEnd()}\n`;
      line = '';
    }
    line += piece;
  }
  return `${out}${line}\n`;
}

/** A block of entries as text. */
export function render(entries: readonly Entry[], style: Style): string {
  if (entries.length === 0) return '';
  const plain = style.form === 'lines' && !style.inode && !style.blocks;
  if (
    plain &&
    style.indicator === 'none' &&
    !style.color &&
    style.quote === 'literal' &&
    !style.hideControl
  ) {
    let out = '';
    for (const entry of entries) out += entry.name + style.end;
    return out;
  }
  const lines = rows(entries, style);
  if (style.form === 'commas') return commas(lines, style.width);
  if (style.form === 'columns' || style.form === 'across') {
    return `${columns(lines, style.width, style.form === 'across').join('\n')}\n`;
  }
  return lines.map((line) => line + style.end).join('');
}

/** `total N`: the blocks of what is listed. */
export function total(entries: readonly Entry[], style: Style): string {
  let kib = 0;
  for (const entry of entries) kib += entry.stat === undefined ? 0 : diskKiB(entry.stat);
  return `total ${blocksText(kib, style)}${style.end}`;
}
