/** Commands that run another one: nice, nohup, setsid, stdbuf, ionice, flock, watch. Nothing else runs meanwhile. */
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { type OptionSpec, type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { flock } from './flock.ts';
import { watch } from './watch.ts';

/** Runs the words as a command, on the streams of this one. */
async function run(tool: Tool, words: readonly string[]): Promise<undefined> {
  const { stdout, stderr, exitCode } = await tool.spawn(words, tool.stdin);
  tool.write(stdout);
  tool.stderr += stderr;
  tool.status = exitCode;
}

/** A command's own options, and the words behind them, of which there must be one at least. */
function commandOf(tool: Tool, spec: OptionSpec, least = 1): [options: Options, words: string[]] {
  const options = tool.options({ ...spec, stopAtOperand: true });
  if (options.operands.length < least) throw new UsageError('missing operand');
  return [options, options.operands];
}

const INTEGER = /^[-+]?\d+$/;
/** The classes of ionice, by number and by name. */
const CLASSES = /^(?:[0-3]|none|realtime|best-effort|idle)$/i;

async function nice(tool: Tool): Promise<undefined> {
  // `-5` and `--5` are adjustments, too, as of old.
  const args = tool.args.map((arg, i) =>
    i === 0 && /^-[-+]?\d+$/.test(arg) ? `--adjustment=${arg.slice(1)}` : arg,
  );
  const options = tool.options(
    { short: 'n:', long: { adjustment: 'n:' }, stopAtOperand: true },
    args,
  );
  const adjustment = options.get('n');
  if (adjustment !== undefined && !INTEGER.test(adjustment))
    throw new UsageError(`invalid adjustment '${adjustment}'`, { hint: false });
  if (options.operands.length > 0) return run(tool, options.operands);
  if (adjustment !== undefined) throw new UsageError('a command must be given with an adjustment');
  tool.print('0\n');
}

async function nohup(tool: Tool): Promise<undefined> {
  return run(tool, commandOf(tool, { short: '' })[1]);
}

async function setsid(tool: Tool): Promise<undefined> {
  return run(tool, commandOf(tool, { short: 'cfw', long: { ctty: 'c', fork: 'f', wait: 'w' } })[1]);
}

async function stdbuf(tool: Tool): Promise<undefined> {
  const [options, words] = commandOf(tool, {
    short: 'e:i:o:',
    long: { error: 'e:', input: 'i:', output: 'o:' },
  });
  for (const [key, value] of options.seen) {
    if (key === 'i' && value === 'L') throw new UsageError('line buffering stdin is meaningless');
    if (!/^(?:L|\d+(?:[kKMGTPE](?:B|iB)?)?)$/.test(value))
      throw new UsageError(`invalid mode '${value}'`, { hint: false });
  }
  if (options.seen.length === 0) throw new UsageError('you must specify a buffering mode option');
  return run(tool, words);
}

async function ionice(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'c:n:p:P:tu:',
    long: { class: 'c:', classdata: 'n:', pid: 'p:', ignore: 't' },
    stopAtOperand: true,
  });
  const named = options.get('c');
  if (named !== undefined && !CLASSES.test(named)) {
    const what = /^\d+$/.test(named) ? 'prio class ' : 'scheduling class: ';
    throw new UsageError(`unknown ${what}${INTEGER.test(named) ? named : `'${named}'`}`, {
      hint: false,
    });
  }
  const level = options.get('n');
  if (level !== undefined && !INTEGER.test(level))
    throw new UsageError(`invalid class data argument: '${level}'`, { hint: false });
  if (options.operands.length > 0) return run(tool, options.operands);
  tool.print('none: prio 0\n');
}

async function unbuffer(tool: Tool): Promise<undefined> {
  return run(tool, commandOf(tool, { short: 'p' })[1]);
}

const PLAIN: ReadonlyArray<
  readonly [name: string, usage: string, body: (tool: Tool) => Promise<undefined>]
> = [
  ['nohup', 'Usage: nohup COMMAND [ARG]...\nRun COMMAND. Nothing hangs up here.', nohup],
  [
    'setsid',
    'Usage: setsid [OPTION]... COMMAND [ARG]...\nRun COMMAND. There are no sessions of processes here.',
    setsid,
  ],
  [
    'ionice',
    'Usage: ionice [OPTION]... COMMAND [ARG]...\nRun COMMAND. There is one priority here.',
    ionice,
  ],
  ['unbuffer', 'Usage: unbuffer [-p] COMMAND [ARG]...\nRun COMMAND.', unbuffer],
];

/** nice, stdbuf, nohup, setsid, ionice, unbuffer, flock, watch. */
export const niceShims: ShimFactory = (host: ShimHost) => [
  defineTool(
    host,
    {
      name: 'nice',
      usageStatus: 125,
      usage:
        'Usage: nice [-n N] [COMMAND [ARG]...]\nRun COMMAND with an adjusted niceness; without one print the niceness. There is one here, 0.',
    },
    nice,
  ),
  defineTool(
    host,
    {
      name: 'stdbuf',
      usageStatus: 125,
      usage:
        'Usage: stdbuf OPTION... COMMAND [ARG]...\nRun COMMAND.\n\n  -i, -o, -e MODE   0, L or a size: what is printed is passed on as it comes in any case',
    },
    stdbuf,
  ),
  ...PLAIN.map(([name, usage, body]) =>
    defineTool(host, { name, usage, usageStatus: name === 'nohup' ? 125 : 1 }, body),
  ),
  defineTool(
    host,
    {
      name: 'flock',
      usageStatus: 64,
      usage: `Usage: flock [options] FILE|DIRECTORY COMMAND [ARG]...
       flock [options] FILE|DIRECTORY -c COMMAND
       flock [options] NUMBER

  -s, --shared  -x, --exclusive  -u, --unlock  -n, --nonblock  -o, --close
  -w, --timeout SECS   -E, --conflict-exit-code NUMBER   -F, --no-fork  --verbose`,
    },
    flock(),
  ),
  defineTool(
    host,
    {
      name: 'watch',
      usage: `Usage: watch [options] COMMAND
  -n, --interval SECS   seconds between two runs (2)
  -g, --chgexit         run until the output changes
  -e, --errexit         run until the command fails
  -x, --exec            run COMMAND without a shell
  -t, --no-title  -d, --differences  -b, --beep  -c, --color  -p, --precise
Without -g or -e the command is run once: nothing redraws a screen here.`,
    },
    watch,
  ),
];
