import { describe, expect, it } from 'vitest';
import { FsError } from '../errors.ts';
import {
  type Caller,
  may,
  type Right,
  ROLES,
  type Role,
  requireOwn,
  requireRight,
} from './rights.ts';

const RIGHTS: readonly Right[] = ['look', 'converse', 'decide', 'rule'];
const as = (role: Role, actor = 'ann'): Caller => ({ actor, role, agent: null });

/** The error number with which something is refused; null where it is not. */
function refusal(attempt: () => void): [code: string, reason: string] | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return [error.code, error.reason ?? ''];
  }
}

it.each<[Role, Right[]]>([
  ['viewer', ['look']],
  ['user', ['converse']],
  ['approver', ['look', 'converse', 'decide']],
  ['owner', ['look', 'converse', 'decide', 'rule']],
])('a %s may %j, and nothing else', (role, rights) => {
  expect(RIGHTS.filter((right) => may(as(role), right))).toEqual(rights);
});

it.each<[Right, string]>([
  ['look', 'a viewer, an approver or an owner'],
  ['converse', 'a user, an approver or an owner'],
  ['decide', 'an approver or an owner'],
  ['rule', 'an owner'],
])('whoever lacks the right to %s is told who has it: %s', (right, holders) => {
  for (const role of ROLES) {
    const refused = refusal(() => requireRight(as(role), right, '/x'));
    if (may(as(role), right)) expect(refused).toBeNull();
    else expect(refused).toEqual(['EACCES', `ann is ${role} here, and this is for ${holders}`]);
    // The words say what is so.
    expect(holders.includes(role)).toBe(may(as(role), right));
  }
});

describe('what is somebody’s', () => {
  const refused = (role: Role, owner: string | null, right: Right): string | undefined =>
    refusal(() => requireOwn(as(role), owner, right, '/session'))?.[0];

  it('is theirs, whatever their role', () => {
    for (const role of ROLES) expect(refused(role, 'ann', 'rule')).toBeUndefined();
  });

  it('is open to who has the right to it, refused to who may look, and not there to anybody else', () => {
    expect(ROLES.map((role) => refused(role, 'ben', 'rule'))).toEqual([
      'EACCES',
      'ENOENT',
      'EACCES',
      undefined,
    ]);
    expect(ROLES.map((role) => refused(role, 'ben', 'look'))).toEqual([
      undefined,
      'ENOENT',
      undefined,
      undefined,
    ]);
    // Who may have sessions may not have others'.
    expect(refused('user', 'ben', 'converse')).toBeUndefined();
  });

  it('is nobody’s where nobody knows whose it is', () => {
    for (const role of ROLES) expect(refused(role, null, 'look')).toBe('ENOENT');
  });

  it('is said not to be there in the words of one that never was', () => {
    const words = (owner: string | null) =>
      refusal(() => requireOwn(as('user'), owner, 'look', '/session'));
    expect(words('ben')).toEqual(words(null));
    expect(words('ben')?.[1]).toBe('ann has no /session');
  });
});
