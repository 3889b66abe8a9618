/**
 * The gate: every operation of the namespace asks it, on the path after links
 * are resolved, whatever asked for it. Effective right = mode of the mount ∩
 * filesystem of the agent ∩ policy; here the mode of the mount and its
 * per-path rules are decided, in `keeper.ts` all three.
 */
import type { Mode } from '../mount/contract/contract.ts';
import type { PlannedCall } from '../mount/contract/program.ts';
import { matcherOf, scanGlob } from './glob.ts';

/**
 * What an operation does to a path; `call` is a call of a program that a mount has there, `tool` one of
 * a tool of the agent's, which has a name and no path.
 */
export const OPERATIONS = [
  'read',
  'create',
  'write',
  'append',
  'mkdir',
  'unlink',
  'rmdir',
  'rename',
  'symlink',
  'link',
  'chmod',
  'utimes',
  'call',
  'tool',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The doors through which clients come in from outside. */
export const DOORS = ['mcp', 'fuse', 'ssh', 'acp', 'sandbox', 'http'] as const;
export type DoorName = (typeof DOORS)[number];

/** What an operation comes through: the shell, a file tool, a door; or a front end that the person in charge uses. */
export const ORIGINS = ['shell', 'tool', ...DOORS, 'host'] as const;
export type Origin = (typeof ORIGINS)[number];

/** A question to the gate. */
export interface GateRequest {
  op: Operation;
  /** Absolute, normalised, links resolved. */
  path: string;
  /** Where the mount is attached. */
  mount: string;
  origin: Origin;
  /** Of a call of a program. */
  call?: CallFacts;
}

/** What is known of a call of a program. */
export type CallFacts = Pick<PlannedCall, 'program' | 'effect'>;

/** The answer. `rule` says which rule decided, `reason` what to do about a refusal. */
export interface GateDecision {
  decision: 'allow' | 'deny' | 'ask';
  rule: string;
  reason: string;
}

export type Gate = (request: GateRequest) => GateDecision;

/** A rule of a mount: paths that match the glob, relative to the mount, have this mode. */
export interface PathRule {
  pattern: string;
  mode: Mode;
}

/** What a mount point allows: its mode, and exceptions of which the first that matches holds. */
export interface Access {
  mode: Mode;
  rules?: readonly PathRule[];
  /** Said after a refusal: where such a change is possible, e.g. under /harness/proposals. */
  advice?: string;
}

/** One operation that a hook or a person is asked about. */
export interface AskedOperation {
  op: Operation;
  path: string;
  mount: string;
}

/** A call of a tool, as the policy sees it. */
export interface ToolCallFacts {
  name: string;
  /** Code of the deployer's, which runs in the host and asks no gate of its own. */
  host: boolean;
  /** It says that it changes nothing. */
  readOnly: boolean;
  /** As JSON. */
  input: string;
}

/** What would be done, for whoever is asked; worked out only when somebody is. */
export interface Proposal {
  /** Tells what would be done, and what it would be done to, from anything else. */
  digest(): Promise<string>;
  /** Patches, links, modes: all that the digest stands for, in words. */
  preview(): Promise<string>;
  /** Of what text stands in the preview beside what is to be written. */
  readonly quoted?: readonly { path: string; mount: string }[];
}

/** What came of asking a hook; `data` stands for what is written, or was read. */
export type HookOutcome = { pass: true; data?: Uint8Array } | { pass: false; reason: string };

/**
 * What is read at a path: a file's text (or a link's target), the names in a
 * directory, all that is below it, or the names that the path is made of.
 */
export type ReadWhat = 'text' | 'names' | 'tree' | 'path';

/** What stands behind a gate that does more than the modes: rights, policy, hooks, approvals. */
export interface GateKeeper {
  /** Must a read be asked about, or be seen by a hook? */
  readonly watchesReads: boolean;
  readonly hooked: boolean;
  /** Is an engine asked besides? Then no answer is there at once. */
  readonly judged: boolean;
  /** Is every change allowed to whoever acts that the modes of the mounts allow, until the policy is another? */
  readonly byModesAlone: boolean;
  /** Who acts, in which turn and with which rights, as a text. */
  readonly actingAs: string;
  /** Asks the engine about what {@link decide} did not deny: it can only be stricter. It does not throw. */
  judge(request: GateRequest, decided: GateDecision): Promise<GateDecision>;
  decide(request: GateRequest): GateDecision;
  noteRead(mount: string, path: string, what?: ReadWhat): void;
  /** A mount said something as it failed: one of a service in words of that. */
  noteSaid(mount: string, path: string): void;
  /** @param other of a rename, where to; of a link, what got a second name */
  noteChange(mount: string, method: string, path: string, other?: string): void;
  /** A file was made by writing it: its name was given. */
  noteMade(mount: string, path: string): void;
  /** Runs what changes a service, so that it is known on whose behalf the change is made. */
  during<T>(work: () => T): T;
  /** A change of a mount was allowed, and begins: it counts, until {@link settle}, as if it were done. */
  reserve(mount: string): void;
  /** What had begun has ended: what of it was no change does not count any more. */
  settle(): void;
  before(operation: AskedOperation, data?: Uint8Array): Promise<HookOutcome>;
  after(operation: AskedOperation, data?: Uint8Array): Promise<HookOutcome>;
  ask(
    asked: readonly (AskedOperation & Pick<GateDecision, 'rule' | 'reason'>)[],
    proposal: Proposal,
  ): Promise<GateDecision>;
}

const ALLOW: GateDecision = { decision: 'allow', rule: '', reason: '' };

/** What may be done in each mode. `create` is a write to a path where nothing is yet. */
const APPENDING: ReadonlySet<Operation> = new Set<Operation>(['read', 'create', 'append', 'mkdir']);

/**
 * The gate of the mount modes.
 * @param accessAt the access of the mount attached at a path, by its mount point.
 */
export function createModeGate(accessAt: (mount: string) => Access | undefined): Gate {
  const compiled = new WeakMap<Access, readonly CompiledRule[]>();
  return ({ op, path, mount, call }) => {
    if (op === 'read' || call?.effect === 'reads') return ALLOW;
    const access = accessAt(mount);
    if (access === undefined)
      return deny(`nothing is mounted at ${mount}`, 'mount a directory there first');
    let rules = compiled.get(access);
    if (rules === undefined) {
      rules = (access.rules ?? []).map(compile);
      compiled.set(access, rules);
    }
    const inside = mount === '/' ? path.slice(1) : path.slice(mount.length + 1);
    const rule = rules.find((each) => each.matches(inside));
    const mode = rule?.mode ?? access.mode;
    if (!allows(mode, op)) {
      const where =
        rule === undefined
          ? `${mount} is mounted ${mode}`
          : `${rule.pattern} of ${mount} is ${mode}`;
      return deny(where, refusal(mode, op, access.advice));
    }
    // A link in the place of a directory would put something else under the names that a rule is about.
    const hollow = op === 'symlink' ? rules.find((each) => each.isBelow(inside)) : undefined;
    if (hollow === undefined) return ALLOW;
    return deny(
      `${hollow.pattern} of ${mount} is ${hollow.mode}`,
      'no link may stand for a directory above it',
    );
  };
}

interface CompiledRule extends PathRule {
  matches(path: string): boolean;
  /** Is the rule a restriction of names below a path, rather than of the path? */
  isBelow(path: string): boolean;
}

/** A glob relative to the mount, with or without a `/` before it. */
function compile({ pattern, mode }: PathRule): CompiledRule {
  const glob = pattern.replace(/^\/+/, '');
  const { base } = scanGlob(glob);
  return {
    pattern,
    mode,
    matches: matcherOf(glob),
    isBelow: (path) => !allows(mode, 'symlink') && `${base}/`.startsWith(`${path}/`),
  };
}

/** May the operation be done in this mode? */
function allows(mode: Mode, op: Operation): boolean {
  return mode === 'rw' || mode === 'stage' || (mode === 'append' && APPENDING.has(op));
}

function refusal(mode: Mode, op: Operation, advice: string | undefined): string {
  const what =
    mode === 'append'
      ? `only new files and appending (>>) are allowed, not ${op}`
      : 'nothing here can be changed';
  return advice === undefined ? what : `${what}; ${advice}`;
}

function deny(rule: string, reason: string): GateDecision {
  return { decision: 'deny', rule, reason: `${rule}: ${reason}` };
}
