/** What a world's worker holds, as seen from outside it: each call is a message. */
import type { IFileSystem } from 'just-bash';
import type { Applied, Change, ChangeName } from '../changes/index.ts';
import type { Namespace } from '../namespace/namespace.ts';
import type { DoorFs, NamespaceFs } from '../namespace/types.ts';
import { resolvePath } from '../paths.ts';
import type { Answer, Approval, ApprovalState } from '../policy/approval.ts';
import type { ActingContext } from '../policy/context.ts';
import type { Question, QuestionAnswer, QuestionState } from '../policy/question.ts';
import { changedBy, changedPaths, type FsAnswer, type FsCall, type FsMethod } from './fs-call.ts';
import type { CallWatch } from './job.ts';
import type { Line } from './line/lines.ts';
import type { PolicyReload } from './policy-reload.ts';
import type { ApprovalsMethod, ChangesMethod, QuestionsMethod } from './protocol.ts';
import type { Recorder } from './recorder.ts';
import type { Supervisor } from './supervisor.ts';
import type { SyncProgress, SyncResult } from './sync.ts';
import { revive } from './wire-errors.ts';

/** The namespace as seen from outside the worker: its methods, each a message. */
export type WorldFs = Pick<
  IFileSystem,
  Exclude<
    FsMethod,
    'readdirWithFileTypes' | 'readFileBytes' | 'checkWrite' | 'make' | 'costly' | keyof DoorFs
  >
> &
  DoorFs &
  Pick<NamespaceFs, 'readdirWithFileTypes' | 'resolvePath' | 'getAllPaths'> &
  Pick<Namespace, 'checkWrite' | 'make'> & {
    /**
     * Makes calls, one after the other, in one message.
     * @returns what each of them gave
     * @throws what the first fails with; those after it are not made
     */
    all(calls: readonly FsCall[]): Promise<unknown[]>;
    /** Would reading this file cost a request of its own? The path is taken as it stands. */
    costly(path: string): Promise<boolean>;
    /** For a process of the host that asks for these files itself, in the same name. It has no traffic told. */
    line(): Line;
  };

/** A change, and where its mount is attached in this world; null where it is not. */
export interface PlacedChange extends Change {
  point: string | null;
}

/** The change journal as seen from outside the worker. */
export interface WorldChanges {
  /** Oldest first. */
  list(): Promise<PlacedChange[]>;
  /** null where there is none with that id. */
  get(id: string): Promise<PlacedChange | null>;
  /**
   * Sends what is pending, in this order; each change says what became of it. One that is named
   * with the digest that was shown is sent only if it still has it.
   */
  apply(changes: readonly ChangeName[]): Promise<Applied[]>;
  /** Gives up what is pending; nothing is sent. */
  drop(ids: readonly string[]): Promise<Applied[]>;
  /** Asks the services what came of changes that are unknown; sends nothing again. */
  settle(ids: readonly string[]): Promise<Applied[]>;
}

/** The requests for approval of a world's state directory, and their answers. */
export interface WorldApprovals {
  /** Oldest first. */
  list(state?: ApprovalState): Promise<Approval[]>;
  /** null where there is none with that id. */
  get(id: string): Promise<Approval | null>;
  /** Answers a pending request; gives what it is now, or null where there is none with that id. */
  answer(id: string, answer: Answer): Promise<Approval | null>;
}

/** The questions of a world's state directory, and their answers. */
export interface WorldQuestions {
  /** Oldest first. */
  list(state?: QuestionState): Promise<Question[]>;
  /** null where there is none with that id. */
  get(id: string): Promise<Question | null>;
  /**
   * Answers a pending question; gives what it is now, or null where there is none with that id.
   * @throws FsError EINVAL that says what is allowed
   */
  answer(id: string, answer: QuestionAnswer): Promise<Question | null>;
}

export function createApprovalsProxy(supervisor: Supervisor): WorldApprovals {
  const call =
    (method: ApprovalsMethod) =>
    (...args: unknown[]): Promise<never> =>
      supervisor.call({ type: 'approvals', method, args }) as Promise<never>;
  return { list: call('list'), get: call('get'), answer: call('answer') };
}

export function createQuestionsProxy(supervisor: Supervisor): WorldQuestions {
  const call =
    (method: QuestionsMethod) =>
    (...args: unknown[]): Promise<never> =>
      supervisor.call({ type: 'questions', method, args }) as Promise<never>;
  return { list: call('list'), get: call('get'), answer: call('answer') };
}

/** On whose behalf files are used. */
export interface FsUse {
  /** The person in charge, if absent. */
  acting?: () => ActingContext;
  /** Told what becomes of each call. */
  watch?: CallWatch | undefined;
  /** Awaited ahead of each call. */
  before?(): Promise<void>;
  /** Looked at ahead of each call on a line. @see LineUse */
  rules?(): string | null;
}

/** Who is told of the paths that calls change. */
export interface ChangeListeners {
  /** One is about to be changed. */
  touched(path: string): void;
  /** They have been. */
  changed(paths: readonly string[]): void;
}

export function createFsProxy(
  supervisor: Supervisor,
  { touched, changed }: ChangeListeners,
  { acting, watch, before, rules }: FsUse = {},
): WorldFs {
  const ask = async (calls: readonly FsCall[]): Promise<FsAnswer> => {
    const request = { type: 'fs', calls } as const;
    const asked = acting === undefined ? request : { ...request, context: acting() };
    return (await supervisor.call(asked, watch)) as FsAnswer;
  };
  const all = async (calls: readonly FsCall[]): Promise<unknown[]> => {
    if (before !== undefined) await before();
    for (const path of calls.flatMap(changedPaths)) touched(path);
    try {
      const { values, error } = await ask(calls);
      const paths = changedBy(calls, values);
      if (paths.length > 0) {
        changed(paths);
        watch?.onChanged?.(paths);
      }
      if (error !== undefined) throw revive(error);
      return values;
    } catch (error) {
      watch?.onFailed?.(error);
      throw error;
    }
  };
  // Each method has the namespace's own signature, and the port carries plain data both ways.
  const call =
    (method: FsMethod) =>
    async (...args: unknown[]): Promise<never> =>
      (await all([[method, ...args]]))[0] as never;
  return {
    all,
    line: () => supervisor.lines.add({ acting, watch, before, rules, touched, changed }),
    readFile: call('readFile'),
    readFileBuffer: call('readFileBuffer'),
    writeFile: call('writeFile'),
    appendFile: call('appendFile'),
    checkWrite: call('checkWrite'),
    make: call('make'),
    costly: call('costly'),
    exists: call('exists'),
    stat: call('stat'),
    lstat: call('lstat'),
    inspect: call('inspect'),
    locate: call('locate'),
    stamp: call('stamp'),
    mkdir: call('mkdir'),
    readdir: call('readdir'),
    readdirWithFileTypes: call('readdirWithFileTypes'),
    rm: call('rm'),
    cp: call('cp'),
    mv: call('mv'),
    chmod: call('chmod'),
    symlink: call('symlink'),
    link: call('link'),
    readlink: call('readlink'),
    realpath: call('realpath'),
    utimes: call('utimes'),
    resolvePath,
    getAllPaths: () => [],
  };
}

/** Tells the recorder. */
export const changing = (recorder: Recorder): ChangeListeners => ({
  touched: (path) => recorder.touched(path),
  changed: (paths) => recorder.tellChanged(paths),
});

/** The files, in the name of whoever acts at each call. */
export const filesAs = (
  {
    supervisor,
    recorder,
    policy,
  }: { supervisor: Supervisor; recorder: Recorder; policy: PolicyReload },
  acting: () => ActingContext,
  watch: CallWatch | undefined,
): WorldFs =>
  createFsProxy(supervisor, changing(recorder), {
    acting,
    watch,
    before: () => policy.refreshFor(acting()),
    rules: () => policy.watchedFor(acting()),
  });

export function createChangesProxy(supervisor: Supervisor): WorldChanges {
  const call =
    (method: ChangesMethod) =>
    (...args: unknown[]): Promise<never> =>
      supervisor.call({ type: 'changes', method, args }) as Promise<never>;
  return {
    list: call('list'),
    get: call('get'),
    apply: call('apply'),
    drop: call('drop'),
    settle: call('settle'),
  };
}

/** How often a caller is told how far a sync is, in ms. */
const PROGRESS_MS = 500;

/** Brings what is mounted at and below a path in step, and tells how far it is meanwhile. */
export async function syncThrough(
  supervisor: Supervisor,
  path: string,
  onProgress?: (progress: SyncProgress) => void,
): Promise<SyncResult> {
  const asked = async (): Promise<void> =>
    onProgress?.((await supervisor.call({ type: 'progress' })) as SyncProgress);
  const timer = setInterval(() => {
    // The sync itself meets the end of the worker; a missed line of progress is nobody's.
    asked().catch(() => undefined);
  }, PROGRESS_MS);
  try {
    const whole = resolvePath('/', path);
    return (await supervisor.call({ type: 'sync', path: whole })) as SyncResult;
  } finally {
    clearInterval(timer);
  }
}
