/** The packets of SFTP, as bytes: https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answers, Fields, long, MalformedPacket, PacketReader } from './sftp-packets.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const packet = (...parts: (number[] | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
};
const u32 = (value: number): number[] => [0, 0, value >> 8, value & 255];

test('packets come whole and in order, however the stream was cut', () => {
  const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 6 });
  fc.assert(
    fc.property(bodies, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (all, cuts) => {
      const stream = Buffer.concat(all.map((body) => packet([...body])));
      const reader = new PacketReader(20);
      const found: string[] = [];
      for (let at = 0, piece = 0; at < stream.length; piece++) {
        const end = at + (cuts[piece % cuts.length] ?? 1);
        found.push(...reader.push(stream.subarray(at, end)).map(hex));
        at = end;
      }
      expect(found).toEqual(all.map(hex));
    }),
  );
});

test('a packet without a byte, or with more than it may have, is refused as soon as its length is known', () => {
  const pushed = (length: number) => () => new PacketReader(20).push(Buffer.from(u32(length)));
  expect(pushed(0)).toThrow(new MalformedPacket('a packet has 1 to 20 bytes, and this one 0'));
  expect(pushed(21)).toThrow('a packet has 1 to 20 bytes, and this one 21');
  expect(pushed(20)()).toEqual([]);
});

test('fields are read in order: numbers, texts, bytes, and the attributes that are said to be there', () => {
  const fields = new Fields(
    Buffer.concat([Buffer.of(7), packet('é'), packet([255]), long(2 ** 40), Buffer.from(u32(258))]),
  );
  expect(fields.byte()).toBe(7);
  expect(fields.text()).toBe('é');
  expect([...fields.bytes()]).toEqual([255]);
  expect(fields.long()).toBe(2 ** 40);
  expect(fields.number()).toBe(258);
  const attributes = (flags: number, ...values: number[]) =>
    new Fields(Buffer.from([flags, ...values].flatMap(u32))).attributes();
  expect(attributes(0)).toEqual({});
  expect(attributes(1, 0, 5)).toEqual({ size: 5 });
  expect(attributes(2, 6, 7)).toEqual({ uid: 6, gid: 7 });
  expect(attributes(4, 8)).toEqual({ mode: 8 });
  expect(attributes(8, 9, 10)).toEqual({ atime: 9, mtime: 10 });
  expect(attributes(15, 0, 5, 6, 7, 8, 9, 10)).toEqual({
    size: 5,
    uid: 6,
    gid: 7,
    mode: 8,
    atime: 9,
    mtime: 10,
  });
});

test('what ends too early, is no UTF-8 or too large a number is malformed', () => {
  const of = (...bytes: number[]): Fields => new Fields(Buffer.from(bytes));
  const early = new MalformedPacket('a packet ends too early');
  expect(() => of().byte()).toThrow(early);
  expect(() => of(0, 0, 0).number()).toThrow(early);
  expect(() => of(0, 0, 0, 2, 65).text()).toThrow(early);
  expect(() => of(0, 0, 0, 4).attributes()).toThrow(early);
  expect(() => of(0, 0, 0, 1, 255).text()).toThrow(new MalformedPacket('a name is no UTF-8'));
  expect(of(0, 31, 255, 255, 255, 255, 255, 255).long()).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => of(0, 32, 0, 0, 0, 0, 0, 0).long()).toThrow('a number is too large');
});

test('answers have the bytes that the draft gives them', () => {
  const id = u32(300);
  const both = { size: 5, uid: 1, gid: 2, mode: 3, atime: 4, mtime: 6 };
  const bytes = [15, 0, 5, 1, 2, 3, 4, 6].flatMap(u32);
  const text = (value: string): Buffer => packet(value);
  const expected: [Buffer, Buffer][] = [
    [answers.version(3, { 'a@b': '1' }), packet([2], u32(3), [...text('a@b')], [...text('1')])],
    [answers.status(300, 0), packet([101], id, u32(0), [...text('')], [...text('en')])],
    [answers.status(300, 8, 'é'), packet([101], id, u32(8), [...text('é')], [...text('en')])],
    [answers.handle(300, Buffer.from('h')), packet([102], id, [...text('h')])],
    [answers.data(300, Buffer.from('d')), packet([103], id, [...text('d')])],
    [
      answers.names(300, [{ name: 'n', line: 'l', attributes: {} }]),
      packet([104], id, u32(1), [...text('n')], [...text('l')], u32(0)),
    ],
    [answers.attributes(300, both), packet([105], id, bytes)],
    // Half of an owner, and half of the times, cannot be said.
    [answers.attributes(300, { uid: 1, atime: 4 }), packet([105], id, u32(0))],
    [answers.attributes(300, { gid: 1, mtime: 4 }), packet([105], id, u32(0))],
    [answers.extended(300, long(1)), packet([201], id, u32(0), u32(1))],
  ];
  for (const [given, wanted] of expected) expect(hex(given)).toBe(hex(wanted));
});
