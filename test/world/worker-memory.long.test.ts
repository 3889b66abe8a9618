/** A command cannot take the memory of the host. */
import { expect, test } from 'vitest';
import { testWorld } from './harness.ts';

const MIB = 1024 * 1024;

test.each([
  ['lists', 'awk \'BEGIN { for (;;) a[i++] = i "abcdefghijklmnopqrstuvwxyz" }\''],
  ['a text that doubles', 'x=abcdefgh; while :; do x="$x$x"; done'],
  ['what is read', 'seq 9000000 | sort'],
  ['bytes', 'yes | tac'],
])(
  'a command that takes more memory than there is to be is ended with 137, and the world goes on: %s',
  async (_, command) => {
    const world = testWorld({ maxMemoryBytes: 64 * MIB, timeoutMs: 60_000 });
    await world.exec('x=1; echo kept > f');
    const result = await world.exec(`echo begun; ${command} | tail -c 1`);
    expect(result.stderr).toMatch(
      /^dirigent: stopped: the memory .* \(64 MiB\); take less at a time, or raise maxMemoryBytes/,
    );
    expect([result.exitCode, result.stdout]).toEqual([137, 'begun\n']);
    expect(await world.exec('echo $x; cat f')).toMatchObject({ exitCode: 0, stdout: '1\nkept\n' });
    expect(world.session.entries().at(3)).toMatchObject({ type: 'bash_end', exitCode: 137 });
  },
  90_000,
);

test('files of a memory mount are bound by its own limit, not by that of commands', async () => {
  const world = testWorld({ maxMemoryBytes: 64 * MIB });
  for (let each = 0; each < 6; each++)
    await world.exec(`head -c 20000000 /dev/zero > /tmp/${each}`);
  const { stdout, stderr } = await world.exec('ls /tmp | wc -l');
  expect([stderr, stdout]).toEqual(['', '6\n']);
}, 60_000);
