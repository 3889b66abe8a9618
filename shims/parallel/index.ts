/** parallel: a command for each argument, one after the other, in the order of the arguments. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBytes } from '../support/tool.ts';
import { jobsOf, type Row, sourcesOf } from './sources.ts';
import { commandLine, compile, quotedWord } from './template.ts';

const LONG = {
  'arg-file': 'a:',
  bar: 'ignored',
  basenamereplace: 'ignored:',
  citation: 'ignored',
  colsep: 'C:',
  delay: 'delay:',
  delimiter: 'd:',
  'dry-run': 'dry-run',
  dryrun: 'dry-run',
  eta: 'ignored',
  group: 'ignored',
  halt: 'halt:',
  'halt-on-error': 'halt:',
  header: 'header:',
  'ignore-empty': 'ignore-empty',
  jobs: 'j:',
  joblog: 'joblog:',
  'keep-order': 'k',
  'line-buffer': 'ignored',
  link: 'link',
  'max-args': 'n:',
  'max-procs': 'j:',
  'max-replace-args': 'N:',
  'no-notice': 'ignored',
  'no-run-if-empty': 'r',
  null: '0',
  pipe: 'pipe',
  progress: 'ignored',
  quote: 'q',
  recstart: 'ignored:',
  results: 'results:',
  retries: 'retries:',
  shell: 'ignored:',
  silent: 'ignored',
  tag: 'tag',
  tagstring: 'tagstring:',
  timeout: 'timeout:',
  trim: 'trim:',
  ungroup: 'ignored',
  verbose: 't',
  'will-cite': 'ignored',
  xargs: 'X',
};

/** Options that would change what is run, and are not here. */
const REFUSED: Readonly<Record<string, string>> = {
  results: 'redirect what the command prints to a file named by {#}',
};

/** Runs a job until it is done or has been tried often enough. */
async function attempt(tool: Tool, line: string, stdin: string, options: Options) {
  const tries = Math.max(1, Number(options.get('retries') ?? 1));
  const limit = options.get('timeout');
  const words = limit === undefined ? ['bash', '-c', line] : ['timeout', limit, 'bash', '-c', line];
  let result = await tool.spawn(words, stdin);
  for (let done = 1; done < tries && result.exitCode !== 0; done++)
    result = await tool.spawn(words, stdin);
  return result;
}

function tagged(bytes: string, tag: string | undefined): string {
  if (tag === undefined) return bytes;
  return bytes.replace(/^.*(?:\n|$)/gm, (line) => (line === '' ? '' : `${toBytes(tag)}\t${line}`));
}

/** How many may fail before no other job is begun: `--halt now,fail=1`, `soon,fail=2`, or 1 and 2 of old. */
function mostFailures(options: Options): number {
  const text = options.get('halt');
  if (text === undefined || text === '0' || text === 'never') return Infinity;
  if (text === '1' || text === '2') return 1;
  const match = /^(?:now|soon),(fail|success|done)=(\d+)$/.exec(text);
  if (match?.[1] !== 'fail')
    throw new UsageError(`--halt ${text} is not understood here: use now,fail=1`, { hint: false });
  return Number(match[2]);
}

/** A line of `--joblog`. */
interface Logged {
  line: string;
  started: number;
  took: number;
  status: number;
  sent: number;
  received: number;
}

const HEAD = 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n';

const logLine = (one: Logged, index: number): string =>
  `${[index + 1, ':', (one.started / 1000).toFixed(3), (one.took / 1000).toFixed(3).padStart(10), one.sent, one.received, one.status, 0, one.line].join('\t')}\n`;

async function runAll(
  tool: Tool,
  options: Options,
  template: string,
  rows: readonly Row[],
): Promise<void> {
  const compiled = compile(template, options);
  const most = mostFailures(options);
  const log: Logged[] = [];
  const tagTemplate = options.get('tagstring');
  let failures = 0;
  for (const [index, row] of rows.entries()) {
    const line = commandLine(compiled, row, index + 1);
    if (options.has('dry-run')) {
      tool.print(`${line}\n`);
      continue;
    }
    if (options.has('t')) tool.stderr += `${line}\n`;
    const started = Date.now();
    const { stdout, stderr, exitCode } = await attempt(tool, line, row.stdin ?? '', options);
    const tag =
      tagTemplate !== undefined
        ? commandLine(compile(tagTemplate, options, false), row, index + 1)
        : options.has('tag')
          ? row.args.join(' ')
          : undefined;
    tool.write(tagged(stdout, tag));
    tool.stderr += tagged(stderr, tag);
    log.push({
      line,
      started,
      took: Date.now() - started,
      status: exitCode,
      sent: row.stdin?.length ?? 0,
      received: stdout.length,
    });
    await tool.pulse();
    tool.ctx.signal?.throwIfAborted();
    if (exitCode === 0) continue;
    failures++;
    if (failures >= most) {
      tool.stderr += `parallel: This job failed:\n${line}\n`;
      // One failure gives its own status, several their number.
      tool.status = most === 1 ? exitCode : failures;
      break;
    }
  }
  // As GNU's: the number of jobs that failed, 101 for more than 100.
  if (failures < most) tool.status = Math.min(failures, 101);
  const file = options.get('joblog');
  if (file !== undefined) await tool.save(file, toBytes(HEAD + log.map(logLine).join('')));
}

async function parallel(tool: Tool): Promise<undefined> {
  const { command, sources } = sourcesOf(tool.args);
  const options = tool.options(
    { short: '0a:C:d:E:I:i::j:kmn:N:P:qrtuvX', long: LONG, stopAtOperand: true },
    command,
  );
  for (const [name, instead] of Object.entries(REFUSED)) {
    if (options.has(name))
      throw new UsageError(`--${name} is not here: ${instead}`, { hint: false });
  }
  const words = options.operands;
  const template = (options.has('q') ? words.map(quotedWord) : words).join(' ');
  const rows = await jobsOf(tool, options, sources);
  if (rows === undefined) return;
  await runAll(tool, options, template, rows);
}

/** parallel. */
export const parallelShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'parallel',
      usageStatus: 255,
      usage: `Usage: parallel [options] [command [arguments]] < list_of_arguments
       parallel [options] [command [arguments]] (::: arguments | :::: argfile(s))...
       cat ... | parallel --pipe [options] [command [arguments]]

Jobs run one after the other here; -j is taken and changes nothing.
  {} {.} {/} {//} {/.} {#} {1} {2.}    what is put in: the argument, without its extension, its base name, ...
  -a FILE  -0  -d DELIM  -C COLSEP  --header :  --link   where arguments come from
  -n N  -N N  -X  -m       arguments a job
  -k  --tag  --tagstring T  --dry-run  -t  -q  --halt now,fail=1  --joblog FILE  --retries N  --timeout S
  --pipe  -N RECORDS  --block SIZE   pieces of standard input, a job each`,
    },
    parallel,
  ),
];
