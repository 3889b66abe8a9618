/**
 * Every way to change a file, in every mode, by every route a shell has to it.
 * What is refused must change nothing, exit with a status other than 0, and say
 * on stderr which path and by which rule; what is allowed must happen.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';

/** A change of the files under /m, and the modes beside rw in which it is allowed. */
interface Mutator {
  name: string;
  script: string;
  append?: 'allowed';
}

const MUTATORS: readonly Mutator[] = [
  { name: 'overwrite by redirect', script: 'echo new > /m/old.txt' },
  { name: 'overwrite by clobber', script: 'echo new >| /m/old.txt' },
  { name: 'truncate by redirect', script: ': > /m/old.txt' },
  {
    name: 'write stderr',
    script: 'ls /none 2> /m/old.txt; [ ! -s /tmp/none ] && grep -q none /m/old.txt',
  },
  { name: 'write both streams', script: 'echo new &> /m/old.txt' },
  { name: 'append by redirect', script: 'echo more >> /m/old.txt', append: 'allowed' },
  { name: 'create by redirect', script: 'echo new > /m/made.txt', append: 'allowed' },
  { name: 'create by heredoc', script: 'cat > /m/made.txt <<X\nnew\nX', append: 'allowed' },
  { name: 'tee onto a file', script: 'echo new | tee /m/old.txt >/dev/null' },
  { name: 'tee -a', script: 'echo more | tee -a /m/old.txt >/dev/null', append: 'allowed' },
  { name: 'cp onto a file', script: 'cp /tmp/source /m/old.txt' },
  { name: 'cp to a new file', script: 'cp /tmp/source /m/made.txt', append: 'allowed' },
  { name: 'mv onto a file', script: 'cp /tmp/source /tmp/moving; mv /tmp/moving /m/old.txt' },
  { name: 'mv away', script: 'mv /m/old.txt /tmp/stolen' },
  { name: 'mv within', script: 'mv /m/old.txt /m/renamed.txt' },
  { name: 'mv of a directory', script: 'mv /m/dir /m/dir2' },
  { name: 'sed -i', script: 'sed -i s/old/new/ /m/old.txt' },
  { name: 'rm', script: 'rm /m/old.txt' },
  { name: 'rm -f', script: 'rm -f /m/old.txt' },
  { name: 'rm -rf', script: 'rm -rf /m/dir' },
  { name: 'rmdir', script: 'rmdir /m/empty' },
  { name: 'mkdir', script: 'mkdir /m/made', append: 'allowed' },
  { name: 'mkdir -p', script: 'mkdir -p /m/made/deep', append: 'allowed' },
  { name: 'touch of a file', script: 'touch -d 2001-01-01 /m/old.txt' },
  { name: 'chmod', script: 'chmod 600 /m/old.txt' },
  { name: 'ln -s', script: 'ln -s old.txt /m/made' },
  { name: 'ln', script: 'ln /m/old.txt /m/made' },
  { name: 'write through a link', script: 'ln -sf /m/old.txt /tmp/way; echo new > /tmp/way' },
  { name: 'write by a path with ..', script: 'echo new > /tmp/../m/dir/../old.txt' },
  { name: 'sort -o', script: 'sort -r -o /m/old.txt /tmp/source' },
  { name: 'truncate -s', script: 'truncate -s 0 /m/old.txt' },
  { name: 'find -delete', script: 'find /m/old.txt -delete' },
];

const quote = (script: string): string => `'${script.replaceAll("'", `'\\''`)}'`;

/** A way for a script to reach the shell. */
const ROUTES: readonly [name: string, wrap: (script: string) => string][] = [
  ['directly', (script) => script],
  ['in bash -c', (script) => `bash -c ${quote(script)}`],
  ['in sh -c in bash -c', (script) => `bash -c ${quote(`sh -c ${quote(script)}`)}`],
  ['in eval', (script) => `eval ${quote(script)}`],
  ['in xargs', (script) => `echo x | xargs sh -c ${quote(script)}`],
  [
    'in find -exec',
    (script) =>
      `find /tmp -maxdepth 0 -exec sh -c ${quote(script)} ';' ; [ "$(cat /tmp/status)" = 0 ]`,
  ],
  ['in a function', (script) => `f() { ${script}\n}; f`],
  ['in a subshell', (script) => `( ${script}\n)`],
  ['in a loop', (script) => `for i in 1; do ${script}\ndone`],
  ['as a script file', (script) => `printf %s ${quote(script)} > /tmp/s.sh; bash /tmp/s.sh`],
  [
    'as an executable',
    (script) =>
      `printf '#!/bin/bash\\n%s' ${quote(script)} > /tmp/x.sh; chmod +x /tmp/x.sh; /tmp/x.sh`,
  ],
  ['in source', (script) => `printf '%s\\n' ${quote(script)} > /tmp/s.sh; source /tmp/s.sh`],
  ['under timeout', (script) => `timeout 20 sh -c ${quote(script)}`],
  ['under env', (script) => `env A=1 sh -c ${quote(script)}`],
];

/** find(1) does not pass on the status of what it runs: the script leaves it in a file. */
const kept = (route: string, script: string): string =>
  route === 'in find -exec' ? `${script}\necho $? > /tmp/status` : script;

function seed(root: string): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'old.txt'), 'old\n');
  chmodSync(join(root, 'old.txt'), 0o644);
  mkdirSync(join(root, 'dir'));
  writeFileSync(join(root, 'dir', 'inner.txt'), 'inner\n');
  mkdirSync(join(root, 'empty'));
  symlinkSync('old.txt', join(root, 'link'));
}

/** The whole tree as text: paths, types, modes, times, contents. */
function snapshot(root: string, prefix = ''): string {
  const rows: string[] = [];
  for (const name of readdirSync(join(root, prefix)).sort()) {
    const path = join(prefix, name);
    const stat = lstatSync(join(root, path));
    if (stat.isSymbolicLink()) rows.push(`${path} -> ${readlinkSync(join(root, path))}`);
    else if (stat.isDirectory()) rows.push(`${path}/`, snapshot(root, path));
    else
      rows.push(
        `${path} ${(stat.mode & 0o777).toString(8)} ${statSync(join(root, path)).mtimeMs} ${readFileSync(join(root, path), 'utf8')}`,
      );
  }
  return rows.join('\n');
}

describe.each(['ro', 'append', 'rw'] as const)('a mount that is %s', (mode) => {
  let root: string;
  let state: string;
  let world: World;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'dirigent-matrix-'));
    state = mkdtempSync(join(tmpdir(), 'dirigent-state-'));
    world = createWorld({ mounts: { '/m': `${root}:${mode}` }, state });
  });

  afterAll(async () => {
    await world.close();
    rmSync(root, { recursive: true });
    rmSync(state, { recursive: true });
  });

  describe.each(ROUTES)('%s', (route, wrap) => {
    test.each(MUTATORS)('$name', async (mutator) => {
      const allowed = mode === 'rw' || (mode === 'append' && mutator.append === 'allowed');
      seed(root);
      const before = snapshot(root);
      // One command, since each is written to the session's log, durably.
      const result = await world.exec(
        `rm -rf /tmp/*; echo new > /tmp/source\n${wrap(kept(route, mutator.script))}`,
        { cwd: '/workspace' },
      );
      if (allowed) {
        expect(result.exitCode, result.stderr).toBe(0);
        expect(snapshot(root)).not.toBe(before);
      } else {
        expect(snapshot(root)).toBe(before);
        expect(result.exitCode).not.toBe(0);
        expect(result.stderr).toMatch(/(\/m\b|\/tmp\/way).*Permission denied/);
        expect(result.stderr).toContain(`dirigent: /m is mounted ${mode}`);
      }
    });
  });
});
