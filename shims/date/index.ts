/** date, with -d in the forms that people write. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { isFiner, parseDate } from '../support/date-text.ts';
import { type Options, UsageError, wrongWord } from '../support/getopt.ts';
import { offsetText, strftime, type ZonedTime, zoned } from '../support/time.ts';
import { defineTool, splitLines, type Tool } from '../support/tool.ts';

/** Formats by the words of `--iso-8601`. */
const ISO: ReadonlyMap<string, string> = new Map([
  ['hours', '%Y-%m-%dT%H'],
  ['minutes', '%Y-%m-%dT%H:%M'],
  ['date', '%Y-%m-%d'],
  ['seconds', '%Y-%m-%dT%H:%M:%S'],
  ['ns', '%Y-%m-%dT%H:%M:%S,%N'],
]);
const RFC_3339: ReadonlyMap<string, string> = new Map([
  ['date', '%Y-%m-%d'],
  ['seconds', '%Y-%m-%d %H:%M:%S'],
  ['ns', '%Y-%m-%d %H:%M:%S.%N'],
]);

/** A time as precise as a word asks, which may be cut short; with its zone, unless it is a day. */
function precise(
  option: string,
  formats: ReadonlyMap<string, string>,
  word: string,
  time: ZonedTime,
  date: Date,
): string {
  const found = [...formats].find(([name]) => name.startsWith(word));
  if (found === undefined) throw wrongWord(`--${option}`, word, [...formats.keys()]);
  const [name, format] = found;
  const text = strftime(format, time, date);
  return name === 'date' ? text : text + offsetText(time, ':');
}

function render(options: Options, date: Date, zone: string | undefined): string {
  const time = zoned(date, zone);
  const iso = options.get('I');
  const rfc = options.get('rfc');
  if (options.has('R')) return strftime('%a, %d %b %Y %H:%M:%S %z', time, date);
  if (rfc !== undefined) return precise('rfc-3339', RFC_3339, rfc, time, date);
  if (iso !== undefined) return precise('iso-8601', ISO, iso || 'date', time, date);
  return strftime(options.operands[0]?.slice(1) ?? '%a %b %e %H:%M:%S %Z %Y', time, date);
}

async function date(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'd:f:I::r:Rs:u',
    long: {
      date: 'd:',
      file: 'f:',
      'iso-8601': 'I::',
      reference: 'r:',
      'rfc-email': 'R',
      'rfc-2822': 'R',
      'rfc-3339': 'rfc:',
      set: 's:',
      universal: 'u',
      utc: 'u',
      debug: 'debug',
    },
  });
  const [operand, extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  if (operand?.startsWith('+') === false)
    throw new UsageError(`invalid date '${operand}'`, { hint: false });
  if (options.has('s'))
    throw new UsageError('cannot set date: Operation not permitted', { hint: false });
  const formats =
    options.operands.length + ['I', 'R', 'rfc'].flatMap((key) => options.all(key)).length;
  if (formats > 1) throw new UsageError('multiple output formats specified', { hint: false });
  if (options.has('debug')) {
    const format = operand?.slice(1) ?? '%a %b %e %H:%M:%S %Z %Y';
    tool.warn(`output format: '${format}'`);
  }
  const zone = options.has('u') ? 'UTC' : tool.ctx.env.get('TZ');
  const show = (text: string): void => {
    const moment = parseDate(text, new Date(), zone);
    if (moment === undefined) return tool.fail(`invalid date '${text}'`);
    if (isFiner(text)) tool.warn(`times are kept in milliseconds: '${text}' is cut to that`);
    tool.print(`${render(options, moment, zone)}\n`);
  };
  const file = options.get('f');
  const reference = options.get('r');
  if (file !== undefined) {
    for (const line of splitLines((await tool.tryRead(file)) ?? '')) show(line);
  } else if (reference !== undefined) {
    const stat = await tool.attempt(reference, () => tool.fs.stat(tool.path(reference)));
    if (stat !== undefined) tool.print(`${render(options, stat.mtime, zone)}\n`);
  } else show(options.get('d') ?? 'now');
}

/** date. */
export const dateShims: ShimFactory = (host) => [
  defineTool(host, { name: 'date', usage: 'Usage: date [OPTION]... [+FORMAT]' }, date),
];
