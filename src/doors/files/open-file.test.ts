/** The content of an open file: what is written where, and what of it is to be committed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeptContents } from './kept-contents.ts';
import { Limits } from './limits.ts';
import { OpenFile } from './open-file.ts';

function opened(text = ''): OpenFile {
  const file = new OpenFile('id', '/a', 'world');
  file.load(Buffer.from(text));
  return file;
}
const textOf = (file: OpenFile): string => file.bytes().toString('latin1');
function pendingOf(file: OpenFile): string {
  const pending = file.pending();
  return 'added' in pending
    ? `added ${pending.added.toString('latin1')}`
    : `whole ${pending.whole.toString('latin1')}`;
}
const write = (file: OpenFile, text: string, at = file.size) =>
  file.write(Buffer.from(text, 'latin1'), at);

test('whatever is written, cut and committed, it reads like an array of bytes', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('write'), at: fc.nat(30), text: fc.string({ maxLength: 9 }) }),
    fc.record({ do: fc.constant('resize'), at: fc.nat(40), text: fc.constant('') }),
    fc.record({ do: fc.constant('commit'), at: fc.constant(0), text: fc.constant('') }),
    fc.record({ do: fc.constant('empty'), at: fc.constant(0), text: fc.constant('') }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.array(step, { maxLength: 12 }), (start, steps) => {
      const bytes = (text: string) => [...Buffer.from(text, 'latin1')];
      const file = new OpenFile('id', '/a', 'world');
      file.load(Buffer.from(start, 'latin1'));
      let model = bytes(start);
      // What the world has, by what it was sent.
      let kept = [...model];
      for (const { do: act, at, text } of steps) {
        if (act === 'write') {
          const data = bytes(text);
          const size = Math.max(model.length, at + data.length);
          model = Array.from({ length: size }, (_, n) => data[n - at] ?? model[n] ?? 0);
          file.write(Buffer.from(data), at);
        } else if (act === 'resize') {
          model = Array.from({ length: at }, (_, n) => model[n] ?? 0);
          file.resize(at);
        } else if (act === 'empty') {
          model = [];
          file.empty();
        } else {
          const pending = file.pending();
          if (file.isDirty)
            kept = 'added' in pending ? [...kept, ...pending.added] : [...pending.whole];
          file.committed(file.changes, file.size);
          expect(file.isDirty).toBe(false);
          expect(kept).toEqual(model);
        }
        expect([...file.bytes()]).toEqual(model);
        expect(file.size).toBe(model.length);
      }
    }),
    { numRuns: 300 },
  );
});

describe('what is committed', () => {
  test('is what was added at the end, else all of it', () => {
    const file = opened('abc');
    expect([file.isDirty, pendingOf(file)]).toEqual([false, 'whole abc']);
    write(file, 'de');
    expect([file.isDirty, pendingOf(file)]).toEqual([true, 'added de']);
    write(file, 'X', 2);
    expect(pendingOf(file)).toBe('whole abXde');
    const other = opened('abc');
    write(other, 'x', 3);
    expect(pendingOf(other)).toBe('added x');
    other.resize(2);
    expect(pendingOf(other)).toBe('whole ab');
    write(other, 'cd');
    expect(pendingOf(other)).toBe('whole abcd');
    expect(
      pendingOf(
        (() => {
          const empty = opened('');
          write(empty, 'x');
          return empty;
        })(),
      ),
    ).toBe('whole x');
  });

  test('is all of it again where something was written meanwhile', () => {
    const file = opened('abc');
    write(file, 'd');
    const { changes, size } = file;
    write(file, 'e');
    file.committed(changes, size);
    expect([file.isDirty, pendingOf(file)]).toEqual([true, 'whole abcde']);
    file.committed(file.changes, file.size);
    write(file, 'f');
    expect(pendingOf(file)).toBe('added f');
  });

  test('is nothing but an emptying until data come', () => {
    const file = opened('abc');
    file.empty();
    expect([file.isOnlyEmptied, file.isDirty, textOf(file)]).toEqual([true, true, '']);
    write(file, 'x');
    expect(file.isOnlyEmptied).toBe(false);
    file.empty();
    file.resize(0);
    expect(file.isOnlyEmptied).toBe(true);
    file.resize(2);
    expect(file.isOnlyEmptied).toBe(false);
    file.committed(file.changes, file.size);
    expect([file.isOnlyEmptied, opened('').isOnlyEmptied]).toEqual([false, false]);
  });

  test('counts as a change also where the size is what it was', () => {
    const file = opened('abc');
    expect([file.changes, file.changedAt]).toEqual([0, null]);
    file.resize(3);
    expect([file.changes, file.isDirty, pendingOf(file)]).toEqual([1, true, 'whole abc']);
    expect(file.changedAt).not.toBeNull();
  });
});

test('it reads what is there, from where it is asked', () => {
  const file = opened('abcdef');
  const read = (length: number, position: number) => {
    const target = Buffer.alloc(10, '.');
    return `${file.read(target, length, position)} ${target.toString()}`;
  };
  expect([read(3, 0), read(3, 4), read(3, 6), read(3, 9), read(0, 1)]).toEqual([
    ...['3 abc.......', '2 ef........', '0 ..........', '0 ..........', '0 ..........'],
  ]);
  expect(new OpenFile('id', '/a', 'world').read(Buffer.alloc(1), 1, 0)).toBe(0);
});

test('what was loaded is not changed, and what is let go is loaded anew', () => {
  const bytes = Buffer.from('abc');
  const file = new OpenFile('id', '/a', 'world');
  expect([file.isLoaded, file.isRemoved, textOf(file)]).toEqual([false, false, '']);
  file.load(bytes);
  write(file, 'X', 0);
  expect([bytes.toString(), textOf(file)]).toEqual(['abc', 'Xbc']);
  file.unload();
  expect([file.isLoaded, file.isDirty, file.changedAt]).toEqual([false, false, null]);
  file.names.clear();
  expect(file.isRemoved).toBe(true);
  file.isNew = true;
  file.committed(0, 0);
  expect(file.isNew).toBe(false);
});

test('a file has 2 GiB less one byte at most', () => {
  const file = opened('a');
  expect(() => file.resize(2 ** 31)).toThrow('EFBIG');
  expect(() => file.write(Buffer.from('ab'), 2 ** 31 - 2)).toThrow('EFBIG');
  expect(textOf(file)).toBe('a');
});

describe('limits of what is open', () => {
  test('so many files', () => {
    const limits = new Limits({ handles: 2, bytes: 10 });
    limits.admit('/a', 1);
    expect(() => limits.admit('/a', 2)).toThrow('EAGAIN');
    new Limits({ handles: Number.POSITIVE_INFINITY, bytes: 10 }).admit('/a', 1e9);
  });

  test('so many bytes in all, each file counted once, and none that was closed', () => {
    const limits = new Limits({ handles: 9, bytes: 10 });
    const grow = (file: OpenFile, size: number, ...handles: OpenFile[]) => {
      limits.claim(
        file,
        size,
        handles.map((each) => ({ file: each })),
      );
      file.resize(size);
    };
    const [one, two] = [opened(), opened()];
    grow(one, 6, one, one);
    grow(one, 5, one, one);
    grow(one, 6, one, one);
    grow(two, 4, one, one, two);
    expect(() => grow(two, 5, one, one, two)).toThrow('EFBIG');
    expect(two.size).toBe(4);
    // The first one was closed.
    grow(two, 10, two);
    expect(() => grow(two, 11, two)).toThrow('EFBIG');
    grow(two, 3, two);
  });
});

test('of what was closed so many bytes are kept, the oldest go first', () => {
  const kept = new KeptContents(10);
  const keep = (identity: string, bytes: number) =>
    kept.keep(identity, { bytes: new Uint8Array(bytes), mtime: 1 });
  const there = () =>
    ['a', 'b', 'c'].filter((identity) => kept.get(identity) !== undefined).join('');
  keep('a', 4);
  keep('b', 6);
  expect(there()).toBe('ab');
  keep('a', 4);
  keep('c', 1);
  expect(there()).toBe('ac');
  keep('b', 5);
  expect(there()).toBe('abc');
  kept.drop('b');
  kept.drop('b');
  keep('b', 5);
  expect(there()).toBe('abc');
  keep('b', 11);
  expect(there()).toBe('');
  keep('a', 10);
  kept.dropAll();
  keep('b', 10);
  expect(there()).toBe('b');
});
