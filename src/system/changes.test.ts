import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Change, type ChangeJournal, openChangeJournal } from '../changes/index.ts';
import { isFsError } from '../errors.ts';
import { createChangesMount } from './changes.ts';

let directory: string;
const open: ChangeJournal[] = [];

function journal(): ChangeJournal {
  const made = openChangeJournal(join(directory, 'changes.sqlite'));
  open.push(made);
  return made;
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-changes-'));
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  rmSync(directory, { recursive: true });
});

const UPDATE = { mount: 'm', path: '/a.md', op: 'update', base: 'one\n', mine: 'two\n' } as const;

describe('the change journal', () => {
  it('has a change on disk before anything is sent, and keeps it over a restart', () => {
    const { id, idempotencyKey } = journal().begin(UPDATE);
    const found = journal().get(id);
    expect(found).toMatchObject({ state: 'draft', idempotencyKey, base: 'one\n', mine: 'two\n' });
    expect(found?.diff).toContain('-one\n+two\n');
  });

  it('lists changes in the order in which they were begun, also of one millisecond, by several journals', () => {
    const [one, other] = [journal(), journal()];
    const ids = Array.from(
      { length: 50 },
      (_, index) => (index % 2 ? one : other).begin(UPDATE).id,
    );
    expect(one.list().map(({ id }) => id)).toEqual(ids);
    expect(ids[0]).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it('applies a set one after the other, and says honestly which did not go through', async () => {
    const one = journal();
    const stage = () => one.update(one.begin(UPDATE).id, { state: 'pending' }).id;
    const [first, second, third] = [stage(), stage(), stage()];
    one.attach('m', {
      apply: async ({ id }: Change) => {
        if (id === second) {
          one.update(id, { state: 'failed', error: 'refused' });
          throw new Error('refused');
        }
        one.update(id, { state: 'applied' });
      },
      settle: async () => undefined,
    });
    expect(await one.apply([first, second, third])).toEqual([
      { id: first, state: 'applied' },
      { id: second, state: 'failed', error: 'refused' },
      { id: third, state: 'applied' },
    ]);
    expect(await one.apply([first])).toMatchObject([
      { error: 'the change is applied, not pending' },
    ]);
    expect(await one.drop([third])).toMatchObject([
      { state: 'applied', error: expect.any(String) },
    ]);
  });

  it('applies a change that is named with the digest that was shown, and none that says something else', async () => {
    const one = journal();
    const applied: string[] = [];
    one.attach('m', {
      apply: async ({ id }: Change) => void applied.push(id),
      settle: async () => undefined,
    });
    const shown = one.update(one.begin(UPDATE).id, { state: 'pending' });
    expect(one.get(shown.id)?.digest).toBe(shown.digest);
    expect(one.begin({ ...UPDATE, mine: 'three\n' }).digest).not.toBe(shown.digest);
    const { id } = shown;
    expect(() => one.update(id, { mine: 'evil\n' })).toThrow('staged');
    expect(await one.apply([{ id, digest: 'another' }])).toMatchObject([
      { state: 'pending', error: expect.stringContaining('not what was shown') },
    ]);
    expect(applied).toEqual([]);
    expect(await one.apply([{ id, digest: shown.digest }])).toEqual([{ id, state: 'pending' }]);
    expect(applied).toEqual([id]);
  });

  it('lets one process at a time write a record', async () => {
    const [one, two] = [journal(), journal()];
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 40));
      steps.push(`${name} out`);
    };
    await Promise.all([one.lock('m', '/a', work('1')), two.lock('m', '/a', work('2'))]);
    expect(steps).toEqual(['1 in', '1 out', '2 in', '2 out']);
  });

  it('tells who listens of every step', () => {
    const one = journal();
    const seen: string[] = [];
    const stop = one.onChange(({ state }) => seen.push(state));
    one.update(one.begin(UPDATE).id, { state: 'pending' });
    stop();
    one.begin(UPDATE);
    expect(seen).toEqual(['draft', 'pending']);
  });
});

describe('the journal as files', () => {
  it('shows what there is of a change and nothing else, and cannot be written', async () => {
    const one = journal();
    const { id } = one.begin(UPDATE);
    const request = { method: 'PATCH', url: '/x', body: { title: 'two' } } as const;
    one.update(id, { state: 'conflict', theirs: 'three\n', error: 'both', request });
    const mount = createChangesMount(() => one);
    expect(await mount.readdir('/')).toEqual([{ name: id, type: 'directory' }]);
    expect((await mount.readdir(`/${id}`)).map(({ name }) => name)).toEqual([
      'base.md',
      'diff.patch',
      'error',
      'mine.md',
      'request.json',
      'status',
      'theirs.md',
    ]);
    const text = async (name: string) => Buffer.from(await mount.read(`/${id}/${name}`)).toString();
    expect(JSON.parse(await text('request.json'))).toEqual(request);
    expect(await text('status')).toContain('state: conflict\n');
    expect(await text('error')).toBe('both\n');
    expect((await mount.lstat(`/${id}/theirs.md`)).size).toBe(6);
    for (const path of ['/nothing', `/${id}/nothing`, `/${id}/status/x`, `/${id}/constructor`]) {
      const error: unknown = await mount.lstat(path).catch((caught: unknown) => caught);
      expect(isFsError(error, 'ENOENT')).toBe(true);
    }
    expect(mount.write).toBeUndefined();
  });
});

describe('a change as files', () => {
  const at = (hour: number) => Date.parse(`2026-01-02T0${hour}:00:00Z`);
  const CHANGE: Change = {
    ...{ id: 'one', digest: 'd1', mount: 'm', path: '/ä.md', op: 'update', state: 'applied' },
    ...{ idempotencyKey: 'k', baseVersion: 'v1', base: 'b', mine: 'm', theirs: null, diff: 'd' },
    request: { method: 'PATCH', url: '/x', body: { title: 'ä' } },
    error: 'late',
    result: { path: '/ö.md', url: 'https://service/1', answer: 'said' },
    ...{ replacedBy: 'two', createdAt: at(1), sentAt: at(2), endedAt: at(3) },
  };
  const shown = (...changes: Change[]) =>
    createChangesMount(
      () =>
        ({
          get: (id: string) => changes.find((each) => each.id === id) ?? null,
          list: () => changes,
          isAnothers: ({ mount }: Change) => mount === 'another',
        }) as unknown as ChangeJournal,
    );
  const textAt = async (change: Change, name: string) =>
    Buffer.from(await shown(change).read(`/one/${name}`)).toString();

  it('says in its status all that is known of it, a line each', async () => {
    expect(await textAt(CHANGE, 'status')).toBe(
      [
        ...['state: applied', 'op: update', 'mount: m', 'path: /ä.md', 'digest: d1'],
        ...['replaced_by: two', 'base_version: v1', 'created_at: 2026-01-02T01:00:00.000Z'],
        ...['sent_at: 2026-01-02T02:00:00.000Z', 'ended_at: 2026-01-02T03:00:00.000Z'],
        ...['result: /ö.md', 'url: https://service/1', ''],
      ].join('\n'),
    );
    const nothing = {
      replacedBy: null,
      baseVersion: null,
      sentAt: null,
      endedAt: null,
      result: null,
    };
    expect(await textAt({ ...CHANGE, ...nothing }, 'status')).toBe(
      'state: applied\nop: update\nmount: m\npath: /ä.md\ndigest: d1\ncreated_at: 2026-01-02T01:00:00.000Z\n',
    );
  });

  it('has a file for each of its texts, as read-only files of their size', async () => {
    expect((await shown(CHANGE).readdir('/one')).map(({ name }) => name)).toEqual([
      ...['answer', 'base.md', 'diff.patch', 'error', 'mine.md', 'request.json', 'status'],
    ]);
    expect(await textAt(CHANGE, 'answer')).toBe('said');
    expect(await textAt(CHANGE, 'error')).toBe('late\n');
    expect(await textAt(CHANGE, 'request.json')).toBe(
      '{\n  "method": "PATCH",\n  "url": "/x",\n  "body": {\n    "title": "ä"\n  }\n}\n',
    );
    expect(await shown(CHANGE).lstat('/one/answer')).toEqual({
      ...{ type: 'file', mode: 0o444, size: 4, mtime: new Date(at(3)), ino: '/one/answer' },
    });
    const bare = { ...CHANGE, request: null, error: null, result: null, base: null };
    expect((await shown(bare).readdir('/one')).map(({ name }) => name)).toEqual([
      ...['diff.patch', 'mine.md', 'status'],
    ]);
  });

  it('is as old as its last step, and the directory of all as old as the last change', async () => {
    const steps = [
      CHANGE,
      { ...CHANGE, endedAt: null },
      { ...CHANGE, endedAt: null, sentAt: null },
    ];
    for (const [index, change] of steps.entries())
      expect(await shown(change).lstat('/one')).toEqual({
        ...{
          type: 'directory',
          mode: 0o555,
          size: 4096,
          mtime: new Date(at(3 - index)),
          ino: '/one',
        },
      });
    const later = { ...CHANGE, id: 'two', createdAt: at(4) };
    expect(await shown(CHANGE, later).lstat('/')).toMatchObject({
      mtime: new Date(at(4)),
      ino: '/',
    });
    expect(await shown().lstat('/')).toMatchObject({ type: 'directory', mtime: new Date(0) });
  });

  it('is not shown where another account has staged it', async () => {
    const mount = shown({ ...CHANGE, id: 'theirs', mount: 'another' }, CHANGE);
    expect(await mount.readdir('/')).toEqual([{ name: 'one', type: 'directory' }]);
    await expect(mount.read('/theirs/status')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is no place to search or to link from, and says what is no file and what no directory', async () => {
    const mount = shown(CHANGE);
    expect([mount.kind, mount.searchable, mount.local]).toEqual(['changes', false, true]);
    expect(await mount.hasLinks?.('/')).toBe(false);
    for (const path of ['/', '/one'])
      await expect(mount.read(path)).rejects.toMatchObject({ code: 'EISDIR', op: 'read' });
    await expect(mount.readdir('/one/status')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(mount.readdir('/one/none')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('what a process left under way', () => {
  const MODULE = new URL('../changes/journal.ts', import.meta.url).href;
  /** Begins two changes in another process, the second one as sent, and kills it. */
  function killed(): string[] {
    const script = `
      const { ChangeJournal } = await import(${JSON.stringify(MODULE)});
      const journal = new ChangeJournal(${JSON.stringify(join(directory, 'changes.sqlite'))});
      const begin = () => journal.begin(${JSON.stringify(UPDATE)}).id;
      const ids = [begin(), begin()];
      journal.update(ids[1], { state: 'unknown', sentAt: Date.now() });
      process.stdout.write(ids.join(' '), () => process.kill(process.pid, 'SIGKILL'));`;
    const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(signal).toBe('SIGKILL');
    return stdout.toString().split(' ');
  }

  it('is ended at the next start: drafts failed, of what was sent the service is asked', async () => {
    const [draft = '', sent = ''] = killed();
    const next = journal();
    const asked: string[] = [];
    next.attach('m', {
      apply: () => Promise.reject(new Error('it must not be sent')),
      settle: async ({ id }) => {
        asked.push(id);
        next.update(id, { state: 'applied', result: { path: '/a.md' } });
      },
    });
    const ended = await next.recover();
    expect(ended.map(({ id, state }) => [id, state])).toEqual([
      [draft, 'failed'],
      [sent, 'applied'],
    ]);
    expect(next.get(draft)?.error).toContain('before anything was sent');
    expect(asked).toEqual([sent]);
    expect(await next.recover()).toEqual([]);
  });

  it('is left alone while its process lives, and where its mount is not attached', async () => {
    killed();
    const alive = journal();
    const own = alive.begin(UPDATE).id;
    expect(await journal().recover()).toEqual([]);
    const other = journal();
    other.attach('m', { apply: async () => undefined, settle: async () => undefined });
    expect((await other.recover()).map(({ id }) => id)).not.toContain(own);
    expect(alive.get(own)?.state).toBe('draft');
  });
});
