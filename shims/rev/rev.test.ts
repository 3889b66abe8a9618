import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

const SCRIPTS = [
  'printf "one\\ntw\\303\\266\\n\\n" > a; printf "ab\\ncd" > open; rev a; rev < a; rev a open; rev a none open; echo $?',
  'printf "ab\\ncd" | rev; printf "" | rev; rev - 2>&1; echo $?',
  'printf "ab\\n\\377c\\nde\\n" | rev; echo $?',
];

test.skipIf(spawnSync('rev', ['--version']).status !== 0).each(SCRIPTS)(
  '%s answers what rev answers',
  async (script) => {
    const env = { LC_ALL: 'C.UTF-8' };
    const world = await inProcessWorld({ roots: ['/w'], cwd: '/w', env });
    const { stdout, stderr } = await world.run(script);
    const real = spawnSync('bash', ['-c', `cd "$(mktemp -d)"; ${script}\nrm -r "$PWD"`], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    expect([stdout, stderr]).toEqual([real.stdout, real.stderr]);
  },
);
