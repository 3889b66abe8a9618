import { expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { doubleShell } from '../support/double-shell.ts';
import { rmShims } from './index.ts';

const files = { '/data/d/a': '1', '/data/d/keep': '2', '/data/d/sub/b': '3' };

function guarded() {
  const shell = doubleShell([rmShims], files);
  shell.fs.refuse = (op, path) =>
    op === 'unlink' && path.endsWith('/keep')
      ? new FsError('EACCES', { op, path, reason: 'This mount is read-only.' })
      : undefined;
  return shell;
}

it('rm -rf prints a refusal, fails, and removes all the rest', async () => {
  const shell = guarded();
  const { stderr, exitCode } = await shell.run('rm -rf d');
  expect(stderr).toBe(
    "rm: cannot remove 'd/keep': Permission denied\ndirigent: This mount is read-only.\n",
  );
  expect(exitCode).toBe(1);
  expect(await shell.fs.readdir('/data/d')).toEqual(['keep']);
});

it('rm -f prints a refusal and fails', async () => {
  const { stderr, exitCode } = await guarded().run('rm -f d/keep');
  expect(stderr).toContain("rm: cannot remove 'd/keep': Permission denied\n");
  expect(exitCode).toBe(1);
});

it('rm -f is silent about what is not there', async () => {
  expect(await guarded().run('rm -f nosuch no/such')).toEqual({
    stdout: '',
    stderr: '',
    exitCode: 0,
  });
});

it('refuses the root and the directories of the walk itself', async () => {
  const shell = guarded();
  expect((await shell.run('rm -rf /')).exitCode).toBe(1);
  expect((await shell.run('rm -rf . ..')).exitCode).toBe(1);
  expect(await shell.fs.exists('/data/d/a')).toBe(true);
});
