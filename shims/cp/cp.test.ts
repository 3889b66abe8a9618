import { expect, test } from 'vitest';
import { findShims } from '../find/index.ts';
import { lnShims } from '../ln/index.ts';
import { realpathShims } from '../realpath/index.ts';
import { rmShims } from '../rm/index.ts';
import { doubleShell } from '../support/double-shell.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { cpShims } from './index.ts';

const files = { a: 'A\n', b: 'B\n', 'd/x': 'x\n', 'd/s/y': 'y\n', 'e/x': 'old\n' };
const tree = 'find . -type f | sort; cat a b c d/x e/x 2>/dev/null';

gnuSuite(['cp', 'mv', 'rm'], [cpShims, findShims, lnShims, realpathShims, rmShims], files, [
  `cp a c; ${tree}`,
  `cp a b d; ${tree}`,
  `cp -v a c; ${tree}`,
  `cp d f; echo $?; ${tree}`,
  `cp -r d f; ${tree}`,
  `cp -rv d e | sort; ${tree}`,
  `cp -rT d e; ${tree}`,
  `cp -r d/. e; ${tree}`,
  `cp -a d f; ${tree}`,
  `cp -n a b; ${tree}`,
  `cp -t d a b; ${tree}`,
  `cp a a; echo $?`,
  `cp a nosuch/; echo $?`,
  `cp a b nosuch; echo $?`,
  `cp a nosuch/c; echo $?`,
  `cp nosuch c; echo $?`,
  `cp -r d d/s; echo $?`,
  `cp a; echo $?`,
  // What is no directory is put over none, and none over it.
  'mv -T a d; echo $?',
  'mv -T d a; echo $?',
  `mv -T d e; echo $?; ${tree}`,
  `mkdir n; mv -T d n; find . | sort`,
  'cp -T a d; echo $?',
  'cp -rT d a; echo $?',
  'mv a nosuch/; echo $?; ls',
  'mv d new/; find . | sort',
  'cp -r d new/; find . | sort',
  `cp a b/; echo $?; mv a b/; echo $?; cp -r d b/; echo $?; mv d b/; echo $?; ${tree}`,
  'cp a d/; cp b d//; find d | sort',
  'cp -T a b d; echo $?',
  'cp -t nosuch a; echo $?',
  'cp -t a b; echo $?',
  'cp -t d -T a; echo $?',
  'mv a a; echo $?',
  'ln a h; mv a h; echo $?; ls',
  `cp; echo $?`,
  `cp --parents d/s/y e; ${tree}`,
  // A link in a tree, one to the tree, and one to nothing.
  ...[
    'cp -r k f',
    'cp -rL k f',
    'cp -rP k f',
    'cp -rH k f',
    'cp -rLP k f',
    'cp -rPL k f',
    'cp -rHP k f',
    'cp -rPH k f',
    'cp -a k f',
    'cp -aL k f',
    'cp -La k f',
    'cp -rL d f',
    'cp -rP d f',
    'cp -rH d f',
    'cp -rd d f',
    'cp -a d f',
    'cp d/l f',
    'cp -d d/l f',
    'cp -P d/l f',
    'cp -H d/l f',
    'cp -dL d/l f',
    'cp n f',
    'cp -d n f',
    'cp -L n f',
    'cp -r d/l n f',
  ].map(
    (command) =>
      `ln -s ../a d/l; ln -s d k; ln -s nosuch n; ${command}; echo $?; readlink f; readlink f/l; find f | sort; cat f 2>/dev/null`,
  ),
  `mv a c; ${tree}`,
  `mv a b d; ${tree}`,
  `mv a b; ${tree}`,
  `mv -v a d; ${tree}`,
  `mv -n a b; ${tree}`,
  `mv d f; ${tree}`,
  `mv d e; ${tree}`,
  `mv a a; echo $?`,
  `mv d d/s; echo $?`,
  `mv d a; echo $?`,
  `mv -T a d; echo $?`,
  `mv nosuch c; echo $?`,
  `mv d/x e/x; ${tree}`,
  `rm a; ${tree}`,
  `rm d; echo $?; ${tree}`,
  `rm -r d; ${tree}`,
  `rm -rv d | sort; ${tree}`,
  `rm -f nosuch; echo $?`,
  `rm nosuch; echo $?`,
  `rm -rf d e nosuch; ${tree}`,
  `rm -d d; echo $?`,
  `rm .; echo $?; rm -r ..; echo $?`,
  `rm -v a b`,
  `rmdir d; echo $?; rmdir nosuch; echo $?`,
  `mkdir -p p/q && rmdir -p p/q; ls`,
  `install -D a p/q/r; cat p/q/r; find p -type f -perm 755`,
  `rm; echo $?`,
]);

test('a backup that would not be made is refused, and what is there stays', async () => {
  const shell = doubleShell([cpShims], { '/data/a': 'new', '/data/b': 'old' });
  const { stderr, exitCode } = await shell.run('install -b a b');
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/option.*b/)]);
  expect((await shell.run('cat a b')).stdout).toBe('newold');
});

test('what was there is kept, whatever copies or moves over it and by whatever name', async () => {
  for (const command of ['cp -b a b', 'mv -b a b', 'cp --backup a b', 'mv --backup=simple a b']) {
    const shell = doubleShell([cpShims], { '/data/a': 'new', '/data/b': 'old' });
    const { stderr, exitCode } = await shell.run(command);
    expect([exitCode, stderr], command).toEqual([0, '']);
    expect((await shell.run('cat b b~')).stdout, command).toBe('newold');
  }
});
