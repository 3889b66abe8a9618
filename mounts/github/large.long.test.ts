/** A repository as large as many are: its issues come by cursor, its comments end before their end. */
import { expect, it } from 'vitest';
import { Bench, REPO, text } from './testing.ts';

it('12,000 issues and 4,000 pull requests list whole: 160 requests, and one when nothing changed', async () => {
  await using bench = await Bench.start({ issues: 16_000, commentsEach: 0, pullEvery: 4 });
  const mount = bench.mount();
  const files = async (path: string) =>
    (await mount.readdir(path)).filter(({ name }) => name.endsWith('.md'));
  expect(await files(`${REPO}/issues`)).toHaveLength(12_000);
  expect(await files(`${REPO}/pulls`)).toHaveLength(4_000);
  const asked = (await bench.asked()).filter((line) => line.includes('/issues?'));
  // What changed while it was read is looked for once more.
  expect(asked.length).toBeLessThanOrEqual(161);
  expect(asked.filter((line) => !/ (200|304)$/.test(line))).toEqual([]);
  const index = (await text(mount, `${REPO}/issues/index.tsv`)).trimEnd().split('\n');
  expect(new Set(index).size).toBe(12_001);
  await bench.asked();
  bench.move(60_000);
  await files(`${REPO}/issues`);
  expect(await bench.asked()).toHaveLength(1);
});

it('36,000 comments, of which 30,000 are listed: the others come with the issue that is named', async () => {
  await using bench = await Bench.start({ issues: 1_200, commentsEach: 30 });
  const mount = bench.mount();
  await mount.prefetch(REPO);
  expect(mount.coverage(REPO)).toMatch(/, incomplete\b/);
  expect(bench.notices.join('\n')).toMatch(/comments octo hello: incomplete, .* 200 issues/);
  const asked = (await bench.asked()).filter((line) => line.includes('/issues/comments?'));
  expect(asked.length).toBeLessThanOrEqual(301);
  const comments = async (number: number) =>
    (await mount.readdir(`${REPO}/issues/${number}/comments`)).length;
  expect([await comments(1), await comments(200), await comments(1_200)]).toEqual([30, 30, 30]);
  const alone = (await bench.asked()).filter((line) => /issues\/\d+\/comments/.test(line));
  expect(alone.map((line) => /\d+/.exec(line)?.[0])).toEqual(['1', '200']);
});
