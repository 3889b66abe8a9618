import { expect, it } from 'vitest';
import { pack } from '../../src/zip.ts';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { doubleShell } from '../support/double-shell.ts';
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

it('keeps modes, times, and links with -y', async () => {
  const { run } = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const { stdout } = await run(
    'mkdir d; echo x > d/f; chmod 755 d/f; touch -d 2020-02-04T06:08:10Z d/f; ln -s f d/l; ' +
      'zip -qry z d; rm -r d; unzip -q z; stat -c %a d/f; date -u -r d/f +%FT%T; readlink d/l',
  );
  expect(stdout).toBe('755\n2020-02-04T06:08:10\nf\n');
});

it('makes links last, so that no member is written through one', async () => {
  const date = new Date();
  const evil = pack(
    [
      { name: 'l', data: Buffer.from('/data/out'), date, mode: 0o777, isLink: true },
      { name: 'l/through', data: Buffer.from('bad'), date, mode: 0o644 },
    ],
    6,
  );
  const shell = doubleShell([zipShims], { '/data/e.zip': evil, '/data/out/keep': '' });
  await shell.run('mkdir in; unzip -q e.zip -d in');
  expect(await shell.fs.exists('/data/out/through')).toBe(false);
});
