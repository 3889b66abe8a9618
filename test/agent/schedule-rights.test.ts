/** A scheduled prompt does no more than those who wrote it may do themselves. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { ActingContext } from '../../entry/index.ts';
import { bothAuthors, PERSON, UNKNOWN_AUTHOR } from '../../src/policy/author.ts';
import { ScheduleJournal, scheduleFile } from '../../src/schedule/journal.ts';
import { cli } from '../cli/run-cli.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testModel } from './support.ts';

/** May write the schedule, and nothing else. */
const WEAK: Partial<ActingContext> = {
  actor: 'weak',
  filesystem: { '/session/schedule': 'read-write', '*': 'read-only' },
  tools: [{ edit: false }],
  skills: ['a'],
};
const STRONG: Partial<ActingContext> = { actor: 'strong' };

function deployment(): string {
  const root = temporaryDirectory();
  for (const name of ['harness/agents', 'docs', 'other'])
    mkdirSync(join(root, name), { recursive: true });
  const agent = '---\ndescription: does\nfilesystem: read-write\n---\nYou are strong.\n';
  writeFileSync(join(root, 'harness', 'agents', 'strong.md'), agent);
  writeFileSync(
    join(root, 'harness', 'policy.yaml'),
    'sandbox: full\nrules: [{name: not weak, decision: deny, op: change, mount: /mnt/other, actor: weak}]\n',
  );
  writeFileSync(
    join(root, 'dirigent.config.ts'),
    "export default { mounts: { '/mnt/docs': './docs:rw', '/mnt/other': './other:rw' } };\n",
  );
  return root;
}

const prompt = (name: string): string =>
  `printf -- '---\\nat: 2020-01-01\\nagent: strong\\n---\\ndo it\\n' > /session/schedule/${name}.md`;

test('a prompt that an agent scheduled for a stronger one is bound by its own rights, and one of the stronger by those', async () => {
  for (const [writer, docs, other, edits] of [
    [WEAK, false, false, false],
    // What the policy denies to whoever scheduled it, too.
    [{ actor: 'weak' }, true, false, true],
    [STRONG, true, true, true],
    [undefined, true, true, true],
  ] as const) {
    const root = deployment();
    const world = testWorld({ state: join(root, '.dirigent') }, { deployment: root });
    const context = writer === undefined ? {} : { context: writer };
    expect((await world.exec(prompt('p'), context)).stderr).toBe('');
    await world.close();
    const model = await testModel([
      calls(['bash', { command: 'echo x > /mnt/docs/f; echo x > /mnt/other/f' }]),
      calls(['edit', { path: '/mnt/docs/f', old: 'x', new: 'y' }]),
      says('done'),
    ]);
    const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
    await cli(['schedule', 'run', '--deployment', root], { env });
    expect(model.requests.length).toBeGreaterThan(1);
    const tools = model.requests[0]?.tools?.map((tool) => tool.function.name) ?? [];
    const made = ['docs', 'other'].map((name) => existsSync(join(root, name, 'f')));
    expect([writer, ...made, tools.includes('edit')]).toEqual([writer, docs, other, edits]);
  }
});

test('who schedules, adds to a prompt or renames one, is bound with who wrote it; who writes it anew is bound alone', async () => {
  const state = temporaryDirectory();
  const world = testWorld({ state });
  const as = (context: Partial<ActingContext>, command: string) =>
    world.exec(`cd /session/schedule; ${command}`, { context });
  await as(WEAK, 'echo a > a.md; echo b > b.txt; echo c > c.md');
  await as(
    STRONG,
    'echo more >> a.md; mv b.txt b.md; echo anew > c.md; echo d > d.txt; echo e > e.md',
  );
  await as(WEAK, 'mv d.txt d.md; echo more >> e.md; cp e.md f.md');
  await world.fs.writeFile('/session/schedule/g.md', 'g');
  const journal = new ScheduleJournal(scheduleFile(state));
  const actors = Object.fromEntries(
    journal.list().map(({ name, author }) => [name, author.actors.join(' ')]),
  );
  expect(actors).toEqual({
    'a.md': 'weak strong',
    'b.md': 'weak strong',
    'c.md': 'strong',
    'd.md': 'strong weak',
    'e.md': 'strong weak',
    'f.md': 'weak',
    'g.md': 'user',
  });
  const bound = journal.list().find(({ name }) => name === 'e.md')?.author.rights;
  expect(bound).toEqual({
    filesystem: { '/session/schedule': 'read-write', '*': 'read-only' },
    tools: [{ edit: false }],
    skills: ['a'],
  });
  journal.close();
});

test('a schedule of which it is not known who wrote it may look, and change nothing', () => {
  const file = join(temporaryDirectory(), 'changes.sqlite');
  const old = new DatabaseSync(file);
  old.exec(`CREATE TABLE schedule (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL,
    state TEXT NOT NULL, owner TEXT, updated_at INTEGER NOT NULL, ended_at INTEGER, outcome TEXT);
    INSERT INTO schedule (name, text, state, updated_at) VALUES ('old.md', 'x', 'waiting', 1)`);
  old.close();
  const journal = new ScheduleJournal(file);
  journal.write('new.md', 'x');
  expect(journal.list().map(({ author }) => author)).toEqual([UNKNOWN_AUTHOR, PERSON]);
  expect(bothAuthors(PERSON, UNKNOWN_AUTHOR).rights.filesystem).toBe('read-only');
  journal.close();
  new ScheduleJournal(file).close();
});
