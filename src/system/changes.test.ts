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
