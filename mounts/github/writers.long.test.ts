/** Two processes that write one place, and comments and removals whose answers are lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { Bench, REPO, text, write } from './testing.ts';

vi.setConfig({ testTimeout: 120_000 });

const OCTO = { owner: 'octo', repo: 'hello' };
const CHILD = fileURLToPath(new URL('./child-writer.ts', import.meta.url));

/** What a writer of its own process says that it wrote. */
async function written(bench: Bench, path: string, name: string): Promise<string[]> {
  const args = [CHILD, bench.directory, bench.github.url, path, '8', name];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (part) => (said += String(part)));
  const [status] = await once(child, 'close');
  expect(status).toBe(0);
  return JSON.parse(said) as string[];
}

it.each([`${REPO}/issues/1.md`, `${REPO}/files/shared.txt`])(
  'two processes that append to %s: every line that a writer was told is written is there, once',
  async (path) => {
    await using bench = await Bench.start({ issues: 2, commentsEach: 0 });
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'shared.txt', content: 'start\n' });
    const both = await Promise.all([written(bench, path, 'one'), written(bench, path, 'two')]);
    const lines = (await text(bench.mount(bench.memory()), path)).split('\n');
    const told = both.flat();
    expect(told.length).toBeGreaterThanOrEqual(8);
    for (const line of told) expect(lines.filter((one) => one === line)).toHaveLength(1);
    expect(lines.filter((line) => /^(one|two)\d$/.test(line)).sort()).toEqual(told.sort());
  },
);

it.each(['lost-answer', 'cut', 'cut-body', 'server-error'] as const)(
  'a comment made, edited and removed under %s is there once or not at all, and the journal is right',
  async (kind) => {
    await using bench = await Bench.start({ issues: 2, commentsEach: 2 });
    const mount = bench.mount();
    const comments = `${REPO}/issues/1/comments`;
    const fault = (method: string) => bench.github.fault({ kind, method, times: 1 });
    const attempt = (work: Promise<unknown> | undefined) => work?.catch(() => undefined);
    await mount.readdir(comments);
    await fault('POST');
    await attempt(write(mount, `${comments}/new.md`, 'only once'));
    await fault('PATCH');
    await attempt(write(mount, `${comments}/10100.md`, 'edited'));
    await fault('DELETE');
    await attempt(mount.unlink?.(`${comments}/10101.md`));
    await bench.github.clearFaults();
    const { comments: there = [] } = (await bench.github.dump()).repositories[0] ?? {};
    const happened = [
      there.filter(({ body }) => body === 'only once').length === 1,
      there.some(({ id, body }) => id === 10100 && body.trim() === 'edited'),
      !there.some(({ id }) => id === 10101),
    ];
    expect(there.filter(({ body }) => body === 'only once').length).toBeLessThanOrEqual(1);
    const states = mount.journal.list().map(({ state }) => state === 'applied');
    expect(states).toEqual(happened);
  },
);

const STEPS = ['draft', 'unknown', 'before the request', 'after the answer', 'applied'];
const KINDS = [
  `${REPO}/issues/1/comments/new.md`,
  `${REPO}/issues/1.md`,
  `${REPO}/files/shared.txt`,
];

it.each(STEPS.flatMap((step) => KINDS.map((path) => [step, path] as const)))(
  'a process killed at "%s" of a write to %s: it counts once or not at all, and the next start knows',
  async (step, path) => {
    await using bench = await Bench.start({ issues: 2, commentsEach: 0 });
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'shared.txt', content: 'start\n' });
    const args = [CHILD, bench.directory, bench.github.url, path, '1', 'line', step];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
    const mount = bench.mount();
    await mount.journal.recover();
    const data = (await bench.github.dump()).repositories[0];
    const texts = [
      ...(data?.comments ?? []).map(({ body }) => body),
      ...(data?.issues ?? []).map(({ body }) => body ?? ''),
      ...(data?.files ?? []).map(({ content }) => content),
    ];
    const times = texts.join('\n').split('line0').length - 1;
    expect(times).toBe(step === 'after the answer' || step === 'applied' ? 1 : 0);
    const [change] = mount.journal.list();
    if (times === 1) expect(change?.state).toBe('applied');
    else expect(['failed', 'unknown']).toContain(change?.state);
  },
);
