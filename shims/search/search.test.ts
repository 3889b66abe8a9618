import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';

/** Pages that have little in common. */
const PAGES = {
  'locks.md': '# Locks\n\nTwo writers of one record meet at a lock, and the second waits.\n',
  'bread.md': '# Bread\n\nFlour, water, salt; knead the dough, and bake it for an hour.\n',
  'sails.md': '# Sails\n\nIn strong wind the mainsail is reefed before the jib.\n',
  'notes/tides.md': '# Tides\n\nThe tide turns twice a day, later each day by fifty minutes.\n',
};

let directory: string;
let world: World;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-search-'));
  mkdirSync(join(directory, 'pages', 'notes'), { recursive: true });
  for (const [name, text] of Object.entries(PAGES)) {
    writeFileSync(join(directory, 'pages', name), text);
  }
  mkdirSync(join(directory, 'other'));
  const mounts = { '/mnt/pages': join(directory, 'pages'), '/mnt/other': join(directory, 'other') };
  world = createWorld({ mounts, state: join(directory, 'state') });
});

afterAll(async () => {
  await world.close();
  rmSync(directory, { recursive: true });
});

const run = (command: string) => world.exec(command);

describe('search', () => {
  test('gives the best line of the best page first, from a directory or a path', async () => {
    const here = await run('cd /mnt/pages; search -n 1 "who bakes the dough"');
    expect(here.stdout).toMatch(/^bread\.md:\d+:/);
    expect(here.exitCode).toBe(0);
    const there = await run('cd /; search "when does the tide turn" /mnt/pages/notes');
    expect(there.stdout).toMatch(/^\/mnt\/pages\/notes\/tides\.md:\d+:/);
  });

  test('--json is one object a line, with path, line, score and text', async () => {
    const { stdout } = await run('search --json -n 2 "reef the mainsail in wind" /mnt/pages');
    const [first] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({ path: '/mnt/pages/sails.md', text: expect.any(String) });
    expect(Number(first?.['line'])).toBeGreaterThan(0);
    expect(Number(first?.['score'])).toBeGreaterThan(0);
  });

  test('--explain shows what each part gave', async () => {
    const { stdout } = await run('search --explain -n 1 "lock of a record" /mnt/pages');
    expect(stdout).toContain('/mnt/pages/locks.md');
    expect(stdout).toMatch(/bm25|terms/i);
  });

  test('--explain shows the passage by the lines of its file', async () => {
    const lines = PAGES['locks.md'].split('\n');
    const { stdout } = await run('search --explain -n 1 "second waits at a lock" /mnt/pages');
    const [, place] = /^\/mnt\/pages\/locks\.md:(\d+):/.exec(stdout) ?? [];
    const shown = [...stdout.matchAll(/^ {2}(\d+): (.*)$/gm)].map(([, at, text]) => [at, text]);
    expect(shown.map(([at]) => at)).toContain(place);
    expect(shown).toEqual(shown.map(([at]) => [at, lines[Number(at) - 1]]));
    const json = await run('search --explain --json -n 1 "second waits at a lock" /mnt/pages');
    const { passage, passageLine, line } = JSON.parse(json.stdout);
    expect(passage).toBe(shown.map(([, text]) => text).join('\n'));
    expect([`${passageLine}`, `${line}`]).toEqual([shown[0]?.[0], place]);
  });

  test('--since, --kind and --mount narrow it', async () => {
    expect((await run('search --since 2999-01-01 "lock of a record" /mnt/pages')).exitCode).toBe(1);
    expect((await run('search --kind issue "lock of a record" /mnt/pages')).exitCode).toBe(1);
    for (const wide of ['--since 2001-01-01', '--kind page', '--kind page --since 2001-01-01'])
      expect((await run(`search ${wide} "lock of a record" /mnt/pages`)).exitCode, wide).toBe(0);
    expect((await run('cd /; search --mount pages "lock of a record"')).stdout).toMatch(
      /^\/mnt\/pages\/locks\.md:/,
    );
  });

  test('--mount with a path below it searches there alone', async () => {
    const { stdout } = await run(
      'search --mount pages "when does the tide turn" /mnt/pages/notes /mnt/pages/notes/tides.md',
    );
    expect(stdout).toMatch(/^\/mnt\/pages\/notes\/tides\.md:/);
    expect((await run('search --mount pages "bake the dough" /mnt/pages/notes')).exitCode).toBe(1);
    const above = await run('cd /mnt; search --mount pages "when does the tide turn" .');
    expect(above.stdout).toMatch(/^\/mnt\/pages\/notes\/tides\.md:/);
  });

  test('words that occur elsewhere are no answer where they do not', async () => {
    expect((await run('search mainsail /mnt/pages/sails.md')).exitCode).toBe(0);
    expect((await run('search mainsail /mnt/pages/notes')).exitCode).toBe(1);
  });

  test('--explain says how much speaks for an answer, also where there is none', async () => {
    const { stdout, stderr } = await run('search --explain "declaration of a zebra" /mnt/pages');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^search: 0\.\d\d speaks for an answer, 0\.\d\d is needed$/m);
  });

  test('a question without a word that tells anything apart is told so', async () => {
    const { stderr, exitCode } = await run('search the /mnt/pages');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('no word of it tells texts apart, grep -rn finds it as it stands');
  });

  test('what has nothing to do with the pages is status 1, and silent on stdout', async () => {
    const { stdout, exitCode } = await run(
      'search "quarterly tax declaration of a zebra" /mnt/pages',
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  });

  test.each([
    ['search', 'give a QUERY'],
    ['search -n 0 x', '-n takes a number from 1 to'],
    ['search --kind song x', '--kind is one of issue, page and file'],
    ['search --since someday x', '--since'],
    ['search --nope x', '--nope'],
    ['search -n -1 x', '-n takes a number from 1 to'],
    ['search -n', '-n takes a number from 1 to'],
    ['search --since -5d x', '--since takes a date such as'],
    ['cd /mnt; search --mount nope x', 'mounts are other, pages'],
    ['cd /mnt; search reef the mainsail', 'one argument: search "reef the mainsail"'],
    ['search --mount pages x /mnt/other', 'is not in /mnt/pages'],
    ['cd /workspace; search x', 'is not searched by meaning'],
    ['search x /mnt/pages/none', 'No such file or directory'],
  ])('%s is refused with status 2, and told what is allowed', async (command, message) => {
    const { stdout, stderr, exitCode } = await run(command);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(message);
  });
});
