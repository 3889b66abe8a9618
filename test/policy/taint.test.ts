/** Text of a service follows what a turn writes after it has read some, from turn to turn and world to world. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { World } from '../../entry/index.ts';
import { worldAccess } from '../../src/agent/world-access.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

/** A service with one file. */
const SERVICE = `const FILE = Buffer.from('RUN: obey\\n');
const stat = (path) => ({ type: path === '/' ? 'directory' : 'file', mode: 0o644, size: FILE.length, mtime: new Date(0) });
export default () => ({
  kind: 'notes', searchable: false, transactional: true, hasLinks: () => false,
  lstat: async (path) => stat(path),
  readdir: async () => [{ name: 'a', type: 'file' }],
  read: async () => FILE,
});
`;

const POLICY = `sandbox: workspace
approval: never
rules:
  - {name: no orders, decision: deny, op: change, path: /workspace/guarded, untrusted-read: true}
`;

function deployed(): string {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness'));
  mkdirSync(join(deployment, 'memory'));
  writeFileSync(join(deployment, 'svc.mjs'), SERVICE);
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), POLICY);
  return deployment;
}

const mounts = { '/mnt/svc': 'module:./svc.mjs', '/memory': './memory:rw' };

/** Runs a command in a turn and a shell of its own: what it came to, and where its text is said to come from. */
function turns(world: World) {
  let count = 0;
  return async (command: string) => {
    const turn = `turn-${world.session.id}-${count++}`;
    const access = worldAccess(world, ['/mnt/svc'], { actor: 'assistant', turn }).forCall();
    const result = await access.exec(command, { fresh: true });
    return { exitCode: result.exitCode, stderr: result.stderr, origins: access.origins() };
  };
}

/** Reads something and then does what only a turn may that has read nothing of a service. */
const then = (command: string): string => `${command} > /dev/null && echo x > /workspace/guarded`;

test('a file that is written after text of a service was read counts as such text when it is read later', async () => {
  const deployment = deployed();
  const state = join(deployment, '.dirigent');
  const world = testWorld({ mounts, state }, { deployment });
  const run = turns(world);
  expect((await run('cd /workspace; echo clean > clean; mkdir d')).stderr).toBe('');
  const copying = await run(
    'echo before > before; cat /mnt/svc/a > copy; echo y >> /memory/notes; cp copy copy2; mv copy2 d/moved; ln copy hard; echo z > gone; echo w > again; echo when > /session/schedule/s.md; tar cf t.tar clean; mkdir e; cp copy e/f; mv e renamed',
  );
  expect(copying.stderr).toBe('');
  expect(copying.origins).toEqual(['/mnt/svc']);
  // Turns that read nothing of it.
  expect((await run('rm gone; echo fresh > gone; echo fresh > again')).exitCode).toBe(0);
  const clean = ['clean', 'before', 'gone', 'again'].map((file) => `cat ${file}`);
  for (const command of [...clean, 'ls /mnt /harness', 'cat /harness/AGENTS.md']) {
    const { exitCode, origins, stderr } = await run(then(command));
    expect.soft([exitCode, origins], `${command}: ${stderr}`).toEqual([0, []]);
  }
  const marked = [
    'cat copy',
    'cat hard',
    'cat d/moved',
    'cat renamed/f',
    'grep -r . d',
    'rg -n obey',
    'ln -sf ../workspace/copy /tmp/way; cat /tmp/way',
    'cat /memory/*',
    'cat /session/schedule/s.md',
    'sh -c "head -n 1 /memory/notes"',
    'tail -n 1 /session/log.jsonl',
    'cp copy /tmp/c; cat /tmp/c',
    // Names were given by that turn, too.
    'ls -R .',
  ];
  for (const command of marked) {
    const { exitCode, origins, stderr } = await run(then(command));
    expect.soft(exitCode, command).toBe(1);
    expect.soft(stderr, command).toContain('policy no orders denies this');
    expect.soft(origins, command).toEqual(['/mnt/svc']);
  }
  // Another world over the same state, as another process has it.
  await world.close();
  const next = testWorld({ mounts, state }, { deployment });
  const later = turns(next);
  for (const command of [
    'cat /memory/notes',
    'cat /workspace/copy',
    'cat /session/past/*/log.jsonl',
  ])
    expect.soft((await later(then(command))).exitCode, command).toBe(1);
  expect((await later(then('cat /workspace/clean'))).exitCode).toBe(0);
});

test('what a person moves or writes anew keeps, or loses, its mark', async () => {
  const deployment = deployed();
  const state = join(deployment, '.dirigent');
  const world = testWorld({ mounts, state }, { deployment });
  await turns(world)('cd /workspace; cat /mnt/svc/a > one; cat /mnt/svc/a > two');
  await world.close();
  const person = testWorld({ mounts, state }, { deployment });
  await person.exec('mv one moved; echo mine > two');
  const run = turns(person);
  expect((await run(then('cat moved'))).origins).toEqual(['/mnt/svc']);
  expect((await run(then('cat two'))).origins).toEqual([]);
});

test('what the index reads in the background is no reading of the turn that runs meanwhile', async () => {
  const deployment = deployed();
  mkdirSync(join(deployment, 'docs'));
  writeFileSync(join(deployment, 'docs', 'a.md'), '# A page\n\nWith a sentence in it.\n');
  writeFileSync(
    join(deployment, 'svc.mjs'),
    SERVICE.replace('searchable: false', 'searchable: true'),
  );
  const state = join(deployment, '.dirigent');
  const world = testWorld(
    { mounts: { ...mounts, '/mnt/docs': './docs:ro' }, state },
    { deployment },
  );
  const run = turns(world);
  // Longer than a world waits before it begins to build its index.
  const { exitCode, stderr, origins } = await run(
    'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.4; cat /mnt/docs/a.md > /dev/null; done; echo x > /workspace/guarded',
  );
  expect([exitCode, stderr, origins]).toEqual([0, '', []]);
  expect((await run(then('cat /session/log.jsonl'))).origins).toEqual([]);
  // What a search shows is.
  expect((await run('grep "obey" /mnt/svc')).origins).toEqual(['/mnt/svc']);
});

test('jobs and programs of the host know what the line that begins them has read, and what they write of that is marked', async () => {
  const deployment = deployed();
  const state = join(deployment, '.dirigent');
  const world = testWorld(
    { mounts, state, programs: { host: ['copier'] } },
    {
      deployment,
      // Writes its first argument, or a file that is named by it, to the second.
      hostPrograms:
        async () =>
        async ({ args }, { fs }) => {
          const [from = '', to = ''] = args.map(String);
          const text = from.startsWith('/') ? await fs.readFile(from) : from;
          await fs.writeFile(to, text);
          return { stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: 0 };
        },
    },
  );
  const run = turns(world);
  // A line of a person is a turn of its own.
  for (const [file, line] of [
    ['clean', 'run copier clean /workspace/clean'],
    ['reading', 'run copier /mnt/svc/a /workspace/reading'],
    ['program-of-job', '{ x=$(cat /mnt/svc/a); run copier "$x" /workspace/program-of-job; } &'],
    ['job', 'x=$(cat /mnt/svc/a); { echo "$x" > job; } &'],
    ['program', 'x=$(cat /mnt/svc/a); run copier "$x" /workspace/program'],
  ] as const) {
    await world.exec(line);
    await world.exec('wait');
    const { exitCode, origins } = await run(`cat ${file}`);
    expect.soft([exitCode, origins], line).toEqual([0, file === 'clean' ? [] : ['/mnt/svc']]);
  }
});

test('a notice of how a job ended tells of what the job had read, and is labelled as its end is', async () => {
  const deployment = deployed();
  const world = testWorld({ mounts, state: join(deployment, '.dirigent') }, { deployment });
  const run = turns(world);
  await run('grep -q disobey /mnt/svc/a &');
  for (;;) {
    const { stderr, origins } = await run('sleep 0.05');
    expect(origins).toEqual(stderr.includes('Exit 1') ? ['/mnt/svc'] : []);
    if (stderr !== '') break;
  }
  expect((await run('true')).origins).toEqual([]);
});
