/** Built-in commands that just-bash lacks, or answers otherwise than bash. */
import { alias } from './aliases.ts';
import { refusalOf } from './builtin-arguments.ts';
import { depthOf } from './error-trap.ts';
import { exportFunctions } from './exported-functions.ts';
import type { Run } from './frame.ts';
import { printFunctions } from './function-text.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { problemOfTest } from './test-arguments.ts';
import { trap } from './trap.ts';

/** What this shell has that others have not, and where more is said. */
const HELP = `This is bash, with GNU's commands, in a world of files. /README.md says what lies where.

  grep QUERY [PATH…]  without a flag, below /mnt: by meaning, ranked; with one it is GNU grep
  search, index       the search by meaning with options; how fresh its index is
  cat DIR/new.md      how a record is made there: the fields, and what they may be
  > DIR/new.md        makes it; cat DIR/.last says what came of it, DIR/.error why not
  edit PATH           opens a file in your editor, and writes it when it is right
  sed -i …, > PATH    change a record; what is wrong with it is said, and nothing is sent
  tool NAME …         runs a tool of the harness
  COMMAND &           goes on beside what follows: jobs, wait, kill %N, /session/jobs
  less, more          look through a file, or what is piped to them
  history, alias      as in bash

  ls /session/changes /session/approvals      what waits to be sent, and to be answered
  ls /bin; NAME --help; help NAME             all commands; one of them; one that is built in
`;

/** The result of a builtin that is done here; null leaves it to just-bash. */
export function runBuiltin(
  name: string,
  args: readonly string[],
  run: Run,
): CommandResult | Promise<CommandResult> | null {
  const { state } = run.ctx;
  const refused =
    refusalOf(name, args, state) ??
    exportFunctions(name, args, state) ??
    printFunctions(name, args, state);
  if (refused !== null) return refused;
  switch (name) {
    case 'alias':
      return alias(args, run);
    case 'trap':
      return trap(run.traps, args, { pid: state.bashPid, depth: depthOf(state) });
    case 'wait':
      return run.jobs.wait(args, state, run.line.signal);
    case 'jobs':
      return run.jobs.list(args);
    case 'kill':
      return run.jobs.kill(args, state);
    case 'bg':
    case 'fg':
      return said(`bash: ${name}: no job control\n`, 1);
    case 'disown':
      return run.jobs.disown(args);
    case 'help':
      return args.length === 0 ? { stdout: HELP, stderr: '', exitCode: 0 } : null;
    case 'times':
      return { stdout: '0m0.000s 0m0.000s\n'.repeat(2), stderr: '', exitCode: 0 };
    case 'umask':
      return umask(args);
    case 'ulimit':
      return ulimit(args);
    case 'test':
    case '[': {
      const closed = name === 'test' || args.at(-1) === ']';
      const problem = closed ? problemOfTest(name === 'test' ? args : args.slice(0, -1)) : null;
      return problem === null ? null : said(`bash: ${name}: ${problem}\n`, 2);
    }
    default:
      return null;
  }
}

/**
 * `history`: the lines typed at the prompt, numbered; with N the last N of them. Without a terminal
 * there are none. Null for other commands.
 */
export async function history(
  name: string,
  args: readonly string[],
  run: Run,
): Promise<CommandResult | null> {
  if (name !== 'history') return null;
  const [count, ...more] = args;
  if (more.length > 0 || (count !== undefined && !/^\d+$/.test(count))) {
    return said(`bash: history: ${more[0] ?? count}: only a number of lines can be given\n`, 2);
  }
  const typed = (await run.line.init.terminal?.ask({ kind: 'history' })) ?? '';
  const lines = typed.split('\n').filter((line) => line !== '');
  const numbered = lines.map((line, index) => `${String(index + 1).padStart(5)}  ${line}\n`);
  const shown =
    count === undefined ? numbered : numbered.slice(Math.max(0, lines.length - Number(count)));
  return { stdout: shown.join(''), stderr: '', exitCode: 0 };
}

/** A builtin's result as bash would have it. */
export function mendBuiltin(
  name: string,
  args: readonly string[],
  result: CommandResult,
  state: InterpreterState,
): CommandResult {
  keepOptions(name, args, result, state);
  if ((name === 'set' || name === 'shopt') && result.stdout !== '') return inColumns(result);
  if (name === 'getopts' && result.stderr !== '') {
    return {
      ...result,
      stderr: result.stderr.replace(/^bash: /, `${state.env.get('0') ?? 'bash'}: `),
    };
  }
  if (result.exitCode === 0) return result;
  // Outside of functions, or of what cannot be parsed: just-bash has 1 for both.
  const unread = /^(?:eval|source|\.)$/.test(name) && /: Parse error at /.test(result.stderr);
  if (name === 'return' || unread) return { ...result, exitCode: 2 };
  if (name === 'command') {
    // One name that is found is enough.
    const asks = /^-[pvV]*[vV]/.test(args[0] ?? '');
    return asks && result.exitCode === 1 && result.stdout !== ''
      ? { ...result, exitCode: 0 }
      : result;
  }
  if (name === '[' || name === 'test') {
    return { ...result, stderr: result.stderr.replace(/^(?:test|\[): /gm, `bash: ${name}: `) };
  }
  return result;
}

/** Options that just-bash takes and forgets. */
function keepOptions(
  name: string,
  args: readonly string[],
  { exitCode }: CommandResult,
  state: InterpreterState,
): void {
  const [flag = '', ...names] = args;
  if (name === 'shopt' && (flag === '-s' || flag === '-u') && names.includes('inherit_errexit')) {
    state.shoptOptions['inherit_errexit'] = flag === '-s';
  }
  if (name !== 'set' || exitCode !== 0) return;
  for (const [at, word] of args.entries()) {
    const [sign, letters] = [word.charAt(0), word.slice(1)];
    if (!/^[-+]\w+$/.test(word)) break;
    const named = letters.endsWith('o') ? (args[at + 1] ?? '') : '';
    for (const [letter, option] of [
      ['E', 'errtrace'],
      ['T', 'functrace'],
    ] as const) {
      if (letters.includes(letter) || named === option) state.options[option] = sign === '-';
    }
  }
}

/** The options as bash lists them, a tab behind a column of 15. */
function inColumns(result: CommandResult): CommandResult {
  const stdout = result.stdout.replace(
    /^([\w-]+)[ \t]+(on|off)$/gm,
    (_line, name: string, value: string) => {
      return `${name.padEnd(15)}\t${name === 'braceexpand' ? 'on' : value}`;
    },
  );
  const { internalOutputAccounting: _counted, ...rest } = result;
  return { ...rest, stdout };
}

/** Modes are what they are; the mask is the common one. */
function umask(args: readonly string[]): CommandResult {
  if (args.length === 0) return { stdout: '0022\n', stderr: '', exitCode: 0 };
  if (args[0] === '-S') return { stdout: 'u=rwx,g=rx,o=rx\n', stderr: '', exitCode: 0 };
  return said('bash: umask: the mask cannot be changed in this shell; use chmod\n', 1);
}

/** What a command may take is set by the deployment. */
function ulimit(args: readonly string[]): CommandResult {
  if (args.length <= 1 && args[0] !== '-a')
    return { stdout: 'unlimited\n', stderr: '', exitCode: 0 };
  return said('bash: ulimit: the limits of this shell cannot be listed or changed\n', 1);
}

function said(stderr: string, exitCode: number): CommandResult {
  return { stdout: '', stderr, exitCode };
}
