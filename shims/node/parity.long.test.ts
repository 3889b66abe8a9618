/** The world's node beside the machine's: what both print, and how they end, over the same files. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import { PARITY_CASES } from './testing-parity.ts';

const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
const scratch = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
/** One for all: to load the engine and its library takes longer than any of the lines. */
const world = createWorld({ state: join(scratch, 'state'), programs: { node: true } });

afterAll(async () => {
  await world.close();
  rmSync(scratch, { recursive: true, force: true });
});

test.each(PARITY_CASES.map((each, index) => ({ index, ...each })))(
  '$index answers as node does: $line',
  { timeout: 120_000 },
  async ({ index, line, files = {} }) => {
    const [real, ours] = [join(scratch, `${index}`), `/workspace/${index}`];
    mkdirSync(real);
    await world.fs.mkdir(ours);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(real, name)), { recursive: true });
      writeFileSync(join(real, name), text);
      await world.fs.mkdir(dirname(`${ours}/${name}`), { recursive: true });
      await world.fs.writeFile(`${ours}/${name}`, text);
    }
    const env = { PATH, HOME: '/home/user', TZ: 'UTC', LANG: 'C.UTF-8' };
    const options = { cwd: real, env, input: '', encoding: 'utf8' } as const;
    const expected = spawnSync('bash', ['-c', line], options);
    const result = await world.exec(line, { cwd: ours });
    expect({ stdout: result.stdout, status: result.exitCode }, result.stderr).toEqual({
      stdout: expected.stdout.replaceAll(real, ours),
      status: expected.status,
    });
  },
);
