/**
 * Background jobs. just-bash runs `cmd &` on the spot and forgets its status. Here each runs in an
 * interpreter of its own, beside what comes after it, and its status is kept for `wait`. Where what it
 * prints goes into a pipe, a file or a variable, it still runs on the spot: what it is a part of is
 * given its output when it ends.
 */
import type { CommandNode, StatementNode } from 'just-bash';
import type { Inbox } from './inbox.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { killRequest } from './kill-request.ts';
import { HOLDING, IGNORED, signalName } from './signal-numbers.ts';

interface Job {
  number: number;
  pid: number;
  /** The shell or subshell that started it. */
  owner: number;
  /** Null as long as it runs. */
  status: number | null;
  /** As the script wrote it. */
  text: string;
  /** Has `jobs` told that it ended? */
  told: boolean;
  ended: Promise<unknown>;
  stop: AbortController;
  /** The signal that ended it; 0 where none did. */
  signal: number;
  inbox: Inbox;
}

/** How a job that runs beside others is begun. Its status. */
export type BeginJob = (pid: number, signal: AbortSignal, inbox: Inbox) => Promise<number>;

const NOTHING: CommandResult = { stdout: '', stderr: '', exitCode: 0 };

/** The jobs of one shell. */
export class Jobs {
  readonly #jobs: Job[] = [];
  /** For `wait -n`: those that nobody has waited for, in the order in which they end. */
  readonly #unwaited = new Set<Job>();
  readonly #subshells = new WeakMap<StatementNode, StatementNode>();

  /** Runs a statement that ends in `&` to its end, and keeps its status. Its own is 0. */
  async start(
    node: StatementNode,
    state: InterpreterState,
    run: (node: StatementNode) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    // The number that the subshell is about to be given.
    const job = this.#add(node, state, state.nextVirtualPid);
    let result: CommandResult;
    try {
      result = await run(this.#subshellOf(node));
    } catch (error) {
      const ended = endOfJob(error);
      if (ended === null) throw error;
      result = ended;
    }
    state.lastBackgroundPid = job.pid;
    job.status = result.exitCode;
    return { ...result, exitCode: 0 };
  }

  /** Begins a statement that ends in `&`; it goes on by itself. */
  begin(node: StatementNode, state: InterpreterState, run: BeginJob): CommandResult {
    const job = this.#add(node, state, state.nextVirtualPid++);
    state.lastBackgroundPid = job.pid;
    job.ended = run(job.pid, job.stop.signal, job.inbox).then((status) => {
      job.status = job.signal === 0 ? status : 128 + job.signal;
      // Now it is the last of those that have ended.
      if (this.#unwaited.delete(job)) this.#unwaited.add(job);
    });
    return NOTHING;
  }

  /** Waits until all of them have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#jobs.map(({ ended }) => ended));
  }

  #add(node: StatementNode, { bashPid }: InterpreterState, pid: number): Job {
    // A shell that begins anew counts from the same number: what ended in another one is another job.
    const earlier = this.#jobs.findIndex((each) => each.pid === pid && each.status !== null);
    if (earlier >= 0) this.#jobs.splice(earlier, 1);
    const job: Job = {
      number: (this.#jobs.at(-1)?.number ?? 0) + 1,
      pid,
      owner: bashPid,
      status: null,
      text: (node.sourceText ?? '').replace(/\s*&\s*$/, ''),
      told: false,
      ended: Promise.resolve(),
      stop: new AbortController(),
      signal: 0,
      inbox: [],
    };
    this.#jobs.push(job);
    this.#unwaited.add(job);
    return job;
  }

  /** `wait [-n] [-f] [-p VAR] [ID…]` */
  async wait(args: readonly string[], state: InterpreterState): Promise<CommandResult> {
    const words = [...args];
    const at = words.indexOf('-p');
    const [, variable = null] = at === -1 ? [] : words.splice(at, 2);
    const next = words.includes('-n');
    const ids = words.filter((word) => !/^-[nf]+$/.test(word) && word !== '--');
    const wanted = ids.length === 0 ? null : ids.map((id) => this.#find(id));
    if (next) return this.#waitNext(wanted, variable, state);
    if (wanted === null) {
      const own = this.#jobs.filter(({ owner }) => owner === state.bashPid);
      await Promise.all(own.map(({ ended }) => ended));
      // As in bash, there is nothing left to wait for.
      for (const job of own) {
        this.#unwaited.delete(job);
        this.#jobs.splice(this.#jobs.indexOf(job), 1);
      }
      return NOTHING;
    }
    let stderr = '';
    let exitCode = 0;
    for (const id of ids) {
      const job = this.#find(id);
      await job?.ended;
      exitCode = job?.status ?? 127;
      if (job !== undefined) {
        this.#unwaited.delete(job);
        if (variable !== null) state.env.set(variable, String(job.pid));
      } else if (id.startsWith('%')) stderr += `bash: wait: ${id}: no such job\n`;
      else if (/^\d+$/.test(id)) stderr += `bash: wait: pid ${id} is not a child of this shell\n`;
      else stderr += `bash: wait: \`${id}': not a pid or valid job spec\n`;
      if (!/^(?:%.*|\d+)$/.test(id)) exitCode = 1;
    }
    return { stdout: '', stderr, exitCode };
  }

  /** The first of them to end. */
  async #waitNext(
    wanted: readonly (Job | undefined)[] | null,
    variable: string | null,
    state: InterpreterState,
  ): Promise<CommandResult> {
    const open = [...this.#unwaited].filter(
      (job) => job.owner === state.bashPid && (wanted === null || wanted.includes(job)),
    );
    const ended = (): Job | undefined =>
      [...this.#unwaited].find((job) => job.status !== null && open.includes(job));
    if (ended() === undefined && open.length > 0) await Promise.race(open.map((job) => job.ended));
    const job = ended();
    if (job === undefined) return { ...NOTHING, exitCode: 127 };
    this.#unwaited.delete(job);
    if (variable !== null) state.env.set(variable, String(job.pid));
    return { ...NOTHING, exitCode: job.status ?? 0 };
  }

  /** `jobs [-lprs]`: those that run, and once each those that have ended. */
  list(args: readonly string[]): CommandResult {
    const [pids, long] = [args.includes('-p'), args.includes('-l')];
    const running = args.includes('-r');
    const fresh = this.#jobs.filter(({ told, status }) => !told && (!running || status === null));
    const lines = fresh.map((job, index) => {
      const { number, pid, status, text } = job;
      if (pids) return `${pid}\n`;
      job.told = status !== null;
      const sign = index === fresh.length - 1 ? '+' : index === fresh.length - 2 ? '-' : ' ';
      const state = status === null ? 'Running' : stateOf(job, status);
      const head = `[${number}]${sign} ${long ? `${pid} ` : ' '}${state.padEnd(24)}`;
      return `${head}${text}${status === null ? ' &' : ''}\n`;
    });
    return { stdout: lines.join(''), stderr: '', exitCode: 0 };
  }

  /** `kill`: of jobs that run, and the shell itself. */
  kill(args: readonly string[], state: InterpreterState): CommandResult {
    const request = killRequest(args);
    if (request.result !== null) return request.result;
    const { signal, targets } = request;
    const probe = signal === 0 || IGNORED.has(signalName(String(signal)) ?? '');
    const holds = HOLDING.has(signalName(String(signal)) ?? '');
    let stderr = '';
    let reached = false;
    let refused = false;
    for (const target of targets) {
      const own = target === String(state.bashPid) || target === '0';
      if (own && probe) {
        reached = true;
        continue;
      }
      const job = this.#find(target);
      if (job?.status === null) {
        reached = true;
        if (probe || isTrapped(job, signal)) continue;
        if (holds) {
          stderr += `bash: kill: ${target}: a job cannot be stopped for a while here, only ended\n`;
          refused = true;
          continue;
        }
        job.signal = signal;
        job.stop.abort();
        continue;
      }
      if (target.startsWith('%') && this.#find(target) === undefined) {
        stderr += `bash: kill: ${target}: no such job\n`;
      } else if (/^(?:%.*|-?\d+)$/.test(target)) {
        stderr += `bash: kill: (${this.#find(target)?.pid ?? target}) - No such process\n`;
      } else {
        stderr += `bash: kill: ${target}: arguments must be process or job IDs\n`;
      }
    }
    return { stdout: '', stderr, exitCode: reached && !refused ? 0 : 1 };
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

/** Has the job a trap for the signal? Then it runs once the command has ended that runs now. */
function isTrapped({ inbox }: Job, signal: number): boolean {
  const name = signalName(String(signal)) ?? '';
  const reader = name === 'KILL' ? undefined : inbox.findLast(({ traps }) => traps.has(name));
  if (reader?.traps.get(name)?.command !== '') reader?.signalled.push(name);
  return reader !== undefined;
}

function stateOf({ signal }: Job, status: number): string {
  if (signal !== 0) return signal === 9 ? 'Killed' : 'Terminated';
  return status === 0 ? 'Done' : `Exit ${status}`;
}
