/** What who may do who comes in: one of four roles, each a set of rights. */
import { FsError } from '../errors.ts';

export const ROLES = ['viewer', 'user', 'approver', 'owner'] as const;
/**
 * - `viewer`: sees everything, and changes nothing;
 * - `user`: has sessions of their own, and sees nothing of others';
 * - `approver`: sees everything, has sessions of their own, and decides on what waits;
 * - `owner`: all of it, in others' sessions, too, and what is proposed to the harness.
 */
export type Role = (typeof ROLES)[number];

/**
 * - `look`: sees what is others', too;
 * - `converse`: has sessions;
 * - `decide`: answers requests for approval, applies and drops changes;
 * - `rule`: acts in the sessions of others, and accepts proposals.
 */
export type Right = 'look' | 'converse' | 'decide' | 'rule';

const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['look'],
  user: ['converse'],
  approver: ['look', 'converse', 'decide'],
  owner: ['look', 'converse', 'decide', 'rule'],
};

/** Who asks. */
export interface Caller {
  /** The name in the log, in rules and in approvals. */
  actor: string;
  role: Role;
  /** The agent whose rights bound them; null for a person of that name. */
  agent: string | null;
}

export const may = ({ role }: Caller, right: Right): boolean => RIGHTS[role].includes(right);

/** Who has a right, in words. */
const HOLDERS: Readonly<Record<Right, string>> = {
  look: 'a viewer, an approver or an owner',
  converse: 'a user, an approver or an owner',
  decide: 'an approver or an owner',
  rule: 'an owner',
};

/** @throws FsError EACCES */
export function requireRight(caller: Caller, right: Right, path: string): void {
  if (may(caller, right)) return;
  throw new FsError('EACCES', {
    path,
    op: 'call',
    rule: `role ${caller.role}`,
    reason: `${caller.actor} is ${caller.role} here, and this is for ${HOLDERS[right]}`,
  });
}

/** @throws FsError ENOENT: to whoever may not see it, what is somebody else's is not there */
export function requireOwn(caller: Caller, owner: string | null, right: Right, path: string): void {
  if (owner === caller.actor) return;
  if (owner !== null && may(caller, right)) return;
  if (owner !== null && may(caller, 'look')) requireRight(caller, right, path);
  throw new FsError('ENOENT', {
    path,
    op: 'open',
    rule: 'a session is its actor’s',
    reason: `${caller.actor} has no ${path}`,
  });
}
