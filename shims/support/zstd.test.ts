/** zstd: files of several frames, as `zstd` and `cat` make them. */
import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unzstd } from './zstd.ts';

const LIMIT = 1 << 22;

/** What others put between frames: a size, and bytes that are not ours. */
function skippable(magic: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + magic, 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** One frame. Its head differs with its size, and with what it is said to hold. */
function frame(text: Buffer, hasChecksum: boolean, hasSize: boolean): Buffer {
  return zstdCompressSync(text, {
    params: {
      [constants.ZSTD_c_checksumFlag]: hasChecksum ? 1 : 0,
      [constants.ZSTD_c_contentSizeFlag]: hasSize ? 1 : 0,
    },
    ...(hasSize ? { pledgedSrcSize: text.length } : {}),
  });
}

/** Of all sizes that a head writes in 0, 1, 2 and 4 bytes; of one byte repeated, of blocks, of noise. */
const texts = fc
  .record({
    size: fc.constantFrom(0, 1, 5, 255, 256, 257, 65_535, 65_536, 65_800, 140_000, 300_000),
    kind: fc.constantFrom('same', 'words', 'noise'),
    seed: fc.nat(),
  })
  .map(({ size, kind, seed }) => {
    let state = seed;
    return Buffer.from(
      Array.from({ length: size }, (_, at) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return kind === 'same' ? 65 : kind === 'words' ? 97 + (at % 23) : state >>> 24;
      }),
    );
  });

const pieces = fc.oneof(
  fc
    .tuple(texts, fc.boolean(), fc.boolean())
    .map(([text, sum, size]) => ({ packed: frame(text, sum, size), text })),
  fc
    .tuple(fc.nat(15), fc.uint8Array({ maxLength: 40 }))
    .map(([magic, content]) => ({ packed: skippable(magic, content), text: Buffer.alloc(0) })),
);

test('frames one after the other unpack to their texts, whatever stands between', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 5 }), (all) => {
      const packed = Buffer.concat(all.map((each) => each.packed));
      const text = Buffer.concat(all.map((each) => each.text));
      expect(unzstd(packed, LIMIT).equals(text)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('what grows beyond the limit is refused, counted over all frames', () => {
  const one = frame(Buffer.alloc(1000, 'ab'), true, true);
  expect(unzstd(Buffer.concat([one, one]), 2000)).toHaveLength(2000);
  expect(() => unzstd(Buffer.concat([one, one]), 1999)).toThrow(RangeError);
  expect(() => unzstd(one, 999)).toThrow(RangeError);
});

test('what is cut off, or goes on with something else, is refused', () => {
  const one = frame(Buffer.from('some text, some text, some text'), true, true);
  for (const length of [5, 8, 12, one.length - 5, one.length - 1])
    expect(() => unzstd(one.subarray(0, length), LIMIT)).toThrow();
  expect(() => unzstd(Buffer.concat([one, Buffer.from('rest of it')]), LIMIT)).toThrow();
  expect(() => unzstd(Buffer.from('no such thing'), LIMIT)).toThrow();
});
