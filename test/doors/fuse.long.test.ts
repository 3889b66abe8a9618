/** Programs that people use, in a mounted world; and random operations beside a directory of the host. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { mountedWorld, NO_FUSE } from './mounted.ts';

if (NO_FUSE !== null) process.stderr.write(`test/doors/fuse.long.test.ts: ${NO_FUSE}\n`);

const OPERATIONS = join(import.meta.dirname, 'random-operations.py');

/** A world whose /workspace is in memory, or a directory of the host. */
const KINDS = ['memory', 'disk'] as const;

const worldOn = (kind: (typeof KINDS)[number]) =>
  mountedWorld(kind === 'memory' ? {} : { mounts: { '/workspace': `${temporaryDirectory()}:rw` } });

describe.skipIf(NO_FUSE !== null)('a mounted world', () => {
  test.each([
    ['memory', 50_000],
    ['disk', 30_000],
  ] as const)(
    'random operations on %s answer as in a directory of the host, %i of them',
    async (kind, count) => {
      const { sh } = await worldOn(kind);
      const beside = join(temporaryDirectory(), 'beside');
      const seed = Math.floor(Math.random() * 1e9);
      mkdirSync(beside);
      const said = await sh(`mkdir t; python3 ${OPERATIONS} ${seed} ${count} ${beside} "$PWD/t"`);
      expect(said).toMatchObject({
        stdout: `seed ${seed}: ${count} operations, 0 differences\n`,
        status: 0,
      });
    },
    600_000,
  );

  test.each(KINDS)(
    'git, npm, Python, tar, rsync and rg work on %s',
    async (kind) => {
      const { sh } = await worldOn(kind);
      const does = async (script: string) => {
        const said = await sh(`set -e; export HOME=$PWD; ${script}`);
        expect(said).toMatchObject({ status: 0 });
        return said.stdout;
      };
      await does(
        `git init -q -b main r && cd r && git config user.email a@b.c && git config user.name n
       for i in $(seq 200); do echo "line $i of many" > f$i; done
       git add . && git commit -qm one && git clone -q . ../clone && git gc -q && git fsck`,
      );
      expect(await does('cd clone && git status --short && ls | wc -l')).toBe('200\n');
      expect(await does('diff -r --exclude=.git r clone && rg -c line clone | wc -l')).toBe(
        '200\n',
      );
      expect(
        await does(
          'tar cf a.tar clone && mkdir x && tar xf a.tar -C x && diff -r clone x/clone && echo same',
        ),
      ).toBe('same\n');
      expect(await does('rsync -a clone/ y/ && rsync -ai clone/ y/ && echo twice')).toBe('twice\n');
      await does(
        `mkdir -p p/dep && cd p && echo '{"name":"dep","version":"1.0.0","main":"i.js"}' > dep/package.json
       echo 'module.exports = 42' > dep/i.js && echo '{"name":"p","version":"1.0.0"}' > package.json
       npm install --offline --no-audit --no-fund ./dep`,
      );
      expect(await does('cd p && node -p "require(\'dep\')"')).toBe('42\n');
      await does(`mkdir py && for i in 1 2 3; do echo "def f(): return $i" > py/m$i.py; done
      python3 -m compileall -q py && cd py && python3 -c 'import m1, m2, m3; assert m3.f() == 3'`);
      expect(await does('ls py/__pycache__ | wc -l')).toBe('3\n');
      await does(`printf 'a\\nb\\n' > v && vim -es -u NONE -c '%s/a/A/' -c wq v && grep -q A v`);
    },
    600_000,
  );

  test('what was closed is there when the process that served it is killed, and nothing stays mounted', async () => {
    const { world, mount, ok } = await worldOn('memory');
    await ok('echo kept > a; for i in $(seq 50); do echo $i > f$i; done');
    process.kill(mount.server, 'SIGKILL');
    expect(await mount.ended).toBe(false);
    expect((await world.exec('cat a f50')).stdout).toBe('kept\n50\n');
    await expect
      .poll(() => readFileSync('/proc/self/mounts', 'utf8'), { timeout: 20_000 })
      .not.toContain(mount.directory);
  }, 60_000);
});
