/** What each kind of file says, with what it need not say, and where it is refused. */
import { describe, expect, test } from 'vitest';
import {
  parseAgent,
  parseCommand,
  parsePrompt,
  parseRule,
  parseSkill,
  parseTool,
} from './files.ts';
import { matchesTrigger, parseTrigger } from './triggers.ts';

const file = (fields: string, body = 'text') => `---\n${fields}\n---\n${body}`;

describe('what need not be said', () => {
  test('an agent has all rights, all tools and skills, and the model that fits', () => {
    expect(parseAgent('a', file('description: d', '\nBe.\n'))).toEqual({
      ...{ name: 'a', description: 'd', filesystem: 'read-write', model: 'auto', tools: {} },
      ...{ skills: null, prompt: 'Be.' },
    });
  });

  test('a command has its agent’s model and tools', () => {
    expect(parseCommand('c', file('description: d', '\nDo $1.\n\n'))).toEqual({
      ...{ name: 'c', description: 'd', arguments: '', agent: null, model: null, tools: {} },
      template: 'Do $1.',
    });
  });

  test('a prompt needs no fields, a rule holds everywhere, a tool takes nothing', () => {
    expect(parsePrompt('p', 'Fix.\n\n')).toEqual({ name: 'p', description: '', template: 'Fix.' });
    expect(parsePrompt('p', file('description: d\nmore: x', ' Fix.'))).toEqual({
      ...{ name: 'p', description: 'd', template: ' Fix.' },
    });
    const location = '/harness/rules/r.md';
    expect(parseRule('r', '\nAlways.\n')).toEqual({
      name: 'r',
      paths: null,
      location,
      text: 'Always.',
    });
    expect(parseTool('t', '# ---\n# description: d\n# ---\nls')).toEqual({
      ...{ name: 't', description: 'd', input: { type: 'object' } },
      location: '/harness/tools/t.sh',
    });
    expect(parseSkill('s', file('description: d\nlicense: MIT', 'steps'))).toEqual({
      ...{ name: 's', description: 'd', location: '/harness/skills/s/SKILL.md', body: 'steps' },
    });
  });

  test('a trigger has any agent and model, and sixty turns an hour', () => {
    const text = file('on: tracker:issue.opened', '\nLook.\n');
    const { digest, ...trigger } = parseTrigger('t', text);
    expect(trigger).toEqual({
      ...{ name: 't', on: [{ event: 'tracker:issue.opened', path: null }] },
      ...{ agent: null, model: null, limit: 60, prompt: 'Look.' },
    });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(parseTrigger('t', `${text} `).digest).not.toBe(digest);
  });
});

test.each([
  ['ro', 'read-only'],
  ['read-only', 'read-only'],
  ['rw', 'read-write'],
  ['read-write', 'read-write'],
  ['append', 'append'],
])('the right %s is %s, of all and of a mount', (word, right) => {
  expect(parseAgent('a', file(`description: d\nfilesystem: ${word}`)).filesystem).toBe(right);
  const filesystem = { '/': right, '/a/b': right, '*': right };
  expect(
    parseAgent('a', file(`description: d\nfilesystem: {/: ${word}, /a/b: ${word}, "*": ${word}}`))
      .filesystem,
  ).toEqual(filesystem);
});

test('what is said is what holds', () => {
  expect(
    parseCommand(
      'c',
      file('description: d\narguments: "[what]"\nagent: a\nmodel: m/x\ntools: {bash: false}'),
    ),
  ).toMatchObject({ arguments: '[what]', agent: 'a', model: 'm/x', tools: { bash: false } });
  expect(parseRule('r', file('paths: "**/*.md"')).paths).toEqual(['**/*.md']);
  expect(parseRule('r', file('description: d\npaths: [/a, /b/**]')).paths).toEqual(['/a', '/b/**']);
  const tool =
    '#!/bin/bash\n# ---\n# description: d\n#\n# input: {type: object, properties: {n: {type: number}}}\n# ---\n';
  expect(parseTool('t', tool).input).toEqual({
    type: 'object',
    properties: { n: { type: 'number' } },
  });
  expect(
    parseTrigger('t', file('on: [a:b, /x/**]\nagent: a\nmodel: m\nlimit: 1\ndescription: d')),
  ).toMatchObject({
    on: [
      { event: 'a:b', path: null },
      { event: null, path: '/x/**' },
    ],
    ...{ agent: 'a', model: 'm', limit: 1 },
  });
});

const globs = (count: number) => `[${Array.from({ length: count }, (_, n) => `/${n}`).join()}]`;
const SLOW = `${'*a'.repeat(40)}`;

test.each<[string, (name: string, text: string) => unknown, string, string]>([
  ['agent', parseAgent, file('description: ""'), 'description'],
  ['agent', parseAgent, file('description: d\nmodel: ""'), 'model'],
  ['agent', parseAgent, file('description: d\nskills: [""]'), 'skills'],
  ['agent', parseAgent, file('description: d\nfilesystem: {a: rw}'), 'must be a mount path'],
  ['agent', parseAgent, file('description: d\nfilesystem: {/a/: rw}'), 'must be a mount path'],
  ['agent', parseAgent, file('description: d\ntools: {"": true}'), 'tools'],
  ['agent', parseAgent, file(`description: d\ntools: {"${SLOW}": true}`), 'a glob of tools'],
  ['agent', parseAgent, file('description: d', ' \n'), 'system prompt'],
  ['agent', parseAgent, file('description: d\nfilesystem: all'), 'filesystem: Invalid option'],
  [
    'agent',
    parseAgent,
    file('description: d\nfilesystem: {/a: all}'),
    'filesystem./a: Invalid option',
  ],
  ['agent', parseAgent, file('description: d\nfilesystem: [ro]'), 'filesystem: Invalid '],
  ['skill', parseSkill, file('name: s'), 'description'],
  ['skill', parseSkill, file('name: other\ndescription: d'), 'its directory is called x'],
  ['prompt', parsePrompt, ' \n', 'empty'],
  ['prompt', parsePrompt, file('description: 1'), 'description'],
  ['rule', parseRule, file('', ' \n'), 'empty'],
  ['rule', parseRule, file('path: /a'), 'path'],
  ['rule', parseRule, file('paths: []'), 'paths'],
  ['rule', parseRule, file(`paths: ${globs(17)}`), 'paths'],
  ['rule', parseRule, file('paths: a/b'), 'must be an absolute path'],
  ['rule', parseRule, file(`paths: "/${SLOW}"`), 'a glob of paths'],
  ['rule', parseRule, 'x'.repeat(16_385), '16384 characters at most'],
  ['command', parseCommand, file('description: d', '\n'), 'it has no text'],
  ['command', parseCommand, file('description: d\nagent: ""'), 'agent'],
  ['command', parseCommand, file('description: d\nmodel: ""'), 'model'],
  ['command', parseCommand, file('description: d', '!``'), 'is empty'],
  ['tool', parseTool, '# description: d\n# ---\n', 'no header'],
  ['tool', parseTool, '#!/bin/sh\n# ---\n# description: d\n', 'no header'],
  ['tool', parseTool, '# ---\n# description: d\nls\n# ---\n', 'without "# ": ls'],
  ['tool', parseTool, '# ---\n#description: d\n# ---\n', 'without "# "'],
  ['tool', parseTool, '# ---\n# input: {type: object}\n# ---\n', 'description'],
  ['trigger', parseTrigger, file('agent: a'), 'on: it is missing'],
  ['trigger', parseTrigger, file('on: a:b', '\n'), 'it has no text'],
  ['trigger', parseTrigger, file('on: []'), 'on'],
  ['trigger', parseTrigger, file(`on: ${globs(21)}`), 'on'],
  ['trigger', parseTrigger, file('on: a:b\nlimit: 0'), 'limit'],
  ['trigger', parseTrigger, file('on: a:b\nlimit: 1001'), 'limit'],
  ['trigger', parseTrigger, file('on: a:b\nagent: ""'), 'agent'],
  ['trigger', parseTrigger, file('on: a:b\nmodel: ""'), 'model'],
  ['trigger', parseTrigger, file('on: word'), 'an event such as'],
  ['trigger', parseTrigger, file('on: [a:b, word]'), 'on.1: is an event such as'],
  ['trigger', parseTrigger, file('on: {}'), 'on: Invalid input'],
  ['trigger', parseTrigger, file('on: a:b c:d'), 'an event such as'],
  ['trigger', parseTrigger, file('on: /a /b'), 'an event such as'],
  ['trigger', parseTrigger, file('on: a:b /a word'), 'an event such as'],
  ['trigger', parseTrigger, file(`on: "a:b /${SLOW}"`), `/${SLOW} `],
])('%s: %#, and it is said why', (_, parse, text, said) => {
  expect(() => parse('x', text)).toThrow(said);
});

test.each<[string, (name: string, text: string) => unknown, string]>([
  ['a rule of the greatest length', parseRule, 'x'.repeat(16_384)],
  ['a rule for sixteen globs', parseRule, file(`paths: ${globs(16)}`)],
  ['a trigger of twenty conditions', parseTrigger, file(`on: ${globs(20)}`)],
  ['a trigger of a thousand turns', parseTrigger, file('on: a:b\nlimit: 1000')],
  ['a skill that says its name', parseSkill, file('name: x\ndescription: d')],
])('%s can be used', (_, parse, text) => {
  expect(() => parse('x', text)).not.toThrow();
});

describe('a trigger waits for', () => {
  test.each([
    ['tracker:issue.opened', 'tracker:issue.opened', [], true],
    ['tracker:issue.*', 'Tracker:Issue.Opened', [], true],
    ['tracker:issue.opened', 'tracker:issue.closed', ['/a'], false],
    ['/a/**', 'x:y', ['/b', '/A/c'], true],
    ['/a/**', 'x:y', ['/b'], false],
    ['/a/**', 'x:y', [], false],
    ['"x:y /a/*"', 'x:y', ['/a/b'], true],
    ['"x:y /a/*"', 'x:z', ['/a/b'], false],
    ['"x:y /a/*"', 'x:y', ['/b'], false],
    ['[a:b, x:y]', 'x:y', [], true],
  ])('%s: of %s about %j: %j', (on, event, paths, fits) => {
    expect(matchesTrigger(parseTrigger('t', file(`on: ${on}`)), event, paths)).toBe(fits);
  });
});
