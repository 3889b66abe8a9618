/** A world: what one agent has. Namespace, shell and session, made from one config. */
import type { Worker } from 'node:worker_threads';
import type { Told } from '../mount/contract/webhook.ts';
import { type PartSpecs, planParts } from '../parts/config.ts';
import type { Approval } from '../policy/approval.ts';
import { type ActingContext, contextOf } from '../policy/context.ts';
import type { GateDecision, ToolCallFacts } from '../policy/gate.ts';
import type { Question, QuestionDraft } from '../policy/question.ts';
import { ancestorsOf } from '../session/ancestors.ts';
import type { SessionPlace } from '../session/file.ts';
import type { Log, SessionLog } from '../session/log.ts';
import { memoryOps, snapshotAt } from '../session/workspace/index.ts';
import type { BackgroundJob } from '../shell/background.ts';
import type { Programs } from '../shell/command.ts';
import type { SourceTable } from '../sources/source.ts';
import { closeStateToOthers, makeStateDirectory } from '../state.ts';
import type { JobBounds } from './background/bounds.ts';
import { openJobs } from './background/open.ts';
import { type CommandParts, type ExecOptions, type ExecResult, runCommand } from './command.ts';
import { type AgentConfig, type CheckedConfig, checkConfig, type WorldConfig } from './config.ts';
import { credentialsOf } from './credential-calls.ts';
import { type HeardEvents, hearThrough } from './hearing.ts';
import { programsOf, type RunProgram } from './host-programs.ts';
import type { CallWatch } from './job.ts';
import type { LeaseHolder } from './leases.ts';
import { type HostDirectory, hostDirectoriesOf, visible, type WorldMount } from './places.ts';
import {
  commandLineOf,
  defaultHarness,
  directoryOfWorkspace,
  type Host,
  harnessDirectory,
  hooksModule,
  modelsFile,
  ocrProgram,
  planMounts,
  shimModules,
  stateDirectory,
} from './plan.ts';
import { planSentences } from './plan-sentences.ts';
import { readPolicy } from './policy-file.ts';
import { PolicyReload } from './policy-reload.ts';
import type { ProbedMount } from './probe.ts';
import type { RunForWorld } from './program-runs.ts';
import type { MountSpec, PolicySource, SourceSpec, Usage, WorldSpec } from './protocol.ts';
import {
  changing,
  createApprovalsProxy,
  createChangesProxy,
  createFsProxy,
  createQuestionsProxy,
  filesAs,
  syncThrough,
  type WorldApprovals,
  type WorldChanges,
  type WorldFs,
  type WorldQuestions,
} from './proxies.ts';
import { Recorder } from './recorder.ts';
import { requireRuntime } from './runtime.ts';
import { searchFiles } from './search-files.ts';
import { openSession } from './session-place.ts';
import { Supervisor } from './supervisor.ts';
import { surfaceApprovals } from './surfacing.ts';
import type { SyncProgress, SyncResult } from './sync.ts';
import { refuseWritableTrust } from './trust/index.ts';
import { trackWorkspace } from './workspace.ts';

export type { BackgroundJob } from '../shell/background.ts';
export type { ExecOptions, ExecResult, Write } from './command.ts';
export type { LeaseHolder } from './leases.ts';
export type { HostDirectory, WorldMount } from './places.ts';
export type {
  PlacedChange,
  WorldApprovals,
  WorldChanges,
  WorldFs,
  WorldQuestions,
} from './proxies.ts';
export type { SyncResult } from './sync.ts';

/** What `createWorld` gives. */
export interface World extends AsyncDisposable {
  /**
   * Runs a command, after those before it.
   * @returns its output, status and cost; a command that fails, or is ended at its deadline, is a result
   * @throws Error where the world is closed
   */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** The files as the person in charge has them: bound by the modes of the mounts. */
  readonly fs: WorldFs;
  /** The files as someone else has them: bound by the policy, too. */
  fsAs(context: Partial<ActingContext>, watch?: CallWatch): WorldFs;
  /**
   * Tells a client while nobody else uses the world: what it saw in memory mounts stays true then.
   * Its own calls are those of files that it is named as the holder of (`watch.holder`).
   * @returns ends it
   */
  lease(holder: LeaseHolder): () => void;
  readonly approvals: WorldApprovals;
  readonly questions: WorldQuestions;
  /**
   * Asks a person, and waits for the answer where somebody is there to give one.
   * @returns the question as it is then: `pending` where nobody is there, or the waiting was ended
   */
  ask(draft: QuestionDraft, context: Partial<ActingContext>, watch?: CallWatch): Promise<Question>;
  /** Asks the policy about a call of a tool, as the namespace asks it about files. */
  permitTool(
    tool: ToolCallFacts,
    context: Partial<ActingContext>,
    watch?: CallWatch,
  ): Promise<GateDecision>;
  /**
   * Puts a policy in force from the next operation on.
   * @throws ConfigError when it is not valid; the one before stays in force
   */
  usePolicy(policy: PolicySource): Promise<void>;
  /**
   * Text of services has come to somebody by another way than through the files:
   * `context` says from where, and the turn, and the session's log, are marked.
   */
  noteUntrusted(context: Partial<ActingContext>): Promise<void>;
  readonly session: SessionLog;
  /** Whoever watches what is done on lines is told of all until now. */
  catchUp(): void;
  /** What is mounted, but for what belongs to every world. */
  readonly mounts: readonly WorldMount[];
  /** Directories of the host that its files are in, with what each of them is. */
  readonly hostDirectories: readonly HostDirectory[];
  /** The hosts that commands may ask, as the config names them. */
  readonly network: readonly string[];
  /** The agent's part of the config. */
  readonly agent: AgentConfig;
  /** The parts of the deployment's own, where they are on the host. */
  readonly parts: PartSpecs;
  /** `models.yaml` of the deployment, which need not be there; null without a deployment. */
  readonly models: string | null;
  /** Where the harness lies on the host. */
  readonly harness: SourceSpec<'harness'>;
  readonly changes: WorldChanges;
  /**
   * Brings what is mounted at and below a path in step with its services.
   * @param onProgress told about twice a second how far it is
   */
  sync(path: string, onProgress?: (progress: SyncProgress) => void): Promise<SyncResult>;
  /** Does every service mount only stage what is written? */
  readonly dryRun: boolean;
  /** Asks each service whether it can be reached. @param timeoutMs nobody is waited for longer; 10,000 by default */
  probe(timeoutMs?: number): Promise<ProbedMount[]>;
  /** Tells a mount what its service has said by itself. What is held of it is in step when this is answered. */
  hear(point: string, events: readonly Told[]): Promise<HeardEvents>;
  /** The background jobs that run: of one actor, or of all. */
  jobs(actor?: string): readonly BackgroundJob[];
  /** What bounds those that go on: who has the turns says what holds by then. */
  readonly jobBounds: JobBounds;
  /** Where the shell stands, and the next command begins. */
  readonly cwd: string;
  /** Where the shell of a name stands, see {@link ExecOptions.shell}. */
  cwdIn(shell: string): string;
  /** Nothing more is run in the shell of a name. */
  endShell(name: string): void;
  /** The directory on the host in which the state is kept. */
  readonly state: string;
  /** The names of the shell's commands. */
  commands(): Promise<string[]>;
  /** Requests and bytes by mount point, since the world began. */
  usage(): Usage;
  /** Ends the world; `await using` does it, too. A program that ends without it loses nothing that was finished. */
  close(): Promise<void>;
}

/** Where a world runs; by default the process's own directory and environment. */
export interface WorldOptions extends Partial<Host> {
  /** A worker started earlier, to save its start-up time. */
  worker?: Worker;
  /** The id of an earlier session to go on with; a new one is begun by default. */
  session?: string;
  /** Whose world it is: of earlier sessions only theirs are shown. The person in charge, if absent, who sees all. */
  actor?: string;
  /**
   * Called when an approval is asked for, and when it is answered. With it, an
   * operation that asks waits for the answer; without it, nobody is there, and
   * it is refused at once.
   */
  onApproval?: (approval: Approval, world: World) => void;
  /** Called when an agent asks a question, and when it is answered. Without it nobody is there to ask. */
  onQuestion?: (question: Question, world: World) => void;
  /** May somebody of that name decide on approvals through `parts.approvals`? The person in charge alone, if absent. */
  mayDecide?: (actor: string) => boolean | Promise<boolean>;
  /** Loads what runs the programs of the host that the config names. */
  hostPrograms?: () => Promise<RunProgram>;
  /** Called with what is wrong with the harness after an edit: the last good version stays in force. */
  onHarnessError?: (error: Error) => void;
}

/** The commands, and after them those that stand for the tools of the harness. */
const COMMAND_PATH = '/usr/bin:/bin:/harness/.bin';

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_OPERATION_TIMEOUT_MS = 30_000;

/**
 * Makes a world. It runs nothing until the first call.
 * @param table what it can mount
 * @throws ConfigError naming each fault with its path in the config
 */
export function createWorld(
  table: SourceTable,
  config: WorldConfig = {},
  options: WorldOptions = {},
): World {
  requireRuntime();
  const checked = checkConfig(table, config);
  const host: Host = {
    deployment: options.deployment ?? null,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
    commandLine: options.commandLine,
    clientFiles: options.clientFiles,
    buffered: options.buffered,
  };
  const state = stateDirectory(checked, host);
  closeStateToOthers(state);
  const parts = planParts(checked.parts, host.deployment ?? host.cwd, host.env);
  const { place, session } = openSession(checked, host, state, options.session);
  try {
    const snapshot = workspaceSnapshot(session, host);
    const kept = snapshot === undefined ? null : memoryOps(place.blobs, snapshot);
    const harness = harnessDirectory(checked, host);
    const mounts = planMounts(checked, host, state, {
      id: session.id,
      past: checked.session?.past ?? true,
      ...(options.actor === undefined ? {} : { pastOf: options.actor }),
      workspace: kept?.ops ?? null,
    });
    refuseWritableTrust({ config: checked, host, state, mounts });
    makeStateDirectory(state);
    const surfaced = parts.approvals && {
      ...surfaceApprovals({
        spec: parts.approvals,
        state: host.deployment === null && checked.state === undefined ? null : state,
        approvals: () => world.approvals,
        resumed: options.session,
        mayDecide: options.mayDecide,
        onFault: (text) => onFault(options, text),
      }),
    };
    const sentences = planSentences(checked, host, state);
    const ocr = ocrProgram(checked, host);
    const spec: WorldSpec = {
      mounts,
      sources: table.url,
      cwd: checked.cwd ?? '/workspace',
      env: environmentOf(checked),
      programs: programsIn(checked),
      hostPrograms: checked.programs?.host ?? [],
      network: checked.network?.allow ?? [],
      operationTimeoutMs: checked.operationTimeoutMs ?? DEFAULT_OPERATION_TIMEOUT_MS,
      sessions: state,
      state: host.deployment === null && checked.state === undefined ? null : state,
      shell: null,
      search: {
        ...searchFiles(),
        background: checked.search?.background ?? true,
        ...(sentences === null ? {} : { sentences }),
      },
      session: session.id,
      ancestors: ancestorsOf(place, session.header.parentSession),
      workspace: kept === null ? null : directoryOfWorkspace(checked, host),
      policy: readPolicy(harness, defaultHarness()),
      shims: shimModules(checked, host),
      hooks: hooksModule(checked, host),
      engine: parts.policy,
      store: parts.sessions,
      asksCredentials: parts.credentials !== undefined,
      ...(ocr === null ? {} : { ocr }),
      commandLine: commandLineOf(host),
      jobs: true,
    };
    const { onApproval, onQuestion, hostPrograms } = options;
    const hostDirectories = hostDirectoriesOf(mounts, state);
    const recorder = new Recorder(session);
    const runProgram: RunForWorld | undefined =
      hostPrograms &&
      programsOf(
        hostPrograms,
        (acting, watch) => filesAs({ supervisor, recorder, policy }, acting, watch),
        { mounts: visible(mounts), hostDirectories },
      );
    const supervisor = new Supervisor(spec, {
      worker: options.worker,
      maxMemoryBytes: checked.maxMemoryBytes,
      load: (hash) => place.blobs.get(hash),
      buffers: options.buffered?.buffers,
      runProgram,
      onJobs: (request, context) => jobs.receive(request, context),
      credentials: credentialsOf(parts.credentials),
      onChange: (change, point) => {
        recorder.change(change);
        recorder.tellChanged([`${point}${change.result?.path ?? change.path}`]);
      },
      onStep: (step) => {
        if (step.type === 'schedule') return recorder.schedule(step.step);
        session.append(step);
        if (step.type === 'question') return onQuestion?.(step.question, world);
        onApproval?.(step.approval, world);
        surfaced?.surfacing.step(step.approval);
      },
    });
    const policy = new PolicyReload(harness, supervisor, options.onHarnessError);
    const jobs = openJobs(place, session, {
      spec,
      recorder,
      supervisor,
      policy,
      runProgram,
      checked,
    });
    if (checked.session?.snapshots !== false) {
      const workspace = mounts.find(({ point }) => point === '/workspace');
      recorder.track(trackWorkspace(workspace, supervisor, place.blobs, state, snapshot ?? null));
    }
    const world = assemble({
      supervisor,
      recorder,
      more: {
        state,
        dryRun: checked.dryRun ?? false,
        mounts: visible(mounts),
        hostDirectories,
        network: spec.network ?? [],
        agent: checked.agent ?? {},
        parts,
        models: modelsFile(host),
        harness: harnessOf(mounts),
      },
      timeoutMs: checked.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      attended: onApproval !== undefined || surfaced !== undefined,
      answers: onQuestion !== undefined,
      ready: surfaced?.ready,
      policy,
      jobs,
      place,
    });
    return world;
  } catch (error) {
    session.close();
    place.store.close?.();
    throw error;
  }
}

/** Tells whoever opened the world; a program that does not listen is warned all the same. */
function onFault({ onHarnessError }: WorldOptions, text: string): void {
  if (onHarnessError === undefined) process.emitWarning(text, 'DirigentWarning');
  else onHarnessError(new Error(text));
}

/** The variables that a shell begins with. */
const environmentOf = ({ env }: CheckedConfig): WorldSpec['env'] => ({
  PATH: COMMAND_PATH,
  HOME: '/workspace',
  USER: 'agent',
  LANG: 'C.UTF-8',
  ...env,
});

/** The programs that run scripts of other languages. */
const programsIn = ({ programs }: CheckedConfig): Programs => ({
  python: programs?.python ?? false,
  node: programs?.node ?? false,
  host: programs?.host !== undefined,
});

/**
 * The snapshot that /workspace is made of; undefined where it is a mount of
 * its own. A fork, and a session that goes on without a deployment, have no
 * directory: their files are in the blob store.
 */
function workspaceSnapshot(session: Log, host: Host): string | null | undefined {
  const { workspace } = session.header;
  if (workspace === undefined && (host.deployment !== null || session.leaf === null))
    return undefined;
  return snapshotAt(session);
}

function harnessOf(mounts: readonly MountSpec[]): World['harness'] {
  for (const { source } of mounts) if (source.kind === 'harness') return source;
  throw new Error('a world without a harness was planned');
}

/** What a world's methods are made of. */
interface Parts extends CommandParts {
  /** Is somebody there to answer a question? */
  answers: boolean;
  /** Awaited ahead of each command: what of the deployment's own cannot be used is met there. */
  ready: Promise<unknown> | undefined;
  place: SessionPlace;
  more: Pick<
    World,
    | 'state'
    | 'dryRun'
    | 'network'
    | 'mounts'
    | 'hostDirectories'
    | 'agent'
    | 'parts'
    | 'models'
    | 'harness'
  >;
}

function assemble(parts: Parts): World {
  const { supervisor, recorder, jobs, more } = parts;
  let queue: Promise<unknown> = Promise.resolve();
  const exec = (command: string, options: ExecOptions = {}): Promise<ExecResult> => {
    const next = queue.then(async () => {
      await parts.ready;
      return runCommand(parts, command, options);
    });
    queue = next.catch(() => undefined);
    return next;
  };
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= jobs
      .close()
      .then(() => supervisor.close())
      .then(() => recorder.close())
      .finally(() => parts.place.store.close?.());
    return closed;
  };
  return {
    exec,
    fs: createFsProxy(supervisor, changing(recorder)),
    fsAs: (context, watch) => {
      const whole = contextOf({ origin: 'tool', attended: parts.attended, ...context });
      return filesAs(parts, () => whole, watch);
    },
    lease: (holder) => parts.policy.lease(holder),
    approvals: createApprovalsProxy(supervisor),
    questions: createQuestionsProxy(supervisor),
    ask: async (draft, given, watch) => {
      const context = contextOf({ origin: 'tool', attended: parts.answers, ...given });
      return (await supervisor.call({ type: 'question', draft, context }, watch)) as Question;
    },
    permitTool: async (tool, context, watch) => {
      const whole = contextOf({ origin: 'tool', attended: parts.attended, ...context });
      await parts.policy.refreshFor(whole);
      const answer = await supervisor.call({ type: 'tool', tool, context: whole }, watch);
      return answer as GateDecision;
    },
    usePolicy: async (policy) => void (await supervisor.call({ type: 'policy', policy })),
    noteUntrusted: async (context) => {
      const whole = contextOf({ origin: 'tool', ...context });
      await supervisor.call({ type: 'note', context: whole });
    },
    session: recorder.session,
    catchUp: () => supervisor.catchUp(),
    changes: createChangesProxy(supervisor),
    probe: async (timeoutMs = 10_000) =>
      (await supervisor.call({ type: 'probe', timeoutMs })) as ProbedMount[],
    hear: (point, events) => hearThrough(supervisor, point, events),
    sync: (path, onProgress) => syncThrough(supervisor, path, onProgress),
    jobs: (actor) => jobs.running(actor),
    jobBounds: jobs.bounds,
    get cwd() {
      return supervisor.shells.cwdIn();
    },
    cwdIn: (shell) => supervisor.shells.cwdIn(shell),
    endShell: (name) => supervisor.shells.end(name),
    ...more,
    commands: () => supervisor.commands,
    usage: () => supervisor.usage,
    close,
    [Symbol.asyncDispose]: close,
  };
}
