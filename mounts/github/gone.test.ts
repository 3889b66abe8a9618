/** Hostile names and credentials get nowhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Bench, REPO, TOKEN, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };

const HOSTILE = [
  '../../etc/passwd',
  'a/b\\c',
  '..',
  'title: injected',
  '--- \n---\nstate: closed',
  '#not a comment',
  '\u0000\u0007\u001b[31mred',
  '‮right to left',
  '👩‍👩‍👧 and a "quote"',
  'x'.repeat(256),
  'twice',
  'twice',
];

it('hostile titles are the text of a field: in no name, in one line of the index, and read back whole', async () => {
  await using bench = await Bench.start({ issues: 1, commentsEach: 0 });
  const mount = bench.mount();
  const made: number[] = [];
  for (const title of HOSTILE) {
    const { number } = await bench.github.edit({ op: 'create-issue', ...OCTO, title, by: 'octo' });
    made.push(number);
  }
  const names = (await mount.readdir(`${REPO}/issues`)).map(({ name }) => name);
  expect(names.every((name) => /^(\d+(\.md)?|index\.tsv)$/.test(name))).toBe(true);
  const index = (await text(mount, `${REPO}/issues/index.tsv`)).trimEnd().split('\n');
  expect(index).toHaveLength(HOSTILE.length + 2);
  for (const [at, title] of HOSTILE.entries()) {
    const path = `${REPO}/issues/${made[at]}.md`;
    const before = await text(mount, path);
    expect(before).toMatch(/^---\nnumber: \d+\n/);
    expect(before).toMatch(/^state: open$/m);
    // What is written back unchanged, but for the body, leaves the title as it was.
    await write(mount, path, `${before}\nmore\n`);
    const change = mount.journal.list().at(-1);
    expect(change, title).toMatchObject({ state: 'applied' });
    expect(Object.keys(change?.request?.body as object), title).toEqual(['body']);
  }
});

it('a token is in no file, no error, no notice, no request of the journal, no database', async () => {
  await using bench = await Bench.start({ issues: 3, commentsEach: 1, pullEvery: 3 });
  await bench.github.edit({ op: 'put-file', ...OCTO, path: 'a.txt', content: 'a\n' });
  const mount = bench.mount({ commits: 'branch-and-pull' });
  const seen: string[] = [];
  await mount.prefetch('/');
  const walk = async (path: string): Promise<void> => {
    for (const { name, type } of await mount.readdir(path)) {
      const below = path === '/' ? `/${name}` : `${path}/${name}`;
      if (type === 'directory') await walk(below);
      else seen.push(await text(mount, below));
    }
  };
  await walk('/');
  expect(seen.length).toBeGreaterThan(10);
  const issue = `${REPO}/issues/1.md`;
  for (const kind of ['server-error', 'lost-answer', 'cut', 'secondary-limit'] as const) {
    await bench.github.fault({ kind, times: 3 });
    await write(mount, issue, (await text(mount, issue)).replace('Number', kind)).catch(
      (error: unknown) => seen.push(inspect(error, { depth: 12, showHidden: true })),
    );
    await bench.github.clearFaults();
    bench.move(120_000);
  }
  await write(mount, `${REPO}/files/a.txt`, 'b\n');
  seen.push(inspect(mount.journal.list(), { depth: 12 }), ...bench.notices);
  seen.push(await text(mount, '/README.md'), await text(mount, `${REPO}/issues/.error`));
  for (const file of readdirSync(bench.directory)) {
    seen.push(readFileSync(join(bench.directory, file), 'latin1'));
  }
  expect(seen.filter((one) => one.includes(TOKEN))).toEqual([]);
});
