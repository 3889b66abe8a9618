/**
 * In the supervisor: the background jobs of a world. Each is an entry of the log when it begins and
 * one when it ends; it ends with the world at the latest, and is never run again by itself.
 */
import { randomUUID } from 'node:crypto';
import { FsError } from '../../errors.ts';
import { type ActingContext, USER } from '../../policy/context.ts';
import { type BackgroundJob, type BackgroundStart, jobLine } from '../../shell/background.ts';
import { inSlices } from '../../slices.ts';
import { escapeLine } from '../../visible.ts';
import { memoryLimits } from '../memory-watch.ts';
import { outputText } from '../printed.ts';
import type { WorldSpec } from '../protocol.ts';
import type { Recorder } from '../recorder.ts';
import type { JobsRequest } from './asks.ts';
import { JobBounds } from './bounds.ts';
import { JobFiles } from './files.ts';
import { type JobEnd, JobThread, type JobThreadOptions } from './job-thread.ts';
import type { LeftJobs } from './left.ts';

/** What the jobs of a world may take. */
export interface JobLimits {
  /** That run at once. */
  max: number;
  /** One ends after so many ms. */
  timeoutMs: number;
  /** Of memory, each. Bytes. */
  maxMemoryBytes: number;
  /** That one may print. */
  maxOutputBytes: number;
}

/** What a world that says nothing allows its jobs. */
const DEFAULTS: JobLimits = {
  max: 8,
  timeoutMs: 3_600_000,
  maxMemoryBytes: 256 * 1024 * 1024,
  maxOutputBytes: 16 * 1024 * 1024,
};

/** What they are made with. */
export interface BackgroundJobsOptions
  extends Pick<JobThreadOptions, 'call' | 'refresh' | 'runProgram'> {
  spec: WorldSpec;
  limits: Partial<JobLimits> | undefined;
  recorder: Recorder;
  /** The directory on the host of what the session's jobs print. */
  directory: string;
  /** Those of the session's earlier worlds. */
  left: LeftJobs;
}

/** What is told of jobs that have ended. */
export interface JobNotices {
  /** Lines for stderr. */
  text: string;
  /** Services whose text they had read: how they ended may tell of that. */
  origins: readonly string[];
}

interface Row extends Omit<BackgroundJob, 'origins'> {
  context: ActingContext;
  thread: JobThread;
  ended: Promise<void>;
  /** Nobody needs to hear of it any more. */
  forgotten: boolean;
}

/** What its end belongs to. */
interface BegunJob {
  files: JobFiles;
  /** The id of its first entry in the log. */
  start: string;
  cwd: string;
}

/** `$!` of a job is this and its number: far from what a shell calls its subshells. */
const PIDS = 40_000;

/** The jobs of one world. */
export class BackgroundJobs {
  readonly bounds = new JobBounds();
  readonly #options: BackgroundJobsOptions;
  readonly #limits: JobLimits;
  readonly #rows: Row[] = [];
  #last: number;
  #beginning = 0;
  #left: LeftJobs;
  #closed = false;

  constructor(options: BackgroundJobsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULTS, ...options.limits };
    this.#left = options.left;
    this.#last = options.left.last;
  }

  /** Answers what a command asks. @throws FsError EAGAIN */
  async receive(request: JobsRequest, context: ActingContext): Promise<unknown> {
    switch (request.op) {
      case 'begin':
        return shown(await this.#begin(request.start, context));
      case 'list':
        return this.#rows
          .filter((row) => !row.forgotten && sees(context, row))
          .map((row) => shownTo(context, row));
      case 'ended': {
        const row = this.#rowFor(request.id, context);
        await row?.ended;
        return row === undefined ? null : shown(row);
      }
      case 'signal':
        this.#rowFor(request.number, context)?.thread.signal(request.signal);
        return null;
      case 'forget':
        for (const number of request.numbers) {
          const row = this.#rowFor(number, context);
          if (row !== undefined) row.forgotten = true;
        }
        return null;
    }
  }

  /** Those that run, of one actor; all, if absent. */
  running(actor?: string): BackgroundJob[] {
    return this.#running
      .filter(({ context }) => (actor ?? context.actor) === context.actor)
      .map(shown);
  }

  /** Which jobs of whoever acts have ended, each told once, as bash tells them at its prompt. */
  notices({ actor }: Pick<ActingContext, 'actor'>): JobNotices {
    const ended = this.#rows.filter(
      (row) => row.status !== null && !row.forgotten && row.context.actor === actor,
    );
    for (const row of ended) row.forgotten = true;
    const left = this.#left.notices.filter((notice) => notice.actor === actor);
    this.#left = {
      ...this.#left,
      notices: this.#left.notices.filter((notice) => notice.actor !== actor),
    };
    const lines = ended.map((row, at) => jobLine(row, at === ended.length - 1 ? '+' : ' '));
    return {
      text: [...left.map(({ text }) => text), ...lines].join(''),
      origins: [
        ...new Set([...left, ...ended.map(({ thread }) => thread)].flatMap((each) => each.origins)),
      ],
    };
  }

  /** Ends those that run. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#running;
    await Promise.all(open.map(({ thread }) => thread.interrupt()));
    await Promise.all(open.map(({ ended }) => ended));
  }

  get #running(): Row[] {
    return this.#rows.filter(({ status }) => status === null);
  }

  /** @param id its number or its pid */
  #rowFor(id: number, context: ActingContext): Row | undefined {
    return this.#rows.find((row) => (row.number === id || row.pid === id) && sees(context, row));
  }

  async #begin({ node, state, text }: BackgroundStart, who: ActingContext): Promise<Row> {
    const { recorder, directory, spec, call, refresh, runProgram } = this.#options;
    const { max, timeoutMs, maxMemoryBytes, maxOutputBytes } = this.#limits;
    if (this.#closed || this.#running.length + this.#beginning >= max) {
      throw new FsError('EAGAIN', {
        path: '/session/jobs',
        op: 'fork',
        rule: `at most ${max} jobs`,
        reason: `${max} jobs run at once at most: wait for one (wait -n), or end one (kill %N)`,
      });
    }
    this.#beginning += 1;
    try {
      const number = ++this.#last;
      const pid = PIDS + number;
      const context = {
        ...who,
        // Nobody can be asked once the call is over, but at a terminal and in a conversation.
        attended: who.attended && who.origin === 'shell',
        // Its operations come one by one, and are one turn, as those of a line are.
        turn: who.turn ?? randomUUID(),
      };
      const files = new JobFiles(directory, number);
      files.begin(text);
      const start = await recorder.beginJob(`${text} &`, state.cwd, number, context);
      const thread = new JobThread({
        number,
        call,
        refresh,
        runProgram,
        now: (acting) => this.bounds.now(acting),
        memory: memoryLimits(maxMemoryBytes, []),
        spec: {
          node,
          state: { ...state, bashPid: pid },
          context,
          cwd: spec.cwd,
          env: spec.env,
          ...(spec.programs === undefined ? {} : { programs: spec.programs }),
          hostPrograms: spec.hostPrograms ?? [],
          network: spec.network ?? [],
          shims: spec.shims ?? [],
          deadlineMs: timeoutMs,
          maxOutput: maxOutputBytes,
        },
        onOutput: (stream, bytes) => files.append(stream, bytes),
        onChanged: (paths) => {
          for (const path of paths) recorder.touched(path);
          recorder.tellChanged(paths);
        },
      });
      const row: Row = {
        number,
        pid,
        text,
        status: null,
        signal: 0,
        context,
        thread,
        forgotten: false,
        ended: thread.ended.then((end) => this.#ended(row, end, { files, start, cwd: state.cwd })),
      };
      this.#rows.push(row);
      return row;
    } finally {
      this.#beginning -= 1;
    }
  }

  async #ended(row: Row, end: JobEnd, { files, start, cwd }: BegunJob): Promise<void> {
    const { recorder, call } = this.#options;
    const { thread, number } = row;
    files.status(statusText(end));
    row.signal = end.signal;
    row.status = end.exitCode;
    // What it waits for in the worker is not done any more; of a worker that is gone nothing is left.
    if (!end.interrupted) await call({ type: 'job-end', job: number }).catch(() => undefined);
    const stdout = await inSlices(outputText(files.read('stdout')));
    const stderr = await inSlices(outputText(files.read('stderr')));
    const { changed, refused, requests } = thread.deeds;
    await recorder.endJob(start, cwd, {
      ...end,
      changed: [...changed],
      refused: [...refused],
      requests,
      origins: thread.origins,
      stdout,
      stderr,
    });
  }
}

/** The person in charge sees the jobs of all. */
const sees = ({ actor }: ActingContext, row: Row): boolean =>
  row.context.actor === actor || (actor === USER && row.status === null);

const shown = ({ number, pid, text, status, signal, thread }: Row): BackgroundJob => ({
  number,
  pid,
  text,
  status,
  signal,
  origins: thread.origins,
});

/** Whoever is told of it need not be who wrote it. */
const shownTo = ({ actor }: ActingContext, row: Row): BackgroundJob =>
  row.context.actor === actor ? shown(row) : { ...shown(row), text: escapeLine(row.text) };

function statusText({ exitCode, signal, interrupted }: JobEnd): string {
  if (interrupted) return 'interrupted';
  return signal === 0 ? `exited ${exitCode}` : `killed by signal ${signal}`;
}
