/** The files that programs have open in a mounted world, without a kernel. */
import { execFileSync } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Attributes } from '../../src/doors/files/attributes.ts';
import type { OpenFile } from '../../src/doors/files/open-file.ts';
import { OpenFiles } from '../../src/doors/files/open-files.ts';
import { Scratch } from '../../src/doors/files/scratch.ts';
import { makePlace, socketIn } from '../../src/doors/fuse/place.ts';
import { RemoteFiles } from '../../src/doors/fuse/remote-files.ts';
import type { Inspection } from '../../src/namespace/inspect.ts';
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

/** A world that says what it is told to of every entry, once it is let. */
function openFiles() {
  const told = { entry: entry('0', 1), until: Promise.resolve() };
  const files: RemoteFiles = new RemoteFiles(async (message) => {
    if (message.type !== 'calls') return;
    await told.until;
    const values = message.calls.map(([method]) => (method === 'inspect' ? told.entry : undefined));
    files.receive({ type: 'answer', id: message.id, values });
  });
  const isOfService = (): boolean => false;
  const attributes = new Attributes(files, isOfService, { local: 40, service: 1_000 });
  const open = new OpenFiles({
    files,
    scratch: new Scratch(),
    attributes,
    isOfService,
    keptBytes: 0,
  });
  return { told, open };
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
