/** The log: what is written, what is read again, and what a failing disk leaves. */
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isFsError } from '../../src/errors.ts';
import { isBlobRef, MAX_INLINE_BYTES } from '../../src/session/blobs.ts';
import { HOST_IO, type WriterIo } from '../../src/session/directory.ts';
import { SessionFile } from '../../src/session/file.ts';
import { forkSession } from '../../src/session/fork.ts';
import { createSession, resumeSession } from '../../src/session/open.ts';
import { verifySession } from '../../src/session/verify.ts';
import { linesOf, readSession, sessionOf, testPlace, through, UNSYNCED } from './support.ts';

test('a session is not on the disk before its first entry', () => {
  const place = testPlace();
  const log = createSession(place);
  expect(existsSync(log.file)).toBe(false);
  log.append({ type: 'model_change', model: 'm' });
  expect(linesOf(log.file)).toHaveLength(2);
  log.close();
});

test('C JSONL, not to copy: a write cut at every byte of a record loses no earlier entry, and the next append is on a line of its own', () => {
  const place = testPlace();
  const { id, file, lines } = sessionOf(place, 3);
  const whole = readFileSync(file);
  const record = Buffer.from(`${lines.at(-1)}\n`);
  const before = whole.length - record.length;
  expect(record.length).toBeGreaterThan(200);
  for (let cut = 0; cut < record.length; cut++) {
    truncateSync(file, before);
    appendFileSync(file, record.subarray(0, cut));
    const log = resumeSession(place, id);
    expect(log.faults).toEqual([]);
    expect(log.torn === null).toBe(cut === 0);
    if (log.torn !== null)
      expect(readFileSync(log.torn).equals(record.subarray(0, cut))).toBe(true);
    const entry = log.append({ type: 'model_change', model: 'next' });
    log.close();
    expect(linesOf(file)).toEqual([...lines.slice(0, 3), expect.stringContaining(entry.id)]);
    expect(verifySession(place, id).faults).toEqual([]);
  }
});

test('C JSONL, not to copy, one writer: a second one is told who holds the session, and may write once it was closed', () => {
  const place = testPlace();
  const log = createSession(place);
  log.append({ type: 'model_change', model: 'm' });
  expect(() => resumeSession(place, log.id)).toThrow(
    expect.objectContaining({
      code: 'EBUSY',
      reason: expect.stringContaining(`process ${process.pid}`),
    }),
  );
  log.close();
  const second = resumeSession(place, log.id);
  second.append({ type: 'model_change', model: 'n' });
  second.close();
  expect(verifySession(place, log.id)).toMatchObject({ entries: 2, faults: [] });
});

test('C JSONL: leaf, fork, compaction and label append; no byte that was written changes', () => {
  const place = testPlace();
  const log = createSession(through(UNSYNCED, place));
  const first = log.message({ role: 'user', content: 'one' });
  const last = log.message({ role: 'assistant', content: 'two' });
  const written: Buffer[] = [];
  const appended = (step: () => unknown): void => {
    written.push(readFileSync(log.file));
    step();
    const after = readFileSync(log.file);
    for (const before of written)
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
  };
  appended(() => log.label(first.id, 'begin'));
  appended(() => log.append({ type: 'leaf', target: first.id, from: last.id }));
  appended(() => log.append({ type: 'compaction', summary: 's', firstKeptEntryId: first.id }));
  appended(() =>
    forkSession(place, new SessionFile(place, log.id).refresh(), first.id).log.close(),
  );
  expect(linesOf(log.file).length).toBeGreaterThan(5);
  log.close();
});

test('C JSONL, not to copy: an append writes its own line and nothing else, however long the log is', () => {
  const written = { calls: 0, bytes: 0 };
  const io: WriterIo = {
    ...UNSYNCED,
    write: (descriptor, data) => {
      written.calls += 1;
      written.bytes += data.length;
      return HOST_IO.write(descriptor, data);
    },
  };
  const log = createSession(through(io));
  const cost = (): { calls: number; bytes: number } => {
    const before = { ...written };
    log.message({ role: 'user', content: 'the same text' });
    return { calls: written.calls - before.calls, bytes: written.bytes - before.bytes };
  };
  // The first one brings the header, and has no parent.
  cost();
  const early = cost();
  for (let index = 0; index < 3_000; index++) log.message({ role: 'user', content: 'filling' });
  expect(cost()).toEqual(early);
  expect(early.calls).toBe(1);
  log.close();
});

test('ids grow from one process to the next, though the clock goes back', () => {
  const place = testPlace();
  const log = createSession(place, { now: () => 2_000_000_000_000 });
  const first = log.append({ type: 'model_change', model: 'm' });
  log.close();
  const again = resumeSession(place, log.id, { now: () => 1_000_000_000_000 });
  const second = again.append({ type: 'model_change', model: 'm' });
  again.close();
  expect(second.id > first.id).toBe(true);
});

test('an unknown type is kept as it is and passed on', async () => {
  const place = testPlace();
  const log = createSession(place);
  const draft = { type: 'from_the_future', odd: { __proto__x: 1, list: [null, 'ü', 1.5] } };
  const events = log.events();
  const entry = log.append(draft);
  expect((await events.next()).value).toMatchObject(draft);
  log.close();
  expect(readSession(place, log.id).get(entry.id)).toEqual(entry);
  expect(verifySession(place, log.id).faults).toEqual([]);
});

test('long output is a blob beside the log: the line holds its hash and head, and the entry reads whole', () => {
  const place = testPlace();
  const log = createSession(place);
  const stdout = 'ä'.repeat(MAX_INLINE_BYTES);
  const entry = log.append({ type: 'bash_end', start: 'x', stdout, stderr: 'short' });
  expect(entry['stdout']).toBe(stdout);
  expect(log.get(entry.id)?.['stdout']).toBe(stdout);
  log.close();
  const stored = readSession(place, log.id).get(entry.id);
  expect(isBlobRef(stored?.['stdout'])).toBe(true);
  expect(stored?.['stderr']).toBe('short');
  expect(statSync(log.file).size).toBeLessThan(4000);
});

test.each([
  ['short', 'aä€'],
  ['long and ASCII', 'line\n'.repeat(MAX_INLINE_BYTES / 4)],
  ['long, with a mark of its encoding', `\ufeff${'😀'.repeat(MAX_INLINE_BYTES / 4)}`],
  ['as long as a line may hold', 'x'.repeat(MAX_INLINE_BYTES)],
  ['of many pieces, with characters over their borders', `x${'😀'.repeat(400_000)}`],
  ['long, with half of a character', `${'x'.repeat(MAX_INLINE_BYTES)}\ud83d`],
])('a text that is kept before is what the text itself would be: %s', async (_, text) => {
  const log = createSession(testPlace());
  const plain = log.append({ type: 'custom', name: 'test/text', text });
  const id = await log.record({
    type: 'custom',
    name: 'test/text',
    text: await log.keepLong(text),
  });
  const [first, second] = log.entries();
  expect(plain['text']).toBe(text);
  expect(second?.['text']).toEqual(first?.['text']);
  const long = Buffer.byteLength(text) > MAX_INLINE_BYTES && text.isWellFormed();
  expect(isBlobRef(second?.['text'])).toBe(long);
  expect(log.get(id)?.['text']).toBe(text);
  log.close();
});

test('a list that is kept before is what the list itself would be', async () => {
  const log = createSession(testPlace());
  for (const length of [1, 256, 257, 512, 1000]) {
    const list = Array.from({ length }, (_, index) => ({
      path: `/${index}\ud83d😀`,
      before: null,
    }));
    const plain = log.append({ type: 'custom', name: 'test/list', list });
    const id = await log.record({
      type: 'custom',
      name: 'test/list',
      list: await log.keepLong(list),
    });
    const [first, second] = log.entries().slice(-2);
    expect(second?.['list']).toEqual(first?.['list']);
    expect(log.get(id)?.['list']).toEqual(plain['list']);
    expect(plain['list']).toEqual(list);
  }
  log.close();
});

test('a value that only looks like a blob is kept as it is', () => {
  const place = testPlace();
  const log = createSession(place);
  const forged = { $blob: 'a'.repeat(64), bytes: 1, head: '' };
  const twice = { $literal: forged };
  const entry = log.append({ type: 'custom', name: 'test/x', data: { forged, twice } });
  expect(entry['data']).toEqual({ forged, twice });
  log.close();
  const again = resumeSession(place, log.id);
  expect(again.get(entry.id)?.['data']).toEqual({ forged, twice });
  again.close();
});

/** The host's calls, until the test lets one of them fail. */
function failingIo(): {
  io: WriterIo;
  fail(call: 'write' | 'sync', code: string, after?: number): void;
} {
  const failures: Partial<Record<'write' | 'sync', { code: string; after: number }>> = {};
  const raise = (call: 'write' | 'sync'): void => {
    const failure = failures[call];
    if (failure === undefined) return;
    delete failures[call];
    throw Object.assign(new Error(failure.code), { code: failure.code });
  };
  const io: WriterIo = {
    ...HOST_IO,
    write: (descriptor, data) => {
      const after = failures.write?.after ?? 0;
      if (failures.write !== undefined && after > 0) {
        failures.write.after = 0;
        return HOST_IO.write(descriptor, data.subarray(0, after));
      }
      raise('write');
      return HOST_IO.write(descriptor, data);
    },
    sync: (descriptor) => {
      raise('sync');
      HOST_IO.sync(descriptor);
    },
    syncLater: (descriptor, done) => {
      try {
        raise('sync');
      } catch (error) {
        done(error as Error);
        return;
      }
      HOST_IO.syncLater(descriptor, done);
    },
  };
  return { io, fail: (call, code, after = 0) => (failures[call] = { code, after }) };
}

test('a full disk refuses the entry with the reason, leaves no half line, and the session goes on when there is room', () => {
  const place = testPlace();
  const { io, fail } = failingIo();
  const log = createSession(through(io, place));
  log.append({ type: 'model_change', model: 'a' });
  fail('write', 'ENOSPC', 40);
  expect(() => log.append({ type: 'model_change', model: 'b' })).toThrow(
    expect.objectContaining({ code: 'ENOSPC', reason: expect.stringContaining('make room') }),
  );
  expect(readFileSync(log.file, 'utf8').endsWith('}\n')).toBe(true);
  log.append({ type: 'model_change', model: 'c' });
  log.close();
  expect(verifySession(place, log.id)).toMatchObject({ entries: 2, faults: [], tornBytes: 0 });
});

test('after a sync that failed nothing more is written: what the disk holds is unknown', async () => {
  const place = testPlace();
  const { io, fail } = failingIo();
  const log = createSession(through(io, place));
  log.append({ type: 'model_change', model: 'a' });
  fail('sync', 'EIO');
  const grouped = [1, 2].map(() => log.appendGrouped({ type: 'model_change', model: 'b' }));
  for (const result of await Promise.allSettled(grouped)) {
    expect(result.status === 'rejected' && isFsError(result.reason, 'EIO')).toBe(true);
  }
  expect(() => log.append({ type: 'model_change', model: 'c' })).toThrow(/EIO/);
  log.close();
});

test('grouped appends resolve in order, each when it is durable, and mix with single ones', async () => {
  const place = testPlace();
  const log = createSession(place);
  const seen: string[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const event of log.events({ signal: stop.signal })) {
      seen.push(String(event['model']));
      if (seen.length === 101) return;
    }
  })();
  const grouped = Array.from({ length: 100 }, (_, index) =>
    log.appendGrouped({ type: 'model_change', model: `${index}` }),
  );
  log.append({ type: 'model_change', model: 'last' });
  const entries = await Promise.all(grouped);
  await reading;
  expect(seen).toEqual([...entries.map((_, index) => `${index}`), 'last']);
  expect(
    entries.every(({ parentId }, index) => index === 0 || parentId === entries[index - 1]?.id),
  ).toBe(true);
  log.close();
  expect(verifySession(place, log.id)).toMatchObject({ entries: 101, faults: [] });
});

test('events after an id: what the log holds, then what comes; deltas pass through and are not kept', async () => {
  const place = testPlace();
  const log = createSession(place);
  const [a, b] = ['a', 'b'].map((model) => log.append({ type: 'model_change', model }));
  const events = log.events({ after: a?.id ?? '' });
  log.emit({ type: 'text_delta', text: 'hel' });
  const c = log.append({ type: 'model_change', model: 'c' });
  log.close();
  const seen = [];
  for await (const event of events) seen.push(event);
  expect(seen).toEqual([b, { transient: true, type: 'text_delta', text: 'hel' }, c]);
  expect(linesOf(log.file)).toHaveLength(4);
  expect(() => createSession(place).events({ after: 'no' })).toThrow(/ENOENT/);
});
