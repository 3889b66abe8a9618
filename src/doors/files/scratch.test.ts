/** Droppings of programs beside records: kept in memory, named like files, and bounded. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DOOR_FILE, ofScratch, Scratch } from './scratch.ts';

const MOST = 256 * 1024 ** 2;
const ENTRY = 8 * 1024;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 5_000 }));
afterEach(() => void vi.useRealTimers());

test('a dropping is a file of its own, with its bytes and its time', () => {
  const scratch = new Scratch();
  const [one, two] = [scratch.make('/m/.a.swp', 0o600), scratch.make('/m/b~', 0o644)];
  expect(one.identity).not.toBe(two.identity);
  expect(() => scratch.make('/m/b~', 0o644)).toThrow('EEXIST');
  vi.setSystemTime(6_000);
  const bytes = Buffer.from('text');
  scratch.write('/m/.a.swp', bytes);
  bytes.write('XXXX');
  expect(Buffer.from(one.bytes).toString()).toBe('text');
  expect(ofScratch(one)).toEqual({
    ...{ type: 'file', mode: 0o600, size: 4, estimated: false, mtime: 6_000, links: 1 },
    identity: one.identity,
  });
  expect([ofScratch(one, 9).size, ofScratch(two).mtime]).toEqual([9, 5_000]);
  for (const path of ['/m/none', '/m']) {
    expect(() => scratch.write(path, bytes)).toThrow('ENOENT');
    expect(() => scratch.rename(path, '/m/x')).toThrow('ENOENT');
    scratch.remove(path);
  }
});

test('a link is as long as its target', () => {
  const link = new Scratch().make('/m/.#a', 0o777, 'é@host');
  expect(ofScratch(link, 9)).toMatchObject({ type: 'symlink', size: 7, mode: 0o777 });
});

test('a directory has the names of what is in it, and the door’s own file is in none', () => {
  const scratch = new Scratch();
  for (const path of ['/m/a', '/m/d/b', '/n/c', DOOR_FILE]) scratch.make(path, 0o644);
  scratch.make('/m/l', 0o777, 'a');
  expect([...scratch.in('/m')]).toEqual([
    { name: 'a', isLink: false },
    { name: 'l', isLink: true },
  ]);
  expect([...scratch.in('/')]).toEqual([]);
});

test('a name is given over what has it, and to itself', () => {
  const scratch = new Scratch();
  const one = scratch.make('/a', 0o644);
  scratch.make('/b', 0o644);
  scratch.rename('/a', '/a');
  expect(scratch.get('/a')).toBe(one);
  scratch.rename('/a', '/b');
  expect([scratch.get('/a'), scratch.get('/b')]).toEqual([undefined, one]);
});

test('all of them take so many bytes; what is removed, cut or replaced makes room', () => {
  const scratch = new Scratch();
  const fits = new Uint8Array(MOST - 2 * ENTRY);
  scratch.make('/a', 0o644);
  scratch.write('/a', fits);
  scratch.make('/b', 0o644);
  expect(() => scratch.make('/c', 0o644)).toThrow('ENOSPC');
  expect(() => scratch.write('/b', new Uint8Array(1))).toThrow('ENOSPC');
  scratch.write('/a', new Uint8Array());
  scratch.write('/b', fits);
  scratch.rename('/a', '/b');
  scratch.make('/c', 0o644);
  scratch.write('/c', fits);
  scratch.remove('/c');
  scratch.make('/d', 0o644);
  scratch.write('/d', fits);
  expect(() => scratch.write('/d', new Uint8Array(fits.length + 1))).toThrow('ENOSPC');
});

test('bytes are copied as they lie, not by an iterator that the interpreter may guard', () => {
  const bytes = Object.assign(Uint8Array.of(1, 2), {
    [Symbol.iterator]: () => {
      throw new Error('was asked byte by byte');
    },
  });
  const scratch = new Scratch();
  const entry = scratch.make('/a', 0o644);
  scratch.write('/a', bytes);
  expect(entry.bytes.join()).toBe('1,2');
});
