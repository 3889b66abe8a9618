/** What commands say when they fail, word for word as the machine's own tools say it, and of whom it is refused. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessWorld } from './world/in-process.ts';

const version = spawnSync('mkdir', ['--version'], { encoding: 'utf8' }).stdout ?? '';
const there = version.includes('GNU coreutils');
if (!there) console.warn('skipped: no GNU coreutils on this machine to compare with');

const FAILING = [
  'mkdir a.txt',
  'mkdir no/x',
  'mkdir a.txt/x',
  'mkdir',
  'mkdir -z',
  'mkdir -m 999 q',
  'touch no/x',
  'touch',
  'chmod 600 nope',
  'chmod 999 a.txt',
  'chmod u+q a.txt',
  'chmod',
  'chmod 644',
  'ln -s x a.txt',
  'ln nope y',
  'ln -s t no/t',
  'ln',
  'ln d1 hard',
  'ln a.txt a.txt',
  'ln -T a.txt',
  'cat nope',
  'cat d1',
  'cat -Z',
  'tee d1 < a.txt > /dev/null',
  'tee no/x < a.txt > /dev/null',
  'rmdir nope',
  'rmdir a.txt',
  'rmdir d1',
  'rm nope',
  'rm d1',
  'cp nope x',
  'cp d1 x',
  'cp a.txt a.txt',
  'cp a.txt no/x',
  'mv nope x',
  'mv a.txt no/x',
  'head nope',
  'tail nope',
  'tail d1',
  'wc nope',
  'truncate -s 0 no/x',
  'unlink nope',
  'expr 1 +',
  'expr 1 / 0',
  'expr',
  'cat < nope',
  'echo x > no/f',
  'echo x > d1',
  '[ -bogus x ]',
  '[ a b c ]',
  '[ 1 -eq x ]',
  'wait 99999',
  'kill %7',
  'cd nope',
  'cd a.txt',
];

/** Typographic quotes, and the line that bash names, are a matter of the locale and of how it is called. */
const plain = (text: string): string =>
  text.replace(/[‘’]/g, "'").replace(/^bash: line \d+: /gm, 'bash: ');

const outside = (command: string): { stderr: string; exitCode: number | null } => {
  const root = mkdtempSync(join(tmpdir(), 'dirigent-messages-'));
  try {
    mkdirSync(join(root, 'd1'));
    writeFileSync(join(root, 'a.txt'), 'alpha\n');
    writeFileSync(join(root, 'd1', 'b.txt'), 'beta\n');
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' };
    const { stderr, status } = spawnSync('bash', ['--norc', '-c', command], { cwd: root, env });
    return { stderr: plain(stderr.toString()), exitCode: status };
  } finally {
    rmSync(root, { recursive: true });
  }
};

const world = () =>
  inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\n', '/work/d1/b.txt': 'beta\n' },
    cwd: '/work',
  });

describe.skipIf(!there)('the message is GNU’s', () => {
  test.each(FAILING)('%s', async (command) => {
    const { stderr, exitCode } = await (await world()).run(command);
    expect({ stderr: plain(stderr), exitCode }).toEqual(outside(command));
  });
});

describe('a refusal is the message that GNU has for it, then the rule', () => {
  test.each([
    ['mkdir /bin/x', "mkdir: cannot create directory '/bin/x': Permission denied"],
    ['mkdir -p /bin/x/y', "mkdir: cannot create directory '/bin/x': Permission denied"],
    ['touch /bin/x', "touch: cannot touch '/bin/x': Permission denied"],
    ['chmod 600 /bin/ls', "chmod: changing permissions of '/bin/ls': Permission denied"],
    ['ln -s a /bin/x', "ln: failed to create symbolic link '/bin/x': Permission denied"],
    ['ln -sf a /bin/ls', "ln: failed to create symbolic link '/bin/ls': Permission denied"],
    ['tee /bin/x < a.txt > /dev/null', 'tee: /bin/x: Permission denied'],
    ['cp a.txt /bin/x', "cp: cannot create regular file '/bin/x': Permission denied"],
    ['echo x > /bin/ls', 'bash: /bin/ls: Permission denied'],
  ])('%s', async (command, message) => {
    const { stderr, exitCode } = await (await world()).run(command);
    expect(stderr).toBe(`${message}\ndirigent: /bin is mounted ro: nothing here can be changed\n`);
    expect(exitCode).toBe(1);
  });
});
