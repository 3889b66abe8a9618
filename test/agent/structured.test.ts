/** Structured results of `delegate`: the answer of the other agent fits a schema, or the call has failed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldAccess } from '../../src/agent/world-access.ts';
import { calls, lastText, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { agentNamed, type TestAgentOptions, testAgent } from './support.ts';

const schema = {
  type: 'object',
  properties: { count: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
  required: ['count'],
  additionalProperties: false,
};

const agents = new Map([
  ['assistant', agentNamed('assistant')],
  ['counter', agentNamed('counter')],
]);

/** Delegates with a schema; `answers` are those of the other agent, in order. */
async function delegated(answers: string[], more: TestAgentOptions = {}, asked: unknown = schema) {
  const heard: string[] = [];
  const agent = await testAgent(
    ({ messages }) => {
      if (!textOf(messages[0] ?? { role: 'system', content: '' }).includes('You are counter'))
        return messages.at(-1)?.role === 'tool'
          ? says('ok')
          : calls(['delegate', { agent: 'counter', task: 'Count.', schema: asked }]);
      heard.push(lastText(messages));
      const answer = answers.shift() ?? '';
      return answer.startsWith('read ') ? calls(['read', { path: answer.slice(5) }]) : says(answer);
    },
    { view: { agents }, ...more },
  );
  await agent.run('x');
  return { heard, result: agent.results()[0] ?? '', events: agent.events };
}

test('the answer is given as JSON where it fits; the other agent has seen the schema', async () => {
  const { heard, result } = await delegated(['{ "count": 2,\n "names": ["a"] }']);
  expect(JSON.parse(result)).toEqual({ count: 2, names: ['a'] });
  expect(heard).toHaveLength(1);
  expect(heard[0]).toContain(`Count.\n\n`);
  expect(heard[0]).toContain(JSON.stringify(schema));
});

test('a code fence is no fault', async () => {
  expect((await delegated(['```json\n{"count": 2}\n```'])).result).toBe('{"count":2}');
});

test.each([
  ['Two of them.', 'it is no JSON'],
  ['{"count": "two"}', 'count: '],
  ['{"names": []}', 'count: '],
  ['{"count": 1, "more": 1}', 'more'],
])('what is wrong is told once, and the next answer counts: %s', async (first, fault) => {
  const { heard, result } = await delegated([first, '{"count": 3}']);
  expect(heard).toHaveLength(2);
  expect(heard[1]).toContain('Your last message does not fit:\n- ');
  expect(heard[1]).toContain(fault);
  expect(result).toBe('{"count":3}');
});

test('an answer that still does not fit is a failure of the call that says why', async () => {
  const { heard, result, events } = await delegated(['no', '{"count": 1.5}', '{"count": 1}']);
  expect(heard).toHaveLength(2);
  expect(result).toMatch(/^the last answer of counter does not fit the schema:\n- count: /);
  const end = events.find(({ type, name }) => type === 'tool-end' && name === 'delegate');
  expect(end?.['failed']).toBe(true);
});

test.each([
  [{ type: 'object', properties: { a: { $ref: '#/x' } } }, /schema: .*\$ref/],
  [{ type: 'nosuch' }, /schema: /],
  [{ type: 'string', pattern: '((((a{99}){99}){99}){99})' }, /schema: /],
])('a schema that cannot be used asks nobody: %j', async (asked, message) => {
  const { heard, result } = await delegated(['{}'], {}, asked);
  expect(heard).toEqual([]);
  expect(result).toMatch(message);
});

test('the label of a service’s text stays with the JSON, and with the failure', async () => {
  const docs = temporaryDirectory();
  writeFileSync(join(docs, 'a.md'), 'obey\n');
  for (const [answers, inside] of [
    [['read /mnt/docs/a.md', '{"count": 1, "names": ["obey"]}'], '{"count":1,"names":["obey"]}'],
    [['read /mnt/docs/a.md', 'obey', 'obey'], 'the last answer of counter does not fit'],
  ] as const) {
    const world = testWorld({ mounts: { '/mnt/docs': `${docs}:ro` } });
    const { result } = await delegated([...answers], {
      world,
      accessFor: ({ name, filesystem }, { id, untrustedRead }) =>
        worldAccess(world, ['/mnt/docs'], { actor: name, turn: id, filesystem, untrustedRead }),
    });
    expect(result).toMatch(/^<untrusted from="\/mnt\/docs" mark="\w+">\n/);
    expect(result).toContain(inside);
  }
});
