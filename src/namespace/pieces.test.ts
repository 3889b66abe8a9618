/** The parts of a namespace that need no mount: errors that are kept, errors of others, states, text. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import type { Dirent, MountStat } from '../mount/contract/contract.ts';
import type { Operation } from '../policy/gate.ts';
import { decodeText, encodeContent } from './encoding.ts';
import { Faults } from './faults.ts';
import { fsErrorOf } from './foreign-errors.ts';
import { type Looks, States, sha256, stateDigest } from './states.ts';
import { Strands } from './strands.ts';
import type { Place } from './table.ts';

const refusal = (path: string): FsError => new FsError('EACCES', { path, op: 'write' });
const pathsOf = (errors: readonly FsError[]): string[] => errors.map(({ path }) => path);

describe('errors that must not be swallowed', () => {
  test('are those since a mark, of whoever asks, and none that only answers "is it there?"', () => {
    const strands = new Strands();
    const faults = new Faults(strands);
    faults.record(refusal('/before'));
    const mark = faults.mark();
    faults.record(refusal('/a'));
    faults.record(new FsError('ENOENT', { path: '/quiet', op: 'open' }));
    strands.begin(() => faults.record(refusal('/beside')));
    faults.record(refusal('/b'));
    expect(pathsOf(faults.since(mark))).toEqual(['/a', '/b']);
    expect(pathsOf(faults.since(0))).toEqual(['/before', '/a', '/b']);
    faults.clear();
    expect(faults.since(mark)).toEqual([]);
    const later = faults.mark();
    faults.record(refusal('/c'));
    expect([pathsOf(faults.since(later)), pathsOf(faults.since(mark))]).toEqual([['/c'], ['/c']]);
  });

  test('are the last ten thousand; marks stay where they are', () => {
    const faults = new Faults(new Strands());
    for (let count = 0; count < 9_999; count++) faults.record(refusal('/early'));
    const mark = faults.mark();
    for (const path of ['/a', '/b', '/c']) faults.record(refusal(path));
    expect(pathsOf(faults.since(mark))).toEqual(['/a', '/b', '/c']);
    expect(faults.since(0)).toHaveLength(10_000);
  });

  test('tell of a file without an end, by whom it was read, until it is enough', () => {
    const strands = new Strands();
    const faults = new Faults(strands);
    expect(faults.endless()).toBeNull();
    faults.recordEndless('/dev/zero');
    strands.begin(() => expect(faults.endless()).toBeNull());
    expect(faults.endless()).toBe('/dev/zero');
    faults.enough();
    expect(faults.endless()).toBeNull();
  });
});

describe('the failure of a file operation as others throw it', () => {
  const of = (error: unknown) => fsErrorOf(error, { path: '/asked', op: 'read' });
  const looks = (error: unknown) => {
    const made = of(error);
    return made && [made.code, made.path, made.op, made.reason];
  };

  test.each([
    [Object.assign(new Error('x'), { code: 'ENOENT' }), ['ENOENT', '/asked', 'read', undefined]],
    [{ code: 'EACCES' }, ['EACCES', '/asked', 'read', undefined]],
    [{ code: 'EACCES', message: 'not you' }, ['EACCES', '/asked', 'read', 'not you']],
    [
      new Error("ENOENT: no such file or directory, open '/p'"),
      ['ENOENT', '/asked', 'read', undefined],
    ],
    [new Error("EACCES: permission denied, open '/p'"), ['EACCES', '/asked', 'read', undefined]],
    [
      new Error("EXDEV: cross-device link, rename '/a' -> '/b'"),
      ['EXDEV', '/asked', 'read', undefined],
    ],
    [new Error('ENOENT'), null],
    [new Error('ENOTHING: what, open'), null],
    [Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'spawn ls' }), null],
    [Object.assign(new Error('x'), { code: 'EACCES', syscall: 'connect' }), null],
    [
      Object.assign(new Error('x'), { code: 'EACCES', syscall: 'open' }),
      ['EACCES', '/asked', 'read', 'x'],
    ],
    [{ code: 7 }, null],
    ['ENOENT', null],
    [null, null],
  ])('%s', (error, expected) => {
    expect(looks(error)).toEqual(expected);
  });

  test('is itself where it is one of ours, and keeps what it says where it is another copy’s', () => {
    const own = refusal('/own');
    expect(of(own)).toBe(own);
    class Other extends FsError {}
    const other = new Other('EACCES', {
      path: '/p',
      op: 'o',
      rule: 'r',
      reason: 'why',
      cause: own,
    });
    const made = of(other);
    expect(made).not.toBe(other);
    expect(made).toMatchObject({
      code: 'EACCES',
      path: '/p',
      op: 'o',
      rule: 'r',
      reason: 'why',
      cause: own,
    });
    const bare = of(new Other('EBUSY', { path: '/p', op: 'o' }));
    expect([bare?.rule, bare?.reason]).toEqual([undefined, undefined]);
  });
});

test('text is UTF-8, or bytes where they are asked for and it has no more than those', () => {
  const bytes = (text: string, encoding?: BufferEncoding | 'binary') => [
    ...encodeContent(text, encoding),
  ];
  expect([bytes('é'), bytes('é', 'latin1'), bytes('é', 'binary')]).toEqual([
    [0xc3, 0xa9],
    [0xe9],
    [0xe9],
  ]);
  expect([bytes('ÿ', 'latin1'), bytes('Ā', 'latin1')]).toEqual([[0xff], [0xc4, 0x80]]);
  expect([...encodeContent('ff', { encoding: 'hex' })]).toEqual([0xff]);
  const own = Uint8Array.of(1);
  expect(encodeContent(own, 'latin1')).toBe(own);
  const within = Uint8Array.of(0, 0xc3, 0xa9, 0).subarray(1, 3);
  expect([
    decodeText(within),
    decodeText(within, 'latin1'),
    decodeText(within, { encoding: 'hex' }),
  ]).toEqual(['é', 'Ã©', 'c3a9']);
});

describe('what is at a place', () => {
  const stats: Record<string, MountStat> = {
    '/f': { type: 'file', mode: 0o644, size: 3, mtime: new Date(5), ino: 'i' },
    '/d': { type: 'directory', mode: 0o755, size: 1, mtime: new Date(6) },
    '/l': { type: 'symlink', mode: 0o777, size: 1, mtime: new Date(7) },
    '/shut': { type: 'file', mode: 0, size: 1, mtime: new Date(8) },
  };
  const rows: Dirent[] = [
    { name: 'b', type: 'file' },
    { name: 'a', type: 'directory' },
  ];
  let asked: string[] = [];
  let costly = false;
  const looks: Looks = {
    stat: async ({ path }) => stats[path] ?? null,
    async read({ path }) {
      asked.push(path);
      if (path === '/shut') throw refusal(path);
      return Buffer.from('abc');
    },
    list: async () => rows,
    readlink: async () => 'target',
    costly: () => costly,
  };
  const at = async (path: string, ...ops: Operation[]) => {
    const wishes = ops.map((op) => ({ op, place: { path } as Place }));
    return (await new States(looks).before(wishes as never)).get(path);
  };

  test('is its type and mode, and what of its content the operation is about', async () => {
    expect(await at('/none', 'write')).toEqual({
      type: 'nothing',
      mode: 0,
      size: 0,
      mtime: null,
      content: '',
    });
    const file = { type: 'file', mode: 0o644, size: 3, mtime: null, content: sha256('abc') };
    expect(await at('/f', 'write')).toEqual(file);
    expect(await at('/f', 'write', 'read')).toEqual(file);
    expect(await at('/f', 'rename')).toEqual({ ...file, mtime: 5 });
    expect(await at('/f', 'read')).toEqual({ ...file, size: 0, content: '' });
    const directory = { type: 'directory', mode: 0o755, size: 0, mtime: null, content: '' };
    const names = sha256(JSON.stringify(['directory a', 'file b']));
    expect(await at('/d', 'chmod')).toEqual(directory);
    for (const op of ['rmdir', 'create', 'write', 'mkdir'] as const)
      expect(await at('/d', op), op).toEqual({ ...directory, content: names });
    expect(await at('/d', 'rename')).toEqual({ ...directory, mtime: 6, content: names });
    expect((await at('/l', 'unlink'))?.content).toBe('target');
    expect((await at('/shut', 'write'))?.content).toBe('not readable: EACCES');
  });

  test('is not fetched from a service to be removed; its version tells it', async () => {
    costly = true;
    asked = [];
    expect((await at('/f', 'unlink'))?.content).toBe('as of 1970-01-01T00:00:00.005Z, i');
    expect(asked).toEqual([]);
    expect((await at('/f', 'unlink', 'write'))?.content).toBe(sha256('abc'));
    costly = false;
    expect((await at('/f', 'unlink'))?.content).toBe(sha256('abc'));
  });

  test('has a digest that tells it from anything else, but for its size', async () => {
    const state = { type: 'file', mode: 1, size: 2, mtime: 3, content: 'c' } as const;
    const others = [
      { type: 'symlink' as const },
      { mode: 2 },
      { mtime: 4 },
      { mtime: null },
      { content: 'd' },
    ];
    const digests = [state, ...others.map((other) => ({ ...state, ...other }))].map(stateDigest);
    expect(new Set(digests).size).toBe(6);
    expect(stateDigest({ ...state, size: 9 })).toBe(digests[0]);
    expect(stateDigest(undefined)).toBe(stateDigest(await at('/none', 'write')));
  });
});
