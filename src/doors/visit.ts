/** A visit: what one client has of a world, in the name of its principal. */
import type { Agent } from '../agent/open-agent.ts';
import { originsOf, outsideOf } from '../agent/world-access.ts';
import { FsError } from '../errors.ts';
import type { Answer } from '../policy/approval.ts';
import type { Asked } from '../policy/asked-journal.ts';
import { type Author, bothAuthors, personAuthor } from '../policy/author.ts';
import type { ActingContext } from '../policy/context.ts';
import type { DoorName } from '../policy/gate.ts';
import { FORM_KINDS, type FormKind, type Question } from '../policy/question.ts';
import { type AgentRights, ALL_RIGHTS } from '../policy/rights.ts';
import { requireShown } from '../policy/shown.ts';
import { allowsTool } from '../policy/tool-switches.ts';
import type { World, WorldFs } from '../world/world.ts';
import type {
  EnterOptions,
  Shown,
  Visit,
  VisitAgent,
  VisitApprovals,
  VisitExecOptions,
  VisitQuestions,
} from './door.ts';
import type { FileLog } from './file-log.ts';
import type { Principal } from './principal.ts';

/** What the visits of one principal share. */
export interface VisitedWorld {
  readonly world: World;
  readonly principal: Principal;
  /** It is the person in charge, or an agent of theirs. */
  readonly inCharge: boolean;
  /** What the agent allows whose rights it has; null for a person. */
  readonly rights: (AgentRights & { onBehalfOf: readonly string[] }) | null;
  /** All that its clients do is one turn: none says when a turn of its model begins. */
  readonly turn: Pick<ActingContext, 'turn' | 'countedMs'>;
  /** What they change through files, for the log. */
  readonly files: FileLog;
  agent(): Promise<Agent>;
}

/** @param onClose called once, when the visit ends, with whether its world is to end, too */
export function createVisit(
  door: DoorName,
  visited: VisitedWorld,
  {
    onApproval,
    onQuestion,
    questionKinds = FORM_KINDS,
    untrusted = [],
    onBehalfOf = [],
  }: EnterOptions,
  onClose: (isEnd: boolean) => Promise<void>,
): Visit {
  const { world, principal } = visited;
  const who = actingOf(door, visited, onApproval !== undefined);
  const others = [...(who.onBehalfOf ?? []), ...onBehalfOf];
  const acting = {
    ...who,
    onBehalfOf: [...new Set(others)].filter((other) => other !== principal.actor),
    // In a turn of its own: nobody else has read it.
    ...(untrusted.length === 0
      ? {}
      : { turn: null, untrustedRead: true, untrustedFrom: untrusted }),
  };
  const services = world.mounts.filter(({ service }) => service).map(({ point }) => point);
  const outside = outsideOf(services, world);
  const fsWatched = (watch: Parameters<Visit['fsWatched']>[0]): WorldFs =>
    world.fsAs(acting, visited.files.watching(watch));
  let closed: Promise<void> | undefined;
  const leave = (isEnd: boolean): Promise<void> => {
    closed ??= onClose(isEnd);
    return closed;
  };
  const close = (): Promise<void> => leave(false);
  return {
    principal,
    session: world.session.id,
    mounts: world.mounts,
    hostDirectories: world.hostDirectories,
    get cwd() {
      return world.cwd;
    },
    exec: async (command, options = {}) => {
      await requireBash(visited, acting, command, options);
      world.catchUp();
      visited.files.flush();
      return world.exec(command, { ...options, context: acting });
    },
    fs: fsWatched({}),
    fsWatched,
    leased: (holder) => ({ fs: fsWatched({ holder }), end: world.lease(holder) }),
    originsOf: (read) => originsOf(outside, read ?? outside),
    events: (options) => world.session.events(options),
    approvals: approvalsOf(door, visited),
    questions: questionsOf(door, visited),
    agent: async () =>
      agentOf(await visited.agent(), visited, acting, onQuestion ? questionKinds : []),
    close,
    end: () => leave(true),
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Who acts. A client with an agent's rights is judged by its own name and by the
 * agent's, and the stricter answer holds.
 */
function actingOf(
  origin: DoorName,
  { principal, inCharge, rights, turn }: VisitedWorld,
  attended: boolean,
): Partial<ActingContext> & Pick<ActingContext, 'actor' | 'origin' | 'attended'> {
  const { actor, agent } = principal;
  const whose = inCharge ? {} : { people: [actor] };
  const who = { actor, origin, attended, ...turn, ...whose };
  if (rights === null) return who;
  const { filesystem, tools, skills, onBehalfOf } = rights;
  const others = [...(agent === undefined ? [] : [agent]), ...onBehalfOf];
  return {
    ...who,
    filesystem,
    tools,
    skills,
    onBehalfOf: others.filter((other) => other !== actor),
  };
}

/** A command of an agent is a call of its tool `bash`. @throws FsError EACCES */
async function requireBash(
  { world, principal, rights }: VisitedWorld,
  acting: Partial<ActingContext>,
  command: string,
  { signal, onParked }: VisitExecOptions,
): Promise<void> {
  if (rights === null) return;
  const denied = (rule: string, reason: string): FsError =>
    new FsError('EACCES', { path: '/bin/bash', op: 'exec', rule, reason });
  if (!allowsTool(rights, 'bash')) {
    const rule = `tools of agent ${principal.agent}`;
    throw denied(rule, `${rule}: it may not call bash, so that it runs no command`);
  }
  const tool = { name: 'bash', host: false, readOnly: false, input: JSON.stringify({ command }) };
  const watch = {
    ...(signal === undefined ? {} : { signal }),
    ...(onParked === undefined ? {} : { onParked }),
  };
  const { decision, rule, reason } = await world.permitTool(tool, acting, watch);
  if (decision !== 'allow') throw denied(rule, reason);
}

function approvalsOf(door: DoorName, visited: VisitedWorld): VisitApprovals {
  const { approvals } = visited.world;
  const { pending, shown, by } = askedIn('approval', door, visited);
  return {
    pending: () => pending(approvals),
    decide: async (seen: Shown, answer: Omit<Answer, 'by'>) => {
      const approval = await shown(approvals, seen);
      return (await approvals.answer(approval.id, { ...answer, by })) ?? approval;
    },
  };
}

function questionsOf(door: DoorName, visited: VisitedWorld): VisitQuestions {
  const { questions } = visited.world;
  const { pending, shown, by } = askedIn('question', door, visited);
  return {
    pending: () => pending(questions),
    answer: async (seen: Shown, value: unknown): Promise<Question> => {
      const question = await shown(questions, seen);
      return (await questions.answer(question.id, { value, by })) ?? question;
    },
  };
}

/** A journal of what people are asked, as far as a visit needs it. */
interface AskedIn<Each extends Asked> {
  list(state: 'pending'): Promise<Each[]>;
  get(id: string): Promise<Each | null>;
}

/** What people are asked by the visit's own session, and by whom it is answered. */
function askedIn(what: 'approval' | 'question', door: DoorName, visited: VisitedWorld) {
  const { world, principal } = visited;
  const { session } = world;
  return {
    by: `${principal.actor} (${door})`,
    pending: async <Each extends Asked>(journal: AskedIn<Each>): Promise<Each[]> =>
      (await journal.list('pending')).filter((each) => each.session === session.id),
    /** @throws FsError ENOENT, ESTALE */
    shown: async <Each extends Asked>(
      journal: AskedIn<Each>,
      { id, digest }: Shown,
    ): Promise<Each> => {
      const path = `/session/${what}s/${id}.md`;
      const asked = await journal.get(id);
      if (asked?.session !== session.id) {
        const reason = `this session has asked for no ${what} ${id}`;
        throw new FsError('ENOENT', { path, op: 'open', reason });
      }
      requireShown(asked, what, digest, path);
      return asked;
    },
  };
}

/** Whoever wrote the prompt, and whoever brings it: it is theirs who wrote it. */
function authorsOf(author: Author | undefined, bringer: Author): Author {
  if (author === undefined) return bringer;
  const { people = bringer.people } = author;
  return { ...bothAuthors(author, bringer), ...(people === undefined ? {} : { people }) };
}

function agentOf(
  agent: Agent,
  { principal, inCharge, rights }: VisitedWorld,
  acting: ReturnType<typeof actingOf>,
  answers: readonly FormKind[],
): VisitAgent {
  const { actor, origin, attended } = acting;
  const named = principal.agent === undefined ? {} : { agent: principal.agent };
  return {
    surface: (how = {}) => agent.surface(principal.agent, { ...acting, ...how }),
    vocabulary: () => agent.vocabulary(principal.agent),
    expand: (prompt) => agent.expand(prompt, principal.agent, acting),
    run: (request) =>
      agent.run({
        ...request,
        ...named,
        through: { origin, attended, answers },
        // The person in charge asks the agent, which acts by its own rules.
        ...(inCharge
          ? {}
          : {
              author: authorsOf(request.author, {
                ...personAuthor(actor),
                rights: rights ?? ALL_RIGHTS,
              }),
            }),
      }),
  };
}
