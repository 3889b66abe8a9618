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

it('lists as unzip does, quietly and in full, and leaves out what is named', async () => {
  const world = await inProcessWorld({ roots: ['/w'], cwd: '/w', env: { TZ: 'UTC' } });
  const { stdout, stderr } = await world.run(
    `printf %050d 0 > a; printf b > b; touch -d '2020-01-01 10:00 UTC' a b; zip -q t.zip a b
     unzip -lq t.zip a; unzip -v t.zip; unzip -q t.zip -x a b; echo $?; unzip -qd x t.zip -x a; ls x; unzip -qd no/x t.zip; echo $?`,
  );
  expect(stdout).toBe(`  Length      Date    Time    Name
---------  ---------- -----   ----
       50  2020-01-01 10:00   a
---------                     -------
       50                     1 file
Archive:  t.zip
 Length   Method    Size  Cmpr    Date    Time   CRC-32   Name
--------  ------  ------- ---- ---------- ----- --------  ----
      50  Defl:N        6  88% 2020-01-01 10:00 e26a1dd3  a
       1  Stored        1   0% 2020-01-01 10:00 71beeff9  b
--------          -------  ---                            -------
      51                7  86%                            2 files
0
b
2
`);
  expect(stderr).toContain('cannot create extraction directory: no/x');
});

it('shows a moment that the archive has in the zone that is set', async () => {
  const stamp = Buffer.alloc(9);
  stamp.writeUInt16LE(0x5455, 0);
  stamp.writeUInt16LE(5, 2);
  stamp.writeUInt8(1, 4);
  stamp.writeInt32LE(1_577_880_000, 5);
  const plain = pack([{ name: 'a', data: Buffer.from('x'), date: new Date(0), mode: 0o644 }], 6);
  // The field goes behind the name in the directory, which grows by it.
  const at = plain.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const directory = Buffer.concat([plain.subarray(at, at + 47), stamp]);
  directory.writeUInt16LE(stamp.length, 30);
  const end = Buffer.from(plain.subarray(plain.length - 22));
  end.writeUInt32LE(directory.length, 12);
  const data = Buffer.concat([plain.subarray(0, at), directory, end]);
  const world = await inProcessWorld({ roots: ['/w'], files: { '/w/z.zip': data }, cwd: '/w' });
  const { stdout } = await world.run('unzip -lq z.zip; TZ=Europe/Berlin unzip -lq z.zip');
  expect(stdout.match(/2020-\S+ \S+/g)).toEqual(['2020-01-01 12:00', '2020-01-01 13:00']);
});

it('tells by a letter how much effort went into a member', async () => {
  const plain = pack([{ name: 'a', data: Buffer.alloc(99), date: new Date(0), mode: 0o644 }], 6);
  const at = plain.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  const files = Object.fromEntries(
    [0, 1, 2, 3].map((effort) => {
      const data = Buffer.from(plain);
      data.writeUInt16LE(effort << 1, at + 8);
      return [`/w/${effort}.zip`, data];
    }),
  );
  const world = await inProcessWorld({ roots: ['/w'], files, cwd: '/w' });
  const { stdout } = await world.run('for n in 0 1 2 3; do unzip -v $n.zip; done');
  expect(stdout.match(/Defl:./g)).toEqual(['Defl:N', 'Defl:X', 'Defl:F', 'Defl:S']);
});
