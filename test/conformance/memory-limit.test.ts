/** What a memory mount may take is counted exactly, and never exceeded. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFsError } from '../../src/errors.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { MemoryOp } from '../../src/memory-tree/op.ts';
import { ENTRY_BYTES, MemoryTree } from '../../src/memory-tree/tree.ts';
import { failure, outcome } from './support.ts';

const LIMIT = 12 * ENTRY_BYTES;
const path = fc.constantFrom('/a', '/b', '/c', '/d', '/d/a', '/d/b', '/d/e');
const data = fc.integer({ min: 0, max: 3000 }).map((size) => new Uint8Array(size));
const change: fc.Arbitrary<MemoryOp> = fc.oneof(
  fc.record({ op: fc.constant('write' as const), path, data, at: fc.constant(0) }),
  fc.record({ op: fc.constant('append' as const), path, data, at: fc.constant(0) }),
  fc.record({
    op: fc.constant('stored' as const),
    path,
    hash: fc.constant('900'),
    size: fc.constant(900),
    at: fc.constant(0),
    mode: fc.constant(0o644),
  }),
  fc.record({ op: fc.constant('mkdir' as const), path, at: fc.constant(0) }),
  fc.record({ op: fc.constant('unlink' as const), path, at: fc.constant(0) }),
  fc.record({ op: fc.constant('rmdir' as const), path, at: fc.constant(0) }),
  fc.record({ op: fc.constant('rename' as const), path, to: path, at: fc.constant(0) }),
  fc.record({ op: fc.constant('link' as const), path, existing: path, at: fc.constant(0) }),
  fc.record({
    op: fc.constant('symlink' as const),
    path,
    target: fc.constantFrom('x', 'é'.repeat(400)),
    at: fc.constant(0),
  }),
);

/** Counted anew from what the tree shows. */
function recount(tree: MemoryTree): number {
  const seen = new Set<unknown>();
  const below = (directory: string): number => {
    let sum = 0;
    for (const { name, type } of tree.readdir(directory === '' ? '/' : directory)) {
      const entry = `${directory}/${name}`;
      const { ino, size } = tree.lstat(entry);
      sum += ENTRY_BYTES;
      if (type === 'directory') sum += below(entry);
      else if (!seen.has(ino)) sum += size;
      seen.add(ino);
    }
    return sum;
  };
  return below('');
}

it('after every change the count is that of a recount, within the limit, and a refusal changes nothing', () => {
  const met = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(change, { minLength: 20, maxLength: 80 }), (changes) => {
      const tree = new MemoryTree((hash) => new Uint8Array(Number(hash)));
      tree.limitTo(LIMIT);
      for (const each of changes) {
        // The namespace never writes at a link: it resolves it.
        if ((each.op === 'write' || each.op === 'append') && isLink(tree, each.path)) continue;
        const before = tree.usedBytes;
        let said = each.op as string;
        try {
          tree.apply(each);
        } catch (error) {
          if (!isFsError(error)) throw error;
          said = error.code;
          expect(tree.usedBytes).toBe(before);
        }
        met.set(said, (met.get(said) ?? 0) + 1);
        expect(tree.usedBytes).toBe(recount(tree));
        expect(tree.usedBytes).toBeLessThanOrEqual(LIMIT);
      }
    }),
    { numRuns: 300 },
  );
  for (const what of ['write', 'append', 'stored', 'link', 'rename', 'unlink', 'symlink', 'ENOSPC'])
    expect(met.get(what), what).toBeGreaterThan(10);
});

function isLink(tree: MemoryTree, at: string): boolean {
  try {
    return tree.lstat(at).type === 'symlink';
  } catch (error) {
    if (isFsError(error)) return false;
    throw error;
  }
}

it('a write above the limit is ENOSPC, which names the limit and what to do; removing a file helps', async () => {
  const mount = new MemoryMount({ maxBytes: 10_000 });
  await mount.write('/a', new Uint8Array(6000));
  const error = await failure(mount.write('/b', new Uint8Array(6000)));
  expect(error.code).toBe('ENOSPC');
  expect(error.reason).toMatch(/10000 bytes.*remove files.*maxBytes/);
  expect(await outcome(mount.lstat('/b'))).toBe('ENOENT');
  expect(await outcome(mount.append('/a', new Uint8Array(6000)))).toBe('ENOSPC');
  expect((await mount.lstat('/a')).size).toBe(6000);
  await mount.unlink('/a');
  expect(await outcome(mount.write('/b', new Uint8Array(6000)))).toBe('ok');
});

it('what a mount begins with is let in, and can be made smaller', async () => {
  const initial: MemoryOp[] = [{ op: 'write', path: '/a', data: new Uint8Array(6000), at: 0 }];
  const mount = new MemoryMount({ initial, maxBytes: 1000 });
  expect(await outcome(mount.append('/a', new Uint8Array(1)))).toBe('ENOSPC');
  expect(await outcome(mount.write('/a', new Uint8Array(5000)))).toBe('ok');
  expect(await outcome(mount.unlink('/a'))).toBe('ok');
});
