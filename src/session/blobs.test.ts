/** Content by its hash, and what of an entry is kept so. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import {
  BlobStore,
  blobRefs,
  externalize,
  inline,
  isBlobRef,
  KeptValue,
  keepLong,
  MAX_INLINE_BYTES,
} from './blobs.ts';

function open(): BlobStore {
  const made = temporaryDirectory();
  return new BlobStore(made);
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The files of a store, by folder and name. */
const files = (store: BlobStore): string[] =>
  readdirSync(store.directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

test('bytes are kept once under their hash, for nobody but the owner, and given back', () => {
  const store = open();
  for (const durable of [false, true, true]) {
    const hash = store.put(Buffer.from('one'), durable);
    expect(hash).toBe(hashOf('one'));
  }
  const file = join(store.directory, hashOf('one').slice(0, 2), hashOf('one').slice(2));
  expect(files(store)).toEqual([file]);
  expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  expect(String(store.get(hashOf('one')))).toBe('one');
});

test('bytes that come in pieces are kept as if they came at once; those that are taken back, and those that are there, leave nothing', async () => {
  const store = open();
  const write = (...pieces: string[]) => {
    const writer = store.writer();
    for (const piece of pieces) writer.write(Buffer.from(piece));
    return writer;
  };
  write('taken ', 'back').drop();
  expect(files(store)).toEqual([]);
  expect(write('on', 'e').end()).toBe(hashOf('one'));
  expect(write('one').end()).toBe(hashOf('one'));
  expect(await store.keep([Buffer.from('o'), Buffer.from('ne')])).toBe(hashOf('one'));
  expect(files(store)).toEqual([store.file(hashOf('one'))]);
  const failing = function* (): Generator<Uint8Array> {
    yield Buffer.from('half');
    throw new Error('no more');
  };
  await expect(store.keep(failing())).rejects.toThrow('no more');
  expect(files(store)).toHaveLength(1);
});

test('what is lost, damaged or no hash is an error that names it', () => {
  const store = open();
  const lost = (hash: string, what: string) =>
    expect(() => store.get(hash)).toThrow(
      expect.objectContaining({
        code: 'EIO',
        path: `blobs/${hash}`,
        reason: expect.stringContaining(what) as string,
      }),
    );
  lost('../../etc/passwd', 'has no valid name');
  lost(hashOf('none'), 'cannot be read (ENOENT');
  const hash = store.put(Buffer.from('one'), false);
  writeFileSync(store.file(hash), 'two');
  lost(hash, 'was damaged');
});

test('to be asked for keeps a blob from being too old, and writes no oftener than every six hours', () => {
  const store = open();
  const hash = store.put(Buffer.from('one'), false);
  const hours = (count: number): number => Date.now() / 1000 - count * 60 * 60;
  const age = (): number => (Date.now() - statSync(store.file(hash)).mtimeMs) / 3_600_000;
  utimesSync(store.file(hash), hours(5.9), hours(5.9));
  expect(store.has(hash)).toBe(true);
  expect(age()).toBeGreaterThan(5.8);
  utimesSync(store.file(hash), hours(6.1), hours(6.1));
  expect(store.has(hash)).toBe(true);
  expect(age()).toBeLessThan(1);
  expect(store.has(hashOf('two'))).toBe(false);
});

test('texts above 32 KiB and lists above 256 elements are kept apart, wherever they are, and come back equal', () => {
  const store = open();
  const short = 'x'.repeat(MAX_INLINE_BYTES);
  const long = `${'x'.repeat(1_023)}👍${'é'.repeat(MAX_INLINE_BYTES / 2)}`;
  const list = Array.from({ length: 257 }, (_, index) => ({ index }));
  const value = {
    short,
    nested: [{ long }, long],
    list,
    few: list.slice(1),
    none: null,
    date: new Date(0),
    lone: `${'x'.repeat(MAX_INLINE_BYTES)}\ud800`,
    ['__proto__x']: 1,
  };
  const kept = externalize(value, store) as Record<string, unknown>;
  expect(Object.keys(kept)).toEqual(Object.keys(value));
  expect(kept).toMatchObject({ short, few: value.few, none: null, lone: value.lone });
  const ref = {
    $blob: hashOf(long),
    bytes: Buffer.byteLength(long),
    head: 'x'.repeat(1_023),
  };
  expect(kept['nested']).toEqual([{ long: ref }, ref]);
  const json = JSON.stringify(list);
  expect(kept['list']).toEqual({
    $blob: hashOf(json),
    bytes: json.length,
    head: json.slice(0, 1_024),
    json: true,
  });
  expect([...blobRefs(kept)].map(({ $blob }) => $blob)).toEqual([
    hashOf(long),
    hashOf(long),
    hashOf(json),
  ]);
  expect(inline(kept, store)).toEqual(value);
  expect(files(store)).toHaveLength(2);
});

test('what holds no reference is given back itself, what only looks like one stays as it was', () => {
  const store = open();
  const plain = { a: [1, { b: 'c' }] };
  expect(inline(plain, store)).toBe(plain);
  const forged = { text: { $blob: hashOf('one'), bytes: 3, head: 'one' }, mark: { $literal: 1 } };
  const kept = externalize(forged, store);
  expect([...blobRefs(kept)]).toEqual([]);
  expect(inline(kept, store)).toEqual(forged);
  expect(isBlobRef(forged.text)).toBe(true);
  for (const less of [{ $blob: 'x' }, { bytes: '3' }, { head: 3 }, { $blob: undefined }])
    expect(isBlobRef({ ...forged.text, ...less })).toBe(false);
  expect([isBlobRef(null), isBlobRef('x')]).toEqual([false, false]);
});

test('what is kept in slices before is what would be kept at once', async () => {
  const store = open();
  const long = `${'x'.repeat(262_143)}👍${'y'.repeat(300_000)}`;
  const list = Array.from({ length: 600 }, (_, index) => `${index}`);
  for (const value of [long, list]) {
    const ahead = await keepLong(value, store);
    expect(ahead).toBeInstanceOf(KeptValue);
    expect(externalize({ value: ahead }, store)).toEqual(externalize({ value }, store));
  }
  expect(readFileSync(store.file(hashOf(long)), 'utf8')).toBe(long);
  const few = list.slice(0, 256);
  expect(await keepLong(few, store)).toBe(few);
  expect(await keepLong('short', store)).toBe('short');
});
