import { packTar } from 'modern-tar';
import { expect, test } from 'vitest';
import { gzipShims } from '../gzip/index.ts';
import { doubleShell } from '../support/double-shell.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { tarShims } from './index.ts';

const files = {
  a: 'one\n',
  b: 'two\n',
  'd/x': 'x\n',
  'd/e/y': 'y\n',
  'd/skip.log': 'l\n',
  empty: '',
};
const owner = 's/ [a-z]*\\/[a-z]* */ /';

gnuSuite(['tar', 'gzip'], [tarShims, gzipShims], files, [
  "tar cf t.tar d/x; tar tf t.tar --strip=1 --show-transformed; tar tvf t.tar --show-transformed --xform 's/d/D/' | sed 's/.* //'; tar tf t.tar --xform s/d/D/",
  "tar c --xform 's#^.+/##x' d/e | tar t; tar c --xform s,d,D, d/x d/e | tar t",
  'tar cf t.tar a b; tar tf t.tar',
  'tar -cvf t.tar a d/x; rm a; tar xvf t.tar; cat a',
  'tar czf t.tgz a; tar tzf t.tgz; tar tf t.tgz; gzip -dc t.tgz | tar t',
  'tar cf - a b | tar tf -',
  'tar c a b | tar xO a',
  'tar cf t.tar d/e/; tar tf t.tar',
  'tar cf t.tar -C d x -C e y; tar tf t.tar',
  'mkdir o; tar cf t.tar a d/x; tar xf t.tar -C o; find o -type f | sort; cat o/d/x',
  'tar cf t.tar d/x d/e/y; mkdir o; tar xf t.tar -C o --strip-components=1; find o -type f | sort',
  "tar cf t.tar --exclude='*.log' d/skip.log d/x; tar tf t.tar",
  'tar cf t.tar --exclude=e d/e/y d/x; tar tf t.tar',
  'echo b > X; tar cf t.tar -X X a b; tar tf t.tar',
  'printf "a\\nb\\n" | tar cf t.tar -T -; tar tf t.tar',
  "tar cf t.tar --transform='s,^,p/,' a b; tar tf t.tar",
  "tar cf t.tar --xform 's#^.+/##x' d/x a; tar tf t.tar",
  'tar cf t.tar a; ln a h; echo new > a; tar xf t.tar --overwrite; cat h',
  'tar cf t.tar a; head -c 1024 t.tar > u.tar; tar tf u.tar; echo $?',
  'tar cf t.tar a; tar rf t.tar b; tar tf t.tar; tar --delete -f t.tar a; tar tf t.tar',
  'tar cf t.tar a b; tar tf t.tar a; tar tf t.tar none 2>/dev/null; echo $?',
  "tar cf t.tar a b; tar xOf t.tar --wildcards 'a*'",
  'tar cf t.tar a; echo new > a; tar xf t.tar; cat a; echo new > a; tar xkf t.tar 2>/dev/null; echo $?; cat a',
  'ln -s a l; tar cf t.tar l; rm l; tar xf t.tar; readlink l; tar tvf t.tar | sed "s/.* l /l /"',
  'ln a h; tar cf t.tar a h; tar tvf t.tar | sed "s/.*[0-9] \\([ah]\\)/\\1/"; rm a h; tar xf t.tar; cat h',
  `chmod 751 a; touch -d 2001-02-03T04:05 a; tar cf t.tar a; tar tvf t.tar | sed '${owner}'`,
  // Byte by byte what GNU's writes.
  ...[
    'a b empty d',
    '--mtime @-5 a',
    '--mtime @99999999999 a',
    'd/$(printf %0100d 1) d/$(printf %099d 2) d/$(printf %098d 3) l2',
  ].map(
    (what) =>
      `touch d/$(printf %0100d 1) d/$(printf %099d 2) d/$(printf %098d 3); ln -s $(printf %0101d 4) l2; ln a h; ln -s a l; chmod 644 a b h empty d/*; chmod 755 d d/e; tar c --owner root --group sys --mtime @1234567890 --mode 644 --sort=name ${what} h l | md5sum`,
  ),
  'tar c --owner 9999999 --group 8888888 --mtime @0 --mode 644 a | md5sum',
  // Names that every system has, and numbers: as GNU's tar lists them.
  ...['root', 'sys', 'nobody:65534', '1234', 'zork:77'].flatMap((who) => [
    `tar cf t.tar --owner root --group ${who} --mtime @0 --mode 644 a; tar tvf t.tar; tar tvf t.tar --numeric-owner`,
  ]),
  'tar cf t.tar missing 2>/dev/null; echo $?',
  'tar xf missing.tar 2>/dev/null; echo $?',
  'tar cf t.tar 2>/dev/null; echo $?',
  'tar 2>/dev/null; echo $?; tar xc 2>/dev/null; echo $?',
  'tar xf a 2>/dev/null; echo $?; tar tf empty 2>/dev/null; echo $?; tar tzf a 2>/dev/null; echo $?',
  'tar tf zeros; echo $?',
  'mkdir -p o/p; cd o/p; tar cf ../t.tar ../../a 2>/dev/null; tar tf ../t.tar',
]);

const archive = async (...members: Parameters<typeof packTar>[0]) =>
  Buffer.from(await packTar(members));
const file = (name: string) => ({ header: { name, size: 3, type: 'file' as const }, body: 'bad' });

test('no member leaves the directory that it is unpacked to', async () => {
  const evil = await archive(
    { header: { name: 'out', size: 0, type: 'symlink', linkname: '../../outside' } },
    file('out/through'),
    file('../../climbed'),
    file('/absolute'),
    { header: { name: 'hard', size: 0, type: 'link', linkname: '../secret' } },
  );
  const shell = doubleShell([tarShims], {
    '/data/t.tar': evil,
    '/data/secret': 'secret',
    '/outside/keep': '',
    '/data/in/keep': '',
  });
  const { stderr, exitCode } = await shell.run('cd in && tar xf ../t.tar');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Removing leading `../../' from member names");
  expect(stderr).toContain("Removing leading `/' from member names");
  expect((await shell.run('ls / /outside /data/in')).stdout).not.toMatch(/^through$/m);
  expect(
    (await shell.run('cat /data/in/climbed /data/in/absolute; ls /climbed /absolute')).stdout,
  ).toBe('badbad');
  expect((await shell.run('cat /data/in/hard')).exitCode).toBe(1);
});

test('what unpacks to an archive cut off is an error', async () => {
  const whole = await archive(file('a'));
  const shell = doubleShell([tarShims], { '/data/t.tar': whole.subarray(0, 514) });
  expect((await shell.run('tar xf t.tar')).exitCode).toBe(2);
});
