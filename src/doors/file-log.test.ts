import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
