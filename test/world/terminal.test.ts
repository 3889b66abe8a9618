/** What a command may do at a terminal, and what a script sees of it: nothing. */
import { expect, test } from 'vitest';
import type { ExecOptions, World } from '../../entry/index.ts';
import { testWorld } from './harness.ts';

type Terminal = NonNullable<ExecOptions['terminal']>;
type Request = Parameters<Terminal['ask']>[0];

/** A person who answers what is asked in order, and whose questions are kept. */
function person(answers: (string | null)[] = []): { terminal: Terminal; asked: Request[] } {
  const asked: Request[] = [];
  const ask = async (request: Request): Promise<string | null> => {
    asked.push(request);
    return answers.shift() ?? null;
  };
  return { terminal: { columns: 40, rows: 10, color: true, ask }, asked };
}

async function run(world: World, command: string, answers: (string | null)[] = []) {
  const { terminal, asked } = person(answers);
  const { stdout, stderr, exitCode } = await world.exec(command, { terminal });
  return { stdout, stderr, exitCode, asked };
}

test('ls has columns and colours at a terminal, and neither in a pipe, a file or a script', async () => {
  const world = testWorld();
  await world.exec('mkdir d; touch a b "c d" $(printf "e\\033[2Jf")');
  const shown = await run(world, 'ls');
  expect(shown.stdout).toBe("a  b  'c d'  \x1b[0m\x1b[01;34md\x1b[0m  'e'$'\\033''[2Jf'\n");
  expect((await run(world, 'ls | cat; echo $(ls -d d)')).stdout).toBe(
    'a\nb\nc d\nd\ne\x1b[2Jf\nd\n',
  );
  expect((await run(world, 'ls > list; cat list')).stdout).not.toContain('\x1b[0m');
  expect((await run(world, 'ls -1 --color=never d a')).stdout).toBe('a\n\nd:\n');
  expect((await run(world, 'bash -c "ls a b"')).stdout).toBe('a  b\n');
  const plain = person().terminal;
  const { stdout } = await world.exec('ls a d -d', { terminal: { ...plain, color: false } });
  expect(stdout).toBe('a  d\n');
  expect((await world.exec('ls a b')).stdout).toBe('a\nb\n');
});

test('what reads stdin reads the keyboard, until Ctrl-D; what has a file, a pipe or nothing to read asks nobody', async () => {
  const world = testWorld();
  const typed = await run(world, 'cat > f; cat f', ['one\nzwö\n']);
  expect(typed).toMatchObject({ stdout: 'one\nzwö\n', asked: [{ kind: 'rest' }] });
  const lines = await run(world, 'while read -r l; do echo "[$l]"; done', ['a b', 'ü', null]);
  expect(lines.stdout).toBe('[a b]\n[ü]\n');
  const named = await run(world, 'read -r -p "Name? " x; read -sp Pin: y; echo "$x $y"', [
    'Bö',
    '7',
  ]);
  expect(named).toMatchObject({
    stdout: 'Bö 7\n',
    asked: [
      { kind: 'line', prompt: 'Name? ', hidden: false },
      { kind: 'line', prompt: 'Pin:', hidden: true },
    ],
  });
  expect(
    (await run(world, 'x=$(cat); mapfile -t y; echo "$x ${y[1]}"', ['1', 'a\nb\n'])).stdout,
  ).toBe('1 b\n');
  expect((await run(world, 'sort - f', ['q\n'])).stdout).toBe('one\nq\nzwö\n');
  expect((await run(world, '{ cat; read x; }; echo $x', ['1\n', '2'])).stdout).toBe('1\n2\n');
  expect((await run(world, 'read x', [null])).exitCode).toBe(1);
  for (const quiet of [
    'echo a | cat',
    'cat < f',
    'cat f',
    'cat <<< a',
    'grep one',
    'grep -c one f',
    "awk 'BEGIN { print 1 }'",
    'jq -n 1',
    'echo a | while read x; do echo $x; done',
    'f() { cat; }; echo b | f',
    'diff f f',
    'ls; pwd; cat --help',
    'read x < f',
    'cat &> /dev/null < /dev/null',
    'bash -c "echo a | cat"',
  ]) {
    expect({ quiet, asked: (await run(world, quiet)).asked }).toEqual({ quiet, asked: [] });
  }
  // Without a terminal there is nobody to ask, and nothing to read.
  expect(await world.exec('cat; read x; echo $?')).toMatchObject({ stdout: '1\n', exitCode: 0 });
});

test('aliases, COLUMNS and the history are there at a terminal alone', async () => {
  const world = testWorld();
  await run(world, "alias ll='ls -1'");
  expect((await run(world, 'touch a; ll a; echo $COLUMNS $LINES')).stdout).toBe('a\n40 10\n');
  const listed = await run(world, 'history; history 1; history x', ['ls\necho a', 'ls\necho a']);
  expect(listed.stdout).toBe('    1  ls\n    2  echo a\n    2  echo a\n');
  expect(listed.stderr).toContain('history: x');
  expect((await world.exec('history')).stdout).toBe('');
});

test('less hands on what it is given at a terminal, and lets it through elsewhere', async () => {
  const world = testWorld();
  await world.exec('seq 3 > f');
  const { asked, stdout } = await run(world, 'less -N +2 f; cat f | less; more +/x f f');
  expect(stdout).toBe('');
  expect(asked).toMatchObject([
    { text: '1\n2\n3\n', view: { title: 'f', numbers: true, start: 2, quitIfShort: false } },
    { text: '1\n2\n3\n', view: { title: 'stdin', start: 1 } },
    { text: '1\n2\n3\n1\n2\n3\n', view: { quitIfShort: true, start: { pattern: 'x' } } },
  ]);
  expect((await run(world, 'less f | head -1')).stdout).toBe('1\n');
  expect(await world.exec('cat f | less; less none; less; less --bad')).toMatchObject({
    stdout: '1\n2\n3\n',
    stderr: expect.stringMatching(
      /^less: none: No such file.*\nless: Missing filename.*\nless: .*bad/,
    ),
  });
});

test('edit writes what the editor left, and what is refused can be edited again', async () => {
  const world = testWorld({ mounts: { '/mnt/ro': 'mem:ro' } });
  await world.exec('echo old > f');
  expect(await run(world, 'edit f; cat f', ['new\n'])).toMatchObject({
    stdout: 'new\n',
    stderr: '',
    exitCode: 0,
    asked: [{ kind: 'edit', name: '/workspace/f', text: 'old\n' }],
  });
  expect(await run(world, 'edit f', ['new\n'])).toMatchObject({
    stderr: 'edit: f: nothing was changed\n',
    exitCode: 0,
  });
  expect((await run(world, 'edit made; cat made', ['x\n'])).stdout).toBe('x\n');
  const refused = await run(world, 'edit /mnt/ro/f', ['a\n', 'y', 'b\n', 'n']);
  expect(refused.asked).toMatchObject([
    { kind: 'edit', text: '' },
    { kind: 'line', prompt: expect.stringMatching(/^edit: \/mnt\/ro\/f: .*\nEdit it again\?/) },
    { kind: 'edit', text: 'a\n' },
    { kind: 'line' },
  ]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(
    /^edit: \/mnt\/ro\/f: Permission denied\ndirigent: .*\nedit: your text is in \/tmp\/f\n$/,
  );
  expect((await world.exec('cat /tmp/f')).stdout).toBe('b\n');
  expect((await run(world, 'edit f', [null])).stderr).toContain('the editor failed');
  expect(await world.exec('edit f')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('it needs a terminal'),
  });
});

test('the time in which a person is asked is not the command’s, and Ctrl-C ends the waiting', async () => {
  const world = testWorld({ timeoutMs: 400 });
  const slow: Terminal = {
    ...person().terminal,
    ask: () => new Promise((resolve) => setTimeout(resolve, 1_200, 'late')),
  };
  expect((await world.exec('read x; echo $x', { terminal: slow })).stdout).toBe('late\n');
  const stop = new AbortController();
  const never: Terminal = {
    ...slow,
    ask: () => {
      stop.abort();
      return new Promise(() => undefined);
    },
  };
  const stopped = await world.exec('read x; echo never', { terminal: never, signal: stop.signal });
  expect(stopped).toMatchObject({ exitCode: 130, stdout: '' });
});

test('help tells of what this shell has of its own', async () => {
  const { stdout } = await testWorld().exec('help');
  for (const word of ['/README.md', 'edit PATH', 'by meaning', '/session/changes']) {
    expect(stdout).toContain(word);
  }
});
