/** What a session store has to do, tried one by one: the bytes of logs, who writes them, and the house's sessions over them. */
import assert from 'node:assert/strict';
import { type Errno, isFsError } from '../errors.ts';
import { SessionFile, type SessionPlace } from '../session/file.ts';
import { forkSession } from '../session/fork.ts';
import { createSession, resumeSession } from '../session/open.ts';
import { removeSession } from '../session/remove.ts';
import type { LogWriter, SessionStore } from '../session/store.ts';
import { verifySession } from '../session/verify.ts';
import { createUlidFactory } from '../ulid.ts';
import { placeOf, type SessionStoreSubject, startChild } from './subject.ts';

export type { SessionStoreSubject } from './subject.ts';

/** One trial of a part. */
export interface Trial<Subject> {
  /** What holds. */
  name: string;
  /** @throws AssertionError with what does not hold */
  run(subject: Subject): Promise<void>;
}

type Work = (place: SessionPlace, subject: SessionStoreSubject) => Promise<void> | void;

const nextId = (): string => createUlidFactory(Date.now)();
const bytesOf = (text: string): Buffer => Buffer.from(text);

function readAll(store: SessionStore, session: string): string {
  const reader = store.read(session);
  try {
    const bytes = Buffer.alloc(store.stat(session)?.bytes ?? 0);
    for (let done = 0; done < bytes.length; ) {
      const read = reader.read(bytes.subarray(done), done);
      assert.ok(read > 0, `a log of ${bytes.length} bytes gives nothing from byte ${done} on`);
      done += read;
    }
    assert.equal(reader.read(Buffer.alloc(8), bytes.length), 0, 'at the end nothing is read');
    return bytes.toString();
  } finally {
    reader.close();
  }
}

function fails(code: Errno, work: () => unknown, what: string): void {
  try {
    work();
  } catch (error) {
    assert.ok(isFsError(error, code), `${what}: it should fail with ${code}, and says: ${error}`);
    if (code !== 'ENOENT') assert.ok(error.reason, `${what}: it should say what happened`);
    return;
  }
  assert.fail(`${what}: it should fail with ${code}, and does not`);
}

/** A log with these bytes, and who writes it. */
function begun(store: SessionStore, text: string): { session: string; writer: LogWriter } {
  const session = nextId();
  const writer = store.write(session);
  writer.append(bytesOf(text), 0);
  writer.sync();
  return { session, writer };
}

/** A second store on the same data, as another process has it. */
function beside(subject: SessionStoreSubject, work: (store: SessionStore) => void): void {
  const { store } = placeOf(subject);
  try {
    work(store);
  } finally {
    store.close?.();
  }
}

const nothing: Work = ({ store }) => {
  const session = nextId();
  assert.deepEqual(store.list(), []);
  assert.equal(store.stat(session), null);
  assert.equal(store.head(session), null);
  assert.ok(store.where(session).length > 0, 'where() says nothing');
  fails('ENOENT', () => store.read(session), 'reading a session that is not there');
  const writer = store.write(session);
  assert.deepEqual(store.list(), [], 'to become the writer makes no log yet');
  assert.equal(store.stat(session), null);
  writer.release();
};

/** The same numbers each time, from 0 to below 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const reading: Work = ({ store }, subject) => {
  const random = numbers(7);
  const { session, writer } = begun(store, 'the first\n');
  let whole = bytesOf('the first\n');
  const reader = store.read(session);
  const before = Date.now() - 60_000;
  for (let round = 0; round < 60; round++) {
    // Among them pieces that are longer than what is read at a time.
    const length = 1 + Math.floor(random() ** 8 * 600_000);
    const more = Buffer.alloc(length, Math.floor(random() * 256));
    writer.append(more, whole.length);
    whole = Buffer.concat([whole, more]);
    const at = Math.floor(random() * (whole.length + 1));
    const into = Buffer.alloc(1 + Math.floor(random() * 5_000));
    const read = reader.read(into, at);
    assert.equal(read > 0, at < whole.length, `reading at ${at} of ${whole.length}: ${read} bytes`);
    assert.ok(into.subarray(0, read).equals(whole.subarray(at, at + read)), `the bytes at ${at}`);
  }
  writer.sync();
  reader.close();
  writer.release();
  beside(subject, (other) => {
    assert.deepEqual(other.list(), [session]);
    const stat = other.stat(session);
    assert.equal(stat?.bytes, whole.length);
    const { changed = new Date(0) } = stat ?? {};
    assert.ok(changed.getTime() > before && changed.getTime() < Date.now() + 60_000);
    assert.ok(readAll(other, session) === whole.toString(), 'another store reads other bytes');
  });
};

const expectedLength: Work = ({ store }, subject) => {
  const { session, writer } = begun(store, 'one\n');
  for (const at of [0, 3, 5])
    fails('ESTALE', () => writer.append(bytesOf('two\n'), at), `appending at ${at} of 4 bytes`);
  assert.equal(readAll(store, session), 'one\n');
  writer.append(bytesOf('two\n'), 4);
  // What failed is taken back, whether or not anything of it was written.
  writer.undo(8);
  writer.undo(4);
  assert.equal(readAll(store, session), 'one\n');
  writer.append(bytesOf('three\n'), 4);
  writer.sync();
  writer.release();
  beside(subject, (other) => assert.equal(readAll(other, session), 'one\nthree\n'));
};

const oneWriter: Work = ({ store }, subject) => {
  const { session, writer } = begun(store, 'one\n');
  fails('EBUSY', () => store.write(session), 'a second writer of the same store');
  beside(subject, (other) => {
    fails('EBUSY', () => other.write(session), 'a second writer');
    // Others are written meanwhile.
    begun(other, 'else\n').writer.release();
    assert.equal(readAll(other, session), 'one\n', 'who reads needs no right to write');
    writer.release();
    const next = other.write(session);
    next.append(bytesOf('two\n'), 4);
    next.sync();
    next.release();
  });
  assert.equal(readAll(store, session), 'one\ntwo\n');
};

const lapsed: Work = ({ store }, subject) => {
  const { session, writer } = begun(store, 'one\n');
  if (subject.lapse === undefined) return writer.release();
  subject.lapse(session);
  beside(subject, (other) => {
    const next = other.write(session);
    next.append(bytesOf('two\n'), 4);
    next.keepHead('next');
    const what = 'whoever has lost the right to write';
    fails('ESTALE', () => writer.append(bytesOf('lost\n'), 8), what);
    fails('ESTALE', () => writer.undo(0), what);
    fails('ESTALE', () => writer.cut(0), what);
    fails('ESTALE', () => writer.keepHead('lost'), what);
    fails('ESTALE', () => writer.sync(), what);
    fails('ESTALE', () => writer.remove(), what);
    writer.release();
    next.append(bytesOf('three\n'), 8);
    next.release();
  });
  assert.equal(readAll(store, session), 'one\ntwo\nthree\n');
  assert.equal(store.head(session), 'next');
};

const torn: Work = ({ store }, subject) => {
  const { session, writer } = begun(store, 'one\ntw');
  const where = writer.cut(4);
  assert.ok(where.length > 0, 'cut() does not say where it keeps the bytes');
  assert.equal(readAll(store, session), 'one\n');
  writer.append(bytesOf('two\n'), 4);
  writer.sync();
  writer.release();
  beside(subject, (other) => assert.equal(readAll(other, session), 'one\ntwo\n'));
};

const heads: Work = ({ store }, subject) => {
  const { session, writer } = begun(store, 'one\n');
  const other = begun(store, 'else\n');
  for (const head of ['{"lines":1}\n', '{"lines":2,"text":"ü 漢 \u0000"}\n']) {
    writer.keepHead(head);
    assert.equal(store.head(session), head);
  }
  assert.equal(store.head(other.session), null, 'a head is of its session alone');
  for (const each of [writer, other.writer]) each.release();
  beside(subject, (again) =>
    assert.equal(again.head(session), '{"lines":2,"text":"ü 漢 \u0000"}\n'),
  );
};

const removed: Work = ({ store }, subject) => {
  const { session, writer } = begun(store, 'one\n');
  const kept = begun(store, 'kept\n');
  writer.keepHead('{}');
  writer.remove();
  kept.writer.release();
  beside(subject, (other) => {
    assert.deepEqual(other.list(), [kept.session]);
    assert.equal(other.stat(session), null);
    assert.equal(other.head(session), null);
    fails('ENOENT', () => other.read(session), 'reading a session that was removed');
    // Nobody writes it any more; it could begin again.
    const next = other.write(session);
    next.append(bytesOf('new\n'), 0);
    assert.equal(readAll(other, session), 'new\n');
    next.remove();
    assert.equal(readAll(other, kept.session), 'kept\n');
  });
};

const KILLS = 4;

const killed: Work = async ({ store }, subject) => {
  const session = nextId();
  let told = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const said = await startChild(subject, 'lines', session).killedAfter(5 + kill * 7);
    assert.ok(said.length > 0, 'a process of its own could not write');
    told += said.length;
    // The right to write went with the process: whoever comes next writes at once.
    const writer = store.write(session);
    assert.ok(store.stat(session) !== null, 'lines were said to be durable, and there is no log');
    const text = readAll(store, session);
    const end = text.lastIndexOf('\n') + 1;
    if (end < Buffer.byteLength(text)) writer.cut(end);
    const lines = text.slice(0, end).split('\n').slice(0, -1);
    const last = lines.slice(lines.lastIndexOf('line 0'));
    assert.ok(
      last.length >= said.length,
      `${said.length} lines were said to be durable, and ${last.length} are there`,
    );
    assert.deepEqual(
      last,
      last.map((_, line) => `line ${line}`),
      'the lines that are there are whole, and in their order',
    );
    writer.release();
  }
  assert.ok(readAll(store, session).split('\n').length > told);
};

const WRITERS = 3;
const ROUNDS = 25;

const several: Work = async ({ store }, subject) => {
  const { session, writer } = begun(store, 'begin\n');
  writer.release();
  const names = Array.from({ length: WRITERS }, (_, index) => `writer${index}`);
  await Promise.all(
    names.map((name) => startChild(subject, 'turns', session, String(ROUNDS), name).ended),
  );
  const lines = readAll(store, session).split('\n').slice(1, -1);
  for (const name of names)
    assert.deepEqual(
      lines.filter((line) => line.startsWith(name)),
      Array.from({ length: ROUNDS }, (_, round) => `${name} ${round}`),
      'each line of each writer, once, in its order',
    );
  assert.equal(lines.length, WRITERS * ROUNDS);
};

/** What the house makes of it: a tree in a chain of hashes, signed, forked, gone on with, removed. */
const sessions: Work = async (place, subject) => {
  const log = createSession(place);
  const first = log.message({ role: 'user', content: 'first '.repeat(10_000) });
  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      log.record({ type: 'model_change', model: `${index}` }),
    ),
  );
  assert.ok(
    isFsError(
      attempt(() => resumeSession(place, log.id)),
      'EBUSY',
    ),
    'one writer a session',
  );
  log.close();
  const from = new SessionFile(place, log.id).refresh();
  const fork = forkSession(place, from, first.id).log;
  from.close();
  fork.message({ role: 'user', content: 'another way' });
  fork.close();
  // As a killed process leaves it.
  const held = place.store.write(log.id);
  held.append(bytesOf('{"id":"torn'), place.store.stat(log.id)?.bytes ?? 0);
  held.release();
  const again = resumeSession(place, log.id);
  assert.ok(again.torn !== null, 'what a killed process left is kept');
  again.travel(first.id);
  again.message({ role: 'user', content: 'gone back' });
  again.close();
  const other = placeOf(subject);
  for (const [id, entries] of [
    [log.id, 55],
    [fork.id, 3],
  ] as const) {
    const verdict = verifySession(other, id);
    assert.deepEqual(verdict.faults, [], `the log of ${id} is whole`);
    assert.equal(verdict.tornBytes, 0);
    assert.equal(verdict.signed.unsigned, 0, 'it is signed to its end');
    assert.equal(verdict.entries, entries);
  }
  assert.ok(
    isFsError(
      attempt(() => removeSession(other, log.id)),
      'EBUSY',
    ),
    'a fork needs it',
  );
  removeSession(other, fork.id);
  removeSession(other, log.id);
  assert.deepEqual(other.store.list(), []);
  other.store.close?.();
};

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const TRIALS: readonly [name: string, work: Work][] = [
  ['nothing is there before something is appended', nothing],
  ['bytes are read as they were appended, from any offset, at once and by another store', reading],
  ['bytes are added where the log is thought to end, or not at all', expectedLength],
  ['one writes a session at a time, and who comes second is told who does', oneWriter],
  ['whoever has lost the right to write changes nothing more', lapsed],
  ['a line that was not ended is cut off', torn],
  ['the head that was kept last is the one that is there', heads],
  ['what was removed is gone, and nothing else', removed],
  ['a process that is killed leaves what it was told is durable, and the right to write', killed],
  ['of several processes that take turns, each has written what it wrote', several],
  [
    'sessions of the house over it are whole: chain, signatures, forks, going back, removal',
    sessions,
  ],
];

/** What a session store has to do. Each trial wants a directory of its own. */
export const sessionStoreTrials: readonly Trial<SessionStoreSubject>[] = TRIALS.map(
  ([name, work]) => ({
    name,
    run: async (subject) => {
      const place = placeOf(subject);
      try {
        await work(place, subject);
      } finally {
        place.store.close?.();
      }
    },
  }),
);
