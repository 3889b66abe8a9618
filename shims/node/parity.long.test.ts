/** The world's node beside the machine's: what both print, and how they end, over the same files. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory, testWorld } from '../../test/world/harness.ts';
import { PARITY_CASES } from './testing-parity.ts';

const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

test.each(PARITY_CASES.map((each, index) => ({ index, ...each })))(
  '$index answers as node does: $line',
  { timeout: 120_000 },
  async ({ line, files = {} }) => {
    const directory = temporaryDirectory();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
    const env = { PATH, HOME: '/home/user', TZ: 'UTC', LANG: 'C.UTF-8' };
    const options = { cwd: directory, env, input: '', encoding: 'utf8' } as const;
    const real = spawnSync('bash', ['-c', line], options);
    const world = testWorld({ programs: { node: true } });
    for (const [name, text] of Object.entries(files)) {
      await world.fs.mkdir(dirname(`/workspace/${name}`), { recursive: true });
      await world.fs.writeFile(`/workspace/${name}`, text);
    }
    const ours = await world.exec(line);
    expect({ stdout: ours.stdout, status: ours.exitCode }, ours.stderr).toEqual({
      stdout: real.stdout.replaceAll(directory, '/workspace'),
      status: real.status,
    });
  },
);
