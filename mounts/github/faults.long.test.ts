/** A create in a process that is killed at any moment, two mounts at once, and the big budgets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isFsError } from '../../src/errors.ts';
import { Bench, REPO, TOKEN, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };

type Row = { title: string; body: string | null };

/** What GitHub has, asked past the mount. */
async function upstream<T>(bench: Bench, path: string): Promise<T> {
  const headers = { authorization: `token ${TOKEN}`, 'user-agent': 'test' };
  const answer = await fetch(`${bench.github.url}/repos/octo/hello/${path}`, { headers });
  return (await answer.json()) as T;
}

describe('a process that is killed', () => {
  it.each([0, 40, 120, 250, 400, 700])(
    'while an issue is made, %i ms after it began: one issue at most, and the next start tells the truth',
    async (ms) => {
      await using bench = await Bench.start({ issues: 5, commentsEach: 1 });
      await bench.github.fault({ kind: 'slow', ms: 200, method: 'POST' });
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer(bench)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      await once(child.stdout, 'data');
      await sleep(ms);
      child.kill('SIGKILL');
      await closed;
      await sleep(400);
      const made = (await upstream<Row[]>(bench, 'issues?state=all&per_page=100')).filter(
        ({ title }) => title === 'From a child',
      );
      expect(made.length).toBeLessThanOrEqual(1);
      const mount = bench.mount();
      await mount.journal.recover();
      const [change] = mount.journal.list();
      if (change === undefined) expect(made).toEqual([]);
      else if (made.length === 1) expect(change.state).toBe('applied');
      else expect(['failed', 'unknown']).toContain(change.state);
      expect(mount.journal.list({ state: 'draft' })).toEqual([]);
    },
  );
});

it('two processes that write one issue lose no edit without an ESTALE', async () => {
  await using bench = await Bench.start({ issues: 3, commentsEach: 0 });
  const [one, two] = [bench.mount({ freshMs: 60_000 }), bench.mount({ freshMs: 60_000 })];
  const path = `${REPO}/issues/1.md`;
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await text(one, path), await text(two, path)];
    const field = round % 2 === 0 ? 'title' : 'body';
    const edit = (base: string, who: string): string =>
      field === 'title'
        ? base.replace(/^title: .*$/m, `title: ${who} ${round}`)
        : `${base.slice(0, base.indexOf('\n---\n') + 5)}\n${who} ${round}\n`;
    const results = await Promise.all([
      attempt(write(one, path, edit(a, 'one'))),
      attempt(write(two, path, edit(b, 'two'))),
    ]);
    const now = await upstream<Record<string, string>>(bench, 'issues/1');
    const winners = ['one', 'two'].filter((_, index) => results[index] === null);
    const refused = results.filter((error) => error !== null);
    expect(winners.map((who) => `${who} ${round}`)).toEqual([now[field]]);
    expect(refused.map((error) => (isFsError(error) ? error.code : error))).toEqual(['ESTALE']);
  }
});

it('1,000 issues with 3,000 comments: 45 requests at first, 3 after an edit, none for a warm cat', async () => {
  await using bench = await Bench.start({ issues: 1_000, commentsEach: 3 });
  const mount = bench.mount();
  await bench.asked();
  await mount.readdir(`${REPO}/issues`);
  await mount.prefetch(`${REPO}/issues`);
  const walked = [...(mount.walk(`${REPO}/issues`) ?? [])];
  expect(walked.filter((file) => file.bytes() !== null).length).toBeGreaterThan(4_000);
  expect((await bench.asked()).length).toBeLessThanOrEqual(45);
  await bench.github.edit({ op: 'edit-issue', ...OCTO, number: 500, fields: { title: 'Edited' } });
  bench.move(60_000);
  await mount.prefetch(`${REPO}/issues`);
  await mount.readdir(`${REPO}/issues`);
  expect(await text(mount, `${REPO}/issues/500.md`)).toContain('title: Edited');
  expect((await bench.asked()).length).toBeLessThanOrEqual(3);
  await text(mount, `${REPO}/issues/500.md`);
  expect(await bench.asked()).toEqual([]);
});

it('of 500 generated edits the invalid ones send nothing, the valid ones change exactly their fields', async () => {
  await using bench = await Bench.start({ issues: 50, commentsEach: 0 });
  const mount = bench.mount({ freshMs: 3_600_000 });
  await mount.readdir(`${REPO}/issues`);
  for (let n = 0; n < 500; n++) {
    const number = 1 + (n % 50);
    const path = `${REPO}/issues/${number}.md`;
    const before = await text(mount, path);
    const was = await upstream<Record<string, unknown>>(bench, `issues/${number}`);
    await bench.asked();
    if (n % 2 === 0) {
      const [field, edited] = invalid(before, n);
      const error = await attempt(write(mount, path, edited));
      expect(isFsError(error) ? error.code : error, `${field} ${n}`).toBe('EINVAL');
      expect(isFsError(error) && error.reason).toContain(field);
      expect((await bench.asked()).filter((row) => !/^GET|^POST \/graphql /.test(row))).toEqual([]);
    } else {
      const [fields, edited] = valid(before, n);
      expect(await attempt(write(mount, path, edited)), `${n}`).toBeNull();
      const sent = (await bench.asked()).filter((row) => !/^GET|^POST \/graphql /.test(row));
      expect(sent, `${n}`).toEqual([`PATCH /repos/octo/hello/issues/${number} 200`]);
      const now = await upstream<Record<string, unknown>>(bench, `issues/${number}`);
      const changed = ['title', 'body', 'state', 'labels', 'milestone', 'assignees'].filter(
        (name) => JSON.stringify(now[name]) !== JSON.stringify(was[name]),
      );
      expect(changed, `${n}`).toEqual(fields);
    }
  }
});

function valid(before: string, n: number): [fields: string[], text: string] {
  const set = (name: string, value: string): string =>
    before.replace(new RegExp(`^${name}:.*$`, 'm'), `${name}: ${value}`);
  const open = /^state: open$/m.test(before);
  switch (Math.floor(n / 2) % 4) {
    case 0:
      return [['title'], set('title', JSON.stringify(`Title ${n} "with" é: and #`))];
    case 1:
      return [['body'], `${before}\nParagraph ${n}\n`];
    case 2:
      return [['state'], set('state', open ? 'closed' : 'open').replace(/^state_reason:.*\n/m, '')];
    default:
      return [['labels'], set('labels', /^labels: \[docs\]/m.test(before) ? '[]' : '[docs]')];
  }
}

function invalid(before: string, n: number): [field: string, text: string] {
  const set = (name: string, value: string): string =>
    before.replace(new RegExp(`^${name}:.*$`, 'm'), `${name}: ${value}`);
  const wrong: [string, string][] = [
    ['title', set('title', '""')],
    ['title', set('title', 'x'.repeat(257))],
    ['title', set('title', `[a, ${n}]`)],
    ['state', set('state', 'done')],
    ['labels', set('labels', `[nothing-${n}]`)],
    ['assignees', set('assignees', '[nobody-at-all]')],
    ['milestone', set('milestone', 'v9')],
    ['number', set('number', '4711')],
    ['priority', before.replace('---\n', '---\npriority: 1\n')],
    ['body', `${before}${'y'.repeat(65_537)}`],
  ];
  return wrong[(n / 2) % wrong.length] as [string, string];
}

async function attempt(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return null;
  } catch (error) {
    return error;
  }
}

/** A process that makes an issue through a mount of the bench's state. */
function writer(bench: Bench): string {
  const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  return `
    const { createGithubMount } = await import(${from('./index.ts')});
    const { Replica } = await import(${from('../../src/replica/replica.ts')});
    const { ChangeJournal } = await import(${from('../../src/changes/journal.ts')});
    const mount = createGithubMount({
      token: ${JSON.stringify(TOKEN)}, baseUrl: ${JSON.stringify(bench.github.url)},
      repository: 'octo/hello', stage: false, writeGapMs: 0, onNotice: () => undefined,
      replica: new Replica(${JSON.stringify(join(bench.directory, 'replica.sqlite'))}),
      changes: new ChangeJournal(${JSON.stringify(join(bench.directory, 'changes.sqlite'))}),
    });
    process.stdout.write('ready');
    await mount.write('${REPO}/issues/new.md', Buffer.from('---\\ntitle: From a child\\n---\\n\\nText\\n'));`;
}
