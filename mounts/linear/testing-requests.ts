/** What it costs to read all of a team, however large: some of it each time, a large one in the long tests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { type Bench, commentPath, ISSUES, type Server, TEAM, text } from './testing.ts';

/** What `ls -l` does. */
async function list(mount: ServiceMount, path: string): Promise<string[]> {
  const rows = await mount.readdir(path);
  for (const { name } of rows) await mount.lstat(`${path}/${name}`);
  return rows.map(({ name }) => name);
}

/** What `grep -rn WORD` does: a prefetch, then everything below; paths with the word. */
async function grep(mount: ServiceMount, word: string, path: string): Promise<string[]> {
  await mount.prefetch(path);
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const { name, type } of await mount.readdir(at)) {
      const below = at === '/' ? `/${name}` : `${at}/${name}`;
      if (type === 'directory') await visit(below);
      else if ((await text(mount, below)).includes(word)) found.push(below);
    }
  };
  await visit(path);
  return found;
}

interface Costs {
  /** Each with three comments. */
  issues: number;
  /** More than the first, and at most the second, to list and search all of them. */
  requests: readonly [number, number];
}

/** What so many issues cost to read; what is counted is the same however many there are. */
export function describeCosts(
  { issues, requests: [least, most] }: Costs,
  server: () => Server,
): void {
  describe(`${issues} issues with ${issues * 3} comments`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await server().bench({ issues, commentsEach: 3 });
    });
    afterAll(() => bench[Symbol.dispose]());

    it(`cost at most ${most} requests to list and search, at most 3 after an edit, and none for a warm cat`, async () => {
      // Wide enough for a machine that is busy: what is counted is what one window costs.
      const mount = bench.mount({ freshMs: 300_000 });
      const names = await list(mount, ISSUES);
      expect(names.filter((name) => name.endsWith('.md'))).toHaveLength(issues);
      expect(await grep(mount, 'squeaks', '/')).toHaveLength(issues * 3);
      const cold = await bench.log();
      expect(cold.length).toBeLessThanOrEqual(most);
      expect(cold.length).toBeGreaterThan(least);
      expect(Math.max(...cold.map(({ complexity }) => complexity))).toBeLessThan(10_000);

      await bench.linear.edit({
        op: 'set',
        table: 'issues',
        id: 'ENG-7',
        fields: { title: 'Seven squeaks' },
      });
      bench.move(400_000);
      expect(await list(mount, ISSUES)).toHaveLength(issues * 2 + 1);
      expect(await grep(mount, 'Seven squeaks', ISSUES)).toEqual([
        `${ISSUES}/ENG-7.md`,
        `${ISSUES}/index.tsv`,
      ]);
      expect((await bench.asked()).length).toBeLessThanOrEqual(3);

      await text(mount, `${ISSUES}/ENG-9.md`);
      await text(mount, commentPath(9, 1));
      expect(await bench.asked()).toEqual([]);
    });

    it('are served to another process, after a restart, and by walk without a question', async () => {
      await bench.mount({ freshMs: 60_000 }).prefetch(TEAM);
      await bench.asked();
      const mount = bench.mount({ freshMs: 60_000 });
      const files = [...(mount.walk(ISSUES) ?? [])];
      expect(files.filter((file) => file.bytes() === null)).toEqual([]);
      expect(files.filter(({ path }) => path.includes('/comments/'))).toHaveLength(issues * 3);
      expect([...mount.documents()]).toHaveLength(issues * 4 + 2);
      expect(mount.feed(0).every(({ op }) => op === 'upsert')).toBe(true);
      expect(await bench.asked()).toEqual([]);
    });
  });
}
