/** The files that programs have open in a mounted world, without a kernel. */
import { execFileSync } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Attributes } from '../../src/doors/files/attributes.ts';
import type { OpenFile } from '../../src/doors/files/open-file.ts';
import { OpenFiles } from '../../src/doors/files/open-files.ts';
import { Scratch } from '../../src/doors/files/scratch.ts';
import { makePlace, socketIn } from '../../src/doors/fuse/place.ts';
import { RemoteFiles } from '../../src/doors/fuse/remote-files.ts';
import { BELIEVED_MS, ToldSizes } from '../../src/doors/fuse/told-sizes.ts';
import { FsError } from '../../src/errors.ts';
import type { Inspection } from '../../src/namespace/inspect.ts';
import type { FsCall } from '../../src/world/fs-call.ts';
import { temporaryDirectory } from '../world/harness.ts';

const entry = (identity: string, links: number, size = 0): Inspection => ({
  type: 'file',
  mode: 0o644,
  size,
  estimated: false,
  mtime: 0,
  identity,
  links,
});

/** The files of a world that answers so. */
const answering = (ask: (calls: readonly FsCall[]) => Promise<unknown[]>): RemoteFiles =>
  new RemoteFiles({ ask, waited: 0 });

/** A world that says what it is told to of every entry, once it is let. */
function openFiles(service = '/none') {
  const text = { now: '' };
  const told = { entry: entry('0', 1), until: Promise.resolve() };
  const files = answering(async (calls) => {
    await told.until;
    return calls.map(([method]) => {
      if (method === 'inspect') return told.entry;
      return method === 'readFileBuffer' ? Buffer.from(text.now) : undefined;
    });
  });
  const isOfService = (path: string): boolean => path.startsWith(`${service}/`);
  const attributes = new Attributes(files, isOfService, { local: 40, service: 1_000 });
  const open = new OpenFiles({
    files,
    scratch: new Scratch(),
    attributes,
    isOfService,
    onTrouble: () => undefined,
    keptBytes: 1_000,
  });
  return { told, open, text };
}

const write = (file: OpenFile, text: string): void => {
  if (!file.isLoaded) file.load(new Uint8Array());
  file.write(Buffer.from(text), file.size);
};

test('a file that gets the number of one that is gone gets none of its names', async () => {
  const { told, open } = openFiles();
  for (const name of ['/a', '/b']) open.see(name, entry('1', 2));
  const old = open.open('/a', entry('1', 2));
  old.handles += 1;
  open.removed('/b', '1');
  write(old, 'text');
  // A directory of the host replaces a file of one name.
  told.entry = entry('2', 1, 4);
  await open.commit(old);
  for (const name of ['/c', '/d']) open.see(name, entry('1', 2));
  const fresh = open.open('/c', entry('1', 2));
  expect([...fresh.names].sort()).toEqual(['/c', '/d']);
  expect([...old.names]).toEqual(['/a']);
  expect([open.at('/a'), open.of('2'), open.of('1')]).toEqual([old, old, fresh]);
});

test('a file that is opened while its text is being replaced is the one that is open', async () => {
  const { told, open } = openFiles();
  const file = open.open('/a', entry('1', 1));
  file.handles += 1;
  write(file, 'text');
  const answered = Promise.withResolvers<void>();
  told.until = answered.promise;
  told.entry = entry('2', 1, 4);
  const committed = open.commit(file);
  const settled = open.settled('/');
  expect(open.open('/a', entry('2', 1, 4))).toBe(file);
  answered.resolve();
  await Promise.all([committed, settled]);
  expect(open.open('/a', entry('2', 1, 4))).toBe(file);
  expect(file.bytes().toString()).toBe('text');
});

test('what was written is read anew, even where time and size of the file are the same', async () => {
  const { told, open, text } = openFiles('/svc');
  told.entry = entry('1', 1, 3);
  const opened = async () => {
    const file = open.open('/svc/a', told.entry);
    file.handles += 1;
    await open.load(file);
    return file;
  };
  text.now = 'one';
  open.release(await opened());
  const writing = await opened();
  writing.write(Buffer.from('two'), 0);
  await open.commit(writing);
  open.release(writing);
  text.now = 'two';
  expect((await opened()).bytes().toString()).toBe('two');
});

test('a record’s file whose content is another is read anew, even where its time and its size are the same', async () => {
  const { told, open, text } = openFiles('/svc');
  const textOf = async (now: string, version: string) => {
    text.now = now;
    told.entry = { ...entry('1', 1, 3), version };
    const file = open.open('/svc/.last', told.entry);
    file.handles += 1;
    await open.load(file);
    open.release(file);
    return file.bytes().toString();
  };
  expect(await textOf('one', 'a')).toBe('one');
  expect(await textOf('two', 'b')).toBe('two');
  expect(await textOf('not asked for', 'b')).toBe('two');
});

test('once rules are others a content is asked for anew, by whoever has it open, too; what is being written stays until it is committed', async () => {
  const { told, open, text } = openFiles();
  const opened = async (name: string) => {
    told.entry = entry(name, 1, 3);
    const file = open.open(`/${name}`, told.entry);
    file.handles += 1;
    await open.load(file);
    return file;
  };
  text.now = 'old';
  open.release(await opened('closed'));
  const [held, written] = [await opened('held'), await opened('written')];
  written.write(Buffer.from('own'), 0);
  // The answer to what was asked before is of the old rules.
  const answered = Promise.withResolvers<void>();
  told.until = answered.promise;
  const asked = opened('asked');
  text.now = 'new';
  open.forget();
  answered.resolve();
  const textOf = (file: OpenFile): string => file.bytes().toString();
  expect(textOf(await asked)).toBe('new');
  expect([held.isLoaded, textOf(written)]).toEqual([false, 'own']);
  expect(textOf(await opened('closed'))).toBe('new');
  expect(textOf(await opened('held'))).toBe('new');
  told.entry = entry('written', 1, 3);
  await open.commit(written);
  open.release(written);
  expect(textOf(await opened('written'))).toBe('new');
});

test('a walk asks about a directory’s names in few messages, and one that fails fails alone', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
  let messages = 0;
  const files = answering(async (calls) => {
    messages += 1;
    return calls.map(([method, path]) => {
      if (path === '/d/f50') throw new FsError('EACCES', { path: '/d/f50', op: 'lstat' });
      const rows = names.map((name) => ({ name, isFile: true, isDirectory: false }));
      return method === 'inspect' ? entry(String(path), 1) : rows;
    });
  });
  const attributes = new Attributes(files, () => false, { local: 60_000, service: 60_000 });
  await attributes.of('/d/f7');
  expect(messages).toBe(1);
  await attributes.list('/d');
  const answers = await Promise.allSettled(
    names.map((name) => Promise.resolve().then(() => attributes.of(`/d/${name}`))),
  );
  const failed = answers.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
  expect(failed).toEqual([50]);
  // One batch failed, and each of its names was asked about by itself.
  expect(messages).toBeLessThan(50);
  attributes.forget('/d');
  await attributes.list('/d');
  const before = messages;
  for (const name of names.slice(0, 50)) await attributes.of(`/d/${name}`);
  expect(messages).toBe(before);
});

test('a walk through many directories takes few messages, and a service that answers late is asked for nothing ahead', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => `${index}`);
  const row = (name: string, isDirectory: boolean) => ({
    name,
    isFile: !isDirectory,
    isDirectory,
    isSymbolicLink: false,
  });
  const rowsOf = (path: string) => {
    if (path === '/svc') return numbers.map((name) => row(name, true));
    return path.endsWith('/notes') ? [row('1.md', false)] : [row('notes', true)];
  };
  let messages = 0;
  const listed = new Map<string, number>();
  const delay = { ms: 0 };
  const files = answering(async (calls) => {
    messages += 1;
    const values = calls.map(([method, given]) => {
      const path = String(given);
      if (method === 'inspect') return entry(path, 1);
      listed.set(path, (listed.get(path) ?? 0) + 1);
      return rowsOf(path);
    });
    vi.advanceTimersByTime(delay.ms);
    return values;
  });
  const walk = async () => {
    const attributes = new Attributes(files, () => true, { local: 40, service: 60_000 });
    messages = 0;
    listed.clear();
    for (const { name } of await attributes.list('/svc')) {
      const notes = `/svc/${name}/notes`;
      await attributes.of(`/svc/${name}`);
      expect(await attributes.list(`/svc/${name}`)).toEqual([row('notes', true)]);
      await attributes.of(notes);
      expect(await attributes.list(notes)).toEqual([row('1.md', false)]);
      expect(await attributes.of(`${notes}/1.md`)).toMatchObject({ identity: `${notes}/1.md` });
      if (name === '20' && delay.ms > 0) break;
    }
  };
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await walk();
  expect(messages).toBeLessThan(100);
  expect([listed.size, new Set(listed.values())]).toEqual([401, new Set([1])]);
  delay.ms = 60;
  await walk();
  expect(listed.size).toBeLessThan(2 * 21 + 3);
});

test('what several programs read at once is asked for once', async () => {
  const { told, open } = openFiles();
  const file = open.open('/a', told.entry);
  const answered = Promise.withResolvers<void>();
  told.until = answered.promise;
  const loads = [open.load(file), open.load(file)];
  expect(loads[0]).toBe(loads[1]);
  answered.resolve();
  await Promise.all(loads);
  expect(file.isLoaded).toBe(true);
});

test('what the kernel was told of a size counts while it believes it, and no longer than it changes it itself', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const sizes = new ToldSizes();
  sizes.tell('/a', 10);
  expect([sizes.differs('/a', 10), sizes.differs('/a', 20), sizes.differs('/b', 20)]).toEqual([
    false,
    true,
    false,
  ]);
  sizes.forget('/a');
  expect(sizes.differs('/a', 20)).toBe(false);
  sizes.tell('/a', 10);
  vi.advanceTimersByTime(BELIEVED_MS + 1);
  expect(sizes.differs('/a', 20)).toBe(false);
});

test('the socket and the shims of a door that was killed are removed by the next, and no other’s', async () => {
  const above = temporaryDirectory();
  const [killed, young, alive, empty] = await Promise.all(
    Array.from({ length: 4 }, () => makePlace(above)),
  );
  const listen = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  for (const place of [killed, young])
    expect(() => execFileSync(process.execPath, ['-e', listen, socketIn(place ?? '')])).toThrow();
  const server = createServer((socket) => socket.destroy());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(socketIn(alive ?? ''), resolve));
  for (const place of [killed, alive]) utimesSync(socketIn(place ?? ''), 1, 1);
  await makePlace(above);
  expect([killed, young, alive, empty].map((place) => existsSync(place ?? ''))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test('doors that are opened at once remove what a killed one left without being in each other’s way', async () => {
  const above = temporaryDirectory();
  const killed = await makePlace(above);
  const listen = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  expect(() => execFileSync(process.execPath, ['-e', listen, socketIn(killed)])).toThrow();
  utimesSync(socketIn(killed), 1, 1);
  for (let file = 0; file < 200; file++) writeFileSync(join(killed, `${file}`), '');
  await Promise.all(Array.from({ length: 8 }, () => makePlace(above)));
  expect(existsSync(killed)).toBe(false);
});

test('a temporary directory whose path is too long for a socket is refused, and what to do is said', async () => {
  const above = join(temporaryDirectory(), 'x'.repeat(100));
  await expect(makePlace(above)).rejects.toThrow(/set TMPDIR to a shorter one/);
});

test('droppings take no more memory than they may, however small each of them is', () => {
  const scratch = new Scratch();
  const name = (n: number): string => `/mnt/x/.${n}.swp`;
  const made = (count: number): number => {
    for (let n = 0; n < count; n += 1) scratch.make(name(n), 0o644);
    return count;
  };
  expect(() => made(1_000_000)).toThrow('ENOSPC');
  expect(() => scratch.write(name(0), Buffer.alloc(8 * 1024 + 1))).toThrow('ENOSPC');
  for (let n = 0; n < 2; n += 1) scratch.remove(name(n));
  scratch.make(name(0), 0o644);
  scratch.write(name(0), Buffer.alloc(8 * 1024));
});
