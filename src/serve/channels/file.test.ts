/** A channel's file: who may speak in it, as whom, and what of it is refused. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ChannelKind } from './contract.ts';
import { parseChannel, peopleOf } from './file.ts';

const KINDS = new Map([
  ['chat', { settings: z.strictObject({ room: z.string() }) } as unknown as ChannelKind],
]);
const parse = (fields: string, body = '') =>
  parseChannel('c', `---\nkind: chat\nroom: r\n${fields}\n---\n${body}`, KINDS);

test('what need not be said: a session a thread, of the usual agent, for nobody who is not named', () => {
  expect(parse('', '\nBe brief.\n')).toEqual({
    ...{ name: 'c', kind: KINDS.get('chat'), settings: { room: 'r' }, shared: null, agent: null },
    ...{ owner: null, people: new Map(), strangers: 'ignore', instructions: 'Be brief.' },
  });
});

test('people are known by the service’s ids, which may be numbers, and are users if nothing else is said', () => {
  const file = parse('people: {ann: U1, bob: 7, eve: {id: U2, role: owner}, dan: {id: 8}}');
  expect([...file.people]).toEqual([
    ['U1', { actor: 'ann', role: 'user' }],
    ['7', { actor: 'bob', role: 'user' }],
    ['U2', { actor: 'eve', role: 'owner' }],
    ['8', { actor: 'dan', role: 'user' }],
  ]);
});

test('whoever speaks, and whose a shared session is, is let in with the agent of the channel', () => {
  const shared = parse(
    'session: team\nowner: eve\nagent: reader\npeople: {ann: U1}\nstrangers: tell',
  );
  expect(shared).toMatchObject({
    shared: 'team',
    owner: 'eve',
    agent: 'reader',
    strangers: 'tell',
  });
  expect(peopleOf([shared, parse('people: {bob: U1}')])).toEqual([
    { actor: 'ann', agent: 'reader' },
    { actor: 'eve', agent: 'reader' },
    { actor: 'bob', agent: null },
  ]);
});

describe('a file is refused', () => {
  test.each([
    ['people: {ann: U1, bob: U1}', 'people.bob: U1 is ann already'],
    ['people: {"no name": U1}', 'should be the name of a person'],
    ['people: {ann: ""}', 'people.ann'],
    ['people: {ann: {id: U1, role: viewer}}', 'people.ann.role'],
    ['people: {ann: {id: U1, more: 1}}', 'people.ann'],
    ['owner: eve', 'owner: it is for a session that is shared'],
    ['session: "no name"', 'session: should be thread, or a name'],
    ['agent: /', 'agent: '],
    ['strangers: greet', 'strangers: '],
    ['more: 1', 'more'],
  ])('that says %s', (fields, said) => {
    expect(() => parse(fields)).toThrow(said);
  });

  test('without a kind that is known, or without fields', () => {
    expect(() => parseChannel('c', '---\nroom: r\n---\n', KINDS)).toThrow(
      'kind: should be one of chat',
    );
    expect(() => parseChannel('c', '---\nkind: other\n---\n', KINDS)).toThrow(
      'kind: should be one of chat',
    );
    expect(() => parseChannel('c', 'words', KINDS)).toThrow();
    expect(() => parseChannel('c', '---\nkind: chat\n---\n', KINDS)).toThrow('room: ');
  });
});
