import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';

const PAGES = {
  'locks.md': '# Locks\n\nTwo writers of one record meet at a lock, and the second waits.\n',
  'notes/tides.md': '# Tides\n\nThe tide turns twice a day, later each day by fifty minutes.\n',
};

let directory: string;
let world: World;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-index-'));
  mkdirSync(join(directory, 'pages', 'notes'), { recursive: true });
  for (const [name, text] of Object.entries(PAGES)) {
    writeFileSync(join(directory, 'pages', name), text);
  }
  const mounts = { '/mnt/pages': join(directory, 'pages') };
  world = createWorld({ mounts, state: join(directory, 'state') });
});

afterAll(async () => {
  await world.close();
  rmSync(directory, { recursive: true });
});

const run = (command: string) => world.exec(command);

describe('index', () => {
  test('tells how much is indexed below a path, and waits for it', async () => {
    expect((await run('index --wait /mnt/pages')).stdout).toMatch(
      /^\/mnt\/pages: 2 documents in \d+ chunks indexed, 0 not yet\n/,
    );
    const { stdout } = await run('index --json /mnt/pages/notes');
    expect(JSON.parse(stdout)).toMatchObject({
      path: '/mnt/pages/notes',
      documents: 1,
      pending: 0,
    });
  });

  test('a page that is added is known, and found, at once', async () => {
    writeFileSync(
      join(directory, 'pages', 'bees.md'),
      '# Bees\n\nA swarm leaves the hive in May.\n',
    );
    expect((await run('search -n 1 "when does a swarm leave its hive" /mnt/pages')).stdout).toMatch(
      /^\/mnt\/pages\/bees\.md:/,
    );
  });

  test('refuses what it does not know, and names what is not there', async () => {
    const { stderr, exitCode } = await run('index /mnt/none; index --fast');
    expect(stderr).toContain('/mnt/none: No such file or directory');
    expect(stderr).toContain('no option --fast');
    expect(exitCode).toBe(2);
  });
});
