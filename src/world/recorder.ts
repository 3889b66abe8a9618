/** Writes what a world does into its session: commands, changes, and the snapshots of /workspace. */
import type { Change } from '../changes/index.ts';
import { FsError, sentenceOf } from '../errors.ts';
import { type ActingContext, USER } from '../policy/context.ts';
import type { ScheduleStep } from '../schedule/journal.ts';
import type { KeptValue } from '../session/blobs.ts';
import type { EntryDraft, FileChange } from '../session/entry.ts';
import type { Log, SessionLog } from '../session/log.ts';
import { snapshotAt } from '../session/workspace/index.ts';
import type { JobResult } from './job.ts';
import type { OutputText } from './printed.ts';
import type { Usage } from './protocol.ts';
import type { WorkspaceTracker } from './workspace.ts';

/** The name of the entries that mirror the schedule. */
export const SCHEDULE_STEP = 'schedule/step';

/** The type of the events that tell of files that have changed: `paths`. The log does not keep them. */
export const CHANGED = 'files/changed';

/** What the log needs of a command's result. */
type EndedJob = Pick<JobResult, 'exitCode' | 'changed' | 'stopped' | 'refused'>;

/** What is known of a command once it has ended, beside its result. */
export interface CommandEnd {
  stdout: OutputText;
  stderr: OutputText;
  spent: Usage;
  requests: number;
  cwd: string;
}

/** How a background job ended. */
export interface EndedBackgroundJob extends Pick<CommandEnd, 'stdout' | 'stderr' | 'requests'> {
  exitCode: number;
  changed: string[];
  refused: JobResult['refused'];
  /** Its world ended, and it with it. */
  interrupted: boolean;
  /** Services whose text it had read. */
  origins: readonly string[];
}

/** The only one that appends to the session of a world. */
export class Recorder {
  readonly #session: Log;
  #workspace: WorkspaceTracker | null = null;
  /** The snapshot that the log named last. */
  #snapshot: string | null = null;
  /** Why an entry could not be written; the next one tells it. */
  #failure: Error | null = null;
  /** While an entry is made: when it will have been appended. */
  #making: Promise<void> = Promise.resolve();

  constructor(session: Log) {
    this.#session = session;
  }

  get session(): SessionLog {
    return this.#session;
  }

  /** Keeps snapshots from now on. */
  track(workspace: WorkspaceTracker | null): void {
    this.#workspace = workspace;
    if (this.#session.leaf !== null) this.#snapshot = snapshotAt(this.#session);
  }

  /** A path is about to be changed from outside, between commands. */
  touched(path: string): void {
    this.#workspace?.touched(path);
  }

  /** Tells whoever listens that files have changed. */
  tellChanged(paths: readonly string[]): void {
    if (paths.length > 0) this.#session.emit({ type: CHANGED, paths });
  }

  /**
   * Appends the start of a command, and gives its id: it is durable before the command is run.
   * @param who acts; the person at the shell is not named
   */
  begin(
    command: string,
    cwd: string,
    toolCallId: string | undefined,
    { actor, origin }: Pick<ActingContext, 'actor' | 'origin'>,
  ): Promise<string> {
    this.#tellFailure();
    return this.#made(async () => {
      const { value: snapshot, ...lost } = await this.#kept(
        async () => (await this.#workspace?.before()) ?? null,
      );
      const changed = snapshot != null && snapshot !== this.#snapshot;
      this.#snapshot = snapshot ?? null;
      return this.#session.record({
        type: 'bash_start',
        command: await this.#session.keepLong(command),
        cwd,
        ...(toolCallId === undefined ? {} : { toolCallId }),
        ...(actor === USER && origin === 'shell' ? {} : { actor, origin }),
        ...(changed ? { workspace: snapshot } : {}),
        ...lost,
      });
    });
  }

  /**
   * Appends the start of a background job, as {@link begin} does for a command. What it changes in
   * /workspace is in the snapshots of the commands beside it.
   * @returns the id of the entry
   */
  async beginJob(
    command: string,
    cwd: string,
    job: number,
    { actor, origin }: Pick<ActingContext, 'actor' | 'origin'>,
  ): Promise<string> {
    this.#tellFailure();
    const kept = await this.#session.keepLong(command);
    return this.#session.record({
      type: 'bash_start',
      command: kept,
      cwd,
      job,
      ...(actor === USER && origin === 'shell' ? {} : { actor, origin }),
    });
  }

  /** Appends its end. */
  endJob(start: string, cwd: string, end: EndedBackgroundJob): Promise<void> {
    return this.#made(async () => {
      const changed = end.changed.map((path): FileChange => ({ path }));
      const long = await this.#long(end, changed);
      if (long === null) return;
      this.#appendLater({
        type: 'bash_end',
        start,
        exitCode: end.exitCode,
        cwd,
        ...long,
        requests: end.requests,
        ...(end.refused.length === 0 ? {} : { refused: end.refused }),
        ...(end.interrupted ? { interrupted: true } : {}),
        ...(end.origins.length === 0 ? {} : { untrusted: [...end.origins] }),
      });
    });
  }

  /**
   * Appends the end of a command. It is written at once, and durable with the
   * next entry or some ms later: whoever acts on the result in a way that lasts
   * appends first, and a start without an end says truly that the end is not known.
   * @param start the id of the start
   */
  end(start: string, result: EndedJob, end: CommandEnd): Promise<void> {
    this.tellChanged(result.changed);
    return this.#made(async () => {
      const { value: taken, ...lost } = await this.#kept(async () =>
        this.#workspace?.after(result.changed, result.stopped),
      );
      if (this.#workspace !== null) this.#snapshot = taken?.snapshot ?? null;
      const changed = taken?.changed ?? result.changed.map((path): FileChange => ({ path }));
      const long = await this.#long(end, changed);
      if (long === null) return;
      this.#appendLater({
        type: 'bash_end',
        start,
        exitCode: result.exitCode,
        cwd: end.cwd,
        ...long,
        requests: end.requests,
        ...(Object.keys(end.spent).length === 0 ? {} : { spent: end.spent }),
        ...(result.refused.length === 0 ? {} : { refused: result.refused }),
        ...(taken?.snapshot == null ? {} : { workspace: taken.snapshot }),
        ...lost,
      });
    });
  }

  /** Appends the end of a command that could not be run: what it may have done is not known. */
  async fail(start: string, error: unknown, cwd: string): Promise<void> {
    const said = `dirigent: ${error instanceof Error ? error.message : String(error)}\n`;
    const stderr = { text: said, latin1: false };
    const stdout = { text: '', latin1: false };
    const job: EndedJob = { exitCode: 1, changed: [], stopped: true, refused: [] };
    await this.end(start, job, { stdout, stderr, spent: {}, requests: 0, cwd });
  }

  /** Mirrors a step of a change; the journal has its texts, the log what it did. */
  change({ base: _base, mine: _mine, theirs: _theirs, ...change }: Change): void {
    this.#appendLater({ type: 'change', change });
  }

  /** Mirrors a step of the schedule. */
  schedule(step: ScheduleStep): void {
    this.#appendLater({ type: 'custom', name: SCHEDULE_STEP, data: step });
  }

  async close(): Promise<void> {
    // A command that has ended has its end in the log.
    await this.#making;
    try {
      this.#workspace?.close();
    } finally {
      this.#session.close();
    }
  }

  /** Makes an entry, and appends it: the log is not closed meanwhile. */
  async #made<T>(make: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#making;
    // A background job may end while a command does.
    this.#making = Promise.all([before, promise]).then(() => undefined);
    try {
      return await make();
    } finally {
      resolve();
    }
  }

  /**
   * Does what a snapshot needs. It may fail in many ways, such as a disk that is full; the command is
   * run, or has run, all the same, and the log says why there is no snapshot.
   */
  async #kept<T>(take: () => Promise<T>): Promise<{ value?: T; workspaceLost?: string }> {
    try {
      return { value: await take() };
    } catch (error) {
      return { workspaceLost: reasonOf(error) };
    }
  }

  /** The fields that may be long; null where they could not be kept, which the next command tells. */
  async #long(
    { stdout, stderr }: Pick<CommandEnd, 'stdout' | 'stderr'>,
    changed: FileChange[],
  ): Promise<object | null> {
    const session = this.#session;
    try {
      return {
        ...textFields('stdout', await session.keepLong(stdout.text), stdout.latin1),
        ...textFields('stderr', await session.keepLong(stderr.text), stderr.latin1),
        changed: await session.keepLong(changed),
      };
    } catch (error) {
      this.#failure ??= error as Error;
      return null;
    }
  }

  /** Writes now, and does not wait until it is durable. */
  #appendLater(draft: EntryDraft): void {
    this.#session.record(draft).catch((error: Error) => {
      this.#failure ??= error;
    });
  }

  #tellFailure(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
  }
}

/** The agent reads the log, in which paths of the host have no place. */
function reasonOf(error: unknown): string {
  if (error instanceof FsError) return sentenceOf(error);
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `the host answered ${error.code}` : error.message;
}

function textFields(
  name: 'stdout' | 'stderr',
  text: string | KeptValue,
  latin1: boolean,
): Record<string, unknown> {
  return { [name]: text, ...(latin1 ? { [`${name}Encoding`]: 'latin1' } : {}) };
}
