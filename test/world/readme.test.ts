/** `/README.md`: whoever meets a world first reads there what lies where. */
import { expect, test } from 'vitest';
import { testWorld } from './harness.ts';

test('every world says at its root what lies where, and how it can be written', async () => {
  const world = testWorld({
    readme: '# Mine\n\nBegin with `/mnt/notes`.',
    mounts: {
      '/mnt/notes': 'mem:ro',
      '/mnt/gh': { source: 'github', mode: 'stage', baseUrl: 'http://127.0.0.1:9' },
    },
  });
  const { stdout } = await world.exec('cat /README.md; ls /');
  expect(stdout).toMatch(/^# Mine\n\nBegin with/);
  expect(stdout).toContain('| `/mnt/notes` | files: read-only |\n');
  expect(stdout).toContain('| `/mnt/gh` | GitHub: what is written waits in `/session/changes`');
  expect(stdout).toContain('README.md\nbin\n');
  expect(stdout).not.toContain('`/memory`');
  const { exitCode, stderr } = await world.exec('echo x > /README.md');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('write under /workspace or /tmp');
});

test('a dry run is told as what it is, and a world without words of its own has a heading', async () => {
  const mounts = {
    '/mnt/gh': { source: 'github', mode: 'rw', baseUrl: 'http://127.0.0.1:9' },
  } as const;
  const { stdout } = await testWorld({ dryRun: true, mounts }).exec('cat /README.md');
  expect(stdout).toMatch(/^# This world\n/);
  expect(stdout).toContain('waits in `/session/changes`');
});
