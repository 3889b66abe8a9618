/** A sandbox as `deepagents` has it: pages of files, edits, searches, and failures in its words. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { FsError } from '../../errors.ts';
import type { Visit } from '../door.ts';
import { filesInMemory, ran } from '../testing.ts';
import { contentOf, failureOf, pageOf, told } from './deepagents-answers.ts';
import { WorldBackend } from './deepagents-backend.ts';
import { findNames, findText } from './search.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('a page of a file', () => {
  const mimeType = 'text/plain';
  test.each<[string, number, number, object]>([
    [
      'a\nb\nc\n',
      0,
      2,
      { content: 'a\nb', totalLines: 3, startLine: 1, endLine: 2, nextOffset: 2 },
    ],
    ['a\nb\nc\n', 1, 2, { content: 'b\nc', totalLines: 3, startLine: 2, endLine: 3 }],
    ['a\nb\nc', 2, 9, { content: 'c', totalLines: 3, startLine: 3, endLine: 3 }],
    ['a\nb\n', 0, Infinity, { content: 'a\nb\n', totalLines: 2, startLine: 1, endLine: 2 }],
    ['a\nb', 2, 1, { content: '', totalLines: 2 }],
    ['a\nb\n', 0, 0, { content: '', totalLines: 2 }],
    ['', 0, 9, { content: '', totalLines: 0 }],
  ])('%j from line %i, %i at most', (text, offset, limit, page) => {
    expect(pageOf(bytes(text), offset, limit)).toEqual({ mimeType, ...page });
  });

  test('that is no text is all of its bytes', () => {
    const file = { content: Uint8Array.of(2, 0), mimeType: 'application/octet-stream' };
    expect(contentOf(Uint8Array.of(2, 0))).toEqual(file);
    expect(pageOf(Uint8Array.of(2, 0), 3, 1)).toEqual(file);
    expect(contentOf(bytes('ü'))).toEqual({ content: 'ü', mimeType: 'text/plain' });
  });
});

test.each([
  ['ENOENT', 'file_not_found'],
  ['EACCES', 'permission_denied'],
  ['EPERM', 'permission_denied'],
  ['EROFS', 'permission_denied'],
  ['EISDIR', 'is_directory'],
  ['ENOTDIR', 'invalid_path'],
] as const)('a failure with %s is %s', async (code, word) => {
  const fail = (reason?: string) => async () => {
    throw new FsError(code, {
      path: '/a',
      op: 'open',
      ...(reason === undefined ? {} : { reason }),
    });
  };
  expect(await failureOf(fail())).toBe(word);
  expect(await told(fail('not so'))).toEqual({ error: 'not so' });
  expect(await told(fail())).toEqual({ error: expect.stringMatching(/^\/a: [A-Z]/) });
});

test('a fault is no failure', async () => {
  const fault = async () => Promise.reject(new TypeError('fault'));
  await expect(failureOf(fault)).rejects.toThrow('fault');
  await expect(told(fault)).rejects.toThrow('fault');
  expect(await failureOf(async () => undefined)).toBe(null);
  expect(await told(async () => ({ a: 1 }))).toEqual({ a: 1 });
});

/** A visit whose commands bash runs on this machine. */
const onHost = {
  exec: async (command: string, options: object) => {
    expect(options).toEqual({ fresh: true });
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    return ran(stdout, stderr, status ?? -1);
  },
} as unknown as Visit;

describe('a search', () => {
  const made = () => {
    const at = temporaryDirectory();
    mkdirSync(join(at, "it's"));
    mkdirSync(join(at, 'deep/er'), { recursive: true });
    writeFileSync(join(at, "it's", 'a:1.md'), 'one\na.b: two\naxb\n');
    writeFileSync(join(at, 'deep/er/b.txt'), '-a.b\n');
    return at;
  };

  test('finds a text literally, with its lines, in files of a name', async () => {
    const at = made();
    const one = { path: join(at, "it's", 'a:1.md'), line: 2, text: 'a.b: two' };
    const other = { path: join(at, 'deep/er/b.txt'), line: 1, text: '-a.b' };
    const found = await findText(onHost, 'a.b', at, null, null);
    expect(found).toEqual({ matches: expect.arrayContaining([one, other]), truncated: false });
    expect(found).toHaveProperty('matches.length', 2);
    expect(await findText(onHost, '-a.b', at, null, null)).toEqual({
      matches: [other],
      truncated: false,
    });
    expect(await findText(onHost, 'a.b', at, '*.md', null)).toEqual({
      matches: [one],
      truncated: false,
    });
    expect(await findText(onHost, 'none', at, null, null)).toEqual({
      matches: [],
      truncated: false,
    });
    expect(await findText(onHost, 'a.b', at, null, 1)).toMatchObject({
      matches: { length: 1 },
      truncated: true,
    });
    expect(await findText(onHost, 'a.b', at, null, 2)).toMatchObject({ truncated: false });
    expect(await findText(onHost, 'a', join(at, 'none'), null, null)).toEqual({
      error: expect.stringContaining('No such file'),
    });
  });

  test('is cut short where some files could not be searched', async () => {
    const visit = { exec: async () => ran('/a\x001:x\nBinary file matches\n', 'e', 2) };
    expect(await findText(visit as never, 'x', '/', null, null)).toEqual({
      matches: [{ path: '/a', line: 1, text: 'x' }],
      truncated: true,
    });
  });

  test('finds the names of a glob, in which only wildcards mean something', async () => {
    const at = made();
    const names = async (pattern: string) => findNames(onHost, pattern, at);
    expect(await names('**/*.txt')).toEqual({ names: ['deep/er/b.txt'] });
    expect(await names("it's/a:[0-9].{md,txt}")).toEqual({ names: ["it's/a:1.md"] });
    expect(await names('$(touch x)*')).toEqual({ names: [] });
    expect(await findNames(onHost, '*', join(at, 'none'))).toEqual({
      error: expect.stringContaining('No such file'),
    });
    expect(execFileSync('ls', [at], { encoding: 'utf8' })).toBe("deep\nit's\n");
  });
});

/** A backend over files in memory, and the commands that it ran. */
function backend(result = ran()) {
  const commands: string[] = [];
  const ended: string[] = [];
  const fs = filesInMemory();
  const visit = {
    session: '01',
    fs,
    exec: async (command: string) => {
      commands.push(command);
      return result;
    },
    close: async () => void ended.push('visit'),
  } as unknown as Visit;
  return {
    of: new WorldBackend(visit, async () => void ended.push('doorway')),
    commands,
    ended,
    fs,
  };
}

describe('the backend', () => {
  test('runs commands, and ends with its session', async () => {
    const { of, commands, ended } = backend(ran('out\n', 'err\n', 3));
    expect(of.id).toBe('01');
    expect(await of.execute('ls')).toEqual({ output: 'out\nerr\n', exitCode: 3, truncated: false });
    expect(commands).toEqual(['ls']);
    await of[Symbol.asyncDispose]();
    expect(ended).toEqual(['visit', 'doorway']);
  });

  test('writes, lists, reads and deletes files, relative ones in /workspace', async () => {
    const { of } = backend();
    expect(await of.write('d/a.md', 'a\nb\n')).toEqual({
      path: '/workspace/d/a.md',
      filesUpdate: null,
    });
    expect(await of.ls('.')).toEqual({
      files: [expect.objectContaining({ path: '/workspace/d/', is_dir: true })],
    });
    const modified_at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await of.ls('d')).toEqual({
      files: [{ path: '/workspace/d/a.md', is_dir: false, size: 4, modified_at }],
    });
    expect(await of.read('d/a.md', 1)).toMatchObject({ content: 'b\n', startLine: 2 });
    expect(await of.read('d/a.md')).toMatchObject({ content: 'a\nb\n', startLine: 1, endLine: 2 });
    expect(await of.readRaw('d/a.md')).toEqual({
      data: { content: 'a\nb\n', mimeType: 'text/plain', created_at: modified_at, modified_at },
    });
    expect(await of.delete('d')).toEqual({ path: '/workspace/d', filesUpdate: null });
    for (const failed of [of.read('d/a.md'), of.readRaw('d/a.md'), of.ls('d'), of.delete('d')])
      expect(await failed).toEqual({ error: expect.stringMatching(/^\/workspace\/d/) });
  });

  test('edits what is there once, or all of it where that is said', async () => {
    const { of, fs } = backend();
    await of.write('a', 'x y x');
    expect(await of.edit('a', 'y', 'z')).toEqual({
      path: '/workspace/a',
      filesUpdate: null,
      occurrences: 1,
    });
    expect(await of.edit('a', 'x', '$&')).toEqual({
      error: 'the text is 2 times in /workspace/a: give more of it, or replace all',
    });
    for (const absent of ['q', ''])
      expect(await of.edit('a', absent, 'b', true)).toEqual({
        error: 'the text is not in /workspace/a',
      });
    expect(await fs.readFile('/workspace/a')).toBe('x z x');
    expect(await of.edit('a', 'x', '$&', true)).toMatchObject({ occurrences: 2 });
    expect(await fs.readFile('/workspace/a')).toBe('$& z $&');
  });

  test('searches below /workspace, or where it is told to', async () => {
    const { of, commands } = backend(ran('/a\x001:x\n'));
    expect(await of.grep('x')).toEqual({
      matches: [{ path: '/a', line: 1, text: 'x' }],
      truncated: false,
    });
    await of.grep('x', 'd');
    await of.grep('x', '/d', '*.md', 5);
    expect(commands.map((command) => command.slice(command.indexOf('-- ') + 3))).toEqual([
      "$'/workspace'",
      "$'/workspace/d'",
      "$'/d'",
    ]);
  });

  test('gives the files of a glob, and no directories', async () => {
    const { of } = backend(ran('d\0d/a\0'));
    await of.write('d/a', 'x');
    expect(await of.glob('**')).toEqual({
      files: [expect.objectContaining({ path: '/workspace/d/a', size: 1 })],
    });
    const { of: broken } = backend(ran('', 'no such directory', 1));
    expect(await broken.glob('**', 'none')).toEqual({ error: 'no such directory' });
  });

  test('takes and gives several files, each with what it failed of', async () => {
    const { of } = backend();
    expect(
      await of.uploadFiles([
        ['d/a', bytes('x')],
        ['d', bytes('x')],
      ]),
    ).toEqual([
      { path: 'd/a', error: null },
      { path: 'd', error: 'is_directory' },
    ]);
    expect(await of.downloadFiles(['d/a', 'none'])).toEqual([
      { path: 'd/a', content: Uint8Array.of(120), error: null },
      { path: 'none', content: null, error: 'file_not_found' },
    ]);
  });
});
