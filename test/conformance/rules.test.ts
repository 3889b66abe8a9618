/** Rules for single paths of a mount: no detour leads around them. */
import { describe, expect, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mode } from '../../src/mount/contract/contract.ts';
import type { Namespace } from '../../src/namespace/namespace.ts';
import { failure, namespaceOver, outcome, type Row, treeOf } from './support.ts';

async function world(mode: Mode, rules: Record<string, Mode>): Promise<Namespace> {
  const mount = new MemoryMount();
  for (const path of ['/safe', '/safe/deep', '/open']) await mount.mkdir(path);
  for (const path of ['/safe/deep/policy.yaml', '/safe/other', '/open/f', '/top.md'])
    await mount.write(path, Buffer.from('original'));
  return namespaceOver([
    ['/', new MemoryMount()],
    [
      '/m',
      mount,
      { mode, rules: Object.entries(rules).map(([pattern, each]) => ({ pattern, mode: each })) },
    ],
  ]);
}

const POLICY = '/m/safe/deep/policy.yaml';

describe('a protected file in a mount that may be written', () => {
  const detours: Record<string, (fs: Namespace) => Promise<unknown>> = {
    write: (fs) => fs.writeFile(POLICY, 'x'),
    append: (fs) => fs.appendFile(POLICY, 'x'),
    truncate: (fs) => fs.writeFile(POLICY, ''),
    rm: (fs) => fs.rm(POLICY),
    'rm -r above': (fs) => fs.rm('/m/safe', { recursive: true }),
    'rm -rf above': (fs) => fs.rm('/m/safe', { recursive: true, force: true }),
    rename: (fs) => fs.mv(POLICY, '/m/open/x'),
    'rename over': (fs) => fs.mv('/m/open/f', POLICY),
    'rename the directory': (fs) => fs.mv('/m/safe/deep', '/m/safe/deeper'),
    'rename the directory above': (fs) => fs.mv('/m/safe', '/m/elsewhere'),
    'move the directory away': (fs) => fs.mv('/m/safe', '/away'),
    'hard link': (fs) => fs.link(POLICY, '/m/open/second'),
    'symlink and write': async (fs) => {
      await fs.symlink('../safe/deep/policy.yaml', '/m/open/l');
      await fs.writeFile('/m/open/l', 'x');
    },
    'symlink to the directory': async (fs) => {
      await fs.symlink('/m/safe/deep', '/l');
      await fs.writeFile('/l/policy.yaml', 'x');
    },
    'symlink from another mount': async (fs) => {
      await fs.symlink('/m/safe', '/l');
      await fs.cp('/m/open/f', '/l/deep/policy.yaml');
    },
    chmod: (fs) => fs.chmod(POLICY, 0o777),
    utimes: (fs) => fs.utimes(POLICY, new Date(0), new Date(0)),
    'cp over': (fs) => fs.cp('/m/open/f', POLICY),
    'cp -r over the directory': async (fs) => {
      await fs.mkdir('/t');
      await fs.writeFile('/t/policy.yaml', 'x');
      await fs.cp('/t', '/m/safe/deep', { recursive: true });
    },
  };
  it.for(Object.entries(detours))('%s is refused, and names the rule', async ([, act]) => {
    const fs = await world('rw', { 'safe/deep/policy.yaml': 'ro' });
    const { identity } = await fs.stat(POLICY);
    const error = await failure(act(fs));
    expect([error.code, error.rule]).toEqual(['EACCES', 'safe/deep/policy.yaml of /m is ro']);
    expect(await fs.readFile(POLICY)).toBe('original');
    expect((await fs.stat(POLICY)).identity).toBe(identity);
    expect(await fs.readFile('/m/safe/other')).toBe('original');
    expect(await outcome(fs.writeFile('/m/safe/other', 'free'))).toBe('ok');
  });

  it('a directory with such a file inside cannot be renamed to its place', async () => {
    const fs = await world('rw', { 'new/policy.yaml': 'ro' });
    expect(await outcome(fs.writeFile('/m/new', 'not a directory'))).toBe('ok');
    await fs.rm('/m/new');
    await fs.mkdir('/m/open/made');
    await fs.writeFile('/m/open/made/policy.yaml', 'forged');
    const before = await treeOf(fs, '/m');
    expect((await failure(fs.mv('/m/open/made', '/m/new'))).code).toBe('EACCES');
    await fs.cp('/m/open/made', '/forged', { recursive: true });
    expect((await failure(fs.mv('/forged', '/m/new'))).code).toBe('EACCES');
    expect(await treeOf(fs, '/m')).toEqual(before);
  });

  it('no link takes the place of a directory that a rule is about', async () => {
    const fs = await world('rw', { 'new/policy.yaml': 'ro', 'etc/**': 'ro' });
    await fs.mkdir('/forged');
    await fs.writeFile('/forged/policy.yaml', 'forged');
    expect((await failure(fs.symlink('/forged', '/m/new'))).code).toBe('EACCES');
    expect((await failure(fs.symlink('/forged', '/m/etc'))).code).toBe('EACCES');
    await fs.symlink('/forged', '/m/open/new');
    expect((await failure(fs.mv('/m/open/new', '/m/new'))).code).toBe('EACCES');
    await fs.symlink('/forged', '/l');
    expect((await failure(fs.mv('/l', '/m/new'))).code).toBe('EACCES');
  });

  it.for(['safe/**', '/safe/**', '**/deep/**'])(
    'the glob %s holds for every name, whatever is in it',
    async (glob) => {
      const fs = await world('rw', { [glob]: 'ro' });
      for (const name of ['new', '.hidden', 'line\nbreak', '-x', '日本', 'a b', '[x]', 'x\r']) {
        const error = await failure(fs.writeFile(`/m/safe/deep/${name}`, 'x'));
        expect(error.code, name).toBe('EACCES');
      }
      expect(await outcome(fs.writeFile('/m/open/x', 'x'))).toBe('ok');
    },
  );
});

describe('named files that may be written in a mount that may not', () => {
  it('only those change, and their directory keeps its entries', async () => {
    const fs = await world('ro', { 'open/**': 'rw', 'top.md': 'append' });
    expect(await outcome(fs.writeFile('/m/open/f', 'new'))).toBe('ok');
    expect(await outcome(fs.writeFile('/m/open/g', 'new'))).toBe('ok');
    expect(await outcome(fs.appendFile('/m/top.md', '+'))).toBe('ok');
    for (const act of [
      fs.writeFile('/m/top.md', 'x'),
      fs.writeFile(POLICY, 'x'),
      fs.writeFile('/m/new', 'x'),
      fs.mv('/m/open/f', '/m/safe/f'),
      fs.mv(POLICY, '/m/open/policy.yaml'),
      fs.link(POLICY, '/m/open/policy.yaml'),
      fs.mv('/m/open', '/m/opened'),
      fs.rm(POLICY),
    ])
      expect(await outcome(act)).toBe('EACCES');
    await fs.symlink(POLICY, '/m/open/l');
    expect(await outcome(fs.writeFile('/m/open/l', 'x'))).toBe('EACCES');
    expect(await fs.readFile(POLICY)).toBe('original');
    expect(await fs.readFile('/m/top.md')).toBe('original+');
  });

  it('rm -r that may not take everything takes nothing', async () => {
    const fs = await world('rw', { 'safe/other': 'append' });
    const before = await treeOf(fs, '/m');
    expect((await failure(fs.rm('/m/safe', { recursive: true }))).path).toBe('/m/safe/other');
    expect((await failure(fs.mv('/m/safe', '/away'))).path).toBe('/m/safe/other');
    expect(await treeOf(fs, '/m')).toEqual(before);
    expect(await fs.exists('/away')).toBe(false);
  });
});

/** A mount that removes a directory as one change, and notes which. */
class WholeMount extends MemoryMount {
  readonly removed: string[] = [];

  removesTree(path: string): boolean {
    return path !== '/';
  }

  async removeTree(path: string): Promise<void> {
    this.removed.push(path);
    for (const { name, type } of await this.readdir(path)) {
      if (type === 'directory') await this.removeTree(`${path}/${name}`);
      else await this.unlink(`${path}/${name}`);
    }
    await this.rmdir(path);
  }
}

describe('a mount that removes directories as one change', () => {
  async function whole(rules: Record<string, Mode>) {
    const mount = new WholeMount();
    for (const path of ['/a', '/a/deep']) await mount.mkdir(path);
    for (const path of ['/a/deep/kept', '/a/other']) await mount.write(path, Buffer.from('x'));
    const access = Object.entries(rules).map(([pattern, each]) => ({ pattern, mode: each }));
    const rows: Row[] = [
      ['/', new MemoryMount()],
      ['/m', mount, { mode: 'rw', rules: access }],
    ];
    return { mount, rows };
  }

  it('is asked once for all that is below', async () => {
    const { mount, rows } = await whole({});
    const fs = namespaceOver(rows);
    expect(await fs.checkRemoval('/m/a')).toBe(true);
    await fs.rm('/m/a', { recursive: true });
    expect(mount.removed[0]).toBe('/a');
    expect(await fs.readdir('/m')).toEqual([]);
  });

  it('is not asked where a rule keeps one of it', async () => {
    const { mount, rows } = await whole({ 'a/deep/kept': 'ro' });
    const fs = namespaceOver(rows);
    const error = await failure(fs.rm('/m/a', { recursive: true }));
    expect([error.code, error.rule]).toEqual(['EACCES', 'a/deep/kept of /m is ro']);
    expect(mount.removed).toEqual([]);
    expect(await fs.readFile('/m/a/other')).toBe('x');
  });

  it('is not asked where another mount is below', async () => {
    const { mount, rows } = await whole({});
    const fs = namespaceOver([...rows, ['/m/a/inner', new MemoryMount()]]);
    expect(await fs.checkRemoval('/m/a')).toBe(false);
    expect((await failure(fs.rm('/m/a', { recursive: true }))).code).toBe('EBUSY');
    expect(mount.removed).toEqual([]);
  });
});
