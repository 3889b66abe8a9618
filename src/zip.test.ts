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
