/**
 * What an agent may do at most, by its own file: which mounts it may change,
 * which tools and skills it has. A sub-agent's rights are the intersection of
 * its own and its parent's, so that nothing is gained by delegating.
 */
import { isWithin } from '../paths.ts';
import type { PlanScope } from './plan.ts';

/** What may be done below a path; each allows what the ones before it allow. */
export const RIGHTS = ['read-only', 'append', 'read-write'] as const;
export type Right = (typeof RIGHTS)[number];

/** Rights by absolute path, of which the longest that holds a path decides; `*` for the rest (absent: read-only). */
export type RightsMap = Readonly<Record<string, Right>>;

/** The `filesystem` of an agent. */
export type FilesystemRights = Right | RightsMap;

/** Globs of tool names in order, the last match wins; what matches none is on. */
export type ToolSwitches = Readonly<Record<string, boolean>>;

/** All that an agent's file grants. */
export interface AgentRights {
  filesystem: FilesystemRights;
  /** One set of switches an agent in the chain of delegation: a tool is on where all say so. */
  tools: readonly ToolSwitches[];
  /** Names; null means all. */
  skills: readonly string[] | null;
  /** Plans that bound what is changed: all of them must name it. */
  plans?: readonly PlanScope[];
}

/** Everything: what a person has, and an agent that says nothing. */
export const ALL_RIGHTS: AgentRights = { filesystem: 'read-write', tools: [], skills: null };

/** The right at a path. */
export function rightAt(rights: FilesystemRights, path: string): Right {
  if (typeof rights === 'string') return rights;
  let best = '';
  for (const point of Object.keys(rights)) {
    if (point !== '*' && point.length > best.length && isWithin(point, path)) best = point;
  }
  return rights[best === '' ? '*' : best] ?? 'read-only';
}

/** What both allow: at every path the lesser right. */
export function intersectFilesystem(a: FilesystemRights, b: FilesystemRights): FilesystemRights {
  if (typeof a === 'string' && typeof b === 'string') return lesser(a, b);
  const points = new Set([...pointsOf(a), ...pointsOf(b)]);
  const both: Record<string, Right> = {};
  for (const point of points) both[point] = lesser(rightAt(a, point), rightAt(b, point));
  both['*'] = lesser(restOf(a), restOf(b));
  return both;
}

/** The rights of a sub-agent: its own, within those of its parent. */
export function intersectRights(parent: AgentRights, child: AgentRights): AgentRights {
  const { skills } = parent;
  const plans = [...(parent.plans ?? []), ...(child.plans ?? [])];
  return {
    ...(plans.length === 0 ? {} : { plans }),
    filesystem: intersectFilesystem(parent.filesystem, child.filesystem),
    tools: [...parent.tools, ...child.tools],
    skills:
      skills === null
        ? child.skills
        : child.skills === null
          ? skills
          : child.skills.filter((name) => skills.includes(name)),
  };
}

function lesser(a: Right, b: Right): Right {
  return RIGHTS.indexOf(a) <= RIGHTS.indexOf(b) ? a : b;
}

function pointsOf(rights: FilesystemRights): string[] {
  return typeof rights === 'string' ? [] : Object.keys(rights).filter((point) => point !== '*');
}

function restOf(rights: FilesystemRights): Right {
  return typeof rights === 'string' ? rights : (rights['*'] ?? 'read-only');
}
