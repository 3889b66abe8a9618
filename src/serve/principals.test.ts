/** Who may come in, what they may do, and in whose name what was asked for earlier is carried out. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../doors/http/bearer.ts';
import { PERSON, personAuthor } from '../policy/author.ts';
import { csrfOf, Principals } from './principals.ts';
import { type Caller, may, ROLES, requireOwn, requireRight } from './rights.ts';
import { placeOf, standingOf } from './standing.ts';

const WEEK = 7 * 24 * 60 * 60 * 1_000;

function open() {
  const clock = { now: 1_000 };
  const principals = new Principals(':memory:', () => clock.now);
  onTestFinished(() => principals.close());
  return { clock, principals };
}
const caller = (role: Caller['role'], actor = 'ann'): Caller => ({ actor, role, agent: null });

describe('a token', () => {
  test('is told once, and lets in whoever it was made for, until they are removed', () => {
    const { principals } = open();
    const token = principals.add('ann', 'user', 'reader');
    const ann = { actor: 'ann', role: 'user', agent: 'reader', createdAt: 1_000 };
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([principals.byToken(token), principals.get('ann')]).toEqual([ann, ann]);
    expect([principals.byToken('x'), principals.get('bob')]).toEqual([null, null]);
    expect(() => principals.add('ann', 'owner')).toThrow('ann has a token already');
    expect(() => principals.add('no name', 'owner')).toThrow('actor should be');
    expect(principals.byToken(token)?.role).toBe('user');
    expect([principals.remove('ann'), principals.remove('ann')]).toEqual([true, false]);
    expect(principals.byToken(token)).toBeNull();
    expect(principals.add('ann', 'owner')).not.toBe(token);
  });

  test('of somebody who has sessions lets them in by other doors, too', () => {
    const { principals } = open();
    const tokens = ROLES.map((role) =>
      principals.add(`the-${role}`, role, role === 'user' ? 'a' : null),
    );
    expect(principals.list().map(({ actor }) => actor)).toEqual([
      ...['the-approver', 'the-owner', 'the-user', 'the-viewer'],
    ]);
    expect(tokens.map((token) => clientOf(token, principals.clients()))).toEqual([
      null,
      { actor: 'the-user', agent: 'a' },
      { actor: 'the-approver' },
      { actor: 'the-owner' },
    ]);
  });
});

describe('a cookie', () => {
  test('lets a browser in for a week, and for no longer than its owner is let in', () => {
    const { clock, principals } = open();
    principals.add('ann', 'user');
    const { cookie, expiresAt } = principals.newCookie(caller('user'));
    expect(expiresAt).toBe(1_000 + WEEK);
    clock.now += WEEK - 1;
    expect(principals.byCookie(cookie)?.actor).toBe('ann');
    // Making another one takes away those that are too old, and no other.
    const second = principals.newCookie(caller('user'));
    expect(principals.byCookie(cookie)?.actor).toBe('ann');
    clock.now += 1;
    expect(principals.byCookie(cookie)).toBeNull();
    expect(principals.byCookie('x')).toBeNull();
    principals.remove('ann');
    principals.add('ann', 'user');
    expect(principals.byCookie(second.cookie)).toBeNull();
  });

  test('is ended by itself, and has a word that only its page knows', () => {
    const { principals } = open();
    principals.add('ann', 'user');
    const [one, two] = [principals.newCookie(caller('user')), principals.newCookie(caller('user'))];
    principals.endCookie(one.cookie);
    expect([principals.byCookie(one.cookie), principals.byCookie(two.cookie)?.actor]).toEqual([
      ...[null, 'ann'],
    ]);
    expect(csrfOf(one.cookie)).toMatch(/^[0-9a-f]{64}$/);
    expect(csrfOf(one.cookie)).not.toBe(csrfOf(two.cookie));
  });
});

test('each role has its rights', () => {
  const rights = ['look', 'converse', 'decide', 'rule'] as const;
  const table = ROLES.map((role) => [role, rights.filter((right) => may(caller(role), right))]);
  expect(Object.fromEntries(table)).toEqual({
    viewer: ['look'],
    user: ['converse'],
    approver: ['look', 'converse', 'decide'],
    owner: ['look', 'converse', 'decide', 'rule'],
  });
  for (const role of ROLES)
    for (const right of rights) {
      const require = () => requireRight(caller(role), right, '/x');
      if (may(caller(role), right)) expect(require).not.toThrow();
      else
        expect(require).toThrow(expect.objectContaining({ code: 'EACCES', rule: `role ${role}` }));
    }
});

test.each([
  ['user', 'ann', 'rule', null],
  ['viewer', 'ann', 'look', null],
  ['user', 'bob', 'look', 'ENOENT'],
  ['user', null, 'look', 'ENOENT'],
  ['viewer', 'bob', 'look', null],
  ['viewer', 'bob', 'rule', 'EACCES'],
  ['approver', 'bob', 'rule', 'EACCES'],
  ['owner', 'bob', 'rule', null],
  ['owner', null, 'rule', 'ENOENT'],
] as const)('for a %s what is %s’s, to %s: %s', (role, owner, right, code) => {
  const require = () => requireOwn(caller(role), owner, right, '/sessions/x');
  if (code === null) expect(require).not.toThrow();
  else expect(require).toThrow(expect.objectContaining({ code, path: '/sessions/x' }));
});

describe('whoever asked for something earlier', () => {
  const standing = () => {
    const { principals } = open();
    principals.add('ann', 'user');
    principals.add('bound', 'user', 'reader');
    principals.add('looks', 'viewer');
    return standingOf(principals, [
      { actor: 'guest', agent: 'helper' },
      { actor: 'bound', agent: 'helper' },
      { actor: 'looks', agent: 'helper' },
      { actor: 'free', agent: 'helper' },
      { actor: 'free', agent: null },
      { actor: 'wide', agent: null },
    ]);
  };

  test.each([
    ['user', null, null],
    ['user', 'reader', null],
    ['ann', null, null],
    ['ann', 'reader', null],
    ['bound', 'reader', null],
    ['bound', 'helper', null],
    ['bound', null, 'bound has the rights of reader or helper here, and of no other agent'],
    ['bound', 'other', 'bound has the rights of reader or helper here'],
    ['guest', 'helper', null],
    ['guest', 'reader', 'guest has the rights of helper here'],
    ['looks', 'helper', null],
    ['free', 'any', null],
    ['wide', null, null],
    ['gone', null, 'gone is let in here no more'],
  ])('%s has turns with the rights of %s: %s', (actor, agent, said) => {
    const refusal = standing().refusal(actor, agent);
    if (said === null) expect(refusal).toBeNull();
    else expect(refusal).toContain(said);
  });

  test('and has no turns by their role is told that', () => {
    const { principals } = open();
    principals.add('looks', 'viewer');
    expect(standingOf(principals, []).refusal('looks', null)).toBe(
      'looks is viewer here, and has no turns',
    );
  });

  test('is bound by the agent of their way in, unless one of their ways has no bounds', () => {
    const agents = ['user', 'ann', 'bound', 'guest', 'free', 'wide', 'gone'].map((actor) =>
      standing().agentOf(actor),
    );
    expect(agents).toEqual([null, null, 'reader', 'helper', null, null, null]);
  });

  test('has it carried out as themselves, and nobody else has', () => {
    expect(placeOf(PERSON, null, standing())).toEqual({ actor: 'user', agent: null });
    expect(placeOf(personAuthor('guest'), null, standing())).toEqual({
      actor: 'guest',
      agent: 'helper',
    });
    expect(placeOf(personAuthor('ann'), 'reader', standing())).toEqual({
      actor: 'ann',
      agent: 'reader',
    });
    expect(placeOf(personAuthor('guest'), 'reader', standing())).toEqual({
      refused: expect.stringContaining('guest has the rights of helper'),
    });
    const both = { ...personAuthor('ann'), people: ['ann', 'bob'] };
    expect(placeOf(both, null, standing())).toEqual({
      refused: expect.stringContaining('ann and bob have written it together'),
    });
  });
});
