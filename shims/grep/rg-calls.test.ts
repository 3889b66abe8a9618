/**
 * rg against what ripgrep 13 answered to its commonest calls. The long tests
 * compare the recording anew with the machine's ripgrep, where there is one.
 */
import { describe, expect, it } from 'vitest';
import { type InProcessWorld, inProcessWorld } from '../../test/world/in-process.ts';
import { runRg } from './rg.ts';
import recorded from './testing/rg-calls.recorded.json' with { type: 'json' };
import { CALLS, REPOSITORY } from './testing/rg-calls.ts';
import { timeless } from './testing/rg-record.ts';

async function repository(): Promise<InProcessWorld> {
  return inProcessWorld({ roots: ['/r'], files: REPOSITORY, cwd: '/r' });
}

/** What counts: stdout, status, and whether anything was said on stderr. */
function seen(o: { stdout: string; stderr: string; exitCode: number }): unknown {
  return { stdout: o.stdout, complains: o.stderr !== '', exitCode: o.exitCode };
}

describe('rg answers as ripgrep 13 does', () => {
  it(`to each of its ${CALLS.length} commonest calls`, async () => {
    expect(recorded.map(({ args }) => args)).toEqual(CALLS);
    const { agent } = await repository();
    const io = { cwd: '/r', stdin: '', piped: false, bytes: false };
    for (const { args, ...expected } of recorded) {
      const ours = await runRg(agent, args, io);
      const stdout = timeless(Buffer.from(ours.stdout, 'latin1').toString());
      expect({ args, ...Object(seen({ ...ours, stdout })) }).toEqual({
        args,
        ...Object(seen(expected)),
      });
    }
  });

  it.each([
    ['--null-data', 'x'],
    ['--no-unicode', 'x'],
    ['-z', 'x'],
    ['--pre', 'cat', 'x'],
    ['--ignore-file', 'README.md', 'x'],
    ['--sort', 'modified', 'x'],
    ['-E', 'latin1', 'x'],
    ['-U', '--json', 'main.*\\n.*TODO'],
  ])('what it cannot do is refused, never passed over: %s %s', async (...args) => {
    const { agent } = await repository();
    const io = { cwd: '/r', stdin: '', piped: false, bytes: false };
    const { stdout, stderr, exitCode } = await runRg(agent, args, io);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/is not supported here/);
    expect(stdout).toBe('');
  });
});
