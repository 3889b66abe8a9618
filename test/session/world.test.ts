/** The session as a world writes it: its files, its changes of /workspace, and going back. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBlobRef } from '../../src/session/blobs.ts';
import { createSession, forkSession } from '../../src/session/index.ts';
import { createSessionMount } from '../../src/session/mount.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { snapshotAt } from '../../src/session/workspace/index.ts';
import { Manifest } from '../../src/session/workspace/manifest.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { readSession, testPlace } from './support.ts';

test('a command is a start and an end: where it ran, what it said, what it changed, with hashes', async () => {
  const world = testWorld();
  await world.exec('echo one > a; mkdir d', { toolCallId: 'call-1' });
  await world.exec('echo two > a; printf "\\xff"; cd d; echo x > /tmp/t');
  const [start, end, , second] = world.session.entries();
  expect(start).toMatchObject({ type: 'bash_start', cwd: '/workspace', toolCallId: 'call-1' });
  expect(end).toMatchObject({ type: 'bash_end', start: start?.id, exitCode: 0, requests: 0 });
  const changed = end?.['changed'] as { path: string; after: string }[];
  expect(changed).toMatchObject([{ path: '/workspace/a', before: null }, { path: '/workspace/d' }]);
  expect(second).toMatchObject({
    cwd: '/workspace/d',
    stdout: '\u00ff',
    stdoutEncoding: 'latin1',
    changed: [{ path: '/workspace/a', before: changed[0]?.after }, { path: '/tmp/t' }],
  });
  await world.close();
  expect(verifySession(sessionPlace(world.state), world.session.id).faults).toEqual([]);
});

test.each([
  ['ASCII', 'seq 1 40000'],
  ['UTF-8 with a mark', "printf '\\xef\\xbb\\xbf'; seq -f 'Zeile für %g' 1 20000"],
  ['bytes that are no text', "seq 1 20000; printf '\\xff\\xfe'; seq 1 3"],
])('long output is told, answered and kept alike, on both streams: %s', async (_, print) => {
  const world = testWorld();
  const told = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const result = await world.exec(`${print}; echo between >&2; { ${print}; } >&2; echo end`, {
    onOutput: (stream, bytes) => told[stream].push(Uint8Array.from(bytes)),
  });
  const [, end] = world.session.entries();
  const kept = world.session.get(end?.id ?? '');
  for (const stream of ['stdout', 'stderr'] as const) {
    const bytes = Buffer.from(result[`${stream}Bytes`]);
    expect(bytes.length).toBeGreaterThan(100_000);
    expect(Buffer.concat(told[stream]).equals(bytes)).toBe(true);
    const encoding = kept?.[`${stream}Encoding`] === 'latin1' ? 'latin1' : 'utf8';
    expect(Buffer.from(result[stream], encoding).equals(bytes)).toBe(true);
    expect(kept?.[stream] === result[stream]).toBe(true);
    expect(isBlobRef(end?.[stream])).toBe(true);
  }
  expect(result.stdout.endsWith('end\n')).toBe(true);
  expect(result.stderr.startsWith('between\n')).toBe(true);
  await world.close();
  expect(verifySession(sessionPlace(world.state), world.session.id).faults).toEqual([]);
});

test('tail, jq and grep read the log; each entry is a file; nobody but the runtime can write, by any route', async () => {
  const state = temporaryDirectory();
  // A session from before, which this one may see.
  const earlier = createSession(sessionPlace(state));
  earlier.append({ type: 'bash_start', command: 'echo from before', cwd: '/workspace' });
  earlier.close();
  const world = testWorld({ state });
  await world.exec('echo hello');
  const id = world.session.entries()[1]?.id;
  const read = `tail -n 2 /session/log.jsonl | head -n 1 | jq -r .stdout; jq -r .stdout /session/entries/${id}.json; grep -c hello /session/tree.txt; jq .commands /session/usage.json`;
  expect((await world.exec(read)).stdout).toBe('hello\n\nhello\n\n1\n2\n');
  const past = await world.exec('ls /session/past; cat /session/past/*/tree.txt');
  expect(past.stdout).toContain(earlier.id);
  expect(past.stdout).toContain('$ echo from before');
  const before = readFileSync(world.session.file);
  for (const route of [
    'echo x >> /session/log.jsonl',
    'rm -rf /session/log.jsonl',
    'mv /session/log.jsonl /tmp/x',
    'ln /session/log.jsonl /workspace/l && echo x >> /workspace/l',
    'ln -s /session /workspace/s && echo x >> /workspace/s/log.jsonl',
    'cp /dev/null /session/log.jsonl',
    'sed -i s/a/b/ /session/tree.txt',
    'mkdir /session/entries/x',
    'touch /session/past/x',
    'chmod 777 /session/log.jsonl',
    'truncate -s 0 /session/log.jsonl || false',
  ]) {
    expect((await world.exec(route)).exitCode, route).not.toBe(0);
  }
  await expect(world.fs.writeFile('/session/log.jsonl', 'x')).rejects.toThrow(/EACCES/);
  expect(readFileSync(world.session.file).subarray(0, before.length).equals(before)).toBe(true);
  await world.close();
  expect(verifySession(sessionPlace(world.state), world.session.id).faults).toEqual([]);
});

test('no earlier session is under /session/past where the deployer says no', async () => {
  const place = testPlace();
  const earlier = createSession(place);
  earlier.append({ type: 'model_change', model: 'm' });
  const mount = createSessionMount({ place, id: earlier.id, past: false });
  await expect(mount.readdir('/past')).rejects.toThrow(/ENOENT/);
  expect((await mount.readdir('/')).map(({ name }) => name)).toEqual([
    'entries',
    'log.jsonl',
    'tree.txt',
    'usage.json',
  ]);
  await mount.close?.();
  earlier.close();
});

test('a fork at an entry has /workspace as it was then, writes of its own, and leaves the first alone', async () => {
  const state = temporaryDirectory();
  const place = sessionPlace(state);
  const first = testWorld({ state });
  await first.exec(
    'mkdir -p d/e; echo one > d/e/f; ln -s d/e/f l; printf "\\0\\377" > bin; chmod 700 bin',
  );
  const at = first.session.leaf ?? '';
  await first.exec('echo two > d/e/f; rm l bin; mv d g');
  await first.close();
  const parent = readSession(place, first.session.id);
  const forked = forkSession(place, parent, at);
  forked.log.close();
  const look = 'find . | sort; cat l d/e/f; od -An -tx1 bin; stat -c %a bin';
  const tree = '.\n./bin\n./d\n./d/e\n./d/e/f\n./l\n';
  const fork = testWorld({ state }, { session: forked.log.id });
  expect((await fork.exec(look)).stdout).toBe(`${tree}one\none\n 00 ff\n700\n`);
  await fork.exec('echo more >> d/e/f; rm bin');
  await fork.close();
  const again = testWorld({ state }, { session: forked.log.id });
  expect((await again.exec('cat d/e/f; ls')).stdout).toBe('one\nmore\nd\nl\n');
  expect(again.session.branch().map(({ command }) => command)).toContain(
    parent.get(parent.tree.ids()[0] ?? '')?.['command'],
  );
  await again.close();
  // The first session is as it was left.
  const kept = new Manifest(place.blobs, snapshotAt(parent, parent.tree.leaf));
  expect([...kept.walk()].map(([path]) => path)).toEqual(['/g', '/g/e', '/g/e/f']);
  for (const id of [first.session.id, forked.log.id])
    expect(verifySession(place, id).faults).toEqual([]);
});

test('with a deployment the directory is followed: what others changed between sessions is in the next snapshot', async () => {
  const deployment = temporaryDirectory();
  const first = testWorld({ state: join(deployment, '.dirigent') }, { deployment });
  await first.exec('echo one > f');
  await first.close();
  writeFileSync(join(deployment, 'workspace', 'host'), 'by hand');
  const second = testWorld({ state: join(deployment, '.dirigent') }, { deployment });
  await second.exec('echo two > f');
  const at = second.session.entries()[0]?.id ?? '';
  await second.close();
  const place = sessionPlace(second.state);
  const forked = forkSession(place, readSession(place, second.session.id), at);
  forked.log.close();
  const then = new Manifest(place.blobs, forked.workspace);
  const text = (path: string): string => {
    const node = then.get(path);
    return node?.type === 'file' ? place.blobs.get(node.hash ?? '').toString() : '';
  };
  expect([text('/f'), text('/host')]).toEqual(['one\n', 'by hand']);
  expect(readFileSync(join(deployment, 'workspace', 'f'), 'utf8')).toBe('two\n');
});
