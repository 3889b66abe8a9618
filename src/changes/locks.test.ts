/** Who writes a record now. */
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openChangesFile } from './file.ts';
import { RecordLocks } from './locks.ts';
import { CHANGE_MIGRATIONS } from './schema.ts';

describe('a lock on a record', () => {
  const database = openChangesFile(':memory:', CHANGE_MIGRATIONS);
  afterAll(() => database.close());
  const locks = new RecordLocks(database);

  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] }));
  afterEach(() => {
    vi.useRealTimers();
    database.exec('DELETE FROM locks');
  });

  const held = (): unknown[] => database.prepare('SELECT path, expires_at FROM locks').all();

  test('is held for a minute while something is done, and gone afterwards', async () => {
    const during = await locks.hold('m', '/a', async () => held());
    expect(during).toEqual([{ path: '/a', expires_at: 1_060_000 }]);
    expect(held()).toEqual([]);
    await expect(
      locks.hold('m', '/a', async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(held()).toEqual([]);
  });

  test('lets nobody else in, but at other records', async () => {
    const order: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = locks.hold('m', '/a', async () => {
      order.push('first');
      await promise;
      order.push('first ends');
    });
    const second = locks.hold('m', '/a', async () => order.push('second'));
    await locks.hold('m', '/b', async () => order.push('other record'));
    await locks.hold('n', '/a', async () => order.push('other mount'));
    resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'other record', 'other mount', 'first ends', 'second']);
  });

  test('is void after a minute, and whoever had it takes no other one’s away', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = locks.hold('m', '/a', () => promise);
    vi.setSystemTime(1_060_001);
    await locks.hold('m', '/a', async () => {
      resolve();
      await first;
      expect(held()).toHaveLength(1);
    });
  });

  test('is waited for ten seconds', async () => {
    database.prepare("INSERT INTO locks VALUES ('m', '/a', 'somebody', ?)").run(9_000_000);
    const waiting = locks.hold('m', '/a', async () => 'mine').catch((error: unknown) => error);
    vi.setSystemTime(1_010_001);
    expect(await waiting).toMatchObject({ code: 'EBUSY', path: '/a' });
    vi.setSystemTime(1_000_000);
    const patient = locks.hold('m', '/a', async () => 'mine');
    vi.setSystemTime(1_010_000);
    database.exec('DELETE FROM locks');
    expect(await patient).toBe('mine');
  });
});
