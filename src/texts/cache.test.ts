import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/world/harness.ts';
import { TextCache, textKey } from './cache.ts';
import { DocumentFault } from './fault.ts';

const bytes = Buffer.from('a document');

test('a text is known by its document, its format and the settings it was made with', () => {
  const keys = [
    textKey(bytes, 'pdf', ''),
    textKey(bytes, 'docx', ''),
    textKey(bytes, 'pdf', 'deu'),
    textKey(Buffer.from('another'), 'pdf', ''),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(textKey(Buffer.from('a document'), 'pdf', '')).toBe(keys[0]);
});

test('what one process kept another reads, and nobody else: a text, and why there is none', () => {
  const directory = join(temporaryDirectory(), 'state', 'texts');
  const writer = new TextCache(directory);
  writer.put('text', { text: 'Grüße' });
  writer.put('broken', { fault: new DocumentFault('EINVAL', 'no such page\nat all') });
  const reader = new TextCache(directory);
  expect(reader.get('text')).toEqual({ text: 'Grüße' });
  expect(reader.get('broken')).toEqual({
    fault: expect.objectContaining({ code: 'EINVAL', message: 'no such page\nat all' }),
  });
  expect(reader.get('other')).toBeNull();
  expect(fs.readdirSync(directory).sort()).toEqual(['broken.fault', 'text.md']);
  for (const path of [directory, join(directory, 'text.md')])
    expect(fs.statSync(path).mode & 0o077).toBe(0);
});

test('a fault that passes is kept no longer than the process, nor is anything without a directory', () => {
  const directory = temporaryDirectory();
  for (const cache of [new TextCache(directory), new TextCache(null)]) {
    const fault = new DocumentFault('EFBIG', 'too much for now');
    cache.put('late', { fault });
    expect(cache.get('late')).toEqual({ fault });
  }
  expect(fs.readdirSync(directory)).toEqual([]);
  const held = new TextCache(null);
  held.put('a', { text: 'x' });
  expect([held.get('a'), new TextCache(null).get('a')]).toEqual([{ text: 'x' }, null]);
});

test('in memory the texts that were put in first go when there are too many characters', () => {
  const cache = new TextCache(null);
  const large = 'x'.repeat(6 * 1024 * 1024);
  for (const key of ['a', 'b', 'c']) cache.put(key, { text: large });
  expect(['a', 'b', 'c'].map((key) => cache.get(key) !== null)).toEqual([false, true, true]);
  cache.put('whole', { text: large.repeat(3) });
  expect(cache.get('whole')).not.toBeNull();
  expect(cache.get('c')).toBeNull();
});

test('of texts on the disk that take too much room those go that were used longest ago', () => {
  const directory = temporaryDirectory();
  const old = join(directory, 'old.md');
  const used = join(directory, 'used.md');
  for (const [file, time] of [
    [old, 1_000],
    [used, 2_000],
  ] as const) {
    // As large as they say, and no blocks of the disk.
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 300 * 1024 * 1024);
    fs.utimesSync(file, time, time);
  }
  new TextCache(directory).put('new', { text: 'n' });
  expect(fs.readdirSync(directory).sort()).toEqual(['new.md', 'used.md']);
  fs.rmSync(used);
});
