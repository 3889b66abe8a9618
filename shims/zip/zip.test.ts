import { expect, it } from 'vitest';
import { doubleShell } from '../support/double-shell.ts';
import { pack } from './archive.ts';
import { zipShims } from './index.ts';

const files = {
  '/data/d/a': 'a'.repeat(1000),
  '/data/d/s/é': 'x',
  '/data/bin': Uint8Array.from([0, 255, 1]),
};

it('gives back what was packed', async () => {
  const shell = doubleShell([zipShims], files);
  const { exitCode } = await shell.run('zip -qr z d bin && unzip -q z.zip -d out');
  expect(exitCode).toBe(0);
  expect(await shell.fs.readFile('/data/out/d/a')).toBe(files['/data/d/a']);
  expect(await shell.fs.readFile('/data/out/d/s/é')).toBe('x');
  expect(Buffer.from(await shell.fs.readFileBuffer('/data/out/bin'))).toEqual(
    Buffer.from([0, 255, 1]),
  );
  expect((await shell.run('unzip -p z.zip d/s/é')).stdout).toBe('x');
});

it('does not unpack a member outside of its directory', async () => {
  const evil = pack(
    [{ name: '../evil', data: Buffer.from('x'), date: new Date(), mode: 0o644 }],
    6,
  );
  const shell = doubleShell([zipShims], { '/data/e.zip': evil });
  expect((await shell.run('mkdir -p in; unzip e.zip -d in')).exitCode).toBe(1);
  expect(await shell.fs.exists('/data/evil')).toBe(false);
});

it('says that a file is no archive', async () => {
  const shell = doubleShell([zipShims], files);
  expect((await shell.run('unzip bin')).exitCode).toBe(9);
});
