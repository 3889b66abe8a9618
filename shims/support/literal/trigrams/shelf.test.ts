/** What a shelf may say of texts, whatever came and went on it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Listing } from '../../../../src/mount/contract/listing.ts';
import type { Identity } from '../../../../src/mount/contract/walked-file.ts';
import { Shelf } from './shelf.ts';
import { requiredOf } from './signature.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const WORDS = ['zebra', 'okapi', 'gnu', 'lynx'];

/** A directory as it is: the words of each file, and how often each was changed. */
class Directory {
  readonly files = new Map<string, { words: string[]; version: number }>();
  /** Does the directory tell of its changes, as one in memory does? */
  readonly tells: boolean;
  epoch = 0;
  asked = 0;

  constructor(tells: boolean) {
    this.tells = tells;
  }

  write(name: string, words: string[]): void {
    const version = (this.files.get(name)?.version ?? 0) + 1;
    this.files.set(name, { words, version });
    this.epoch += 1;
  }

  text(name: string): Buffer {
    // Of several sizes, so that signatures are, too.
    const words = this.files.get(name)?.words ?? [];
    return Buffer.from(words.join(' ').padEnd(words.length * 700));
  }

  identity(name: string): Identity {
    return [name, this.files.get(name)?.version ?? 0];
  }

  listing(): Listing {
    const names = [...this.files.keys()].sort();
    return {
      key: this,
      names,
      directories: [],
      ...(this.tells ? { epoch: this.epoch } : {}),
      is: (index, [name, version]) => {
        this.asked += 1;
        return name === names[index] && this.files.get(String(name))?.version === version;
      },
    };
  }
}

const stepOf = fc.record({
  act: fc.constantFrom('write', 'remove', 'read', 'read', 'forget'),
  name: fc.constantFrom(...NAMES),
  words: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
});

describe('a shelf', () => {
  it.each([
    ['that tells of its changes', true],
    ['that does not', false],
  ])('of a directory %s never says of a text that is there that it misses', (_what, tells) => {
    let missed = 0;
    fc.assert(
      fc.property(fc.array(stepOf, { minLength: 5, maxLength: 60 }), (steps) => {
        const directory = new Directory(tells);
        const shelf = new Shelf();
        for (const name of NAMES) directory.write(name, [name]);
        for (const { act, name, words } of steps) {
          if (act === 'write') directory.write(name, words);
          else if (act === 'remove') directory.files.delete(name);
          else if (act === 'forget') shelf.forget(name);
          else if (directory.files.has(name)) {
            const text = directory.text(name);
            const before = shelf.bytes;
            const cost = shelf.costOf(text.length);
            if (!shelf.has(name)) shelf.add(name);
            else {
              shelf.learn(name, text, directory.identity(name));
              expect(shelf.bytes).toBeLessThanOrEqual(before + cost);
            }
          }
          missed += check(shelf, directory);
        }
      }),
      { numRuns: 300 },
    );
    expect(missed).toBeGreaterThan(1_000);
  });

  it('makes room of the signatures that count no more, and keeps the others', () => {
    const directory = new Directory(true);
    const shelf = new Shelf();
    for (const name of ['big', 'kept', 'last']) shelf.add(name);
    directory.write('kept', ['zebra']);
    directory.write('last', ['okapi']);
    for (let round = 0; round < 40; round++) {
      directory.write(
        'big',
        Array.from({ length: 1 + (round % 6) }, () => 'lynx'),
      );
      for (const name of round === 0 ? ['big', 'kept', 'last'] : ['big'])
        shelf.learn(name, directory.text(name), directory.identity(name));
      // Each word is in one file, and missed in the two others.
      expect(check(shelf, directory)).toBe(3 * 2 + 3);
      expect(shelf.bytes).toBeLessThan(20_000);
    }
  });

  it('asks nothing of the files of a directory that tells of its changes, as long as there are none', () => {
    const directory = new Directory(true);
    const shelf = new Shelf();
    directory.write('a', ['zebra']);
    shelf.add('a');
    shelf.learn('a', directory.text('a'), directory.identity('a'));
    const listing = directory.listing();
    shelf.fit(listing);
    directory.asked = 0;
    const okapi = requiredOf([Buffer.from('okapi')]);
    expect(okapi !== null && shelf.fits(listing) && shelf.misses(listing, 0, okapi)).toBe(true);
    expect(directory.asked).toBe(0);
    directory.write('a', ['okapi']);
    expect(shelf.fits(directory.listing())).toBe(false);
  });
});

/** How many files the shelf would leave unread, all words considered; fails where one has the word. */
function check(shelf: Shelf, directory: Directory): number {
  let missed = 0;
  const listing = directory.listing();
  if (!shelf.fits(listing)) shelf.fit(listing);
  for (const word of WORDS) {
    const required = requiredOf([Buffer.from(word)]);
    for (const [index, name] of listing.names.entries()) {
      if (required === null || !shelf.misses(listing, index, required)) continue;
      expect(directory.text(name).includes(word), `${name}: ${word}`).toBe(false);
      missed += 1;
    }
  }
  return missed;
}
