/** What a mount says of itself: files that a walk meets, what was spent, what a service tells by itself. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MountUsage } from './contract.ts';
import { type Listing, type Sieve, type Subdirectory, walkListings } from './listing.ts';
import { addUsage, ownUsage, usageSince } from './usage.ts';
import { sameIdentity, type WalkedContent, WalkedFile } from './walked-file.ts';
import {
  type Delivery,
  DeliveryRefusal,
  eventText,
  isDeliveryRefusal,
  readBody,
  requireHeader,
  requireRecent,
  requireSignature,
} from './webhook.ts';

describe('what was spent', () => {
  const spent = (requests: number, bytes: number, behind?: [number, number]): MountUsage => ({
    requests,
    bytes,
    ...(behind && { behind: { requests: behind[0], bytes: behind[1] } }),
  });

  it.each([
    [spent(1, 2), spent(3, 4), spent(4, 6)],
    [spent(1, 2, [1, 1]), spent(3, 4), spent(4, 6, [1, 1])],
    [spent(1, 2), spent(3, 4, [0, 2]), spent(4, 6, [0, 2])],
    [spent(1, 2, [0, 0]), spent(3, 4, [0, 0]), spent(4, 6)],
    [spent(1, 2, [3, 0]), spent(3, 4, [4, 5]), spent(4, 6, [7, 5])],
  ])('%o and %o are %o together', (a, b, both) => {
    expect(addUsage(a, b)).toEqual(both);
    expect(usageSince(a, both)).toEqual(usageSince(spent(0, 0), b));
  });

  it('for what somebody waited is all but what was asked behind the reads', () => {
    expect(ownUsage(spent(5, 50, [2, 30]))).toEqual(spent(3, 20));
    expect(ownUsage(spent(5, 50))).toEqual(spent(5, 50));
  });
});

describe('a file that a walk meets', () => {
  const bytes = new Uint8Array([1]);
  const file = (content: Partial<WalkedContent>, directory = '/a') =>
    new WalkedFile(directory, 'x', { bytes: () => bytes, ...content });

  it('is at a path, and is what its mount says of it', () => {
    expect([file({}).path, file({}, '/').path]).toEqual(['/a/x', '/x']);
    expect([
      file({}).costly,
      new WalkedFile('/', 'x', { bytes: () => null }, 'directory').costly,
    ]).toEqual([false, 'directory']);
    const key = {};
    const told = file({ identifiable: true, momentary: true, directoryKey: key });
    expect([told.identifiable, told.momentary, told.directoryKey]).toEqual([true, true, key]);
    expect([file({}).identifiable, file({}).momentary, file({}).directoryKey]).toEqual([
      false,
      false,
      undefined,
    ]);
  });

  it('has bytes with what tells them from others, where anything does', () => {
    expect([file({}).identity(), file({}).identified()]).toEqual([null, { bytes, identity: null }]);
    expect(file({ bytes: () => null }).identified()).toBeNull();
    const identity = ['a', 1];
    const known = file({ identity: () => identity, identified: () => ({ bytes, identity }) });
    expect([known.identity(), known.identified()]).toEqual([identity, { bytes, identity }]);
    expect(file({ identified: () => null }).identified()).toBeNull();
    expect(known.bytes()).toBe(bytes);
  });

  it.each([
    [['a', 1], ['a', 1], true],
    [['a', 1], ['a', 2], false],
    [['a'], ['a', 1], false],
    [['a', 1], ['a', '1'], false],
    [[], [], true],
  ])('known as %o is the same as one known as %o: %s', (one, two, same) => {
    expect([sameIdentity(one, two), sameIdentity(two, one)]).toEqual([same, same]);
  });
});

describe('a walk over listings', () => {
  interface Shelf extends Listing {
    below: Readonly<Record<string, Shelf>>;
  }
  const shelf = (
    names: string[],
    directories: Subdirectory[] = [],
    below: Record<string, Shelf> = {},
  ): Shelf => ({ key: {}, names, directories, below, is: () => false });
  const inner = shelf(['1', '2']);
  const root = shelf(
    ['a', 'c', 'e'],
    [
      { name: 'b', after: 1 },
      { name: 'd', after: 2 },
      { name: 'f', after: 3 },
    ],
    { b: inner, d: shelf([], [{ name: 'deep', after: 0 }], { deep: shelf(['x']) }), f: shelf([]) },
  );
  const listings = {
    below: (listing: Shelf, _path: string, { name }: Subdirectory) => listing.below[name] as Shelf,
    content: (listing: Shelf, path: string, index: number): WalkedContent => ({
      bytes: () => Buffer.from(`${path} ${listing.names[index]}`),
    }),
  };
  const walk = (sieve: Sieve | null = null, path = '/') =>
    [...walkListings(listings, root, path, sieve)].map((file) => file.path);

  it('goes depth first, in the order of the names', () => {
    expect(walk()).toEqual(['/a', '/b/1', '/b/2', '/c', '/d/deep/x', '/e']);
    expect(walk(null, '/top')[1]).toBe('/top/b/1');
    const [, first] = walkListings(listings, root, '/', null);
    expect(Buffer.from(first?.bytes() ?? []).toString()).toBe('/b 1');
  });

  it('gives what is wanted, and enters what something is wanted of', () => {
    const seen: string[] = [];
    const sieve: Sieve = {
      wanted: (listing, directory) => {
        seen.push(directory);
        return directory === '/' ? [0, 2] : listing === inner ? [1] : null;
      },
      enters: (directory) => directory !== '/d',
    };
    expect(walk(sieve)).toEqual(['/a', '/b/2', '/e']);
    expect(seen).toEqual(['/', '/b', '/f']);
    expect(walk({ wanted: () => [], enters: () => true })).toEqual([]);
    expect(walk({ wanted: () => [1], enters: () => false })).toEqual(['/c']);
  });
});

describe('a delivery', () => {
  const body = Buffer.from('{"a": 1}');
  const secret = 'a secret of the server';
  const now = new Date('2026-01-31T10:00:00Z');
  const delivery = (headers: Record<string, string> = {}, text: Uint8Array = body): Delivery => ({
    header: (name) => headers[name] ?? null,
    body: text,
  });
  const kindOf = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      if (isDeliveryRefusal(error)) return error.kind;
      throw error;
    }
    return 'taken';
  };
  const signature = createHmac('sha256', secret).update(body).digest('hex');

  it.each([
    [signature, 'taken'],
    [signature.toUpperCase(), 'taken'],
    [`0${signature.slice(1)}`, signature.startsWith('0') ? 'taken' : 'unsigned'],
    [signature.slice(1), 'unsigned'],
    [`${signature}00`, 'unsigned'],
    ['', 'unsigned'],
    ['0'.repeat(64), 'unsigned'],
    [null, 'unsigned'],
  ])('signed %s is %s', (given, kind) => {
    expect(kindOf(() => requireSignature(delivery(), { secret, now }, given))).toBe(kind);
    expect(kindOf(() => requireSignature(delivery(), { secret: 'other', now }, given))).toBe(
      'unsigned',
    );
  });

  it.each([
    [0, 'taken'],
    [1_000, 'taken'],
    [-1_000, 'taken'],
    [1_001, 'stale'],
    [-1_001, 'stale'],
    [Number.NaN, 'stale'],
  ])('that was sent %i ms from now is %s', (ms, kind) => {
    expect(kindOf(() => requireRecent(now.getTime() + ms, { secret, now }, 1_000))).toBe(kind);
  });

  it('says of the time that there is none', () => {
    expect(() => requireRecent(Number.NaN, { secret, now }, 1)).toThrow('it was sent at no time');
    expect(() => requireRecent(0, { secret, now }, 1)).toThrow('it was sent at 1970-01-01T00');
  });

  it.each([
    ['an-id_1.2', 'taken'],
    ['x'.repeat(100), 'taken'],
    ['x'.repeat(101), 'malformed'],
    ['', 'malformed'],
    ['two words', 'malformed'],
  ])('with the id %s is %s', (id, kind) => {
    expect(kindOf(() => expect(requireHeader(delivery({ id }), 'id')).toBe(id))).toBe(kind);
    expect(kindOf(() => requireHeader(delivery(), 'id'))).toBe('malformed');
  });

  it('is JSON of a shape', () => {
    const schema = z.object({ a: z.number() });
    expect(readBody(delivery(), schema)).toEqual({ a: 1 });
    const refused = (text: Uint8Array | string) => {
      try {
        return readBody(delivery({}, Buffer.from(text as string)), schema);
      } catch (error) {
        return (error as DeliveryRefusal).message;
      }
    };
    expect(refused('{')).toMatch(/^the body is no JSON/);
    expect(refused(Buffer.from([0x22, 0xff, 0x22]))).toMatch(/^the body is no JSON/);
    expect(refused('{"a": "x"}')).toMatch(/^a: /);
    expect(refused('7')).toMatch(/^: |^body: /);
  });

  it('is refused by whichever copy of the package a mount brings along', () => {
    expect(isDeliveryRefusal(new DeliveryRefusal('stale', 'x'))).toBe(true);
    const copy = Object.assign(new Error('x'), { name: 'DeliveryRefusal', kind: 'stale' });
    expect(isDeliveryRefusal(copy)).toBe(true);
    for (const other of [
      new Error('x'),
      { name: 'DeliveryRefusal', kind: 'stale' },
      Object.assign(new Error('x'), { name: 'DeliveryRefusal' }),
    ])
      expect(isDeliveryRefusal(other)).toBe(false);
  });

  it.each([
    [{ by: 'ada', at: null, on: undefined, empty: '' }, 'text', 'by: ada\nempty: \n\ntext'],
    [{ by: 'ada' }, '', 'by: ada'],
    [{}, 'text', '\ntext'],
    [{}, '', ''],
    [{}, 'x'.repeat(4_000), `\n${'x'.repeat(4_000)}`],
    [{}, 'x'.repeat(4_001), `\n${'x'.repeat(4_000)} […]`],
  ])('tells of %o and %s', (said, body, text) => {
    expect(eventText(said, body)).toBe(text);
  });
});
