/** An archive has what was packed, and a broken one is refused. */
import { expect, test } from 'vitest';
import { list, type Member, pack, ZipError } from './zip.ts';

const date = new Date(Date.UTC(2021, 11, 31, 23, 59, 58));
const member = (name: string, text: string, more: Partial<Member> = {}): Member => ({
  name,
  data: Buffer.from(text),
  date,
  mode: 0o644,
  ...more,
});
const LONG = 'abc '.repeat(500);

test('what is packed is listed and unpacked as it was', () => {
  const archive = pack(
    [
      member('dir/', '', { mode: 0o755 }),
      member('dir/ä.txt', LONG, { mode: 0o600 }),
      member('empty', ''),
      member('link', 'dir/ä.txt', { isLink: true, mode: 0o777 }),
    ],
    6,
  );
  const listed = list(archive);
  expect(
    listed.map(({ name, size, method, mode, isLink, date: when, isMoment }) => [
      name,
      size,
      method,
      mode.toString(8),
      isLink,
      when,
      isMoment,
    ]),
  ).toEqual([
    ['dir/', 0, 0, '755', false, date, false],
    ['dir/ä.txt', LONG.length, 8, '600', false, date, false],
    ['empty', 0, 0, '644', false, date, false],
    ['link', 10, 0, '777', true, date, false],
  ]);
  expect(listed.map((each) => each.read().toString())).toEqual(['', LONG, '', 'dir/ä.txt']);
  expect(listed[1]?.packed).toBeLessThan(100);
  // The file types of others' tools: directory, file, link.
  const types = [...archive.toString('latin1').matchAll(/PK\x01\x02/g)].map(
    ({ index }) => archive.readUInt32LE(index + 38) >>> 28,
  );
  expect(types).toEqual([0o04, 0o10, 0o10, 0o12]);
});

test('level 0 stores, and what would not get smaller is stored, too', () => {
  expect(list(pack([member('a', LONG)], 0)).map(({ method, packed }) => [method, packed])).toEqual([
    [0, LONG.length],
  ]);
  expect(list(pack([member('a', 'x')], 9)).map(({ method }) => method)).toEqual([0]);
});

test('a date has two seconds, and none is before 1980', () => {
  const dates = [new Date(Date.UTC(2000, 0, 2, 3, 4, 7)), new Date(Date.UTC(1975, 5, 6, 7, 8, 10))];
  const archive = pack(
    dates.map((when) => member('a', '', { date: when })),
    0,
  );
  expect(list(archive).map((each) => each.date.toISOString())).toEqual([
    '2000-01-02T03:04:06.000Z',
    '1980-06-06T07:08:10.000Z',
  ]);
});

test('a member unpacks to no more than is allowed', () => {
  const [only] = list(pack([member('a', LONG)], 6));
  expect(only?.read(LONG.length)).toHaveLength(LONG.length);
  expect(() => only?.read(LONG.length - 1)).toThrow(RangeError);
  const [empty] = list(pack([member('a', '')], 6));
  expect(empty?.read(0)).toHaveLength(0);
});

test('a broken archive says so', () => {
  const whole = pack([member('a', LONG), member('b', 'x')], 6);
  const at = (signature: string): number => whole.indexOf(signature, 0, 'latin1');
  const broken = (place: number, byte: number): Buffer => {
    const copy = Buffer.from(whole);
    copy[place] = byte;
    return copy;
  };
  expect(() => list(Buffer.from('nothing'))).toThrow(ZipError);
  expect(() => list(whole.subarray(0, whole.length - 1))).toThrow(/End-of-central-directory/);
  expect(list(whole)).toHaveLength(2);
  expect(() => list(broken(at('PK\x01\x02'), 0))).toThrow('bad central directory');
  expect(() => list(broken(at('PK\x03\x04'), 0))[0]?.read()).toThrow('bad local header');
  // The check sum, and the method, as the directory has them.
  const first = at('PK\x01\x02');
  expect(() => list(broken(first + 16, (whole[first + 16] ?? 0) ^ 1))[0]?.read()).toThrow(
    'bad CRC in a',
  );
  expect(() => list(broken(first + 10, 12))[0]?.read()).toThrow(
    'unsupported compression method 12',
  );
});

test('headers are as others read them: APPNOTE.TXT 4.3', () => {
  const archive = pack([member('a', LONG), member('ä/b', 'x')], 6);
  const [first, second] = list(archive);
  const local = archive.indexOf('PK\x03\x04', 1, 'latin1');
  const central = archive.lastIndexOf('PK\x01\x02', undefined, 'latin1');
  const end = archive.length - 22;
  const [time, day] = [(23 << 11) | (59 << 5) | 29, (41 << 9) | (12 << 5) | 31];
  const two = (at: number, count: number): number[] =>
    Array.from({ length: count }, (_, place) => archive.readUInt16LE(at + 2 * place));
  const four = (at: number, count: number): number[] =>
    Array.from({ length: count }, (_, place) => archive.readUInt32LE(at + 4 * place));
  // Of version 2.0, with a name in UTF-8, stored.
  expect(two(local + 4, 5)).toEqual([20, 0x0800, 0, time, day]);
  expect(four(local + 14, 3)).toEqual([second?.crc, 1, 1]);
  expect(two(local + 26, 2)).toEqual([4, 0]);
  // Made by version 3.0 on Unix; no extra field, no comment, the first disk, no text.
  expect(two(central + 4, 6)).toEqual([0x031e, 20, 0x0800, 0, time, day]);
  expect(four(central + 16, 3)).toEqual([second?.crc, 1, 1]);
  expect(two(central + 28, 5)).toEqual([4, 0, 0, 0, 0]);
  expect(four(central + 38, 2)).toEqual([0o100644 * 0x10000, local]);
  expect(four(archive.indexOf('PK\x01\x02', 0, 'latin1') + 42, 1)).toEqual([0]);
  expect(two(end + 4, 4)).toEqual([0, 0, 2, 2]);
  const table = end - (first === undefined ? 0 : archive.indexOf('PK\x01\x02', 0, 'latin1'));
  expect([...four(end + 12, 2), ...two(end + 20, 1)]).toEqual([table, end - table, 0]);
});

/** An archive of one member with an extra field, and a comment, in its directory. */
function withExtra(extra: readonly number[], comment = ''): Buffer {
  const archive = pack([member('a', 'x')], 0);
  const central = archive.indexOf('PK\x01\x02', 0, 'latin1');
  const end = archive.length - 22;
  archive.writeUInt16LE(extra.length, central + 30);
  archive.writeUInt16LE(comment.length, central + 32);
  return Buffer.concat([
    archive.subarray(0, end),
    Buffer.from(extra),
    Buffer.from(comment),
    archive.subarray(end),
  ]);
}

test('a time among the extra fields is a moment, and goes before what a clock showed', () => {
  // 2001-09-09T01:46:40Z
  const seconds = [0x00, 0xca, 0x9a, 0x3b];
  const times = [0x55, 0x54, 5, 0, 1, ...seconds];
  const other = [0x75, 0x78, 2, 0, 1, 0];
  const dateOf = (extra: readonly number[], comment?: string) => {
    const [only] = list(withExtra(extra, comment));
    return [only?.date.getTime(), only?.isMoment];
  };
  const moment = [1_000_000_000_000, true];
  const clock = [date.getTime(), false];
  expect(dateOf(times)).toEqual(moment);
  expect(dateOf([...other, ...times], 'a comment')).toEqual(moment);
  expect(dateOf([0x55, 0x54, 9, 0, 3, ...seconds, 0, 0, 0, 0])).toEqual(moment);
  // One that has only the time of access, none at all, too few bytes, or is cut off.
  expect(dateOf([0x55, 0x54, 5, 0, 2, ...seconds])).toEqual(clock);
  expect(dateOf([0x55, 0x54, 1, 0, 1])).toEqual(clock);
  expect(dateOf([0x55, 0x54, 4, 0, 1, ...seconds])).toEqual(clock);
  expect(dateOf(times.slice(0, -1))).toEqual(clock);
  expect(dateOf(other)).toEqual(clock);
  expect(dateOf([0x55])).toEqual(clock);
});

test('a second member is found behind the extra field and the comment of the first', () => {
  const one = withExtra([1, 0, 2, 0, 9, 9], 'a comment');
  const central = one.indexOf('PK\x01\x02', 0, 'latin1');
  const end = one.length - 22;
  const entry = one.subarray(central, end);
  const twice = Buffer.concat([one.subarray(0, end), entry, one.subarray(end)]);
  twice.writeUInt16LE(2, twice.length - 12);
  expect(list(twice).map(({ name, read }) => [name, read().toString()])).toEqual([
    ['a', 'x'],
    ['a', 'x'],
  ]);
  twice.writeUInt16LE(3, twice.length - 12);
  expect(() => list(twice)).toThrow('bad central directory');
});

test('how hard a member was pressed is told', () => {
  const archive = pack([member('a', LONG)], 6);
  const flags = archive.indexOf('PK\x01\x02', 0, 'latin1') + 8;
  const efforts = [0, 2, 4, 6].map((bits) => {
    archive.writeUInt16LE(0x0800 | bits, flags);
    return list(archive)[0]?.effort;
  });
  expect(efforts).toEqual([0, 1, 2, 3]);
});
