/** Names of owners and repositories are the same whatever their case; a file's path is as GitHub spells it. */
import { describe, expect, it } from 'vitest';
import { Bench, text } from './testing.ts';

describe('a repository that is named in another case', () => {
  it('is the same one: what was read by one name costs nothing by the other', async () => {
    await using bench = await Bench.start({ issues: 3, commentsEach: 1 });
    const mount = bench.mount({ freshMs: 60_000 });
    const first = await text(mount, '/octo/hello/issues/1.md');
    await bench.asked();
    expect(await text(mount, '/OCTO/Hello/issues/1.md')).toBe(first);
    expect(await bench.asked()).toEqual([]);
  });

  it('has its records at the path that GitHub gives them, in the feed and in documents', async () => {
    await using bench = await Bench.start({ issues: 3, commentsEach: 1 });
    const mount = bench.mount({ freshMs: 60_000 });
    await text(mount, '/OCTO/Hello/issues/1.md');
    await mount.readdir('/OCTO/Hello/issues/1/comments');
    const paths = [...mount.feed(0)].map(({ path }) => path).filter((path) => path !== null);
    expect(paths).toContain('/octo/hello/issues/1.md');
    expect(paths.filter((path) => path.includes('comments')).length).toBeGreaterThan(0);
    expect(paths.filter((path) => !path.startsWith('/octo/hello/'))).toEqual([]);
  });
});
