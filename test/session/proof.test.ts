/** A proof is verified with the public key and nothing else, and whatever was done to it is told. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FsError } from '../../src/errors.ts';
import { MAX_INLINE_BYTES } from '../../src/session/blobs.ts';
import type { SessionPlace } from '../../src/session/file.ts';
import { forkSession } from '../../src/session/fork.ts';
import type { Log } from '../../src/session/log.ts';
import { createSession, resumeSession } from '../../src/session/open.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { makeProof, verifyProof } from '../../src/session/proof.ts';
import { verifySession } from '../../src/session/verify.ts';
import { cli } from '../cli/run-cli.ts';
import { readSession, temporaryDirectory } from './support.ts';

/** A session of two signed turns, with a long output in the first; not closed. */
function written(place: SessionPlace): Log {
  const log = createSession(place);
  for (const turn of [1, 2]) {
    log.append({
      type: 'custom',
      name: 'test/long',
      data: `${turn}${'x'.repeat(MAX_INLINE_BYTES)}`,
    });
    log.sign();
  }
  return log;
}

function proofOf(place: SessionPlace, id: string, at: string | null = null) {
  const { pieces, ...rest } = makeProof(place, readSession(place, id), at);
  const file = join(temporaryDirectory(), 'proof');
  fs.writeFileSync(file, Buffer.concat([...pieces]));
  return { ...rest, file };
}

const signedPlace = (): SessionPlace => sessionPlace(temporaryDirectory());
const keyOf = (place: SessionPlace): string => place.anchor?.publicKey() ?? '';

/** What is wrong with a proof; empty for nothing. */
function wrongWith(file: string, key: string): string {
  try {
    return verifyProof(file, [key])
      .faults.map(({ reason }) => reason)
      .join('\n');
  } catch (error) {
    return (error as FsError).reason ?? String(error);
  }
}

/** The proof with its first line changed. */
function withManifest(
  file: string,
  change: (manifest: Record<string, unknown>) => unknown,
): string {
  const bytes = fs.readFileSync(file);
  const end = bytes.indexOf('\n');
  const manifest = change(JSON.parse(bytes.subarray(0, end).toString()));
  const changed = `${file}.changed`;
  fs.writeFileSync(
    changed,
    Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}`), bytes.subarray(end)]),
  );
  return changed;
}

test('a proof goes to somebody else, who verifies it with the key alone, and leaves nothing behind', () => {
  const place = signedPlace();
  const log = written(place);
  log.message({ role: 'user', content: 'not signed yet' });
  const { file, head, left } = proofOf(place, log.id);
  expect([head.lines, left]).toEqual([4, 1]);
  log.close();
  const key = keyOf(place);
  fs.rmSync(dirname(place.files), { recursive: true });
  const before = fs.readdirSync(tmpdir()).filter((name) => name.startsWith('dirigent-proof-'));
  expect(verifyProof(file, [key])).toMatchObject({
    session: log.id,
    faults: [],
    lines: 4,
    signed: { lines: 4, unsigned: 0, key },
  });
  const after = fs.readdirSync(tmpdir()).filter((name) => name.startsWith('dirigent-proof-'));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
  expect(wrongWith(file, keyOf(signedPlace()))).toContain('nothing in it is signed by');
});

test('the part that was asked for ends with the first signature that covers it', () => {
  const place = signedPlace();
  const log = written(place);
  const [first] = log.entries();
  const { file, head } = proofOf(place, log.id, first?.id ?? '');
  expect(head.lines).toBe(2);
  expect(verifyProof(file, [keyOf(place)])).toMatchObject({ faults: [], lines: 2 });
  const unsigned = log.message({ role: 'user', content: 'later' });
  expect(() => proofOf(place, log.id, unsigned.id)).toThrow(
    expect.objectContaining({ reason: expect.stringContaining('is signed') }),
  );
  log.close();
});

test('a changed byte anywhere in a proof is told', () => {
  const place = signedPlace();
  const log = written(place);
  log.close();
  const { file } = proofOf(place, log.id);
  const key = keyOf(place);
  expect(wrongWith(file, key)).toBe('');
  const bytes = fs.readFileSync(file);
  const spread = Array.from({ length: 60 }, (_, index) => Math.floor((bytes.length / 60) * index));
  for (const at of [...spread, ...Array.from({ length: 60 }, (_, index) => index * 7)]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x01;
    fs.writeFileSync(file, changed);
    expect(wrongWith(file, key), `byte ${at}`).not.toBe('');
  }
});

test('a proof that was cut, added to, or made by hand is refused, and writes nowhere', () => {
  const place = signedPlace();
  const log = written(place);
  log.close();
  const { file } = proofOf(place, log.id);
  const key = keyOf(place);
  const bytes = fs.readFileSync(file);
  const other = `${file}.other`;
  for (const [hostile, why] of [
    [bytes.subarray(0, -1), /should have \d+ bytes/],
    [Buffer.concat([bytes, Buffer.from('x')]), /should have \d+ bytes/],
    [Buffer.from(''), /first line/],
    [Buffer.from('x'.repeat(100_000)), /first line/],
    [Buffer.from('{"type":"session-proof"}\n'), /first line/],
    [Buffer.from('[]\n'), /first line/],
  ] as const) {
    fs.writeFileSync(other, hostile);
    expect(wrongWith(other, key)).toMatch(why);
  }
  type Logs = { session: string; bytes: number }[];
  const logs = (manifest: Record<string, unknown>): Logs => manifest['logs'] as Logs;
  const changes: [(manifest: Record<string, unknown>) => unknown, RegExp][] = [
    [(each) => ({ ...each, version: 2 }), /first line/],
    [(each) => ({ ...each, session: '../../../etc' }), /first line/],
    [(each) => ({ ...each, logs: [{ session: '/etc/passwd', bytes: 1 }] }), /first line/],
    [(each) => ({ ...each, logs: [...logs(each), ...logs(each)] }), /something twice/],
    [(each) => ({ ...each, blobs: [{ hash: '../x', bytes: 1 }] }), /first line/],
    [(each) => ({ ...each, logs: logs(each).map((log) => ({ ...log, bytes: -1 })) }), /first line/],
    [(each) => ({ ...each, logs: logs(each).map((log) => ({ ...log, bytes: 1e15 })) }), /bytes/],
    [(each) => ({ ...each, blobs: [] }), /should have/],
    [(each) => ({ ...each, extra: 1 }), /first line/],
  ];
  for (const [change, why] of changes)
    expect(wrongWith(withManifest(file, change), key)).toMatch(why);
});

test('a proof of a fork has what it was forked from, and tells when that was changed', () => {
  const place = signedPlace();
  const parent = written(place);
  parent.close();
  const from = readSession(place, parent.id);
  const { log } = forkSession(place, from, from.tree.id(0));
  log.close();
  const fork = resumeSession(place, log.id);
  fork.message({ role: 'user', content: 'in the fork' });
  fork.close();
  const { file } = proofOf(place, log.id);
  const key = keyOf(place);
  expect(verifyProof(file, [key])).toMatchObject({ faults: [], entries: 2 });
  const lie = fs.readFileSync(file).toString('latin1').replace('test/long', 'test/lies');
  fs.writeFileSync(file, lie, 'latin1');
  expect(wrongWith(file, key)).toMatch(/its parent session|hash was made of/);
});

test('a session whose long output is lost cannot be proven', () => {
  const place = signedPlace();
  const log = written(place);
  log.close();
  fs.rmSync(place.blobs.directory, { recursive: true });
  expect(() => proofOf(place, log.id)).toThrow(
    expect.objectContaining({ reason: expect.stringContaining('is lost') }),
  );
});

test('while another process writes and signs, every reading is whole, and two that begin have one key', async () => {
  const state = temporaryDirectory();
  const writer = new URL('crash-writer.ts', import.meta.url).pathname;
  // What they print goes to files: nobody reads while a log is verified, and a pipe would be full.
  const outputs = [0, 1].map((child) => join(state, `printed-${child}`));
  const children = outputs.map((output) =>
    spawn(process.execPath, [writer, state, ''], {
      stdio: ['ignore', fs.openSync(output, 'w'), 'inherit'],
    }),
  );
  const ended = children.map((child) => new Promise((resolve) => child.once('close', resolve)));
  try {
    const place = sessionPlace(state);
    const ids: string[] = [];
    for (const output of outputs) {
      while (!fs.readFileSync(output, 'utf8').includes('\n'))
        await new Promise((resolve) => setTimeout(resolve, 20));
      ids.push(fs.readFileSync(output, 'utf8').split('\n')[0] ?? '');
    }
    for (let reading = 0; reading < 5; reading++) {
      for (const id of ids) expect(verifySession(place, id).faults).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(place.anchor?.keys().length).toBeLessThanOrEqual(1);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
  }
});

test('by the command line: a command is signed when it ends, a key is printed, a proof needs one, and statuses tell', async () => {
  const env = { XDG_STATE_HOME: temporaryDirectory() };
  const at = (name: string): string => join(env.XDG_STATE_HOME, name);
  const run = async (...args: string[]) => {
    const { stdout, stderr, status } = await cli(['session', ...args], { env });
    return { out: stdout.toString(), stderr, status };
  };
  await cli(['sh', '--keep', '-c', 'echo hello'], { env });
  expect((await run('verify')).out).toMatch(
    /whole: 4 lines\n {2}signed to its end at .* by ed25519:/,
  );
  const key = (await run('key')).out.trim();
  expect((await run('export', '--proof', '-o', at('proof'))).status).toBe(0);
  expect(fs.statSync(at('proof')).mode & 0o777).toBe(0o600);
  fs.writeFileSync(at('deployer.pub'), `${key}\n`);
  for (const given of [key, at('deployer.pub')])
    expect((await run('verify', at('proof'), '--key', given)).status).toBe(0);
  expect(await run('verify', at('proof'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('--key'),
  });
  expect((await run('verify', at('nothing'), '--key', key)).status).toBe(1);
  const [log = ''] = fs.globSync(at('dirigent/sessions/*/log.jsonl'));
  fs.truncateSync(log, fs.readFileSync(log).indexOf('\n') + 1);
  const cut = await run('verify');
  expect([cut.status, cut.out]).toEqual([1, expect.stringContaining('it was cut')]);
  const id = /\w{26}/.exec(cut.out)?.[0] ?? '';
  const resumed = await cli(['sh', '--session', id, '-c', 'true'], { env });
  expect(resumed.stderr).toContain('it was cut');
});
