/** `/session` as files: the session itself, and those before it; and the directory that its log is kept in. */
import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sessionOf, testPlace, through, UNSYNCED } from '../../test/session/support.ts';
import type { Mount } from '../mount/contract/contract.ts';
import { HOST_IO, SessionDirectory } from './directory.ts';
import type { SessionPlace } from './file.ts';
import { createSessionMount, type SessionMountOptions, sessionIds } from './mount.ts';
import { createSession } from './open.ts';
import { ENTERED, ownedBy } from './owner.ts';

function mountOf(place: SessionPlace, id: string, more: Partial<SessionMountOptions> = {}): Mount {
  const mount = createSessionMount({ place, id, past: true, ...more });
  onTestFinished(() => mount.close?.());
  return mount;
}

const names = async (mount: Mount, path: string): Promise<string[]> =>
  (await mount.readdir(path)).map(({ name, type }) => (type === 'directory' ? `${name}/` : name));

const text = async (mount: Mount, path: string): Promise<string> =>
  Buffer.from((await mount.read?.(path)) ?? '').toString();

/** What a job of a session has printed. */
function job(
  place: SessionPlace,
  id: string,
  number: string,
  files: Readonly<Record<string, string>>,
): void {
  const directory = join(place.files, id, 'jobs', number);
  fs.mkdirSync(directory, { recursive: true });
  for (const [name, content] of Object.entries(files))
    fs.writeFileSync(join(directory, name), content);
}

describe('a session', () => {
  test('is its log, its views and its entries', async () => {
    const place = testPlace();
    const { id, file, lines } = sessionOf(place, 3);
    const mount = mountOf(place, id);
    expect(await names(mount, '/')).toEqual([
      'entries/',
      'log.jsonl',
      'past/',
      'tree.txt',
      'usage.json',
    ]);
    expect(await names(mountOf(place, id, { past: false }), '/')).toEqual([
      'entries/',
      'log.jsonl',
      'tree.txt',
      'usage.json',
    ]);
    expect(await text(mount, '/log.jsonl')).toBe(fs.readFileSync(file, 'utf8'));
    expect(await text(mount, '/tree.txt')).toContain('assistant: message 1 ü');
    expect(JSON.parse(await text(mount, '/usage.json'))).toMatchObject({ entries: 3 });
    const entries = lines.slice(1).map((line) => JSON.parse(line));
    expect(await names(mount, '/entries')).toEqual(entries.map((entry) => `${entry.id}.json`));
    expect(await text(mount, `/entries/${entries[1].id}.json`)).toBe(
      `${JSON.stringify(entries[1], null, 2)}\n`,
    );
    expect(await mount.lstat('/')).toMatchObject({ type: 'directory', mode: 0o555 });
    const { size, mode, type, mtime } = await mount.lstat('/log.jsonl');
    expect([size, mode, type]).toEqual([fs.statSync(file).size, 0o444, 'file']);
    expect(mtime).toEqual(fs.statSync(file).mtime);
    expect((await mount.lstat('/tree.txt')).size).toBe(
      Buffer.byteLength(await text(mount, '/tree.txt')),
    );
  });

  test('is shown as it is now', async () => {
    const place = testPlace();
    const log = createSession(through(UNSYNCED, place));
    const mount = mountOf(place, log.id);
    expect(await names(mount, '/')).toEqual(['entries/', 'past/']);
    expect(await names(mount, '/entries')).toEqual([]);
    for (const path of ['/log.jsonl', '/tree.txt']) {
      await expect(mount.lstat(path)).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(text(mount, path)).rejects.toMatchObject({ code: 'ENOENT' });
    }
    expect((await mount.lstat('/')).mtime).toEqual(new Date(0));
    log.message({ role: 'user', content: 'one' });
    expect(await text(mount, '/tree.txt')).not.toContain('two');
    expect(await text(mount, '/tree.txt')).toContain('user: one');
    log.message({ role: 'user', content: 'two' });
    expect(await text(mount, '/tree.txt')).toContain('user: two');
    expect((await mount.lstat('/usage.json')).size).toBe((await text(mount, '/usage.json')).length);
    log.close();
  });

  test('has long outputs in its entries', async () => {
    const place = testPlace();
    const log = createSession(through(UNSYNCED, place));
    const { id } = log.message({ role: 'user', content: 'x'.repeat(100_000) });
    log.close();
    expect(
      JSON.parse(await text(mountOf(place, log.id), `/entries/${id}.json`)).message.content,
    ).toHaveLength(100_000);
  });

  test('has what its background jobs print', async () => {
    const place = testPlace();
    const { id } = sessionOf(place, 1);
    job(place, id, '10', { stdout: 'ten', status: 'running\n' });
    job(place, id, '9', { stdout: 'nine', status: 'exit 0\n' });
    const mount = mountOf(place, id);
    expect(await names(mount, '/')).toContain('jobs/');
    expect(await names(mount, '/jobs')).toEqual(['9/', '10/']);
    expect(await names(mount, '/jobs/9')).toEqual(['command', 'status', 'stderr', 'stdout']);
    expect([await text(mount, '/jobs/10/stdout'), await text(mount, '/jobs/10/status')]).toEqual([
      'ten',
      'running\n',
    ]);
    expect(await mount.lstat('/jobs/10/stdout')).toMatchObject({ type: 'file', size: 3 });
    expect(await mount.lstat('/jobs/10')).toMatchObject({ type: 'directory' });
    // Of another session nobody knows whether it goes on.
    const other = mountOf(place, sessionOf(place, 1).id);
    expect(await text(other, `/past/${id}/jobs/10/status`)).toBe(
      'unknown: its log has no end of it\n',
    );
    expect(await text(other, `/past/${id}/jobs/9/status`)).toBe('exit 0\n');
    expect(await names(mountOf(place, sessionOf(place, 1).id), '/jobs')).toEqual([]);
  });

  test.each([
    ['/none', 'ENOENT'],
    ['/constructor', 'ENOENT'],
    ['/log.jsonl/x', 'ENOENT'],
    ['/entries/x.json', 'ENOENT'],
    ['/entries/00000000000000000000000000.json', 'ENOENT'],
    ['/entries/00000000000000000000000000.json/x', 'ENOENT'],
    ['/jobs/0', 'ENOENT'],
    ['/jobs/1/none', 'ENOENT'],
    ['/jobs/1/stdout/x', 'ENOENT'],
    ['/jobs/7/stdout', 'ENOENT'],
    ['/jobs/1/stderr', 'ENOENT'],
    ['/past/none', 'ENOENT'],
    ['/', 'EISDIR'],
    ['/entries', 'EISDIR'],
    ['/jobs', 'EISDIR'],
    ['/jobs/1', 'EISDIR'],
    ['/past', 'EISDIR'],
  ])('%s cannot be read: %s', async (path, code) => {
    const place = testPlace();
    const { id } = sessionOf(place, 1);
    job(place, id, '1', { stdout: '' });
    await expect(text(mountOf(place, id), path)).rejects.toMatchObject({ code });
  });

  test.each([
    ['/log.jsonl', 'ENOTDIR'],
    ['/jobs/1/stdout', 'ENOTDIR'],
    ['/jobs/7', 'ENOENT'],
    ['/none', 'ENOENT'],
  ])('%s cannot be listed: %s', async (path, code) => {
    const place = testPlace();
    const { id } = sessionOf(place, 1);
    job(place, id, '1', { stdout: '' });
    await expect(names(mountOf(place, id), path)).rejects.toMatchObject({ code });
  });
});

describe('the sessions before it', () => {
  // Of two that begin in the same ms nobody knows which is the older.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** A session that somebody came in for. */
  function entered(place: SessionPlace, actor?: string): string {
    vi.setSystemTime(Date.now() + 1);
    const log = createSession(through(UNSYNCED, place));
    if (actor !== undefined) log.append({ type: 'custom', name: ENTERED, data: { actor } });
    log.message({ role: 'user', content: `of ${actor}` });
    log.close();
    return log.id;
  }

  test('are shown, oldest first, where the deployer allows it', async () => {
    const place = testPlace();
    const [one, two, own] = [entered(place), entered(place), entered(place)];
    const mount = mountOf(place, own);
    expect(await names(mount, '/past')).toEqual([`${one}/`, `${two}/`]);
    expect(await names(mount, `/past/${one}`)).toEqual([
      'entries/',
      'log.jsonl',
      'tree.txt',
      'usage.json',
    ]);
    expect(await text(mount, `/past/${two}/tree.txt`)).toContain('of undefined');
    expect(await mount.lstat('/past')).toMatchObject({ type: 'directory' });
    await expect(names(mount, `/past/${own}`)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(names(mountOf(place, own, { past: false }), '/past')).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect([sessionIds(place), sessionIds(place, two)]).toEqual([
      [one, two, own],
      [one, own],
    ]);
  });

  test('are those of one actor alone, where that is said', async () => {
    const place = testPlace();
    const [ada, bo, nobody, own] = [
      entered(place, 'ada'),
      entered(place, 'bo'),
      entered(place),
      entered(place, 'ada'),
    ];
    const mount = mountOf(place, own, { pastOf: 'ada' });
    expect(await names(mount, '/past')).toEqual([`${ada}/`]);
    for (const other of [bo, nobody])
      await expect(text(mount, `/past/${other}/tree.txt`)).rejects.toMatchObject({
        code: 'ENOENT',
      });
    expect(await text(mount, `/past/${ada}/tree.txt`)).toContain('of ada');
    const isOf = ownedBy(place, 'ada');
    expect([ada, bo, nobody, own, 'none'].map(isOf)).toEqual([true, false, false, true, false]);
    expect([ada, bo].map(isOf)).toEqual([true, false]);
  });
});

describe('the directory of a log', () => {
  const directory = (io = HOST_IO) => new SessionDirectory(testPlace().files, io);
  const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

  test('is one of its own, for its owner alone', () => {
    const store = directory();
    expect([store.list(), store.stat(ID), store.head(ID)]).toEqual([[], null, null]);
    const log = store.write(ID);
    // Before its first line there is no session.
    expect(store.list()).toEqual([]);
    log.append(Buffer.from('one\n'), 0);
    log.append(Buffer.from('two\n'), 4);
    log.sync();
    log.keepHead('head');
    expect([store.list(), store.stat(ID)?.bytes, store.head(ID)]).toEqual([[ID], 8, 'head']);
    for (const path of [store.where(ID), join(store.directory, ID)])
      expect(fs.statSync(path).mode & 0o077).toBe(0);
    const reader = store.read(ID);
    const into = Buffer.alloc(3);
    expect([reader.read(into, 4), into.toString()]).toEqual([3, 'two']);
    reader.close();
    expect(() => store.write(ID)).toThrow('EBUSY');
    log.release();
    store.write(ID).release();
  });

  test('is written at the end of the log, and nowhere else', () => {
    const store = directory();
    const log = store.write(ID);
    log.append(Buffer.from('one\n'), 0);
    for (const at of [0, 3, 5]) expect(() => log.append(Buffer.from('x'), at)).toThrow('ESTALE');
    log.undo(2);
    log.append(Buffer.from('x\n'), 2);
    expect(fs.readFileSync(store.where(ID), 'utf8')).toBe('onx\n');
    log.release();
    const again = store.write(ID);
    again.append(Buffer.from('y\n'), 4);
    expect(fs.readFileSync(store.where(ID), 'utf8')).toBe('onx\ny\n');
    again.release();
  });

  test('has what was torn beside the log', () => {
    const store = directory();
    const log = store.write(ID);
    log.append(Buffer.from('one\ntor'), 0);
    const torn = log.cut(4);
    expect([fs.readFileSync(torn, 'utf8'), fs.readFileSync(store.where(ID), 'utf8')]).toEqual([
      'tor',
      'one\n',
    ]);
    expect(torn).toBe(`${store.where(ID)}.4.torn`);
    log.append(Buffer.from('two\n'), 4);
    log.release();
  });

  test('goes with its session', () => {
    const store = directory();
    const log = store.write(ID);
    log.append(Buffer.from('one\n'), 0);
    log.remove();
    expect([store.list(), fs.existsSync(join(store.directory, ID))]).toEqual([[], false]);
  });

  test('is written whole by calls that take a part, and waits for the disk', async () => {
    const calls: string[] = [];
    const failing = new Error('EIO');
    let fails = false;
    const store = directory({
      write: (descriptor, data) => HOST_IO.write(descriptor, data.subarray(0, 2)),
      sync: (descriptor) => {
        calls.push('sync');
        HOST_IO.sync(descriptor);
      },
      syncLater: (_, done) => {
        calls.push('later');
        done(fails ? failing : null);
      },
      truncate: HOST_IO.truncate,
    });
    const log = store.write(ID);
    log.append(Buffer.from('one\n'), 0);
    expect(fs.readFileSync(store.where(ID), 'utf8')).toBe('one\n');
    log.sync();
    await log.synced?.();
    fails = true;
    await expect(log.synced?.()).rejects.toBe(failing);
    expect(calls).toEqual(['sync', 'later', 'later']);
    log.release();
  });
});
