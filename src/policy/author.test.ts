/** Who wrote what another turn carries out: nobody gains by having had a hand in it. */
import { describe, expect, test } from 'vitest';
import {
  type Author,
  authorOf,
  authorText,
  bothAuthors,
  isBy,
  PERSON,
  parseAuthor,
  personAuthor,
  principalOf,
  UNKNOWN_AUTHOR,
} from './author.ts';
import {
  contextOf,
  copiedFrom,
  fileOf,
  metRule,
  originOfCopy,
  readFile,
  ruleOf,
} from './context.ts';
import { NOTHING_PLANNED } from './plan.ts';
import { ALL_RIGHTS } from './rights.ts';

const ben = personAuthor('ben');

describe('an author', () => {
  test('is whoever acts, with all that binds them', () => {
    expect(authorOf(contextOf())).toEqual({ actors: ['user'], rights: ALL_RIGHTS });
    expect(
      authorOf(
        contextOf({
          actor: 'helper',
          filesystem: 'append',
          tools: [{ '*': false }],
          skills: ['a'],
          plans: [NOTHING_PLANNED],
          onBehalfOf: ['assistant', 'helper'],
          people: ['ben', 'ben'],
        }),
      ),
    ).toEqual({
      actors: ['helper', 'assistant'],
      people: ['ben'],
      rights: {
        filesystem: 'append',
        tools: [{ '*': false }],
        skills: ['a'],
        plans: [NOTHING_PLANNED],
      },
    });
  });

  test('is the person in charge, somebody else, or nobody that is known', () => {
    expect(personAuthor('user')).toBe(PERSON);
    expect(ben).toEqual({ actors: ['ben'], rights: ALL_RIGHTS, people: ['ben'] });
    expect(UNKNOWN_AUTHOR.rights.filesystem).toBe('read-only');
  });

  test('of what two have written is both, with what both may do', () => {
    const helper: Author = {
      actors: ['helper', 'user'],
      rights: { filesystem: 'append', tools: [{ a: true }], skills: null },
      people: ['ann', 'ben'],
    };
    expect(bothAuthors(ben, helper)).toEqual({
      actors: ['ben', 'helper', 'user'],
      people: ['ben', 'ann'],
      rights: { filesystem: { '*': 'append' }['*'], tools: [{ a: true }], skills: null },
    });
    expect(bothAuthors(helper, helper).rights.tools).toEqual([{ a: true }]);
    expect(bothAuthors(PERSON, PERSON)).toEqual(PERSON);
  });

  test('is kept and read as it was; of an earlier version each but the person in charge may be a person', () => {
    for (const author of [PERSON, ben, UNKNOWN_AUTHOR])
      expect(parseAuthor(authorText(author))).toEqual(author);
    expect(parseAuthor(null)).toBe(UNKNOWN_AUTHOR);
    const { people: _people, ...rest } = ben;
    const earlier = JSON.stringify({ ...rest, actors: ['user', 'ben', 'helper'] });
    expect(parseAuthor(earlier).people).toEqual(['ben', 'helper']);
  });

  test('is one person’s, whose account and world it is; of two it is nobody’s', () => {
    expect([
      isBy(PERSON, 'user'),
      isBy(PERSON, 'ben'),
      isBy(ben, 'ben'),
      isBy(ben, 'user'),
    ]).toEqual([true, false, true, false]);
    expect([principalOf(PERSON), principalOf(ben)]).toEqual(['user', 'ben']);
    expect(principalOf(bothAuthors(ben, personAuthor('cid')))).toBeNull();
    expect(principalOf(bothAuthors(ben, PERSON))).toBe('ben');
  });
});

test('what a command has read tells mounts, copies, rules and files apart', () => {
  const read = ['/mnt/t', copiedFrom('/mnt/t'), metRule('house'), readFile('/mnt/t/a')];
  expect(read.map(originOfCopy)).toEqual([null, '/mnt/t', null, null]);
  expect(read.map(ruleOf)).toEqual([null, null, 'house', null]);
  expect(read.map(fileOf)).toEqual([null, null, null, '/mnt/t/a']);
});
