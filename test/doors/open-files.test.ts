/** Open files over whole ones: handles, flags, offsets, and what is committed when. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorldFs } from '../../entry/index.ts';
import { SftpFiles } from '../../src/doors/ssh/sftp-files.ts';
import { OPEN } from '../../src/doors/ssh/sftp-packets.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const FLAGS: Readonly<Record<string, number>> = {
  r: OPEN.READ,
  w: OPEN.WRITE,
  a: OPEN.APPEND,
  c: OPEN.CREAT,
  x: OPEN.EXCL,
  t: OPEN.TRUNC,
};

/** Files of a world as a client opens them; flags are letters. */
function clientOf(
  fs: WorldFs,
  ...more: [
    mounts?: { point: string; service: boolean }[],
    limits?: { handles: number; bytes: number },
  ]
) {
  const [mounts = [], limits] = more;
  const paths = new SftpFiles(fs, mounts, limits);
  const { files } = paths;
  const { handles } = files;
  return {
    files,
    open: (path: string, letters: string) =>
      paths.open(
        path,
        [...letters].reduce((flags, letter) => flags | (FLAGS[letter] ?? 0), 0),
      ),
    text: async (handle: number): Promise<string> => {
      const bytes = Buffer.alloc(1_000_000);
      return bytes.toString('utf8', 0, await handles.read(handle, bytes, bytes.length, 0));
    },
    write: (handle: number, at: number, text: string) =>
      handles.write(handle, Buffer.from(text), at),
    truncate: (handle: number, size: number) => handles.resize(handle, size),
    close: (handle: number) => handles.close(handle),
    fstat: (handle: number) => handles.stat(handle, (path) => files.stat(path)),
    stat: (path: string) => paths.stat(path, true),
  };
}

function opened() {
  const { fs } = testWorld();
  return { fs, ...clientOf(fs) };
}

test('what is written at offsets is one content, which is committed at close, with zeros in its gaps', async () => {
  const { fs, ...files } = opened();
  const handle = await files.open('/workspace/a', 'rwc');
  await files.write(handle, 4, 'tail');
  await files.write(handle, 0, 'he');
  expect(await files.text(handle)).toBe('he\0\0tail');
  expect(await fs.readFile('/workspace/a')).toBe('');
  await files.close(handle);
  expect(await fs.readFile('/workspace/a')).toBe('he\0\0tail');
  await expect(files.text(handle)).rejects.toThrow('EINVAL');
});

test('all handles of a file see one content, whatever name it was opened by', async () => {
  const { fs, ...files } = opened();
  await fs.writeFile('/workspace/a', 'one');
  await fs.link('/workspace/a', '/workspace/b');
  await fs.symlink('a', '/workspace/c');
  const [a, b, c] = [
    await files.open('/workspace/a', 'rw'),
    await files.open('/workspace/b', 'r'),
    await files.open('/workspace/c', 'rw'),
  ];
  await files.write(a, 3, ' two');
  await files.write(c, 7, ' three');
  expect(await files.text(b)).toBe('one two three');
  expect((await files.fstat(b)).size).toBe(13);
  expect((await files.stat('/workspace/b')).size).toBe(13);
  for (const handle of [a, b, c]) await files.close(handle);
  expect(await fs.readFile('/workspace/b')).toBe('one two three');
});

test('O_APPEND goes to the end, after what others wrote; the rest of the file is not sent again', async () => {
  const { fs, ...files } = opened();
  await fs.writeFile('/workspace/log', 'a\n');
  const handle = await files.open('/workspace/log', 'wa');
  await files.write(handle, 0, 'c\n');
  await fs.appendFile('/workspace/log', 'b\n');
  await files.close(handle);
  expect(await fs.readFile('/workspace/log')).toBe('a\nb\nc\n');
});

test('O_EXCL refuses what is there, O_CREAT makes it, O_TRUNC empties it, and without them nothing is made', async () => {
  const { fs, ...files } = opened();
  await fs.writeFile('/workspace/a', 'old');
  await expect(files.open('/workspace/a', 'wcx')).rejects.toThrow('EEXIST');
  await expect(files.open('/workspace/no', 'w')).rejects.toThrow('ENOENT');
  await expect(files.open('/workspace/no/file', 'wc')).rejects.toThrow('ENOENT');
  await expect(files.open('/workspace', 'w')).rejects.toThrow('EISDIR');
  await expect(files.open('/workspace', 'r')).rejects.toThrow('EISDIR');
  const two = await Promise.allSettled([
    files.open('/workspace/lock', 'wcx'),
    files.open('/workspace/lock', 'wcx'),
  ]);
  expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await files.close(await files.open('/workspace/a', 'wt'));
  expect(await fs.readFile('/workspace/a')).toBe('');
  const reading = await files.open('/workspace/a', 'r');
  await expect(files.write(reading, 0, 'x')).rejects.toThrow('EINVAL');
  const writing = await files.open('/workspace/a', 'w');
  await expect(files.text(writing)).rejects.toThrow('EINVAL');
});

test('behind a file that has to be new no call is made where one is there', async () => {
  const { fs } = opened();
  await fs.writeFile('/workspace/a', 'old');
  const made = (path: string) =>
    fs.all([
      ['make', path, 0o644, true],
      ['writeFile', path, Buffer.from('new')],
    ]);
  await expect(made('/workspace/a')).rejects.toThrow('EEXIST');
  expect(await fs.readFile('/workspace/a')).toBe('old');
  await made('/workspace/b');
  expect(await fs.readFile('/workspace/b')).toBe('new');
});

test('what may not be written is refused when it is opened, and nothing has changed', async () => {
  const { fs, ...files } = opened();
  await expect(files.open('/bin/ls', 'w')).rejects.toThrow(/EACCES|EROFS|EPERM/);
  await expect(files.open('/harness/new', 'wc')).rejects.toThrow(/EACCES|EROFS|EPERM/);
  expect(await fs.exists('/harness/new')).toBe(false);
});

test('a write in the middle of a file leaves the rest of it', async () => {
  const { fs, ...files } = opened();
  await fs.writeFile('/workspace/a', '0123456789'.repeat(100));
  const handle = await files.open('/workspace/a', 'rw');
  await files.write(handle, 1, 'x');
  await files.close(handle);
  expect(await fs.readFile('/workspace/a')).toBe(`0x23456789${'0123456789'.repeat(99)}`);
});

test('a truncation is a change like any other, to less and to more', async () => {
  const { fs, ...files } = opened();
  await fs.writeFile('/workspace/a', 'abcdef');
  const handle = await files.open('/workspace/a', 'rw');
  await files.truncate(handle, 2);
  await files.truncate(handle, 4);
  await files.write(handle, 4, '!');
  await files.close(handle);
  expect(await fs.readFile('/workspace/a')).toBe('ab\0\0!');
});

test('an open file outlives its name, and is written nowhere then; a moved one is written where it is', async () => {
  const { fs, ...files } = opened();
  await fs.writeFile('/workspace/a', 'kept');
  await fs.writeFile('/workspace/b', 'b');
  const gone = await files.open('/workspace/a', 'rw');
  await files.files.names.unlink('/workspace/a');
  await files.write(gone, 4, '!');
  expect(await files.text(gone)).toBe('kept!');
  const moved = await files.open('/workspace/b', 'rw');
  await files.write(moved, 1, '2');
  await files.files.names.rename('/workspace/b', '/workspace/c');
  await files.close(moved);
  await files.close(gone);
  expect(await fs.exists('/workspace/a')).toBe(false);
  expect(await fs.exists('/workspace/b')).toBe(false);
  expect(await fs.readFile('/workspace/c')).toBe('b2');
});

test('no more is open, and no more is kept, than the limits say', async () => {
  const { fs } = testWorld();
  const files = clientOf(fs, [], { handles: 2, bytes: 1000 });
  const one = await files.open('/workspace/a', 'wc');
  const two = await files.open('/workspace/b', 'wc');
  await expect(files.open('/workspace/c', 'wc')).rejects.toThrow('EAGAIN');
  await expect(files.write(one, 5000, 'x')).rejects.toThrow('EFBIG');
  await files.write(one, 0, 'fits');
  await files.close(one);
  expect(await fs.readFile('/workspace/a')).toBe('fits');
  // What was closed is not counted: of two that have 700 bytes each, one can be open at a time.
  await files.write(two, 0, 'x'.repeat(700));
  const three = files.open('/workspace/a', 'rw').then((handle) => files.truncate(handle, 700));
  await expect(three).rejects.toMatchObject({ rule: 'open files are kept in memory' });
});

/** A mount whose writes are transactions, each noted in a file beside it. */
const NOTING = `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const SENT = new URL('sent.jsonl', import.meta.url);
const all = () => new Map(existsSync(SENT) ? readFileSync(SENT, 'utf8').trimEnd().split('\\n').map((line) => JSON.parse(line)) : [['/12.md', 'was']]);
const gone = (path) => Object.assign(new Error('none'), { code: 'ENOENT', path });
export default () => ({
  kind: 'notes', searchable: false, transactional: true, hasLinks: () => false,
  lstat: async (path) => {
    if (path === '/') return { type: 'directory', mode: 0o755, size: 0, mtime: new Date(0) };
    const text = all().get(path);
    if (text === undefined) throw gone(path);
    return { type: 'file', mode: 0o644, size: text.length, mtime: new Date(0) };
  },
  readdir: async () => [...all().keys()].map((path) => ({ name: path.slice(1), type: 'file' })),
  read: async (path) => { const text = all().get(path); if (text === undefined) throw gone(path); return Buffer.from(text); },
  write: async (path, data) => appendFileSync(SENT, JSON.stringify([path, Buffer.from(data).toString()]) + '\\n'),
});
`;

test('to a service each write is one request, with the whole content, and an open file is none yet', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'notes.mjs'), NOTING);
  const { fs } = testWorld(
    { mounts: { '/mnt/notes': 'module:./notes.mjs:rw' } },
    { deployment: directory },
  );
  const files = clientOf(fs, [{ point: '/mnt/notes', service: true }]);
  const record = await files.open('/mnt/notes/12.md', 'wt');
  const made = await files.open('/mnt/notes/13.md', 'wcx');
  expect((await files.stat('/mnt/notes/13.md')).size).toBe(0);
  await expect(files.open('/mnt/notes/13.md', 'wcx')).rejects.toThrow('EEXIST');
  for (const [place, part] of ['a', 'b', 'c'].entries()) await files.write(record, place, part);
  await files.write(made, 0, 'new');
  await files.close(record);
  await files.close(made);
  const sent = readFileSync(join(directory, 'sent.jsonl'), 'utf8').trimEnd().split('\n');
  expect(sent.map((line) => JSON.parse(line))).toEqual([
    ['/12.md', 'abc'],
    ['/13.md', 'new'],
  ]);
});
