import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ALL_RIGHTS,
  type FilesystemRights,
  intersectFilesystem,
  intersectRights,
  RIGHTS,
  rightAt,
} from './rights.ts';
import { allowsTool } from './tool-switches.ts';

const segment = fc.constantFrom('a', 'b', 'mnt');
const path = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join('/')}`);
const right = fc.constantFrom(...RIGHTS);
const rights: fc.Arbitrary<FilesystemRights> = fc.oneof(
  right,
  fc.dictionary(fc.oneof(path, fc.constant('*')), right),
);
const rank = (each: FilesystemRights, at: string): number => RIGHTS.indexOf(rightAt(each, at));

describe('C a sub-agent’s rights are the intersection with its parent’s', () => {
  test('at every path they are the lesser of the two', () => {
    fc.assert(
      fc.property(rights, rights, path, (parent, child, at) => {
        const both = rank(intersectFilesystem(parent, child), at);
        expect(both).toBe(Math.min(rank(parent, at), rank(child, at)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a chain of agents never gains, in whatever order it is taken', () => {
    fc.assert(
      fc.property(rights, rights, rights, path, (a, b, c, at) => {
        const left = intersectFilesystem(intersectFilesystem(a, b), c);
        const right = intersectFilesystem(a, intersectFilesystem(b, c));
        expect(rank(left, at)).toBe(rank(right, at));
      }),
    );
  });

  test('a read-only parent has no read-write child', () => {
    const child = { ...ALL_RIGHTS, filesystem: { '/workspace': 'read-write' } as const };
    const { filesystem } = intersectRights({ ...ALL_RIGHTS, filesystem: 'read-only' }, child);
    expect(rightAt(filesystem, '/workspace/f')).toBe('read-only');
  });

  test('a tool is on where all say so, the last match wins, and skills are those of both', () => {
    const both = intersectRights(
      { ...ALL_RIGHTS, tools: [{ '*': false, 'read*': true, readx: false }], skills: ['a', 'b'] },
      { ...ALL_RIGHTS, tools: [{ bash: true, read: true }], skills: ['b', 'c'] },
    );
    const on = (name: string) => allowsTool(both, name);
    expect([on('read'), on('readx'), on('bash'), on('read-more')]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(both.skills).toEqual(['b']);
    expect(intersectRights(ALL_RIGHTS, { ...ALL_RIGHTS, skills: [] }).skills).toEqual([]);
  });
});

test('the longest path decides, and a name that only begins alike is another', () => {
  const map = { '*': 'append', '/mnt': 'read-only', '/mnt/docs': 'read-write' } as const;
  expect(
    ['/x', '/mnt/a', '/mnt/docs', '/mnt/docs/a', '/mnt/docs2'].map((at) => rightAt(map, at)),
  ).toEqual(['append', 'read-only', 'read-write', 'read-write', 'read-only']);
  expect(rightAt({ '/mnt': 'read-write' }, '/elsewhere')).toBe('read-only');
});
