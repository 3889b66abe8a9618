/** A log is held against what was signed of it: cut, put back, computed anew or signed by another, it is told. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Anchor } from '../../src/session/anchor.ts';
import { HEAD_FILE, HOST_IO } from '../../src/session/directory.ts';
import type { SessionPlace } from '../../src/session/file.ts';
import { forkSession } from '../../src/session/fork.ts';
import { encodeLine } from '../../src/session/line.ts';
import type { Log } from '../../src/session/log.ts';
import { createSession, resumeSession } from '../../src/session/open.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { testAgent } from '../agent/support.ts';
import { says } from '../stand-ins/model/index.ts';
import { linesOf, readSession, temporaryDirectory, through } from './support.ts';

const signedPlace = (): SessionPlace => sessionPlace(temporaryDirectory());

const say = (log: Log, text: string) => log.message({ role: 'user', content: text });

/** A session of turns of two messages each, signed after each of them. */
function turns(place: SessionPlace, count: number, log = createSession(place)): Log {
  for (let turn = 0; turn < count; turn++) {
    say(log, `question ${turn}`);
    say(log, `answer ${turn}`);
    log.sign();
  }
  return log;
}

function closed(place: SessionPlace, count: number): Log {
  const log = turns(place, count);
  log.close();
  return log;
}

const headFile = ({ file }: Log): string => join(dirname(file), HEAD_FILE);
const put = (file: string, lines: readonly string[]): void =>
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''));

/** The same lines, as whoever can write the file makes a valid chain of them. */
function chained(lines: readonly string[]): string[] {
  let prev: string | undefined;
  return lines.map((line) => {
    const { hash: _, ...record } = JSON.parse(line);
    const { line: written, hash } = encodeLine(prev === undefined ? record : { ...record, prev });
    prev = hash;
    return written.trimEnd();
  });
}

const isSignature = (line: string): boolean => JSON.parse(line).type === 'signature';
const reasons = (place: SessionPlace, id: string, keys?: string[]): string =>
  verifySession(place, id, keys === undefined ? {} : { keys })
    .faults.map(({ reason }) => reason)
    .join('\n');

test('a closed session is signed to its end: an entry, head.sig, and the journal say the same', () => {
  const place = signedPlace();
  const log = createSession(place);
  say(log, 'hello');
  log.close();
  const key = place.anchor?.publicKey();
  expect(verifySession(place, log.id)).toMatchObject({
    faults: [],
    signed: { lines: 2, unsigned: 0, key, found: [], otherKeys: [] },
  });
  const { head } = JSON.parse(linesOf(log.file).at(-1) ?? '');
  expect(head).toMatchObject({ session: log.id, lines: 2, key });
  expect(JSON.parse(fs.readFileSync(headFile(log), 'utf8'))).toEqual(head);
  expect(place.anchor?.recorded(log.id)).toEqual(head);
  const keyFile = join(dirname(place.files), 'session.key');
  expect(fs.statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(keyFile, 'utf8')).toContain('PRIVATE KEY');
});

test('what was written since the last signature is told as unsigned, and is no fault', () => {
  const place = signedPlace();
  const log = turns(place, 2);
  say(log, 'more');
  say(log, 'and more');
  const { faults, signed, lines } = verifySession(place, log.id);
  expect(faults).toEqual([]);
  expect(signed).toMatchObject({ lines: 6, unsigned: 2 });
  expect(lines).toBe(9);
  log.close();
});

test('a log that was cut after any of its lines is told, but for the last signature alone', () => {
  const place = signedPlace();
  const log = closed(place, 3);
  const lines = linesOf(log.file);
  for (let kept = 1; kept < lines.length - 1; kept++) {
    put(log.file, lines.slice(0, kept));
    expect(reasons(place, log.id), `${kept} lines`).toMatch(/head\.sig .*it was cut/);
    expect(reasons(place, log.id), `${kept} lines`).toMatch(/the journal recorded: .*it was cut/);
  }
  put(log.file, lines.slice(0, -1));
  expect(verifySession(place, log.id)).toMatchObject({ faults: [], signed: { unsigned: 0 } });
});

test.each([
  ['with its signatures as they were', (lines: string[]) => lines],
  ['without its signatures', (lines: string[]) => lines.filter((line) => !isSignature(line))],
])('a chain computed anew %s is told, with head.sig and without', (_, keep) => {
  const place = signedPlace();
  const log = closed(place, 2);
  const lines = linesOf(log.file);
  const forged = lines.map((line) => line.replace('answer 0', 'a lie'));
  put(log.file, chained(keep(forged)));
  for (const gone of [false, true]) {
    if (gone) fs.rmSync(headFile(log));
    const { faults, trustedLines, signed } = verifySession(place, log.id);
    expect(faults.map(({ reason }) => reason).join()).toMatch(
      /the journal recorded: .*computed anew|was cut/,
    );
    expect([signed.lines, trustedLines]).toEqual([0, 0]);
  }
  // Nothing but the key is known elsewhere: nothing is signed by it.
  const alone = { ...place, anchor: null };
  const key = place.anchor?.publicKey() ?? '';
  expect(verifySession(alone, log.id, { keys: [key] }).faults).not.toEqual([]);
});

test('lines added behind a signature are unsigned, and lines changed before one are told at their turn', () => {
  const place = signedPlace();
  const log = closed(place, 3);
  const lines = linesOf(log.file);
  const last = JSON.parse(lines.at(-1) ?? '');
  const added = { ...last, type: 'model_change', model: 'm', parentId: last.id };
  const id = last.id.replace(/.$/, (digit: string) => (digit === 'Z' ? 'Y' : 'Z'));
  put(log.file, chained([...lines, JSON.stringify({ ...added, id })]));
  expect(verifySession(place, log.id)).toMatchObject({
    faults: [],
    signed: { lines: 9, unsigned: 1 },
  });
  // From the second turn on computed anew: the first is still as it was signed.
  put(log.file, chained(lines.map((line) => line.replace('answer 1', 'a lie'))));
  const { signed, trustedLines } = verifySession(place, log.id);
  expect([signed.lines, trustedLines]).toEqual([3, 3]);
});

test('an older copy of the whole directory is told, by the resumed session, too, and goes on being told', () => {
  const place = signedPlace();
  const log = closed(place, 1);
  const folder = dirname(log.file);
  const copy = join(temporaryDirectory(), 'copy');
  fs.cpSync(folder, copy, { recursive: true });
  const again = resumeSession(place, log.id);
  expect(again.faults).toEqual([]);
  turns(place, 2, again).close();
  fs.rmSync(folder, { recursive: true });
  fs.cpSync(copy, folder, { recursive: true });
  expect(reasons(place, log.id)).toMatch(/^the last head that the journal recorded: .*older copy/);
  const resumed = resumeSession(place, log.id);
  expect(resumed.faults.map(({ reason }) => reason).join()).toMatch(/older copy/);
  turns(place, 4, resumed).close();
  const { faults, trustedLines } = verifySession(place, log.id);
  expect(faults.map(({ reason }) => reason).join()).toMatch(
    /the journal recorded: .*computed anew/,
  );
  expect(trustedLines).toBeLessThan(12);
});

test('what another key has signed counts for nothing, with the keys of the deployment and with one that is named', () => {
  const place = signedPlace();
  const stranger = sessionPlace(temporaryDirectory());
  const log = closed(place, 1);
  // The stranger writes a session of his own under the same id.
  const theirs = closed(stranger, 2);
  const own = place.anchor?.publicKey() ?? '';
  const text = fs.readFileSync(theirs.file, 'utf8').replaceAll(theirs.id, log.id);
  put(log.file, chained(text.trimEnd().split('\n')));
  fs.rmSync(headFile(log));
  expect(reasons(place, log.id)).toMatch(/its signature is not by the key that it names/);
  // Signed truly, by a key that nobody has named.
  const id = theirs.id;
  fs.cpSync(dirname(theirs.file), join(place.files, id), { recursive: true });
  expect(reasons(place, id)).toContain('which is no key of this deployment');
  expect(reasons(place, id, [own])).toContain('nothing in it is signed by');
  expect(reasons(place, id, [stranger.anchor?.publicKey() ?? ''])).toBe('');
});

test('head.sig of another session, and one that is none, are told', () => {
  const place = signedPlace();
  const log = closed(place, 1);
  const other = closed(place, 1);
  fs.copyFileSync(headFile(other), headFile(log));
  expect(reasons(place, log.id)).toContain(`it is of session ${other.id}`);
  for (const text of ['', '{', 'null', '{"session":"x"}']) {
    fs.writeFileSync(headFile(log), text);
    expect(reasons(place, log.id)).toContain('no signed head');
  }
  fs.cpSync(log.file, other.file);
  expect(reasons(place, other.id)).toContain(`it is the log of session ${log.id}`);
});

test('a rotated key: what the one before has signed stays signed, and each key says up to where it has', () => {
  const place = signedPlace();
  const log = closed(place, 1);
  const before = place.anchor?.publicKey() ?? '';
  const after = place.anchor?.rotate() ?? '';
  expect(after).not.toBe(before);
  turns(place, 1, resumeSession(place, log.id)).close();
  expect(verifySession(place, log.id)).toMatchObject({
    faults: [],
    signed: { key: after, unsigned: 0, lines: 6 },
  });
  expect(verifySession(place, log.id, { keys: [before] })).toMatchObject({
    faults: [],
    signed: { key: before, lines: 3, unsigned: 3, otherKeys: [after] },
  });
});

test('a key that is gone is replaced, and known from the journal; one that is no key is named', () => {
  const state = temporaryDirectory();
  const place = sessionPlace(state);
  const log = closed(place, 1);
  fs.rmSync(join(state, 'session.key'));
  expect(verifySession(place, log.id).faults).toEqual([]);
  expect(fs.existsSync(join(state, 'session.key'))).toBe(false);
  closed(place, 1);
  expect(new Anchor(state).keys()).toHaveLength(2);
  fs.writeFileSync(join(state, 'session.key'), 'rubbish');
  expect(() => closed(place, 1)).toThrow(/session\.key is no Ed25519 private key: restore it/);
});

test('a fork is signed by itself, and tells of a parent that was computed anew', () => {
  const place = signedPlace();
  const parent = closed(place, 2);
  const file = readSession(place, parent.id);
  const { log: fork } = forkSession(place, file, file.tree.id(1));
  fork.close();
  expect(verifySession(place, fork.id)).toMatchObject({ faults: [], signed: { lines: 1 } });
  turns(place, 1, resumeSession(place, fork.id)).close();
  expect(verifySession(place, fork.id)).toMatchObject({
    faults: [],
    signed: { lines: 3, unsigned: 0, found: [] },
  });
  const lines = linesOf(parent.file);
  put(parent.file, chained(lines.map((line) => line.replace('question 0', 'a lie'))));
  expect(reasons(place, fork.id)).toContain('is not the one it was forked at');
});

test('a session that is its own ancestor is told, and is read to no end', () => {
  const place = signedPlace();
  const log = closed(place, 1);
  const [header = '', ...rest] = linesOf(log.file);
  const forked = { ...JSON.parse(header), parentSession: log.id, parentEntry: log.id };
  put(log.file, chained([JSON.stringify(forked), ...rest]));
  expect(reasons(place, log.id)).toContain('it would be a fork of itself');
});

test('a session that was left unsigned is gone on with, and the signature says which lines were found so', () => {
  const place = signedPlace();
  const bare: SessionPlace = { ...place, anchor: null };
  // As a killed process leaves it: written, never signed, with a torn tail.
  const log = createSession(bare);
  say(log, 'one');
  say(log, 'two');
  log.close();
  fs.appendFileSync(log.file, '{"id":"torn');
  expect(verifySession(place, log.id)).toMatchObject({ faults: [], signed: { lines: 0 } });
  turns(place, 1, resumeSession(place, log.id)).close();
  expect(verifySession(place, log.id)).toMatchObject({
    faults: [],
    signed: { lines: 5, unsigned: 0, found: [[1, 3]] },
  });
});

test('a signature costs no sync beyond those of the entries', () => {
  let syncs = 0;
  const io = {
    ...HOST_IO,
    sync: (descriptor: number) => {
      syncs += 1;
      HOST_IO.sync(descriptor);
    },
  };
  const place = signedPlace();
  const log = createSession(through(io, place));
  say(log, 'one');
  const before = syncs;
  for (let turn = 0; turn < 5; turn++) log.sign();
  log.close();
  expect(syncs).toBe(before);
  expect(linesOf(log.file).filter(isSignature)).toHaveLength(1);
});

test('the end of a turn is signed', async () => {
  const { run, session } = await testAgent(() => says('done'));
  await run('x');
  const [end, signature] = session.entries().slice(-2);
  expect([end?.['name'], signature?.type]).toEqual(['turn/end', 'signature']);
  const { hash } = end ?? {};
  expect(signature).toMatchObject({ prev: hash, head: { session: session.id, hash } });
});
