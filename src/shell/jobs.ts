/**
 * Background jobs. just-bash runs `cmd &` on the spot and forgets its status. Here each runs in an
 * interpreter of its own, beside what comes after it, and its status is kept for `wait`. Where what it
 * prints goes into a pipe, a file or a variable, it still runs on the spot: what it is a part of is
 * given its output when it ends. A job that outlives its line is carried out elsewhere (background.ts).
 */

import { type CommandNode, DefenseInDepthBox, type StatementNode } from 'just-bash';
import { FsError } from '../errors.ts';
import { type Background, type BackgroundJob, jobLine } from './background.ts';
import { type Inbox, takesSignal } from './inbox.ts';
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { killRequest } from './kill-request.ts';
import { HOLDING, IGNORED, signalName } from './signal-numbers.ts';
import { asTyped } from './source.ts';
import { jobState } from './state.ts';

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
  /** It outlives its line. */
  outlives: boolean;
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
  readonly #background: Background | null;
  /** Those that outlive their lines, as they were when they were last asked for. */
  #outliving: readonly Job[] = [];

  /** @param background carries out jobs that outlive their line; null where none does */
  constructor(background: Background | null = null) {
    this.#background = background;
  }

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

  /**
   * Begins a statement that ends in `&`, and outlives the line. Says its number, as bash does at a
   * prompt; and where no terminal is, for whoever has not read of it, where its output is.
   */
  async detach(
    background: Background,
    node: StatementNode,
    shell: InterpreterState,
    terminal: boolean,
  ): Promise<CommandResult> {
    try {
      const state = jobState(shell, 0);
      const start = { node: { ...node, background: false }, state, text: textOf(node) };
      const { number, pid } = await background.begin(start);
      shell.lastBackgroundPid = pid;
      const where = terminal
        ? ''
        : `dirigent: job ${number} goes on beside what follows; its output is in /session/jobs/${number}/\n`;
      return { ...NOTHING, stderr: `[${number}] ${pid}\n${where}` };
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      const { strerror, reason = error.message } = error;
      return {
        ...NOTHING,
        stderr: `bash: fork: ${strerror}\ndirigent: ${reason}\n`,
        exitCode: 254,
      };
    }
  }

  /** Waits until all of them have ended, but for those that outlive their line. */
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
      text: textOf(node),
      told: false,
      ended: Promise.resolve(),
      stop: new AbortController(),
      signal: 0,
      inbox: [],
      outlives: false,
    };
    this.#jobs.push(job);
    this.#unwaited.add(job);
    return job;
  }

  /**
   * `wait [-n] [-f] [-p VAR] [ID…]`
   * @param line ends the waiting for those that outlive the line, which go on
   */
  async wait(
    args: readonly string[],
    state: InterpreterState,
    line: AbortSignal,
  ): Promise<CommandResult> {
    const words = [...args];
    const at = words.indexOf('-p');
    const [, variable = null] = at === -1 ? [] : words.splice(at, 2);
    const next = words.includes('-n');
    const ids = words.filter((word) => !/^-[nf]+$/.test(word) && word !== '--');
    await this.#lookAround(line, state.bashPid);
    const wanted = ids.length === 0 ? null : ids.map((id) => this.#find(id));
    if (next) return this.#waitNext(wanted, variable, state);
    if (wanted === null) {
      const own = this.#all.filter(({ owner }) => owner === state.bashPid);
      await Promise.all(own.map(({ ended }) => ended));
      // As in bash, there is nothing left to wait for, but where the waiting was ended.
      await this.#letGo(own.filter(({ status }) => status !== null));
      return NOTHING;
    }
    let stderr = '';
    let exitCode = 0;
    const done: Job[] = [];
    for (const id of ids) {
      const job = this.#find(id) ?? (await this.#endedBefore(id));
      await job?.ended;
      exitCode = job?.status ?? 127;
      if (job !== undefined) {
        this.#unwaited.delete(job);
        if (job.outlives && job.status !== null) done.push(job);
        if (variable !== null) state.env.set(variable, String(job.pid));
      } else if (id.startsWith('%')) stderr += `bash: wait: ${id}: no such job\n`;
      else if (/^\d+$/.test(id)) stderr += `bash: wait: pid ${id} is not a child of this shell\n`;
      else stderr += `bash: wait: \`${id}': not a pid or valid job spec\n`;
      if (!/^(?:%.*|\d+)$/.test(id)) exitCode = 1;
    }
    await this.#letGo(done);
    return { stdout: '', stderr, exitCode };
  }

  /** Nobody needs to hear of them any more. */
  async #letGo(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      this.#unwaited.delete(job);
      const index = this.#jobs.indexOf(job);
      if (index !== -1) this.#jobs.splice(index, 1);
    }
    const numbers = jobs.flatMap(({ outlives, number }) => (outlives ? number : []));
    if (numbers.length > 0) await this.#background?.forget(numbers);
  }

  /** Takes in how those that outlive their lines stand. */
  async #lookAround(line: AbortSignal | null = null, owner = 0): Promise<void> {
    const background = this.#background;
    if (background === null) return;
    const rows = await background.list();
    for (const job of this.#outliving) this.#unwaited.delete(job);
    this.#outliving = rows.map((row) =>
      outliving(row, owner, line === null ? null : { background, line }),
    );
    for (const job of this.#outliving) this.#unwaited.add(job);
  }

  /** One that outlived its line, ended, and was told of: its status is known all the same. */
  async #endedBefore(id: string): Promise<Job | undefined> {
    const [, percent = '', digits] = /^(%?)(\d+)$/.exec(id) ?? [];
    if (digits === undefined) return undefined;
    const row = await this.#background?.ended(Number(digits));
    const isMeant = row != null && String(percent === '' ? row.pid : row.number) === digits;
    return isMeant ? outliving(row, 0, null) : undefined;
  }

  get #all(): readonly Job[] {
    return [...this.#outliving, ...this.#jobs];
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
  async list(args: readonly string[]): Promise<CommandResult> {
    await this.#lookAround();
    const [pids, long] = [args.includes('-p'), args.includes('-l')];
    const running = args.includes('-r');
    const fresh = this.#all.filter(({ told, status }) => !told && (!running || status === null));
    const lines = fresh.map((job, index) => {
      const { pid, status } = job;
      if (pids) return `${pid}\n`;
      job.told = status !== null;
      const sign = index === fresh.length - 1 ? '+' : index === fresh.length - 2 ? '-' : ' ';
      return jobLine(job, sign, long);
    });
    if (!pids) await this.#letGo(fresh.filter(({ outlives, told }) => outlives && told));
    return { stdout: lines.join(''), stderr: '', exitCode: 0 };
  }

  /** `disown [-a] [-r] [-h] [ID…]`: the shell neither waits for them nor tells of them; they go on. */
  async disown(args: readonly string[]): Promise<CommandResult> {
    await this.#lookAround();
    const ids = args.filter((word) => !/^-[arh]+$/.test(word) && word !== '--');
    const every = ids.length === 0 && args.some((word) => /^-[rh]*[ar][rha]*$/.test(word));
    if (every) {
      await this.#letGo(this.#outliving);
      return NOTHING;
    }
    let stderr = '';
    for (const id of ids.length === 0 ? ['%%'] : ids) {
      const job = this.#find(id);
      if (job === undefined) {
        const name = ids.length === 0 ? 'current' : id;
        stderr += `bash: disown: ${name}: no such job\n`;
      } else if (job.outlives) await this.#letGo([job]);
    }
    return { stdout: '', stderr, exitCode: stderr === '' ? 0 : 1 };
  }

  /** `kill`: of jobs that run, and the shell itself. */
  async kill(args: readonly string[], state: InterpreterState): Promise<CommandResult> {
    const request = killRequest(args);
    if (request.result !== null) return request.result;
    await this.#lookAround();
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
        if (probe || (!job.outlives && takesSignal(job.inbox, signal))) continue;
        if (holds) {
          stderr += `bash: kill: ${target}: a job cannot be stopped for a while here, only ended\n`;
          refused = true;
          continue;
        }
        if (job.outlives) {
          await this.#background?.signal(job.number, signal);
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

  /** Of several that go by one name it is one that runs, and of those one of this line. */
  #find(id: string): Job | undefined {
    const runs = ({ status }: Job): boolean => status === null;
    const jobs = [...this.#jobs, ...this.#outliving];
    const known = [...jobs.filter(runs), ...jobs.filter((job) => !runs(job))];
    if (!id.startsWith('%')) return known.find(({ pid }) => String(pid) === id);
    const spec = id.slice(1);
    if (spec === '' || spec === '+' || spec === '%')
      return this.#all.findLast(runs) ?? this.#all.at(-1);
    if (spec === '-') return this.#all.at(-2);
    if (/^\d+$/.test(spec)) return known.find(({ number }) => String(number) === spec);
    return known.find(({ text }) =>
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

const textOf = ({ sourceText = '' }: StatementNode): string =>
  asTyped(sourceText).replace(/\s*&\s*$/, '');

/**
 * One that outlives its line, as the others are.
 * @param owner the shell that asks: it is taken for its own
 * @param waits who is asked for its end, for as long as the line is not stopped; null: it is not waited for
 */
function outliving(
  row: BackgroundJob,
  owner: number,
  waits: { background: Background; line: AbortSignal } | null,
): Job {
  const job: Job = {
    ...row,
    owner,
    told: false,
    ended: Promise.resolve(),
    stop: new AbortController(),
    inbox: [],
    outlives: true,
  };
  if (waits === null || row.status !== null) return job;
  const { background, line } = waits;
  const stopped = Promise.withResolvers<null>();
  DefenseInDepthBox.runTrusted(() =>
    line.addEventListener('abort', () => stopped.resolve(null), { once: true }),
  );
  if (line.aborted) stopped.resolve(null);
  job.ended = Promise.race([background.ended(row.number), stopped.promise]).then((end) => {
    if (end !== null) Object.assign(job, { status: end.status, signal: end.signal });
  });
  return job;
}

/** `exit` and `set -e` end a job, not the shell that started it. */
function endOfJob(error: unknown): CommandResult | null {
  if (!(error instanceof Error) || !['ExitError', 'ErrexitError'].includes(error.name)) return null;
  const { stdout = '', stderr = '', exitCode = 1 } = error as Partial<CommandResult>;
  return { stdout, stderr, exitCode };
}
