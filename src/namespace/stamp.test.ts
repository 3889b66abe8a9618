/** Which mounts tell whether something has changed, and to whom. */
import { expect, test } from 'vitest';
import { MemoryMount } from '../memory-tree/mount.ts';
import { stampOf } from './stamp.ts';
import { MountTable } from './table.ts';

const MOUNTED = '/mnt/service';

/** A mount whose stamp is what it is told to be, and who asks for it. */
function stamped({ stamp = 'one' as string | null, more = [] as string[] } = {}) {
  const mount = Object.assign(new MemoryMount(), { stamp: () => stamp });
  const table = new MountTable();
  for (const [point, each] of [
    ['/', new MemoryMount()],
    [MOUNTED, mount],
    ...more.map((one) => [one, new MemoryMount()] as const),
  ] as const)
    table.attach({ point, mount: each, access: { mode: 'rw' }, searchable: false });
  return (
    point: string,
    { actingAs = 'ada', reads = true, held = [] as string[] } = {},
  ): string | null => {
    const keeper = { actingAs } as never;
    const guard = { keeper, readsFreely: () => reads };
    return stampOf(table, point, guard, { within: () => held as never });
  };
}

test('a stamp is the same for whoever acts alike, and another for another actor, another mount’s state', () => {
  const of = stamped();
  expect(of(MOUNTED)).toMatch(/\S/);
  expect(of(MOUNTED)).toBe(of(MOUNTED));
  expect(of(MOUNTED, { actingAs: 'bob' })).not.toBe(of(MOUNTED));
  expect(stamped({ stamp: 'two' })(MOUNTED)).not.toBe(of(MOUNTED));
  // What it is made of says more than that.
  expect(of(MOUNTED)).not.toContain('one');
});

test.each([
  ['a mount that has none now', stamped({ stamp: null })(MOUNTED)],
  ['a mount that never has', stamped()('/')],
  ['a path inside of one', stamped()(`${MOUNTED}/a`)],
  ['a mount with another inside of it', stamped({ more: [`${MOUNTED}/inner`] })(MOUNTED)],
  ['whoever may not read all of it', stamped()(MOUNTED, { reads: false })],
  ['a mount below which writes are held', stamped()(MOUNTED, { held: ['/mnt/service/a'] })],
])('no stamp is told of or to %s', (_what, told) => {
  expect(told).toBeNull();
});
