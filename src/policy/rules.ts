/**
 * The rules of a policy, ready to be asked: the first that matches decides, and
 * where none does, the sandbox mode. A pure function of the policy and of what
 * is known about one operation; whoever asks turns a throw into a refusal.
 */
import { isWithin } from '../paths.ts';
import type { CallFacts, GateDecision, Operation, Origin, ToolCallFacts } from './gate.ts';
import { matcherOf, scanGlob } from './glob.ts';

/** What an agent may change without a rule that says so. */
export type SandboxMode = 'read-only' | 'workspace' | 'full';

/** What becomes of an operation that is neither allowed nor denied. */
export type ApprovalPolicy = 'never' | 'ask' | 'on-failure' | 'untrusted';

/** A rule: all of its conditions must hold; one that is absent always does. */
export interface PolicyRule {
  name: string;
  decision: 'allow' | 'deny' | 'ask';
  reason?: string;
  op?: readonly Operation[];
  /** Globs of absolute paths; a path without wildcards stands for all below it, too. */
  path?: readonly string[];
  /** Globs of names of tools: the rule is about calls of these; of programs of mounts where `op` has `call`. */
  tool?: readonly string[];
  /** Mount points, or kinds of mounts (`tracker`). */
  mount?: readonly string[];
  origin?: readonly Origin[];
  actor?: readonly string[];
  service?: boolean;
  destructive?: boolean;
  untrustedRead?: boolean;
  /** So many changes of the mount were made in this turn, or more. */
  bulk?: number;
}

/** A policy after every check; plain data. */
export interface Policy {
  sandbox: SandboxMode;
  approval: ApprovalPolicy;
  rules: readonly PolicyRule[];
}

/** What is known about an operation. */
export interface Facts {
  op: Operation;
  /** Links resolved; of a call of a tool, ''. */
  path: string;
  mount: string;
  /** Of a call of a tool. */
  tool?: Pick<ToolCallFacts, 'name' | 'host' | 'readOnly'>;
  /** Of a call of a program. */
  call?: CallFacts;
  /** `disk`, `tracker` … */
  kind: string;
  origin: Origin;
  actor: string;
  /** Is the mount a service? */
  service: boolean;
  /** Has this turn read text that came from a service? */
  untrustedRead: boolean;
  /** Changes of this mount in this turn so far. */
  changes: number;
}

/** A policy that can be asked. */
export interface CompiledPolicy {
  readonly approval: ApprovalPolicy;
  /** Can a read be refused at all? Where not, reads need not ask. */
  readonly restrictsReads: boolean;
  decide(facts: Facts): GateDecision;
}

/** Where writing is always within the sandbox: it is in memory, or meant for it. */
const SCRATCH = ['/tmp', '/dev', '/harness/proposals'];
/** The agent's own disk. */
const OWN = ['/workspace', '/memory', '/session/schedule'];
/** More changes of one service in one turn than this are done in bulk. */
const BULK = 20;

const REMOVING: ReadonlySet<Operation> = new Set<Operation>(['unlink', 'rmdir', 'rename']);

/**
 * Can the operation not be undone? Removing and renaming outside of the agent's
 * own disk, calling a program of which nobody says that it can, and changing a service in bulk.
 */
function isDestructive({ op, path, service, changes, call }: Facts): boolean {
  if (op === 'read' || op === 'tool' || call?.effect === 'reads') return false;
  if (service && changes >= BULK) return true;
  if (call !== undefined) return call.effect === 'destroys';
  return REMOVING.has(op) && !within(SCRATCH, path) && !within(OWN, path);
}

/** Makes a policy ready to be asked. */
export function compilePolicy(policy: Policy): CompiledPolicy {
  const rules = policy.rules.map(compileRule);
  const { approval } = policy;
  return {
    approval,
    restrictsReads: policy.rules.some(
      // What is destructive is no read, so such a rule does not concern any.
      ({ op, decision, destructive, tool }) =>
        decision !== 'allow' &&
        destructive !== true &&
        tool === undefined &&
        (op === undefined || op.includes('read')),
    ),
    decide: (facts) => {
      const rule = rules.find((each) => each.matches(facts));
      if (rule === undefined) return bySandbox(policy, facts);
      return decided(rule.decision, rule.name, rule.reason ?? '', approval);
    },
  };
}

interface CompiledRule extends Pick<PolicyRule, 'name' | 'decision' | 'reason'> {
  matches(facts: Facts): boolean;
}

function compileRule(rule: PolicyRule): CompiledRule {
  const { name, decision, reason } = rule;
  const paths = rule.path?.map((glob) => compilePath(glob, decision !== 'allow'));
  const tools = rule.tool?.map((glob) => matcherOf(glob));
  // What a mount is, a call is not: a rule that speaks of one is not about the other.
  const aboutMounts = [paths, rule.mount, rule.service, rule.bulk].some(
    (each) => each !== undefined,
  );
  return {
    name,
    decision,
    ...(reason === undefined ? {} : { reason }),
    matches: (facts) => {
      // A person in charge is asked, and does not ask: only a rule that names the host is about it.
      if (facts.origin === 'host' && rule.origin?.includes('host') !== true) return false;
      const { tool, call } = facts;
      if (tool !== undefined && aboutMounts) return false;
      const called = tool?.name ?? (rule.op?.includes('call') === true ? call?.program : undefined);
      if (tools !== undefined && called === undefined) return false;
      return (
        (tools === undefined || tools.some((matches) => matches(called ?? ''))) &&
        holds(rule.op, facts.op) &&
        holds(rule.origin, facts.origin) &&
        holds(rule.actor, facts.actor) &&
        (rule.mount === undefined ||
          rule.mount.includes(facts.mount) ||
          rule.mount.includes(facts.kind)) &&
        (rule.service === undefined || rule.service === facts.service) &&
        (rule.untrustedRead === undefined || rule.untrustedRead === facts.untrustedRead) &&
        (rule.bulk === undefined || facts.changes >= rule.bulk) &&
        (rule.destructive === undefined || rule.destructive === isDestructive(facts)) &&
        (paths === undefined || paths.some((matches) => matches(facts)))
      );
    },
  };
}

const holds = <T>(allowed: readonly T[] | undefined, value: T): boolean =>
  allowed === undefined || allowed.includes(value);

/** @param restricts a link in the place of a directory above would put something else under the names of the rule */
function compilePath(glob: string, restricts: boolean): (facts: Facts) => boolean {
  const { base, isGlob } = scanGlob(glob);
  const literal = glob.replace(/(?<=.)\/+$/, '');
  const matches = isGlob ? matcherOf(glob) : (path: string): boolean => isWithin(literal, path);
  return ({ path, op }) =>
    matches(path) ||
    // `/a/**` is about /a itself, too: nobody means "all below, but the directory may be removed".
    (isGlob && glob === `${base}/**` && path === base) ||
    (restricts && op === 'symlink' && `${base}/`.startsWith(`${path}/`));
}

/** What the sandbox mode says where no rule does. */
function bySandbox({ sandbox, approval }: Policy, facts: Facts): GateDecision {
  if (facts.tool !== undefined) return byTool({ sandbox, approval }, facts.tool);
  const reads = facts.op === 'read' || facts.call?.effect === 'reads';
  if (reads || facts.origin === 'host' || within(SCRATCH, facts.path)) return ALLOW;
  const inside = sandbox === 'full' || (sandbox === 'workspace' && within(OWN, facts.path));
  if (inside && approval !== 'untrusted') return ALLOW;
  const rule = inside ? 'approval untrusted' : `sandbox ${sandbox}`;
  const reason = inside
    ? 'no rule of the policy allows this change'
    : `${facts.path} is outside of what the sandbox mode ${sandbox} lets an agent change, and no rule allows it`;
  return decided('ask', rule, reason, approval);
}

/** What a tool of the sandbox does asks the gate itself; one of the host asks nobody else. */
function byTool(
  { sandbox, approval }: Pick<Policy, 'sandbox' | 'approval'>,
  { name, host, readOnly }: NonNullable<Facts['tool']>,
): GateDecision {
  if (!host || readOnly || (sandbox !== 'read-only' && approval !== 'untrusted')) return ALLOW;
  const rule = sandbox === 'read-only' ? 'sandbox read-only' : 'approval untrusted';
  return decided(
    'ask',
    rule,
    `${name} runs in the host, does not say that it changes nothing, and no rule allows it`,
    approval,
  );
}

const ALLOW: GateDecision = { decision: 'allow', rule: '', reason: '' };

function decided(
  decision: GateDecision['decision'],
  name: string,
  why: string,
  approval: ApprovalPolicy,
): GateDecision {
  if (decision === 'allow') return ALLOW;
  const rule = `policy ${name}`;
  const said = why === '' ? '' : `: ${why}`;
  if (decision === 'deny') return { decision, rule, reason: `${rule} denies this${said}` };
  if (approval === 'never') {
    return {
      decision: 'deny',
      rule,
      reason: `${rule} asks for approval${said}; with "approval: never" that is a refusal`,
    };
  }
  return { decision, rule, reason: `${rule} asks for approval${said}` };
}

function within(directories: readonly string[], path: string): boolean {
  return directories.some((directory) => isWithin(directory, path));
}
