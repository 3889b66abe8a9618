/** timeout: GNU's options and exit statuses; what ends the command is the shell's own. */
import { DefenseInDepthBox } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { signalName, signalNumber } from '../../src/shell/signal-numbers.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** Milliseconds: no timer is longer, and no command runs as long. */
const LONGEST = 2 ** 31 - 1;
/** The exit status for a command that was ended, and for a mistake in what is asked. */
const ENDED = 124;
const MISTAKEN = 125;
const KILL = 9;
const trusted = DefenseInDepthBox.runTrusted.bind(DefenseInDepthBox);

/** Milliseconds; 0 for no limit. */
export function durationOf(text: string): number {
  const [, number = '', unit = 's'] =
    /^(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)([smhd])?$/i.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number === '' || factor === undefined) {
    throw new UsageError(`invalid time interval '${text}'`);
  }
  const limit = Number(number) * factor * 1000;
  // Less than that is no time to a timer, but not no limit.
  return limit === 0 ? 0 : Math.max(1, limit);
}

async function timeout(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'k:s:v',
    long: {
      foreground: 'foreground',
      'kill-after': 'k:',
      'preserve-status': 'preserve',
      signal: 's:',
      verbose: 'v',
    },
    stopAtOperand: true,
  });
  const named = options.get('s') ?? 'TERM';
  const signal = named === '0' ? 0 : signalNumber(named);
  if (signal === null) throw new UsageError(`'${named}': invalid signal`);
  const killAfter = options.get('k');
  if (killAfter !== undefined) durationOf(killAfter);
  const [interval, ...words] = options.operands;
  if (interval === undefined || words.length === 0) throw new UsageError('missing operand');
  const limit = durationOf(interval);
  const end =
    limit === 0 || limit > LONGEST ? undefined : trusted(() => AbortSignal.timeout(limit));
  const given = [end, tool.ctx.signal].filter((one) => one !== undefined);
  const stop = given.length === 0 ? undefined : trusted(() => AbortSignal.any(given));
  const result = await tool.spawn(words, tool.stdin, tool.ctx.cwd, stop);
  tool.write(result.stdout);
  tool.status = result.exitCode;
  if (end?.aborted !== true || result.exitCode !== ENDED) {
    tool.stderr += result.stderr;
    return;
  }
  const name = signalName(String(signal)) ?? String(signal);
  if (options.has('v')) tool.warn(`sending signal ${name} to command '${words[0]}'`);
  if (!tool.isLive) tool.warn('the command was ended, and what it had printed so far is lost');
  // What is killed takes this command with it.
  if (signal === KILL || options.has('preserve')) tool.status = 128 + signal;
}

/** timeout. */
export const timeoutShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'timeout',
      usageStatus: MISTAKEN,
      usage: `Usage: timeout [OPTION] DURATION COMMAND [ARG]...
Run COMMAND, and end it if it still runs after DURATION: 10, 0.5s, 2m, 1h, 1d; 0 is no limit.
Status 124 says that it was ended.

  -s, --signal=SIGNAL   KILL makes the status 137; the command is ended in any case
  -k, --kill-after=DURATION   nothing outlives the first signal here
      --preserve-status  the status of a command ended by a signal, 128 more than its number
  -v, --verbose          say on stderr that it was ended`,
    },
    timeout,
  ),
];
