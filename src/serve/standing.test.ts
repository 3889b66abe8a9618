import { describe, expect, it } from 'vitest';
import type { Author } from '../policy/author.ts';
import { ALL_RIGHTS } from '../policy/rights.ts';
import type { Role } from './rights.ts';
import { type LetIn, placeOf, type Standing, standingOf } from './standing.ts';

/** Who has a token, and who is let in by channels. */
function standing(
  tokens: Readonly<Record<string, [role: Role, agent: string | null]>>,
  ...guests: LetIn[]
): Standing {
  const get = (actor: string) => {
    const [role, agent = null] = tokens[actor] ?? [];
    return role === undefined ? null : { actor, role, agent };
  };
  return standingOf({ get: get as Parameters<typeof standingOf>[0]['get'] }, guests);
}

const guest = (actor: string, agent: string | null = null): LetIn => ({ actor, agent });

describe('somebody', () => {
  it('with a token has turns by their own rights, and as any agent', () => {
    const { refusal, agentOf } = standing({ ann: ['user', null] });
    expect([refusal('ann', null), refusal('ann', 'helper')]).toEqual([null, null]);
    expect(agentOf('ann')).toBeNull();
  });

  it('whose token is bound to an agent has turns as that one alone', () => {
    const { refusal, agentOf } = standing({ ann: ['user', 'helper'] });
    expect(refusal('ann', 'helper')).toBeNull();
    for (const other of [null, 'assistant'])
      expect(refusal('ann', other)).toBe(
        'ann has the rights of helper here, and of no other agent',
      );
    expect(agentOf('ann')).toBe('helper');
  });

  it('who comes in by several ways has the rights of any of them', () => {
    const bound = standing(
      { ann: ['user', 'helper'] },
      guest('ann', 'clerk'),
      guest('ann', 'clerk'),
    );
    expect([bound.refusal('ann', 'helper'), bound.refusal('ann', 'clerk')]).toEqual([null, null]);
    expect(bound.refusal('ann', null)).toBe(
      'ann has the rights of helper or clerk here, and of no other agent',
    );
    expect(bound.agentOf('ann')).toBe('helper');
    for (const free of [
      standing({ ann: ['user', 'helper'] }, guest('ann')),
      standing({ ann: ['user', null] }, guest('ann', 'clerk')),
    ]) {
      expect(free.refusal('ann', null)).toBeNull();
      expect(free.agentOf('ann')).toBeNull();
    }
  });

  it('who may only look has no turns, unless a channel lets them in', () => {
    const viewer = standing({ ann: ['viewer', null] }, guest('ben', 'clerk'));
    expect(viewer.refusal('ann', null)).toBe('ann is viewer here, and has no turns');
    const both = standing({ ann: ['viewer', null] }, guest('ann', 'clerk'));
    expect(both.refusal('ann', 'clerk')).toBeNull();
    expect(both.refusal('ann', null)).toMatch(/rights of clerk here/);
  });

  it('who is let in no more has none', () => {
    const { refusal, agentOf } = standing({ ann: ['user', null] }, guest('ben'));
    expect(refusal('eve', null)).toBe(
      'eve is let in here no more, so that this is not carried out',
    );
    expect(agentOf('eve')).toBeNull();
    expect(refusal('ben', null)).toBeNull();
  });
});

it('the person in charge has turns as whoever they like', () => {
  const { refusal, agentOf } = standing({ user: ['viewer', 'helper'] });
  expect([refusal('user', null), refusal('user', 'helper'), agentOf('user')]).toEqual([
    null,
    null,
    null,
  ]);
});

describe('what was written to be carried out later', () => {
  const by = (...people: string[]): Author => ({ actors: people, rights: ALL_RIGHTS, people });
  const here = standing({ ann: ['user', 'helper'], ben: ['user', null] });

  it('is its author’s, as the agent that it names, or that bounds them', () => {
    expect(placeOf(by('ann'), null, here)).toEqual({ actor: 'ann', agent: 'helper' });
    expect(placeOf(by('ben'), null, here)).toEqual({ actor: 'ben', agent: null });
    expect(placeOf(by('ben'), 'clerk', here)).toEqual({ actor: 'ben', agent: 'clerk' });
    expect(placeOf({ actors: ['user'], rights: ALL_RIGHTS }, null, here)).toEqual({
      actor: 'user',
      agent: null,
    });
  });

  it('is refused where its author may not have it done', () => {
    expect(placeOf(by('ann'), 'clerk', here)).toEqual({
      refused: 'ann has the rights of helper here, and of no other agent',
    });
    expect(placeOf(by('eve'), null, here)).toMatchObject({
      refused: expect.stringContaining('no more'),
    });
  });

  it('by two is refused: none has the rights of both', () => {
    expect(placeOf(by('ann', 'ben'), null, here)).toEqual({
      refused:
        'ann and ben have written it together, and nobody has the rights of both here: let one of them write it anew',
    });
  });
});
