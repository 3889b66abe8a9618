/** Which proposals a person was shown, over as many terminals as look. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import type { Proposal } from './proposals.ts';
import { digestShown, forgetShown, noteShown } from './shown.ts';

function place(): { directory: string; file: string } {
  const directory = temporaryDirectory();
  return { directory, file: join(directory, 'shown.json') };
}
const proposal = (path: string, digest: string) => ({ path, digest }) as Proposal;

test('what was shown last is known until it is forgotten, each proposal by itself', () => {
  const { directory, file } = place();
  expect(digestShown(file, 'a')).toBeNull();
  noteShown(file, []);
  forgetShown(file, 'a');
  expect(readdirSync(directory)).toEqual([]);
  noteShown(file, [proposal('a', '1'), proposal('b', '2')]);
  noteShown(file, [proposal('a', '3')]);
  expect([digestShown(file, 'a'), digestShown(file, 'b')]).toEqual(['3', '2']);
  expect(readFileSync(file, 'utf8')).toBe('{\n  "a": "3",\n  "b": "2"\n}\n');
  forgetShown(file, 'a');
  expect([digestShown(file, 'a'), digestShown(file, 'b')]).toEqual([null, '2']);
  expect(digestShown(file, 'constructor')).toBeNull();
});

test.each(['', '{', '[]', '{"a": 1}', 'null'])(
  'a file that says %j is none, and nothing is taken from it',
  (text) => {
    const { file } = place();
    writeFileSync(file, text);
    for (const use of [
      () => digestShown(file, 'a'),
      () => noteShown(file, [proposal('a', '1')]),
      () => forgetShown(file, 'a'),
    ])
      expect(use).toThrow('look at them again');
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

test('a file that cannot be read is no empty one', () => {
  expect(() => digestShown(place().directory, 'a')).toThrow('EISDIR');
});
