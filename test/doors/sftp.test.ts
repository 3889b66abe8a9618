/** Files by SFTP: every operation does what its name says, or fails with the code and the sentence. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateKeyPair } from '../../src/doors/ssh/key-pair.ts';
import { connected, run, sftpOf, sshDoorOn, type TestDoor } from './ssh-client.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: closed, decision: deny, op: change, path: /workspace/closed/** }
  - { name: secret, decision: deny, op: read, path: /workspace/secret }
  - { name: asked, decision: ask, op: change, path: /workspace/asked }
`;

/** Notes, of which the sizes are not known before they are read, and each write is kept beside it. */
const NOTES = `import { appendFileSync } from 'node:fs';
const SENT = new URL('sent.jsonl', import.meta.url);
const TEXT = 'a long note\\n'.repeat(1000);
const read = new Set();
export default () => ({
  kind: 'notes', searchable: false, transactional: true, hasLinks: () => false,
  canHave: (path) => /^\\/([0-9]+\\.md)?$/.test(path),
  lstat: async (path) => {
    if (path === '/') return { type: 'directory', mode: 0o755, size: 0, mtime: new Date(0) };
    if (path !== '/12.md') throw Object.assign(new Error('none'), { code: 'ENOENT', path });
    return { type: 'file', mode: 0o644, size: read.has(path) ? TEXT.length : 7, mtime: new Date(0) };
  },
  readdir: async () => [{ name: '12.md', type: 'file' }],
  read: async (path) => { read.add(path); return Buffer.from(TEXT); },
  write: async (path, data) => {
    if (Buffer.from(data).includes('FAULTY')) throw Object.assign(new Error('bad'), { code: 'EINVAL', path, reason: 'state: closed or open' });
    appendFileSync(SENT, JSON.stringify([path, Buffer.from(data).toString()]) + '\\n');
  },
});
`;

const ana = generateKeyPair();
const deployment = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
let door: TestDoor;
let client: Client;
let sftp: SFTPWrapper;

beforeAll(async () => {
  mkdirSync(join(deployment, 'workspace', 'closed'), { recursive: true });
  writeFileSync(join(deployment, 'notes.mjs'), NOTES);
  door = await sshDoorOn(deployment, [`${ana.public} ana`], {
    policy: POLICY,
    config: { mounts: { '/mnt/notes': 'module:./notes.mjs:rw' } },
  });
  client = await connected(door.port, { privateKey: ana.private });
  sftp = await sftpOf(client);
});
afterAll(async () => {
  client.end();
  await door.close();
  rmSync(deployment, { recursive: true });
});

type Callback = (error: (Error & { code?: number }) | null | undefined, value?: unknown) => void;
/** A call that is answered by a callback, as a promise. */
function call<T = unknown>(work: (done: Callback) => unknown): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  work((error, value) => (error == null ? resolve(value as T) : reject(error)));
  return promise;
}
const put = (path: string, text: string): Promise<unknown> =>
  call((done) => sftp.writeFile(path, text, done));
const get = async (path: string): Promise<string> =>
  (await call<Buffer>((done) => sftp.readFile(path, done))).toString();
const names = async (path: string): Promise<string[]> =>
  (await call<{ filename: string }[]>((done) => sftp.readdir(path, done)))
    .map(({ filename }) => filename)
    .filter((name) => !name.startsWith('.'))
    .sort();
const sizeOf = async (path: string): Promise<number> =>
  (await call<{ size: number }>((done) => sftp.stat(path, done))).size;

const CODES = { missing: 2, denied: 3, failure: 4, unsupported: 8 };
const refused = (code: number, says: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(says) });

test('what is put is there, for the shell, too; names, directories and links are as they were made', async () => {
  await call((done) => sftp.mkdir('d', done));
  await put('d/a', 'one');
  expect(await get('/workspace/d/a')).toBe('one');
  expect((await run(client, 'cat d/a')).stdout).toBe('one');
  await call((done) => sftp.ext_openssh_hardlink('d/a', 'd/b', done));
  await call((done) => sftp.rename('d/b', 'd/c', done));
  await call((done) => sftp.ext_openssh_rename('d/c', 'd/a2', done));
  expect(await names('d')).toEqual(['a', 'a2']);
  await run(client, 'ln -s a d/link');
  expect(await call((done) => sftp.readlink('d/link', done))).toBe('a');
  expect(await call((done) => sftp.realpath('d/link', done))).toBe('/workspace/d/a');
  expect(await get('d/link')).toBe('one');
  await call((done) => sftp.chmod('d/a', 0o600, done));
  await call((done) => sftp.utimes('d/a', 1000, 2000, done));
  const stat = await call<{ mode: number; mtime: number; size: number }>((done) =>
    sftp.lstat('d/a', done),
  );
  expect(stat).toMatchObject({ mode: 0o100600, mtime: 2000, size: 3 });
  for (const name of ['a', 'a2', 'link']) await call((done) => sftp.unlink(`d/${name}`, done));
  await call((done) => sftp.rmdir('d', done));
  expect(await names('.')).not.toContain('d');
});

test('a name of another mount is moved to, since a client has no second way', async () => {
  await put('moved', 'text');
  await call((done) => sftp.rename('moved', '/tmp/moved', done));
  expect(await get('/tmp/moved')).toBe('text');
  expect(await names('.')).not.toContain('moved');
  await put('policy', 'sandbox: full\n');
  await expect(
    call((done) => sftp.ext_openssh_rename('policy', '/harness/policy.yaml', done)),
  ).rejects.toEqual(refused(CODES.denied, /read-only|mounted ro/));
  expect(await get('policy')).toBe('sandbox: full\n');
  await call((done) => sftp.unlink('policy', done));
  await call((done) => sftp.unlink('/tmp/moved', done));
});

test('a large file comes and goes whole, in pieces that are on their way at once', async () => {
  const large = Buffer.alloc(5_000_000, 'the quick brown fox\n').toString();
  await put('large', large);
  expect(await sizeOf('large')).toBe(large.length);
  expect((await get('large')) === large).toBe(true);
  const handle = await call<Buffer>((done) => sftp.open('large', 'r+', done));
  await call((done) => sftp.write(handle, Buffer.from('A'), 0, 1, 4, done));
  await call((done) => sftp.fsetstat(handle, { size: 10 }, done));
  expect(await call<{ size: number }>((done) => sftp.fstat(handle, done))).toMatchObject({
    size: 10,
  });
  await call((done) => sftp.close(handle, done));
  expect(await get('large')).toBe('the Auick ');
});

test('what cannot be done is told by its code and its sentence, and is not done', async () => {
  await put('old', 'old');
  await expect(get('missing')).rejects.toEqual(refused(CODES.missing, /No such file/));
  await expect(put('closed/x', 'no')).rejects.toEqual(refused(CODES.denied, /closed/));
  await expect(put('/bin/x', 'no')).rejects.toEqual(refused(CODES.denied, /./));
  await expect(call((done) => sftp.rmdir('old', done))).rejects.toEqual(
    refused(CODES.failure, /Not a directory/),
  );
  await expect(call((done) => sftp.unlink('closed', done))).rejects.toEqual(
    refused(CODES.failure, /Is a directory/),
  );
  await put('new', 'new');
  await expect(call((done) => sftp.rename('new', 'old', done))).rejects.toEqual(
    refused(CODES.failure, /File exists/),
  );
  await expect(call((done) => sftp.chown('old', 0, 0, done))).rejects.toEqual(
    refused(CODES.denied, /no owner/),
  );
  await expect(call((done) => sftp.open('old', 'wx', done))).rejects.toEqual(
    refused(CODES.failure, /File exists/),
  );
  expect(await get('old')).toBe('old');
  expect(await names('closed')).toEqual([]);
});

test('what asks is refused without a person, once for the whole text, and nothing is made', async () => {
  await expect(put('asked', 'yes')).rejects.toEqual(refused(CODES.denied, /approv/));
  expect(await names('.')).not.toContain('asked');
  const pending = await run(client, 'ls /session/approvals; cat /session/approvals/*');
  expect(pending.stdout).toContain('+yes');
  expect(pending.stdout.match(/state: pending/g)).toHaveLength(1);
});

test("a service's file has its true size before it is read, and is written by one request at its close", async () => {
  expect(await sizeOf('/mnt/notes/12.md')).toBe(12_000);
  const listed = await call<{ filename: string; attrs: { size: number } }[]>((done) =>
    sftp.readdir('/mnt/notes', done),
  );
  expect(listed.find(({ filename }) => filename === '12.md')?.attrs.size).toBe(12_000);
  await put('/mnt/notes/12.md', 'x'.repeat(100_000));
  const sent = readFileSync(join(deployment, 'sent.jsonl'), 'utf8').trimEnd().split('\n');
  expect(sent.map((line) => JSON.parse(line)[1].length)).toEqual([100_000]);
  const handle = await call<Buffer>((done) => sftp.open('/mnt/notes/12.md', 'w', done));
  await call((done) => sftp.write(handle, Buffer.from('FAULTY'), 0, 6, 0, done));
  await expect(call((done) => sftp.close(handle, done))).rejects.toEqual(
    refused(CODES.failure, /Invalid argument/),
  );
});

test('names that a service has not are scratch of their client, never sent; renamed onto a record they are its write', async () => {
  const sent = () => readFileSync(join(deployment, 'sent.jsonl'), 'utf8').trimEnd().split('\n');
  const before = sent().length;
  await put('/mnt/notes/12.md~', 'a dropping');
  expect(await get('/mnt/notes/12.md~')).toBe('a dropping');
  expect(await names('/mnt/notes')).toEqual(['12.md', '12.md~']);
  expect((await run(client, 'ls /mnt/notes')).stdout).toBe('12.md\n');
  expect(sent()).toHaveLength(before);
  await expect(
    call((done) => sftp.ext_openssh_rename('/mnt/notes/12.md', '/mnt/notes/away', done)),
  ).rejects.toEqual(refused(CODES.denied, /keeps its name/));
  await call((done) => sftp.ext_openssh_rename('/mnt/notes/12.md~', '/mnt/notes/12.md', done));
  expect(sent().slice(before)).toEqual([JSON.stringify(['/12.md', 'a dropping'])]);
  expect(await names('/mnt/notes')).toEqual(['12.md']);
});

test('how much room there is is told, of a path and of an open file', async () => {
  const room = await call<Record<string, number>>((done) => sftp.ext_openssh_statvfs('.', done));
  const { f_bsize = 0, f_blocks = 0, f_bavail = 0, f_namemax } = room;
  expect(f_namemax).toBe(255);
  expect(f_bsize * f_blocks).toBeGreaterThan(1_000_000);
  expect(f_bavail).toBeLessThanOrEqual(f_blocks);
  await expect(call((done) => sftp.ext_openssh_statvfs('no/such/place', done))).rejects.toEqual(
    refused(CODES.missing, /No such file/),
  );
});

test('a client that goes away in the middle has written nothing', async () => {
  await put('half', 'whole');
  const other = await connected(door.port, { privateKey: ana.private });
  const files = await sftpOf(other);
  const handle = await call<Buffer>((done) => files.open('half', 'r+', done));
  await call((done) => files.write(handle, Buffer.from('ha'), 0, 2, 0, done));
  const closed = new Promise<void>((resolve) => other.on('close', () => resolve()));
  other.end();
  await closed;
  expect(await get('half')).toBe('whole');
});
