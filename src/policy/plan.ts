/**
 * The scope of a plan: what may be written while it holds. It is one more limit
 * beside the mode of the mount, the rights of the agent and the policy, and
 * never a right: what it names is still asked of all the others.
 */
import { isVisibleLine } from '../visible.ts';
import { slownessOf } from './bounded-glob.ts';
import type { GateDecision, GateRequest, Operation, ToolCallFacts } from './gate.ts';
import { matcherOf } from './glob.ts';

/** What a plan calls what is done to files, and the operations that it means. */
const PLANNED: Readonly<Record<string, readonly Operation[]>> = {
  write: ['write', 'append', 'utimes'],
  create: ['create', 'mkdir'],
  remove: ['unlink', 'rmdir'],
  rename: ['rename'],
  link: ['symlink', 'link'],
  chmod: ['chmod'],
  call: ['call'],
};

export const PLANNED_OPERATIONS = [
  'write',
  'create',
  'remove',
  'rename',
  'link',
  'chmod',
  'call',
] as const;
export type PlannedOperation = (typeof PLANNED_OPERATIONS)[number];

/** What is done where nothing else is said of it. */
export const USUAL_OPERATIONS: readonly PlannedOperation[] = ['write', 'create'];

/** Paths, and what may be done to them. */
export interface PlannedWrites {
  /** An absolute path, or a glob of one. */
  path: string;
  operations: readonly PlannedOperation[];
}

/** What a plan says may be changed; nothing, where it says nothing. */
export interface PlanScope {
  writes: readonly PlannedWrites[];
  /** Names of tools that change what no path names. */
  tools: readonly string[];
}

/** Plan mode, before a plan is approved. */
export const NOTHING_PLANNED: PlanScope = { writes: [], tools: [] };

/** What is wrong with a path of a plan; null where nothing is. */
export function faultOfPath(path: string): string | null {
  if (!path.startsWith('/')) return 'should be an absolute path, or a glob of one';
  if (path.split('/').some((name) => name === '..' || name === '.')) return 'may have no . and ..';
  // It is shown to a person as a line of its own.
  if (!isVisibleLine(path))
    return 'may have no character that is not seen: write ? in its place, or ?? for one beyond U+FFFF';
  // A gap, or a blank that is no space, looks like the end of the line.
  if (/\s\s|(?! )[\s\u2800\u{1d159}\u{13441}\u{13442}]/u.test(path))
    return 'may have no two blanks in a row, and none but spaces: write ? in place of each';
  return slownessOf(path);
}

/** What comes of nothing that lasts: `/dev/null`. */
const KEEPS_NOTHING = /^\/dev\//;

/** The refusal of an operation that a plan does not name; null where all of them name it. */
export function byPlan(
  plans: readonly PlanScope[],
  { op, path, call }: GateRequest,
): GateDecision | null {
  if (op === 'read' || call?.effect === 'reads' || KEEPS_NOTHING.test(path)) return null;
  const missing = plans.find(({ writes }) => !writes.some((each) => names(each, op, path)));
  return missing === undefined ? null : refusal(missing, `${op} ${path}`);
}

/** The same for a call of a tool that changes what no path names. */
export function byPlanOfTool(
  plans: readonly PlanScope[],
  { name, host, readOnly }: ToolCallFacts,
): GateDecision | null {
  if (readOnly || !host) return null;
  const missing = plans.find(({ tools }) => !tools.includes(name));
  return missing === undefined ? null : refusal(missing, `a call of ${name}`);
}

function names({ path: glob, operations }: PlannedWrites, op: Operation, path: string): boolean {
  if (!operations.some((each) => PLANNED[each]?.includes(op))) return false;
  return glob === path || matcherOf(glob)(path);
}

function refusal(scope: PlanScope, what: string): GateDecision {
  const rule = 'plan';
  if (scope === NOTHING_PLANNED || (scope.writes.length === 0 && scope.tools.length === 0))
    return {
      decision: 'deny',
      rule,
      reason: `${rule}: this turn plans, and changes nothing: propose ${what} by the tool plan, and it can be done once a person has approved that`,
    };
  return {
    decision: 'deny',
    rule,
    reason: `${rule}: the approved plan does not name ${what}; do without, or propose another plan`,
  };
}

/** A line for each thing that a plan would change. */
export function scopeText({ writes, tools }: PlanScope): string {
  const lines = [
    ...writes.map(({ path, operations }) => `${operations.join(', ')} ${path}`),
    ...tools.map((name) => `call the tool ${name}`),
  ];
  return lines.length === 0 ? 'nothing' : lines.join('\n');
}
