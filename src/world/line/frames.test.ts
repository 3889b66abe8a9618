/** Messages on a socket, as bytes that come in any pieces. */
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Framed, FrameReader, FrameWriter } from './frames.ts';

const LARGE = 64 * 1024;

/** What a writer puts on its socket, by the time that it has passed it on. */
async function bytesOf(messages: readonly Framed[]): Promise<{ bytes: Buffer; writes: number }> {
  const chunks: Buffer[] = [];
  let writes = 0;
  const take = (some: Buffer[], done: () => void): void => {
    writes += 1;
    chunks.push(...some);
    done();
  };
  const socket = new Writable({
    write: (chunk, _, done) => take([chunk], done),
    writev: (all, done) =>
      take(
        all.map(({ chunk }) => chunk),
        done,
      ),
  });
  const writer = new FrameWriter(socket as unknown as Socket);
  for (const message of messages) writer.send(message);
  await new Promise((resolve) => process.nextTick(resolve));
  return { bytes: Buffer.concat(chunks), writes };
}

/** What a reader makes of bytes that come in pieces of these lengths. */
function read(bytes: Buffer, lengths: readonly number[]) {
  const found: unknown[] = [];
  const memory: number[] = [];
  const reader = new FrameReader(
    (length) => {
      memory.push(length);
      return Buffer.alloc(length);
    },
    (message) => found.push(message),
  );
  let at = 0;
  for (let piece = 0; at < bytes.length; piece++) {
    const end = at + (lengths[piece % Math.max(1, lengths.length)] ?? bytes.length);
    // Of memory that is used again for what comes next.
    const own = Buffer.from(bytes.subarray(at, end));
    reader.take(own);
    own.fill(0xff);
    at = end;
  }
  return { found, memory };
}

const plain = (messages: readonly unknown[]): unknown[] =>
  (messages as Framed[]).map(({ rows, ...rest }) => ({
    ...rest,
    rows: rows.map((row) => row.map((each) => (each instanceof Uint8Array ? [...each] : each))),
  }));

const content = fc
  .tuple(fc.constantFrom(0, 1, 7, LARGE - 1, LARGE, LARGE + 3), fc.nat(255))
  .map(([length, value]) => new Uint8Array(length).fill(value));
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>('', 'text', 12, null, true) },
  { weight: 1, arbitrary: content },
);
const message = fc.record({
  id: fc.nat(),
  rows: fc.array(fc.array(value, { maxLength: 3 }), { maxLength: 3 }),
});

test('what is sent arrives, in its order, however the bytes are cut', async () => {
  const lengths = fc.array(fc.constantFrom(1, 3, 8, 9, 100, 5_000, 70_000, 400_000), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 4 }), lengths, async (messages, cut) => {
      const { bytes } = await bytesOf(messages);
      // A byte at a time through large contents proves no more, and takes long.
      const few = bytes.length > 20_000 ? cut.map((length) => Math.max(length, 5_000)) : cut;
      expect(plain(read(bytes, few).found)).toEqual(plain(messages));
    }),
    { numRuns: 40 },
  );
});

test('a content of 64 KiB goes by itself into memory of its own, and a smaller one does not', async () => {
  const small = new Uint8Array(LARGE - 1).fill(1);
  const large = new Uint8Array(LARGE).fill(2);
  const { bytes } = await bytesOf([{ rows: [['a', small], [large, 'b'], [large]] }]);
  const { found, memory } = read(bytes, [bytes.length]);
  expect(memory).toEqual([LARGE, LARGE]);
  const [{ rows } = { rows: [] }] = found as Framed[];
  expect([rows[0]?.[0], rows[1]?.[1]]).toEqual(['a', 'b']);
  expect(
    [rows[0]?.[1], rows[1]?.[0], rows[2]?.[0]].map((each) => Buffer.from(each as Uint8Array)[9]),
  ).toEqual([1, 2, 2]);
  expect(large).toEqual(new Uint8Array(LARGE).fill(2));
});

test('what is sent in one turn is written at once', async () => {
  const rows = [['x']];
  expect((await bytesOf([{ rows }, { rows }, { rows }])).writes).toBe(1);
});

test('bytes that are no messages are refused before memory is taken for them', () => {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(256 * 1024 ** 2, 0);
  expect(() => read(head, [8])).toThrow('came on a line');
  expect(() => read(head, [3])).toThrow('came on a line');
});
