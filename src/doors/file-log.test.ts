import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Errno, FsError } from '../errors.ts';
import type { Entry, EntryDraft } from '../session/entry.ts';
import { FileLog } from './file-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const entries: EntryDraft[] = [];
  const append = (entry: EntryDraft) => {
    entries.push(entry);
    return { id: '', parentId: null, timestamp: '', ...entry } as Entry;
  };
  const log = new FileLog({ append }, 'mcp', { actor: 'bob' });
  const { onChanged } = log.watching({});
  return { entries, change: (path: string) => onChanged?.([path]) };
}

const changedIn = (entry: EntryDraft) => (entry['data'] as { changed: unknown }).changed;

test('what is changed together is one entry, and each file is in it once', () => {
  const { entries, change } = watched();
  for (const path of ['/a', '/a', '/b']) {
    change(path);
    vi.advanceTimersByTime(150);
  }
  expect(entries).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(entries.map(changedIn)).toEqual([[{ path: '/a' }, { path: '/b' }]]);
});

test('what never pauses is told all the same', () => {
  const { entries, change } = watched();
  for (let ms = 0; ms < 4_500; ms += 100) {
    change(`/${ms}`);
    vi.advanceTimersByTime(100);
  }
  expect(entries.length).toBe(2);
});

/** A log whose entries can be refused, and what its listeners beside it hear. */
function logged(agent?: string) {
  const entries: EntryDraft[] = [];
  const disk = { full: false };
  const append = (entry: EntryDraft) => {
    if (disk.full) throw new Error('no room');
    entries.push(entry);
    return { id: '', parentId: null, timestamp: '', ...entry } as Entry;
  };
  const log = new FileLog({ append }, 'ssh', {
    actor: 'bob',
    ...(agent === undefined ? {} : { agent }),
  });
  const heard: unknown[] = [];
  const watch = log.watching({
    onParked: () => heard.push('parked'),
    onChanged: (paths) => heard.push(paths),
    onFailed: (error) => heard.push(error),
  });
  return { entries, disk, log, heard, watch };
}

test('an entry says by which door, who, and for whom', () => {
  for (const agent of [undefined, 'reader']) {
    const { entries, log, watch } = logged(agent);
    watch.onChanged?.(['/a']);
    log.flush();
    expect(entries).toEqual([
      {
        ...{ type: 'custom', name: 'door/files' },
        data: {
          door: 'ssh',
          actor: 'bob',
          ...(agent === undefined ? {} : { agent }),
          changed: [{ path: '/a' }],
        },
      },
    ]);
  }
});

test('what is flushed is told once, and nothing is told of nothing', () => {
  const { entries, log, watch } = logged();
  log.flush();
  watch.onChanged?.(['/a']);
  log.flush();
  vi.advanceTimersByTime(10_000);
  expect(entries).toHaveLength(1);
  watch.onChanged?.(['/b']);
  vi.advanceTimersByTime(200);
  expect(entries.map(changedIn)).toEqual([[{ path: '/a' }], [{ path: '/b' }]]);
});

test('an entry names two hundred paths, and has the number of the others', () => {
  for (const count of [200, 203]) {
    const { entries, log, watch } = logged();
    watch.onChanged?.(Array.from({ length: count }, (_, index) => `/${index}`));
    log.flush();
    const data = entries[0]?.['data'] as { changed: unknown[]; more?: number };
    expect([data.changed.length, data.more]).toEqual([200, count === 200 ? undefined : 3]);
  }
});

test('what a rule refused is told once; what is not there, or broken, is not', () => {
  const { entries, log, watch, heard } = logged();
  const fail = (code: Errno, rule?: string) =>
    watch.onFailed?.(
      new FsError(code, { path: '/a', op: 'open', ...(rule === undefined ? {} : { rule }) }),
    );
  fail('ENOENT', 'r');
  fail('EACCES');
  watch.onFailed?.(new Error('x'));
  vi.advanceTimersByTime(10_000);
  expect(entries).toEqual([]);
  for (const code of ['EACCES', 'EPERM', 'EBUSY'] as const) {
    fail(code, code);
    fail(code, code);
  }
  vi.advanceTimersByTime(200);
  expect(entries[0]?.['data']).toMatchObject({
    changed: [],
    refused: ['EACCES', 'EPERM', 'EBUSY'].map((code) => ({
      path: '/a',
      op: 'open',
      code,
      rule: code,
    })),
  });
  expect(heard).toHaveLength(9);
  log.flush();
  expect(entries).toHaveLength(1);
});

test('that the log could not be written is told to whoever comes next, once', () => {
  const { entries, disk, log, watch, heard } = logged();
  disk.full = true;
  watch.onChanged?.(['/a']);
  vi.advanceTimersByTime(200);
  disk.full = false;
  expect(() => log.flush()).toThrow('no room');
  watch.onChanged?.(['/b']);
  log.flush();
  expect(entries.map(changedIn)).toEqual([[{ path: '/b' }]]);
  watch.onParked?.();
  expect(heard).toEqual([['/a'], ['/b'], 'parked']);
});
