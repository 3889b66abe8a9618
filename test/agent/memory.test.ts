/** Facts about a mount, in step with their sources; what a person wrote stays. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quotation } from '../../src/agent/memory/derive.ts';
import { derivedFact, sourcesOf, withFacts } from '../../src/agent/memory/facts-file.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testModel } from './support.ts';

test('edit a source, and its lines are derived again at the end of a turn; a person’s lines stay byte for byte', async () => {
  const docs = temporaryDirectory();
  const memory = temporaryDirectory();
  const file = join(memory, 'docs.md');
  writeFileSync(join(docs, 'door.md'), '# Door\n\nThe door is red. It squeaks.\n');
  writeFileSync(join(docs, 'wall.md'), '# Wall\n\nThe wall is thick.\n');
  const world = testWorld({ mounts: { '/mnt/docs': `${docs}:ro`, '/memory': `${memory}:rw` } });
  const derived: string[] = [];
  const model = await testModel(({ messages }) => {
    const text = messages.map(textOf).join('\n');
    const [, colour] = /The door is (\w+)/.exec(text) ?? [];
    if (!text.includes('You keep the memory')) return says('done');
    derived.push(colour ?? 'wall');
    return says(colour === undefined ? '- It is thick.' : `- Its colour is ${colour}.`);
  });
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
  const agent = await openAgent(world, { base: '/', env });
  const sources = ['/mnt/docs/door.md', '/mnt/docs/wall.md'];
  const first = await agent.refreshMemory({ mount: '/mnt/docs', sources });
  expect(first.map(({ state }) => state)).toEqual(['derived', 'derived']);
  const lines = readFileSync(file, 'latin1').split('\n');
  expect(lines[0]).toMatch(
    /^- Its colour is red\. \[from \/mnt\/docs\/door\.md, \d{4}-\d\d-\d\d, sha256:[0-9a-f]{16}, line:[0-9a-f]{8}\]$/,
  );
  // A person writes around the lines, not in UTF-8, without a newline at the end, and mends one of them.
  const mended = lines[1]?.replace('thick', 'thin') ?? '';
  const own = ['mine \xff\r', '', mended, 'no newline at the end'];
  writeFileSync(file, [own[0], lines[0], ...own.slice(1)].join('\n'), 'latin1');
  writeFileSync(join(docs, 'door.md'), '# Door\n\nThe door is green.\n');
  expect((await agent.run({ prompt: 'x' })).status).toBe('done');
  const after = readFileSync(file, 'latin1').split('\n');
  expect(after[1]).toContain('- Its colour is green. [from /mnt/docs/door.md, ');
  expect(after.toSpliced(1, 1)).toEqual(own);
  expect(derived).toEqual(['red', 'wall', 'green']);
  // What has not changed asks no model; what is gone takes its lines with it.
  const [kept] = await agent.refreshMemory({});
  expect(kept?.state).toBe('kept');
  rmSync(join(docs, 'door.md'));
  const [gone] = await agent.refreshMemory({ mount: '/mnt/docs' });
  expect(gone?.state).toBe('gone');
  expect(readFileSync(file, 'latin1')).toBe(own.join('\n'));
  expect(derived).toHaveLength(3);
  const [never] = await agent.refreshMemory({ mount: '/mnt/docs', sources: ['/mnt/docs/nosuch'] });
  expect(never).toMatchObject({ source: '/mnt/docs/nosuch', state: 'failed' });
  await agent.close();
});

test('without a model a source is quoted, and nothing is concluded', async () => {
  const text =
    '---\ntitle: Lost cargo\nstate: open\n---\nTwo crates fell. Nobody saw it.\n\n- a list\n';
  const facts = await quotation('/mnt/a.md', text, new AbortController().signal);
  expect(facts).toEqual(['“Lost cargo”', '“Two crates fell.”', '“- a list”']);
});

test('whatever a file holds, replacing the lines of a source leaves every other line as it was', () => {
  const lines = fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 8 });
  const facts = fc.array(fc.string({ maxLength: 20 }), { maxLength: 3 });
  const derive = (all: readonly string[]) =>
    all.map((fact) => ({ fact, source: '/mnt/é.md', date: '2026-11-21', hash: 'a'.repeat(16) }));
  fc.assert(
    fc.property(lines, facts, facts, (own, first, second) => {
      const file = Buffer.concat(own.flatMap((line) => [line, Buffer.from('\n')]));
      const once = withFacts(file, '/mnt/é.md', derive(first));
      expect(sourcesOf(once).size).toBe(Math.min(first.length, 1));
      const twice = Buffer.from(withFacts(once, '/mnt/é.md', derive(second)));
      const derived = twice
        .toString()
        .split('\n')
        .filter((line) => derivedFact(line) !== null);
      if (first.length === 0 || second.length > 0) expect(derived).toHaveLength(second.length);
      expect(Buffer.from(withFacts(twice, '/mnt/é.md', [])).equals(file)).toBe(true);
    }),
  );
});
