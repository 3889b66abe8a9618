/** Built-in commands that just-bash lacks, or answers otherwise than bash. */
import type { CommandResult } from './interpreter-types.ts';
import type { Run } from './run.ts';
import { problemOfTest } from './test-arguments.ts';
import { trap } from './trap.ts';

/** The result of a builtin that is done here; null leaves it to just-bash. */
export function runBuiltin(name: string, args: readonly string[], run: Run): CommandResult | null {
  const { state } = run.ctx;
  switch (name) {
    case 'trap':
      return trap(run.traps, args);
    case 'wait':
      return run.jobs.wait(args);
    case 'jobs':
      return run.jobs.list(args);
    case 'kill':
      return run.jobs.kill(args, state);
    case 'bg':
    case 'fg':
      return said(`bash: ${name}: no job control\n`, 1);
    case 'disown':
      return said('', 0);
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

/** A builtin's result as bash would have it. */
export function mendBuiltin(
  name: string,
  args: readonly string[],
  result: CommandResult,
): CommandResult {
  if (result.exitCode === 0) return result;
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
