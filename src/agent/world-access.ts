/** What an agent's tools act with: the shell and the files of a world, on that agent's behalf. */
import { randomUUID } from 'node:crypto';
import { type ActingContext, fileOf, NETWORK, originOfCopy, ruleOf } from '../policy/context.ts';
import type { GateDecision, ToolCallFacts } from '../policy/gate.ts';
import type { FormKind, Question, QuestionForm } from '../policy/question.ts';
import type { CallWatch } from '../world/job.ts';
import type { BackgroundJob, ExecOptions, ExecResult, World, WorldFs } from '../world/world.ts';
import type { PlanMode } from './plan-mode.ts';

/** The file operations that tools need. */
export type AgentFiles = Pick<
  WorldFs,
  | 'exists'
  | 'mkdir'
  | 'readdir'
  | 'readFileBuffer'
  | 'realpath'
  | 'resolvePath'
  | 'stat'
  | 'writeFile'
>;

/** Shell and files, as one agent may use them. */
export interface WorldAccess {
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
  readonly files: AgentFiles;
  readonly cwd: string;
  /** The background jobs of this agent that run. */
  jobs(): readonly BackgroundJob[];
  /** May this agent call a tool? A person may be asked first. */
  permit(tool: ToolCallFacts): Promise<GateDecision>;
  /** Asks a person, who may not be there: see `World.ask`. */
  ask(question: string, form: QuestionForm): Promise<Question>;
  /** Text of services came in by another way than through files: from now on the turn has read it. */
  noteUntrusted(origins: readonly string[]): Promise<void>;
  /** The same for one call of a tool, of which it is known what it read. */
  forCall(watch?: Omit<CallWatch, 'onRead'>): CallAccess;
}

/** Shell and files for one call. */
export interface CallAccess extends WorldAccess {
  /** Points of the services that the call has read of, copies of their text included: where its result may come from. */
  origins(): string[];
  /** Files of mounts under /mnt that it has read: the first few, where that is to be told. */
  filesRead(): string[];
  /** Names of the deployment's rules for paths that it has met. */
  rules(): string[];
}

/** On whose behalf a world is acted on. */
export type AccessContext = Partial<ActingContext> & Pick<ActingContext, 'actor'>;

/** What comes in through a door, and whether somebody is there to ask. */
export interface Passage extends Pick<ActingContext, 'origin' | 'attended'> {
  /** The kinds of questions that somebody is there to answer. */
  answers: readonly FormKind[];
}

/** The points whose text comes from outside, where these are those of the services. */
export const outsideOf = (services: readonly string[], { network }: World): readonly string[] =>
  network.length === 0 ? services : [...services, NETWORK];

/**
 * Where a text may come from.
 * @param outside see {@link outsideOf}
 * @param read the points that were read, those of copies included
 */
export function originsOf(outside: readonly string[], read: Iterable<string>): string[] {
  const points = new Set(read);
  const copies = [...points].flatMap((each) => originOfCopy(each) ?? []);
  return [...new Set([...outside.filter((point) => points.has(point)), ...copies])];
}

/**
 * @param services mount points of services
 * @param given who acts, in which turn, with which rights; and what came in through a door
 */
export function worldAccess(
  world: World,
  services: readonly string[],
  given: AccessContext & Partial<Passage> & { plan?: Pick<PlanMode, 'scope'>; shell?: string },
): WorldAccess {
  const { answers, plan, shell, ...context } = given;
  const outside = outsideOf(services, world);
  const noted = new Set<string>();
  // A plan may be approved between one call and the next.
  const planned = (): AccessContext =>
    plan === undefined ? context : { ...context, plans: [...(context.plans ?? []), plan.scope] };
  const now = (): AccessContext =>
    noted.size === 0
      ? planned()
      : {
          ...planned(),
          untrustedRead: true,
          untrustedFrom: [...new Set([...(context.untrustedFrom ?? []), ...noted])],
        };
  const accessOf = (watch: CallWatch, acting: () => AccessContext): WorldAccess => ({
    jobs: () => world.jobs(context.actor),
    permit: (tool) => world.permitTool(tool, acting(), watch),
    ask: (question, form) => {
      const who = acting();
      const draft = { question, form, untrusted: who.untrustedFrom ?? [] };
      const attended = answers?.includes(form.kind);
      return world.ask(draft, attended === undefined ? who : { ...who, attended }, watch);
    },
    noteUntrusted: async (origins) => {
      const fresh = origins.filter((origin) => !noted.has(origin));
      for (const origin of fresh) noted.add(origin);
      if (fresh.length > 0) await world.noteUntrusted({ origin: 'tool', ...acting() });
    },
    exec: async (command, options) => {
      const { onParked, onTraffic } = watch;
      const result = await world.exec(command, {
        ...options,
        ...(shell === undefined ? {} : { shell }),
        ...(onParked === undefined ? {} : { onParked }),
        ...(onTraffic === undefined ? {} : { onTraffic }),
        context: { origin: 'shell', ...acting() },
      });
      // Of a command that was killed it is not known: rather one label too many.
      watch.onRead?.(result.read ?? outside);
      return result;
    },
    files: world.fsAs({ origin: 'tool', ...acting() }, watch),
    get cwd() {
      return shell === undefined ? world.cwd : world.cwdIn(shell);
    },
    forCall: (more = {}) => {
      const read = new Set<string>();
      // Without a turn each call is one: what it reads, it knows when it writes.
      const turn = context.turn ?? randomUUID();
      const watch: CallWatch = {
        ...more,
        onRead: (points) => {
          for (const point of points) read.add(point);
        },
      };
      const access = accessOf(watch, () => ({ ...now(), turn }));
      return Object.assign(access, {
        origins: () => originsOf(outside, read),
        filesRead: () => [...read].flatMap((each) => fileOf(each) ?? []),
        rules: () => [...read].flatMap((each) => ruleOf(each) ?? []),
      });
    },
  });
  return accessOf({}, now);
}
