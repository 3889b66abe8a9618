/** Which entries fd takes: by pattern, kind, extension, size and time. */
import { globRegExp } from '../grep/glob.ts';
import { parseDate } from '../support/date-text.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { PerlPattern } from '../support/perl-pattern.ts';
import type { Tool } from '../support/tool.ts';
import type { Entry } from './walk.ts';

export type Filter = (entry: Entry) => boolean | Promise<boolean>;

const invalid = (what: string, text: string): UsageError =>
  new UsageError(`'${text}' is not a valid ${what}`, { hint: false });

function namePattern(options: Options, pattern: string): ((text: string) => boolean) | undefined {
  if (pattern === '' || (pattern === '.' && !options.has('F'))) return undefined;
  const last = options.seen.findLast(([key]) => key === 's' || key === 'i')?.[0];
  // The escapes of a pattern are no capital letters.
  const capital = /\p{Lu}/u.test(options.has('F') ? pattern : pattern.replace(/\\./g, ''));
  const ignoreCase = last === undefined ? !capital : last === 'i';
  if (options.has('g')) {
    const whole = globRegExp(pattern, { crossSlash: false, extended: true, ignoreCase });
    return (text) => whole.test(text);
  }
  const source = options.has('F') ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
  const compiled = new PerlPattern(source, ignoreCase, 'rust');
  return (text) => compiled.test(text);
}

const KINDS: Readonly<Record<string, string>> = {
  file: 'f',
  directory: 'd',
  dir: 'd',
  symlink: 'l',
  executable: 'x',
  empty: 'e',
  socket: 's',
  pipe: 'p',
};

function kindTest(tool: Tool, options: Options): Filter | undefined {
  const given = options.all('t').map((text) => KINDS[text] ?? text);
  const odd = given.find((kind) => !'fdlxesp'.includes(kind));
  if (odd !== undefined)
    throw new UsageError(`"${odd}" isn't a valid value for '--type <filetype>...'`, {
      hint: false,
      status: 2,
    });
  if (given.length === 0) return undefined;
  const plain = given.filter((kind) => kind !== 'x' && kind !== 'e');
  return async (entry) => {
    if (given.includes('x')) {
      if (entry.kind !== 'f' || ((await tool.fs.stat(entry.path)).mode & 0o111) === 0) return false;
      if (plain.length === 0 && !given.includes('e')) return true;
    }
    if (given.includes('e')) {
      const allowed = plain.length === 0 ? 'fd' : plain.join('');
      if (!allowed.includes(entry.kind)) return false;
      if (entry.kind === 'd') return (await tool.fs.readdir(entry.path)).length === 0;
      return (await tool.fs.stat(entry.path)).size === 0;
    }
    return plain.includes(entry.kind);
  };
}

function sizeTest(tool: Tool, text: string): Filter {
  const match = /^([+-]?)(\d+)(b|[kmgt]i?b?)$/i.exec(text);
  if (match === null) throw invalid('size constraint. See fd --help', text);
  const unit = (match[3] ?? 'b').toLowerCase();
  const power = ' kmgt'.indexOf(unit[0] === 'b' ? ' ' : (unit[0] ?? ' '));
  const wanted = Number(match[2]) * (unit[1] === 'i' ? 1024 : 1000) ** power;
  return async (entry) => {
    if (entry.kind !== 'f') return false;
    const { size } = await tool.fs.stat(entry.path);
    if (match[1] === '+') return size >= wanted;
    return match[1] === '-' ? size <= wanted : size === wanted;
  };
}

const SPANS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  min: 60,
  h: 3600,
  d: 86_400,
  day: 86_400,
  days: 86_400,
  w: 604_800,
  week: 604_800,
  weeks: 604_800,
};

/** A span back from now, `2d` or `10min`, or a date. Milliseconds. */
function moment(tool: Tool, text: string): number {
  const span = /^(\d+)\s*([a-z]+)$/.exec(text);
  const unit = SPANS[span?.[2] ?? ''];
  if (span !== null && unit !== undefined) return Date.now() - Number(span[1]) * unit * 1000;
  const date = parseDate(text, new Date(), tool.ctx.env.get('TZ'));
  if (date === undefined) throw invalid('date or duration. See fd --help', text);
  return date.getTime();
}

/** What an entry has to be. Fails with {@link UsageError} where that cannot be understood. */
export async function filterOf(tool: Tool, options: Options, pattern: string): Promise<Filter> {
  const tests: Filter[] = [];
  for (const one of [pattern, ...options.all('and')]) {
    const matches = namePattern(options, one);
    if (matches !== undefined)
      tests.push((entry) => matches(options.has('p') ? entry.path : entry.name));
  }
  const extensions = options.all('e').map((text) => `.${text.replace(/^\./, '').toLowerCase()}`);
  if (extensions.length > 0) {
    tests.push(({ name }) =>
      extensions.some((end) => name.toLowerCase().endsWith(end) && name.length > end.length),
    );
  }
  const kind = kindTest(tool, options);
  if (kind !== undefined) tests.push(kind);
  for (const text of options.all('S')) tests.push(sizeTest(tool, text));
  for (const [key, value] of options.seen) {
    if (key !== 'newer' && key !== 'older') continue;
    const limit = moment(tool, value);
    tests.push(async (entry) => {
      const time = (await tool.fs.lstat(entry.path)).mtime.getTime();
      return key === 'newer' ? time >= limit : time <= limit;
    });
  }
  return async (entry) => {
    for (const test of tests) if (!(await test(entry))) return false;
    return true;
  };
}
