/** date, with -d in the forms that people write. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { isFiner, parseDate } from '../support/date-text.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { offsetText, strftime, zoned } from '../support/time.ts';
import { defineTool, splitLines, type Tool } from '../support/tool.ts';

const PRECISION: Readonly<Record<string, string>> = {
  date: '%Y-%m-%d',
  hours: '%Y-%m-%dT%H',
  minutes: '%Y-%m-%dT%H:%M',
  seconds: '%Y-%m-%dT%H:%M:%S',
  ns: '%Y-%m-%dT%H:%M:%S,%N',
};

function precision(word: string): string {
  const full = Object.keys(PRECISION).find((name) => name.startsWith(word || 'date'));
  if (full === undefined) throw new UsageError(`invalid argument '${word}' for '--iso-8601'`);
  return full;
}

function render(options: Options, date: Date, zone: string | undefined): string {
  const time = zoned(date, zone);
  const iso = options.get('I');
  const rfc = options.get('rfc');
  if (options.has('R')) return strftime('%a, %d %b %Y %H:%M:%S %z', time, date);
  if (rfc !== undefined) {
    const text = strftime(
      (PRECISION[precision(rfc)] ?? '').replace('T', ' ').replace(',', '.'),
      time,
      date,
    );
    return rfc.startsWith('d') ? text : text + offsetText(time, ':');
  }
  if (iso !== undefined) {
    const unit = precision(iso);
    const text = strftime(PRECISION[unit] ?? '', time, date);
    return unit === 'date' ? text : text + offsetText(time, ':');
  }
  const format = options.operands.find((word) => word.startsWith('+'))?.slice(1);
  return strftime(format ?? '%a %b %e %H:%M:%S %Z %Y', time, date);
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
  const extra = options.operands.find((word) => !word.startsWith('+'));
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  if (options.has('s'))
    throw new UsageError('cannot set date: Operation not permitted', { hint: false });
  const formats =
    options.operands.length + ['I', 'R', 'rfc'].flatMap((key) => options.all(key)).length;
  if (formats > 1) throw new UsageError('multiple output formats specified', { hint: false });
  if (options.has('debug')) {
    const format = options.operands[0]?.slice(1) ?? '%a %b %e %H:%M:%S %Z %Y';
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
