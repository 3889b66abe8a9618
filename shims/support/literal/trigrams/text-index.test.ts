/** What the index may leave unread, and what it takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Identity, WalkedFile } from '../../../../src/mount/contract/walked-file.ts';
import { excludes, requiredOf, sign, wordsFor } from './signature.ts';
import { TextIndex } from './text-index.ts';

/** A file in memory that counts how often it is read. */
class Counted {
  text: string;
  identity: Identity | null = ['1'];
  reads = 0;
  readonly file: WalkedFile;

  constructor(text: string, name = 'f') {
    this.text = text;
    this.file = new WalkedFile('/d', name, {
      bytes: () => this.#read(),
      identifiable: true,
      identity: () => this.identity,
      identified: () => ({ bytes: this.#read(), identity: this.identity }),
    });
  }

  #read(): Uint8Array {
    this.reads += 1;
    return Buffer.from(this.text);
  }
}

const find = (index: TextIndex, counted: Counted, word: string): string =>
  Buffer.from(index.search([Buffer.from(word)])?.bytes(counted.file) ?? 'none').toString();

describe('a text index', () => {
  it('reads a file twice, and then only where it may match', () => {
    const index = new TextIndex();
    const counted = new Counted('one two');
    for (const word of ['zebra', 'zebra']) expect(find(index, counted, word)).toBe('one two');
    expect(find(index, counted, 'zebra')).toBe('');
    expect(counted.reads).toBe(2);
    expect(find(index, counted, 'two')).toBe('one two');
    expect(counted.reads).toBe(3);
    expect(index.passedOver).toBe(1);
  });

  it('reads a file again whose identity has changed, or that has none', () => {
    const index = new TextIndex();
    const counted = new Counted('one two');
    for (let time = 0; time < 3; time++) find(index, counted, 'zebra');
    counted.text = 'a zebra';
    counted.identity = ['2'];
    expect(find(index, counted, 'zebra')).toBe('a zebra');
    expect(find(index, counted, 'two')).toBe('');
    counted.text = 'two';
    counted.identity = null;
    for (let time = 0; time < 3; time++) expect(find(index, counted, 'two')).toBe('two');
  });

  it('is not asked for texts of fewer than three bytes, or that end lines', () => {
    const index = new TextIndex();
    for (const texts of [null, [], ['ab'], ['abc', 'x'], ['a\nbc'], ['ab\0c']])
      expect(index.search(texts?.map((text) => Buffer.from(text)) ?? null)).toBeNull();
  });

  it('keeps within its memory, makes room of what nobody looks for, and stays right when it is full', () => {
    const index = new TextIndex(20_000);
    const old = Array.from({ length: 60 }, (_, each) => new Counted(`one ${each}`, `old ${each}`));
    const fresh = Array.from(
      { length: 60 },
      (_, each) => new Counted(`two ${each}`, `new ${each}`),
    );
    for (const files of [old, fresh, fresh, fresh, fresh, old]) {
      const search = index.search([Buffer.from('two')]);
      for (const { file, text } of files) {
        const found = Buffer.from(search?.bytes(file) ?? []).toString();
        expect(found === text || (found === '' && !text.includes('two'))).toBe(true);
      }
      expect(index.bytes).toBeLessThanOrEqual(20_000);
      expect(index.bytes).toBeGreaterThan(0);
    }
  });
});

it('a signature never excludes a text that is there', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 3_000 }),
      fc.nat(),
      fc.integer({ min: 3, max: 20 }),
      (text, from, size) => {
        const start = text.length === 0 ? 0 : from % text.length;
        const required = requiredOf([
          Buffer.from('not in it at all'),
          text.subarray(start, start + size),
        ]);
        const words = wordsFor(text.length);
        const signatures = new Int32Array(3 * words);
        sign(text, signatures, words, words);
        if (required !== null) expect(excludes(signatures, words, words, required)).toBe(false);
        expect(excludes(signatures, 0, words, [Uint32Array.of(1)])).toBe(true);
        expect(excludes(signatures, 2 * words, words, [Uint32Array.of(1)])).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});
