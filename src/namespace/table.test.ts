/** Which mount answers for a path, what stands above it, and the files of several in one walk. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Mount } from '../mount/contract/contract.ts';
import { WalkedFile } from '../mount/contract/walked-file.ts';
import { decodeText, encodeContent } from './encoding.ts';
import { MountTable } from './table.ts';
import { walkMounts } from './walk.ts';

/** A mount of these files, in the order of a walk; null cannot be walked at once. */
function mount(files: readonly string[] | null = []): Mount {
  const walked = (files ?? []).map((path) => {
    const cut = path.lastIndexOf('/');
    const content = { bytes: () => Buffer.from(path), identity: () => null };
    return new WalkedFile(path.slice(0, cut) || '/', path.slice(cut + 1), content as never, false);
  });
  const within = (path: string) =>
    walked.filter((file) => path === '/' || file.path.startsWith(`${path}/`));
  return { walk: (path: string) => (files === null ? null : within(path)) } as unknown as Mount;
}

function tableOf(mounts: Record<string, Mount>): MountTable {
  const table = new MountTable();
  for (const [point, each] of Object.entries(mounts))
    table.attach({ point, mount: each, access: 'rw', searchable: true } as never);
  return table;
}

const walk = (table: MountTable, path: string): string[] | null => {
  const files = walkMounts(table, path, null, (error) => error as Error);
  return files && [...files].map((file) => file.path);
};

test('the longest mount point above a path answers for it, by names and not by letters', () => {
  const table = tableOf({ '/a/b': mount(), '/': mount(), '/a': mount() });
  const at = (path: string) => [table.place(path).at.point, table.place(path).inside];
  expect(at('/')).toEqual(['/', '/']);
  expect(at('/ab/c')).toEqual(['/', '/ab/c']);
  expect(at('/a')).toEqual(['/a', '/']);
  expect(at('/a/bc')).toEqual(['/a', '/bc']);
  expect(at('/a/b/c/d')).toEqual(['/a/b', '/c/d']);
  expect(table.attachments.map(({ point }) => point)).toEqual(['/', '/a', '/a/b']);
  const child = table.child({ ...table.place('/a'), named: '/link' }, 'b');
  expect([child.path, child.named, child.at.point]).toEqual(['/a/b', '/link/b', '/a/b']);
  expect(() => tableOf({ '/a': mount() }).place('/b', '/named')).toThrow(
    expect.objectContaining({ code: 'ENOENT', path: '/named' }),
  );
});

test('what is in a mount is shown where it is attached, and the other way round', () => {
  const points = ['/', '/a', '/a/b', '/a/b/c/d'];
  const table = tableOf(Object.fromEntries(points.map((point) => [point, mount()])));
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'ab'), { maxLength: 6 });
  fc.assert(
    fc.property(names, (all) => {
      const path = `/${all.join('/')}`;
      const { at, inside } = table.place(path);
      expect(table.shown(at, inside)).toBe(path);
    }),
  );
});

test('a mount point and all above it stay, and each of them lists what is mounted below', () => {
  const table = tableOf({ '/': mount(), '/a/b/c': mount(), '/a/x': mount(), '/a/b/d/e': mount() });
  expect(['/', '/a', '/a/b', '/a/b/c', '/a/y'].map((path) => table.isAncestor(path))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(['/a/b/c', '/a', '/a/b/c/d', '/b'].map((path) => table.isPinned(path))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([...table.mountedNames('/')]).toEqual(['a']);
  expect([...table.mountedNames('/a')].sort()).toEqual(['b', 'x']);
  expect([...table.mountedNames('/a/b')].sort()).toEqual(['c', 'd']);
  expect(table.mountedNames('/a/b/c').size).toBe(0);
  expect(table.below('/a/b').map(({ point }) => point)).toEqual(['/a/b/d/e', '/a/b/c']);
  expect(table.at('/a/x')?.point).toBe('/a/x');
});

test('a walk over mounts comes by their files in the order of names, and hides what a mount covers', () => {
  const table = tableOf({
    '/': mount(['/a/x', '/b/1', '/b/m/hidden', '/b/m.txt', '/b/n', '/b-c', '/z']),
    '/b/m': mount(['/f', '/in/hidden', '/in2']),
    '/b/m/in': mount(['/g']),
    '/empty/only': mount(['/h']),
  });
  expect(walk(table, '/')).toEqual([
    '/a/x',
    '/b/1',
    '/b/m/f',
    '/b/m/in/g',
    '/b/m/in2',
    '/b/m.txt',
    '/b/n',
    '/b-c',
    '/empty/only/h',
    '/z',
  ]);
  expect(walk(table, '/b/m')).toEqual(['/b/m/f', '/b/m/in/g', '/b/m/in2']);
  expect(walk(table, '/a')).toEqual(['/a/x']);
  const slow = tableOf({ '/': mount(['/x']), '/m': mount(null) });
  expect([walk(slow, '/'), walk(slow, '/m'), walk(tableOf({ '/': mount(['/x']) }), '/')]).toEqual([
    null,
    null,
    ['/x'],
  ]);
});

test('text is UTF-8 unless it is said to be bytes, and is', () => {
  const hex = (...given: Parameters<typeof encodeContent>): string =>
    Buffer.from(encodeContent(...given)).toString('hex');
  expect(hex('é')).toBe('c3a9');
  expect([hex('é', 'latin1'), hex('é', { encoding: 'binary' })]).toEqual(['e9', 'e9']);
  expect([hex('ÿ', 'binary'), hex('Ā', 'binary')]).toEqual(['ff', 'c480']);
  expect([hex('c3', 'hex'), hex('é', null), hex('é', {})]).toEqual(['c3', 'c3a9', 'c3a9']);
  const bytes = Uint8Array.of(0, 0xc3, 0xa9).subarray(1);
  expect(encodeContent(bytes)).toBe(bytes);
  expect([
    decodeText(bytes),
    decodeText(bytes, 'latin1'),
    decodeText(bytes, { encoding: 'hex' }),
  ]).toEqual(['é', 'Ã©', 'c3a9']);
});
