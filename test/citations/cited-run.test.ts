/** A turn whose answer carries citations: what is false goes back to the model once. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CITING } from '../../src/agent/citing.ts';
import { testAgent } from '../agent/support.ts';
import { calls, type Script, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const TRUE = 'It is renewed [/mnt/docs/lease.md:3 "renewed every 30 days"].';
const FALSE = 'It is renewed [/mnt/docs/lease.md:3 "renewed every 31 days"].';
const TEXT = '# Lease\n\nIt must be renewed every 30 days.\n';

async function agentWith(script: Script) {
  const docs = temporaryDirectory();
  writeFileSync(join(docs, 'lease.md'), TEXT);
  return testAgent(script, { config: { mounts: { '/mnt/docs': `${docs}:ro` } } });
}

describe('a cited turn', () => {
  test('asks for citations, and ends at once where all hold', async () => {
    const agent = await agentWith([says(TRUE)]);
    const result = await agent.run('how often?', { cite: true });
    expect(result).toMatchObject({ status: 'done', text: TRUE, steps: 1 });
    expect(result.citations?.citations).toMatchObject([{ verdict: 'holds' }]);
    const [system] = agent.model.requests[0]?.messages ?? [];
    expect(textOf(system ?? { role: 'system', content: '' })).toContain(CITING);
  });

  test('sends a false citation back once, with its fault, and no text of the document', async () => {
    const agent = await agentWith([says(FALSE), says(TRUE)]);
    const result = await agent.run('how often?', { cite: true });
    expect(result).toMatchObject({ text: TRUE, steps: 2 });
    const told = textOf(agent.model.requests[1]?.messages.at(-1) ?? { role: 'user', content: '' });
    expect(told).toContain(
      '- /mnt/docs/lease.md:3 "renewed every 31 days": line 3 does not have these words: it has them as far as "renewed every", and not "31" after that',
    );
    expect(told).not.toContain('30');
  });

  test('looks again with its tools before it answers anew', async () => {
    const agent = await agentWith([
      says(FALSE),
      calls(['read', { path: '/mnt/docs/lease.md' }]),
      says(TRUE),
    ]);
    const result = await agent.run('how often?', { cite: true });
    expect(result).toMatchObject({ text: TRUE, steps: 3 });
  });

  test('ends with what holds and what does not where the model insists', async () => {
    const agent = await agentWith([says(FALSE)]);
    const result = await agent.run('how often?', { cite: true });
    expect(result).toMatchObject({ status: 'done', text: FALSE, steps: 2 });
    expect(result.citations?.citations).toMatchObject([{ verdict: 'false' }]);
    const logged = agent.session.entries().find(({ name }) => name === 'turn/citations');
    expect(JSON.stringify(logged)).toContain('"verdict":"false"');
    expect(JSON.stringify(logged?.['data'])).not.toContain('30 days');
  });

  test('asks once for citations where there are none', async () => {
    const agent = await agentWith([says('Every 30 days.'), says('The files do not say it.')]);
    const result = await agent.run('how often?', { cite: true });
    expect(result).toMatchObject({ text: 'The files do not say it.', steps: 2 });
    expect(result.citations?.citations).toEqual([]);
  });

  test('checks with the rights of its agent: what it may not read is not checked', async () => {
    const deployment = temporaryDirectory();
    for (const name of ['docs', 'harness']) mkdirSync(join(deployment, name));
    writeFileSync(join(deployment, 'docs', 'lease.md'), TEXT);
    writeFileSync(
      join(deployment, 'harness', 'policy.yaml'),
      'rules: [{name: secret, decision: deny, op: read, path: /mnt/docs/lease.md}]\n',
    );
    const world = testWorld({ mounts: { '/mnt/docs': './docs:ro' } }, { deployment });
    const agent = await testAgent([says(TRUE)], { world });
    const result = await agent.run('x', { cite: true });
    expect(result.citations?.citations).toMatchObject([
      { verdict: 'unchecked', fault: expect.stringContaining('Permission denied') },
    ]);
    expect(JSON.stringify(result)).not.toContain('30 days.');
  });

  test('without it nothing is asked and nothing is checked', async () => {
    const agent = await agentWith([says(FALSE)]);
    const result = await agent.run('how often?');
    expect(result.steps).toBe(1);
    expect(result.citations).toBeUndefined();
  });
});

test('the tool verify says what holds, and why the rest does not', async () => {
  const agent = await agentWith([
    calls(['verify', { answer: TRUE }], ['verify', { answer: FALSE }]),
    says('done'),
  ]);
  await agent.run('x');
  const [good, bad] = agent.results();
  expect(good).toContain('1 citation: 1 holds');
  expect(bad).toContain('what stands there: It must be renewed every 30 days.');
});
