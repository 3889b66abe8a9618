/** On whose behalf operations are done: what the gate knows besides the operation. */
import type { Origin } from './gate.ts';
import type { PlanScope } from './plan.ts';
import { ALL_RIGHTS, type FilesystemRights, type ToolSwitches } from './rights.ts';

/** The person who started the world, or the program that did. */
export const USER = 'user';

/** Which paths a rule is about. */
export interface PathsOfRule {
  name: string;
  /** Globs. */
  paths: readonly string[];
}

/** Who acts, and in which turn. Plain data: it crosses to the worker with each command. */
export interface ActingContext {
  /** `user`, or the name of an agent. */
  actor: string;
  origin: Origin;
  /** Commands of one turn share what it read and how much it changed; null is a turn of its own. */
  turn: string | null;
  /** Changes longer ago than this, in ms, do not count any more; absent: all of the turn do. */
  countedMs?: number;
  /** Of the agent, in its parent's: see `intersectRights`. */
  filesystem: FilesystemRights;
  /** Its switches of tools, and its skills: what it hands on with a prompt that it schedules. */
  tools?: readonly ToolSwitches[];
  skills?: readonly string[] | null;
  /** Plans that bound what is changed, by it and by what it schedules: see `byPlan`. */
  plans?: readonly PlanScope[];
  /** Who asked for the turn, where that was no person: the policy must allow it to them, too. */
  onBehalfOf?: readonly string[];
  /** The people who come in by a door and have it done; absent for the person in charge. */
  people?: readonly string[];
  /** The model's view holds text of a service from before this turn. */
  untrustedRead: boolean;
  /** The services that it came from, where that is known. */
  untrustedFrom?: readonly string[];
  /** Rules of the deployment for paths: which of them an operation met is told with what was read. */
  rules?: readonly PathsOfRule[];
  /** Are the files of mounts under /mnt that are read to be told, too? The first few of each call. */
  tellsFiles?: boolean;
  /** Is somebody there to ask? Where not, what asks is refused at once. */
  attended: boolean;
}

/** What hosts of the network said, among what was read: not below `/`, where no mount can have the name. */
export const NETWORK = 'network';

/** Before the name of a service, among what a command has read: a file held text copied from there. */
const COPY = 'copy:';

export const copiedFrom = (origin: string): string => `${COPY}${origin}`;

/** The service whose copied text was read; null where the mount itself was. */
export const originOfCopy = (read: string): string | null =>
  read.startsWith(COPY) ? read.slice(COPY.length) : null;

/** Before the name of a rule, among what a command has read: it met a path that the rule is about. */
const RULE = 'rule:';

export const metRule = (name: string): string => `${RULE}${name}`;

/** The rule that was met; null where something was read. */
export const ruleOf = (read: string): string | null =>
  read.startsWith(RULE) ? read.slice(RULE.length) : null;

/** Before the path of a file, among what was read. */
const FILE = 'file:';

export const readFile = (path: string): string => `${FILE}${path}`;

/** The file that was read; null for anything else. */
export const fileOf = (read: string): string | null =>
  read.startsWith(FILE) ? read.slice(FILE.length) : null;

/** The context of a person at a shell; what is given replaces it. */
export function contextOf(given: Partial<ActingContext> = {}): ActingContext {
  return {
    actor: USER,
    origin: 'shell',
    turn: null,
    filesystem: ALL_RIGHTS.filesystem,
    untrustedRead: false,
    attended: false,
    ...given,
  };
}
