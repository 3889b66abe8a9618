/** ts: the time before each line. */
import { UsageError } from '../support/getopt.ts';
import { strftime, zoned } from '../support/time.ts';
import { type Tool, toBytes } from '../support/tool.ts';

export async function ts(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'irsmu' });
  if (options.has('r')) {
    throw new UsageError('-r, times told as "5m ago", is not here: use date -d on them', {
      hint: false,
    });
  }
  const since = options.has('i') || options.has('s');
  const format = options.operands.join(' ') || (since ? '%H:%M:%S' : '%b %d %H:%M:%S');
  // %.S, %.s and %.T have parts of a second.
  const precise = format.replace(/%\.([SsT])/g, (_all, letter: string) =>
    letter === 'T' ? '%H:%M:%S.%6N' : `%${letter}.%6N`,
  );
  const zone = options.has('u') || since ? 'UTC' : tool.ctx.env.get('TZ');
  const began = Date.now();
  let before = began;
  for (const line of tool.stdin.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const now = Date.now();
    const date = new Date(options.has('i') ? now - before : options.has('s') ? now - began : now);
    before = now;
    tool.write(`${toBytes(strftime(precise, zoned(date, zone), date))} ${line}`);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
}
