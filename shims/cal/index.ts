/** cal and ncal: months as tables. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { zoned } from '../support/time.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'];

interface Month {
  year: number;
  /** 0 to 11. */
  month: number;
}

/** Britain went from the Julian to the Gregorian calendar after 2 September 1752. */
const isJulian = (year: number, month: number): boolean =>
  year < 1752 || (year === 1752 && month < 8);

function daysIn({ year, month }: Month): number[] {
  if (year === 1752 && month === 8) return [1, 2, ...Array.from({ length: 17 }, (_, i) => 14 + i)];
  const leap = isJulian(year, month)
    ? year % 4 === 0
    : (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const count = month === 1 ? (leap ? 29 : 28) : [3, 5, 8, 10].includes(month) ? 30 : 31;
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** 0 is Sunday. */
function weekday({ year, month }: Month, day: number): number {
  const shifted = month < 2 ? year - 1 : year;
  const m = ((month + 10) % 12) + 1;
  const julian = isJulian(year, month) && !(year === 1752 && month === 8 && day > 2);
  const old = julian || (year === 1752 && month === 8 && day <= 2);
  const base = day + Math.floor(2.6 * m - 0.2) + shifted + Math.floor(shifted / 4);
  const value = old ? base - 2 : base - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return ((value % 7) + 7) % 7;
}

function dayOfYear(at: Month, day: number): number {
  let before = 0;
  for (let month = 0; month < at.month; month++) before += daysIn({ year: at.year, month }).length;
  return before + daysIn(at).indexOf(day) + 1;
}

interface Style {
  monday: boolean;
  /** Days are numbered through the year. */
  julian: boolean;
}

const centred = (text: string, width: number): string => {
  const left = Math.floor((width - text.length) / 2);
  return ' '.repeat(Math.max(0, left)) + text;
};

/** The eight rows of a month, each as wide as the table. */
function block(at: Month, style: Style, title: string): string[] {
  const cell = style.julian ? 3 : 2;
  const width = 7 * (cell + 1) - 1;
  const first = style.monday ? 1 : 0;
  const head = Array.from({ length: 7 }, (_, i) =>
    (DAYS[(i + first) % 7] ?? '').padStart(cell),
  ).join(' ');
  const rows: string[][] = [];
  const days = daysIn(at);
  let row: string[] = Array.from({ length: (weekday(at, 1) - first + 7) % 7 }, () =>
    ' '.repeat(cell),
  );
  for (const day of days) {
    row.push(String(style.julian ? dayOfYear(at, day) : day).padStart(cell));
    if (row.length < 7) continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  while (rows.length < 6) rows.push([]);
  return [centred(title, width), head, ...rows.map((cells) => cells.join(' '))].map((line) =>
    line.padEnd(width),
  );
}

/** A month with its weeks as columns, as ncal has it: the days' names, and what stands behind them. */
function columns(at: Month, style: Style): string[] {
  const cell = style.julian ? 3 : 2;
  const first = style.monday ? 1 : 0;
  const days = daysIn(at);
  const lead = (weekday(at, 1) - first + 7) % 7;
  return Array.from({ length: 7 }, (_, row) => {
    const cells = Array.from({ length: 6 }, (_, week) => {
      const index = week * 7 + row - lead;
      const day = days[index];
      if (day === undefined) return ' '.repeat(cell + 1);
      return String(style.julian ? dayOfYear(at, day) : day).padStart(cell + 1);
    });
    return cells.join('');
  });
}

function vertical(months: readonly Month[], style: Style, titled: (at: Month) => string): string {
  const width = style.julian ? 24 : 18;
  const titles = months.map((at) => titled(at).padEnd(width)).join('');
  const tables = months.map((at) => columns(at, style));
  const rows = Array.from({ length: 7 }, (_, i) => {
    const name = DAYS[(i + (style.monday ? 1 : 0)) % 7];
    return `${name}${tables.map((table) => table[i] ?? '').join('')}`;
  });
  return `${[`    ${titles}`, ...rows].join('\n')}\n`;
}

/** Months side by side, two blanks after each, as the calendar of BSD has them. */
function sideBySide(months: readonly Month[], style: Style, titled: (at: Month) => string): string {
  const blocks = months.map((at) => block(at, style, titled(at)));
  const lines = Array.from({ length: 8 }, (_, i) =>
    blocks.map((lines) => `${lines[i] ?? ''}  `).join(''),
  );
  return `${lines.join('\n')}\n`;
}

function shifted({ year, month }: Month, by: number): Month {
  const all = year * 12 + month + by;
  return { year: Math.floor(all / 12), month: ((all % 12) + 12) % 12 };
}

function yearOf(text: string): number {
  if (!/^\d*$/.test(text))
    throw new UsageError(`not a valid year ${text}`, { hint: false, status: 64 });
  if (Number(text) < 1 || Number(text) > 9999)
    throw new UsageError(`year \`${text}' not in range 1..9999`, { hint: false, status: 64 });
  return Number(text);
}

function monthNumber(text: string): number {
  if (/^(?:0?[1-9]|1[0-2])$/.test(text)) return Number(text) - 1;
  const found = MONTHS.findIndex(
    (name) => text.length >= 3 && name.toLowerCase().startsWith(text.toLowerCase()),
  );
  if (found < 0)
    throw new UsageError(`${text} is neither a month number (1..12) nor a name`, {
      hint: false,
      status: 64,
    });
  return found;
}

/** What is shown: a year, or months from one on. */
function request(options: Options, now: Month): { from: Month; count: number } {
  const [first, second, third] = options.operands;
  if (third !== undefined) throw new UsageError('too many operands');
  let at = now;
  if (options.has('m')) at = { ...now, month: monthNumber(options.get('m') ?? '') };
  if (second !== undefined) {
    at = { month: monthNumber(first ?? ''), year: yearOf(second) };
  } else if (first !== undefined) {
    const year = yearOf(first);
    if (!options.has('m')) return { from: { year, month: 0 }, count: 12 };
    at = { ...at, year };
  }
  if (options.has('y')) return { from: { year: at.year, month: 0 }, count: 12 };
  const before = Number(options.get('B') ?? (options.has('3') ? 1 : 0));
  const after = Number(options.get('A') ?? (options.has('3') ? 1 : 0));
  return { from: shifted(at, -before), count: before + 1 + after };
}

async function cal(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '13A:bB:Cd:hjm:MNSy' });
  const time = zoned(new Date(), tool.ctx.env.get('TZ'));
  const given = options.get('d');
  const now =
    given === undefined
      ? { year: time.year, month: time.month - 1 }
      : { year: Number(given.slice(0, 4)), month: Number(given.slice(5, 7)) - 1 };
  const style = { monday: options.has('M'), julian: options.has('j') };
  const { from, count } = request(options, now);
  const months = Array.from({ length: count }, (_, i) => shifted(from, i));
  const stands = tool.name === 'ncal' && !options.has('b') && !options.has('C');
  const across = stands ? (style.julian ? 3 : 4) : style.julian ? 2 : 3;
  const width = stands ? (style.julian ? 24 : 18) : style.julian ? 27 : 20;
  // Rows that are those of a year have it above them, not in each title.
  const whole = from.month % across === 0 && count >= across;
  const titled = ({ year, month }: Month): string =>
    whole ? (MONTHS[month] ?? '') : `${MONTHS[month]} ${year}`;
  const draw = stands ? vertical : sideBySide;
  for (let i = 0; i < count; i += across) {
    const row = months.slice(i, i + across);
    const [first = from] = row;
    if (whole && (i === 0 || first.month === 0))
      tool.print(`${centred(String(first.year), across * width)}\n`);
    tool.print(draw(row, style, titled));
    if (i + across < count) tool.print('\n');
  }
}

const USAGE = (name: string): string =>
  `Usage: ${name} [-3jMhy] [-A MONTHS] [-B MONTHS] [-d YYYY-MM] [[MONTH] YEAR]\n\n  -3  the months before and after, too   -y  the year   -j  days of the year   -M  weeks begin on Monday`;

/** cal, ncal. */
export const calShims: ShimFactory = (host) => [
  defineTool(host, { name: 'cal', usageStatus: 64, usage: USAGE('cal') }, cal),
  defineTool(host, { name: 'ncal', usageStatus: 64, usage: USAGE('ncal') }, cal),
];
