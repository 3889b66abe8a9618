/** touch, with -d, -t and -r. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { isFiner, parseDate } from '../support/date-text.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

/** Reads [[CC]YY]MMDDhhmm[.ss]. */
function stamp(text: string): Date {
  const match = /^(\d{2})??(\d{2})?(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/.exec(text);
  if (match === null) throw new UsageError(`invalid date format '${text}'`, { hint: false });
  const [, century, short, month, day, hour, minute, second = '0'] = match;
  const years = Number(short);
  const year =
    short === undefined
      ? new Date().getUTCFullYear()
      : (century === undefined ? (years < 69 ? 2000 : 1900) : Number(century) * 100) + years;
  const parts = [month, day, hour, minute, second].map(Number);
  const [monthAt = 0, dayAt = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const date = new Date(Date.UTC(year, monthAt - 1, dayAt, hours, minutes, seconds));
  // A leap second is the first one of the next minute.
  const isThere =
    monthAt === new Date(Date.UTC(year, monthAt - 1, dayAt)).getUTCMonth() + 1 &&
    hours < 24 &&
    minutes < 60 &&
    seconds <= 60;
  if (!isThere) throw new UsageError(`invalid date format '${text}'`, { hint: false });
  return date;
}

async function moment(tool: Tool, options: Options): Promise<Date | undefined> {
  const reference = options.get('r');
  const text = options.get('d');
  const exact = options.get('t');
  let base = new Date();
  if (reference !== undefined) {
    const stat = await tool.attempt(`failed to get attributes of '${reference}'`, () =>
      tool.fs.stat(tool.path(reference)),
    );
    if (stat === undefined) return undefined;
    base = stat.mtime;
  }
  if (exact !== undefined) return stamp(exact);
  if (text === undefined) return base;
  const date = parseDate(text, base, tool.ctx.env.get('TZ'));
  if (date === undefined) throw new UsageError(`invalid date format '${text}'`, { hint: false });
  if (isFiner(text)) tool.warn(`times are kept in milliseconds: '${text}' is cut to that`);
  return date;
}

const TIMES = ['access', 'atime', 'use', 'modify', 'mtime'];

async function touch(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'acd:fhmr:t:',
    long: {
      'no-create': 'c',
      date: 'd:',
      'no-dereference': 'h',
      reference: 'r:',
      time: 'time:',
    },
  });
  if (options.operands.length === 0) throw new UsageError('missing file operand');
  if (options.has('t') && (options.has('d') || options.has('r')))
    throw new UsageError('cannot specify times from more than one source');
  const date = await moment(tool, options);
  if (date === undefined) return;
  const word = options.get('time') ?? 'modify';
  if (!TIMES.includes(word)) {
    throw new UsageError(`invalid argument '${word}' for '--time'`);
  }
  const access = options.has('a') || word.startsWith('a') || word === 'use';
  const keeps = access && !options.has('m');
  if (keeps) tool.warn('there are no times of access here: those of files are left as they are');
  const dated = ['d', 't', 'r'].some((key) => options.has(key));
  for (const name of options.operands) {
    if (name === '-') {
      tool.fail("cannot touch '-': there is no file behind the standard output that has a time");
      continue;
    }
    await tool.attempt(`cannot touch '${name}'`, async () => {
      const path = tool.path(name);
      // A slash behind it asks for a directory.
      if (name.endsWith('/') && !(await tool.fs.exists(path))) {
        if (!options.has('c')) tool.fail(`setting times of '${name}': No such file or directory`);
        return;
      }
      try {
        // A link has no time of its own here; with -h what it leads to is not touched for it.
        const own = await tool.fs.lstat(path);
        if (own.isSymbolicLink && options.has('h')) {
          tool.warn(`'${name}' is a link, and links keep their times here`);
          return;
        }
        if (own.isSymbolicLink) await tool.fs.stat(path);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
        if (options.has('h') && !options.has('c'))
          return tool.fail(`setting times of '${name}': No such file or directory`);
        if (options.has('c')) return;
        await tool.fs.writeFile(path, '');
        if (dated && !keeps) await tool.fs.utimes(path, date, date);
        return;
      }
      if (!keeps) await tool.fs.utimes(path, date, date);
    });
  }
}

/** touch. */
export const touchShims: ShimFactory = (host) => [
  defineTool(host, { name: 'touch', usage: 'Usage: touch [OPTION]... FILE...' }, touch),
];
