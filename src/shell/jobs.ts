/**
 * Background jobs. just-bash runs `cmd &` on the spot and forgets its status; so
 * a job has ended by the time anyone can ask. Here it runs in a subshell of its
 * own, and its status is kept for `wait`.
 */
import type { CommandNode, StatementNode } from 'just-bash';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';

interface Job {
  number: number;
  pid: number;
  status: number;
  /** As the script wrote it. */
  text: string;
  /** Has `jobs` told that it ended? */
  told: boolean;
}

/** The jobs of one shell. */
export class Jobs {
  readonly #jobs: Job[] = [];
  /** For `wait -n`: those that nobody has waited for. */
  readonly #unwaited = new Set<Job>();
  readonly #subshells = new WeakMap<StatementNode, StatementNode>();

  /** Runs a statement that ends in `&`, and keeps its status. Its own is 0. */
  async start(
    node: StatementNode,
    state: InterpreterState,
    run: (node: StatementNode) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    // The number that the subshell is about to be given.
    const pid = state.nextVirtualPid;
    let result: CommandResult;
    try {
      result = await run(this.#subshellOf(node));
    } catch (error) {
      const ended = endOfJob(error);
      if (ended === null) throw error;
      result = ended;
    }
    state.lastBackgroundPid = pid;
    const number = (this.#jobs.at(-1)?.number ?? 0) + 1;
    const text = (node.sourceText ?? '').replace(/\s*&\s*$/, '');
    const job = { number, pid, status: result.exitCode, text, told: false };
    this.#jobs.push(job);
    this.#unwaited.add(job);
    return { ...result, exitCode: 0 };
  }

  /** `wait [-n] [-f] [-p VAR] [ID…]` */
  wait(args: readonly string[]): CommandResult {
    const next = args.includes('-n');
    const ids = args.filter((arg) => !/^-[nf]$/.test(arg) && arg !== '--');
    if (next && ids.length === 0) {
      const [job] = this.#unwaited;
      if (job === undefined) return { stdout: '', stderr: '', exitCode: 127 };
      this.#unwaited.delete(job);
      return { stdout: '', stderr: '', exitCode: job.status };
    }
    if (ids.length === 0) {
      // As in bash, there is nothing left to wait for.
      this.#unwaited.clear();
      this.#jobs.length = 0;
    }
    let stderr = '';
    let exitCode = 0;
    for (const id of ids) {
      const job = this.#find(id);
      exitCode = job?.status ?? 127;
      if (job !== undefined) this.#unwaited.delete(job);
      else if (id.startsWith('%')) stderr += `bash: wait: ${id}: no such job\n`;
      else if (/^\d+$/.test(id)) stderr += `bash: wait: pid ${id} is not a child of this shell\n`;
      else stderr += `bash: wait: \`${id}': not a pid or valid job spec\n`;
      if (!/^(?:%.*|\d+)$/.test(id)) exitCode = 1;
    }
    return { stdout: '', stderr, exitCode };
  }

  /** `jobs [-lprs]`: each job once, as ended. */
  list(args: readonly string[]): CommandResult {
    const fresh = this.#jobs.filter(({ told }) => !told);
    for (const job of fresh) job.told = true;
    const pids = args.includes('-p');
    const lines = fresh.map(({ number, pid, status, text }, index) => {
      if (pids) return `${pid}\n`;
      const sign = index === fresh.length - 1 ? '+' : index === fresh.length - 2 ? '-' : ' ';
      const state = status === 0 ? 'Done' : `Exit ${status}`;
      return `[${number}]${sign}  ${state.padEnd(24)}${text}\n`;
    });
    return { stdout: args.includes('-r') ? '' : lines.join(''), stderr: '', exitCode: 0 };
  }

  /** `kill`: there is nothing to kill but what has ended, and the shell itself. */
  kill(args: readonly string[], state: InterpreterState): CommandResult {
    const { probe, targets } = killTargets(args);
    if (targets.length === 0) {
      const usage =
        'kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]';
      return { stdout: '', stderr: `${usage}\n`, exitCode: 2 };
    }
    let stderr = '';
    for (const target of targets) {
      const own = target === String(state.bashPid) || target === '0';
      if (own && probe) continue;
      if (target.startsWith('%') && this.#find(target) === undefined) {
        stderr += `bash: kill: ${target}: no such job\n`;
      } else if (/^(?:%.*|-?\d+)$/.test(target)) {
        stderr += `bash: kill: (${this.#find(target)?.pid ?? target}) - No such process\n`;
      } else {
        stderr += `bash: kill: ${target}: arguments must be process or job IDs\n`;
      }
    }
    return { stdout: '', stderr, exitCode: stderr === '' ? 0 : 1 };
  }

  #find(id: string): Job | undefined {
    if (!id.startsWith('%')) return this.#jobs.find(({ pid }) => String(pid) === id);
    const spec = id.slice(1);
    if (spec === '' || spec === '+' || spec === '%') return this.#jobs.at(-1);
    if (spec === '-') return this.#jobs.at(-2);
    if (/^\d+$/.test(spec)) return this.#jobs.find(({ number }) => String(number) === spec);
    return this.#jobs.find(({ text }) =>
      spec.startsWith('?') ? text.includes(spec.slice(1)) : text.startsWith(spec),
    );
  }

  #subshellOf(node: StatementNode): StatementNode {
    let made = this.#subshells.get(node);
    if (made === undefined) {
      const body: StatementNode[] = [{ ...node, background: false }];
      const command: CommandNode = { type: 'Subshell', body, redirections: [] };
      made = {
        ...node,
        background: false,
        operators: [],
        pipelines: [{ type: 'Pipeline', commands: [command], negated: false }],
      };
      this.#subshells.set(node, made);
    }
    return made;
  }
}

/** `exit` and `set -e` end a job, not the shell that started it. */
function endOfJob(error: unknown): CommandResult | null {
  if (!(error instanceof Error) || !['ExitError', 'ErrexitError'].includes(error.name)) return null;
  const { stdout = '', stderr = '', exitCode = 1 } = error as Partial<CommandResult>;
  return { stdout, stderr, exitCode };
}

function killTargets(args: readonly string[]): { probe: boolean; targets: string[] } {
  const targets = [...args];
  let probe = false;
  const [first = ''] = targets;
  if (first === '-s' || first === '-n') probe = targets.splice(0, 2)[1] === '0';
  else if (/^-\w+$/.test(first)) probe = targets.shift() === '-0';
  if (targets[0] === '--') targets.shift();
  return { probe, targets };
}
