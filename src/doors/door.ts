/**
 * The contract of a door: it is opened on a {@link Doorway}, says who each client
 * is, and gets a {@link Visit} for it. Rules, log, approvals and sessions are
 * below it, the same for all doors.
 */
import type { RunRequest } from '../agent/agent.ts';
import type { Surface, SurfaceOptions, Vocabulary } from '../agent/open-agent.ts';
import type { TurnResult } from '../agent/turn-result.ts';
import type { BufferedDirectory } from '../disk/buffers.ts';
import type { Answer, Approval } from '../policy/approval.ts';
import type { Asked } from '../policy/asked-journal.ts';
import type { DoorName } from '../policy/gate.ts';
import type { FormKind, Question } from '../policy/question.ts';
import type { EventOptions, SessionEvent } from '../session/events.ts';
import type { SessionPlace } from '../session/file.ts';
import type { CallWatch } from '../world/job.ts';
import type {
  ExecOptions,
  ExecResult,
  HostDirectory,
  LeaseHolder,
  WorldFs,
  WorldMount,
} from '../world/world.ts';
import type { Principal } from './principal.ts';

/** What a client's command may be run with: who acts, the visit says. */
export type VisitExecOptions = Omit<ExecOptions, 'context' | 'toolCallId'>;

/** What a client has of the world, bound to its principal and to the origin of its door. */
export interface Visit extends AsyncDisposable {
  readonly principal: Principal;
  /** The id of its session. */
  readonly session: string;
  /** Where its shell stands. */
  readonly cwd: string;
  /** What is mounted, but for what belongs to every world. */
  readonly mounts: readonly WorldMount[];
  /** Directories of the host that files of the world are in. */
  readonly hostDirectories: readonly HostDirectory[];
  /**
   * Runs a command, after those before it in the same session.
   * @throws FsError EACCES where the agent whose rights it has may not call `bash`
   */
  exec(command: string, options?: VisitExecOptions): Promise<ExecResult>;
  /** The files, for this client. */
  readonly fs: WorldFs;
  /** The same, with somebody told what becomes of each call, or able to end its waiting. */
  fsWatched(watch: CallWatch): WorldFs;
  /** The same, with somebody told while nobody else uses the world. `end` ends that. */
  leased(holder: LeaseHolder): { fs: WorldFs; end(): void };
  /**
   * The mount points of services that a text may come from.
   * @param read the points that were read, as `exec` and {@link fsWatched} tell them; null where that is not known
   */
  originsOf(read: readonly string[] | null): string[];
  /** What the session's log gets, as it happens, and after an entry's id what it has. */
  events(options?: EventOptions): AsyncIterable<SessionEvent>;
  readonly approvals: VisitApprovals;
  readonly questions: VisitQuestions;
  /** Tools and turns; loaded when they are first asked for. @throws ConfigError for an agent that is not known */
  agent(): Promise<VisitAgent>;
  /** Ends the visit; what it has begun goes on to its end. Its world may be kept for whoever comes back. */
  close(): Promise<void>;
  /** The same, and its world ends with it where nobody else is in it. */
  end(): Promise<void>;
}

/** What a person was shown who is asked: the answer is bound to it. */
export type Shown = Pick<Asked, 'id' | 'digest'>;

/** The requests for approval of the visit's own session. */
export interface VisitApprovals {
  /** Oldest first. */
  pending(): Promise<Approval[]>;
  /**
   * Answers one, on behalf of the person at the client.
   * @returns what it is now; it is left as it was if it is not pending any more: compare the state
   * @throws FsError ENOENT where this session has none of that id, ESTALE where it is not what was shown
   */
  decide(shown: Shown, answer: Omit<Answer, 'by'>): Promise<Approval>;
}

/** The questions of the visit's own session. */
export interface VisitQuestions {
  /** Oldest first. */
  pending(): Promise<Question[]>;
  /**
   * Answers one, on behalf of the person at the client.
   * @param value null: they do not want to
   * @returns what it is now; it is left as it was if it is not pending any more: compare the state
   * @throws FsError ENOENT, ESTALE as for an approval; EINVAL that says what is allowed
   */
  answer(shown: Shown, value: unknown): Promise<Question>;
}

/** The agent whose rights a visit has (`assistant` where it names none). */
export interface VisitAgent {
  /**
   * Its tools, for a client that has a loop of its own.
   * @param how whether somebody is there to ask, and for what; by default as the visit was entered
   */
  surface(how?: SurfaceOptions): Promise<Surface>;
  /** Runs a turn in the visit's session; its deltas are among the events. @throws ConfigError */
  run(request: VisitTurn): Promise<TurnResult>;
  /** What a prompt can call by name. */
  vocabulary(): Promise<Vocabulary>;
  /** What a prompt stands for that calls a skill, a command or a template. @throws ConfigError */
  expand(prompt: string): Promise<string>;
}

/** A turn that a client asks for. */
export type VisitTurn = Pick<
  RunRequest,
  | 'prompt'
  | 'model'
  | 'signal'
  | 'system'
  | 'untrusted'
  | 'cite'
  | 'author'
  | 'delivery'
  | 'resumed'
  | 'begunWith'
  | 'steered'
  | 'plan'
>;

/** How a client comes in. */
export interface EnterOptions {
  /**
   * Has the person at the client asked; they answer through `approvals.decide`. With it an
   * operation that asks waits for the answer; without it the operation is refused at once,
   * and the refusal says how to be asked.
   */
  onApproval?(approval: Approval, visit: Visit): void;
  /** The same for questions of agents; they are answered through `questions.answer`. */
  onQuestion?(question: Question, visit: Visit): void;
  /** The kinds of questions that it can put; all, if absent. */
  readonly questionKinds?: readonly FormKind[];
  /**
   * A directory that the client has files of open: it is mounted in the world that is opened for
   * it. A session that somebody is in already has what the first of them brought.
   */
  buffered?: BufferedDirectory | undefined;
  /** A world of its session that was kept ends first: nothing is left in its shell of whoever was there. */
  anew?: boolean;
  /** Others who have to be allowed what is done through the visit: whoever has asked for it. */
  onBehalfOf?: readonly string[];
  /** What is written through the visit is text of these, and is labelled as theirs. */
  untrusted?: readonly string[];
}

/** What a door is opened on: a deployment, for clients of one door. */
export interface Doorway extends AsyncDisposable {
  readonly door: DoorName;
  /** The directory on the host in which the state is kept. */
  readonly state: string;
  /** The sessions that are kept. */
  readonly sessions: SessionPlace;
  /**
   * Lets a client in.
   * @throws ConfigError for a principal or an agent that cannot be
   * @throws FsError EACCES for the session of somebody else, ENOENT for one that is not there, EAGAIN where too many are open
   */
  enter(principal: Principal, options?: EnterOptions): Promise<Visit>;
  /** From now on `dirigent doors` shows the door. @param address where clients find it, in a few words */
  announce(address: string): void;
  /** Ends all visits, and their worlds. */
  close(): Promise<void>;
}

/** A door that is open. */
export interface OpenDoor {
  /** Where clients find it: a URL, a directory, `stdio`. */
  readonly address: string;
  /** Resolves once the last client has gone, where a door ends by that; else never. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** A door, at most some 300 lines: what two doors need is below them. */
export interface Door<Options> {
  readonly name: DoorName;
  open(doorway: Doorway, options: Options): Promise<OpenDoor>;
}
