/** A mounted directory answers as the directory itself does, and keeps what is the host's own. */
import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { DiskMount } from './mount.ts';
import { codeOf } from './testing.ts';

let base = '';
beforeEach(() => {
  base = temporaryDirectory();
});

describe('a mounted directory', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const paths = fc
    .array(names, { minLength: 1, maxLength: 3 })
    .map((parts) => `/${parts.join('/')}`);
  const steps = fc.record({
    op: fc.constantFrom('write', 'append', 'mkdir', 'unlink', 'rmdir', 'rename', 'link', 'chmod'),
    path: paths,
    other: paths,
  });

  function inMount(
    mount: DiskMount,
    { op, path, other }: { op: string; path: string; other: string },
  ) {
    const data = Buffer.from('x');
    switch (op) {
      case 'write':
        return mount.write(path, data);
      case 'append':
        return mount.append(path, data);
      case 'mkdir':
        return mount.mkdir(path);
      case 'unlink':
        return mount.unlink(path);
      case 'rmdir':
        return mount.rmdir(path);
      case 'rename':
        return mount.rename(path, other);
      case 'link':
        return mount.link(path, other);
      default:
        return mount.chmod(path, 0o700);
    }
  }

  function onHost(root: string, { op, path, other }: { op: string; path: string; other: string }) {
    const [at, to] = [root + path, root + other];
    switch (op) {
      case 'write':
        return fs.writeFileSync(at, 'x');
      case 'append':
        return fs.appendFileSync(at, 'x');
      case 'mkdir':
        return fs.mkdirSync(at);
      case 'unlink':
        return fs.unlinkSync(at);
      case 'rmdir':
        return fs.rmdirSync(at);
      case 'rename':
        return fs.renameSync(at, to);
      case 'link':
        return fs.linkSync(at, to);
      default:
        return fs.chmodSync(at, 0o700);
    }
  }

  const shape = (root: string, path = ''): unknown[] =>
    fs
      .readdirSync(root + path)
      .sort()
      .map((name) => {
        const inner = `${path}/${name}`;
        const stat = fs.lstatSync(root + inner);
        return stat.isDirectory()
          ? [inner, stat.mode, shape(root, inner)]
          : [inner, stat.mode, stat.nlink, fs.readFileSync(root + inner, 'utf8')];
      });

  test('comes to the same files as the same calls of the host, and fails where they fail', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 20 }), async (all) => {
        const [own, real] = [join(base, `own${++count}`), join(base, `real${count}`)];
        for (const each of [own, real]) fs.mkdirSync(each);
        const mount = new DiskMount({ root: own });
        for (const step of all) {
          const codes = [
            await codeOf(() => inMount(mount, step)),
            await codeOf(() => onHost(real, step)),
          ];
          expect(
            codes.map((code) => code === 'done'),
            `${JSON.stringify(step)} ${codes}`,
          ).toEqual(codes[1] === 'done' ? [true, true] : [false, false]);
        }
        expect(shape(own)).toEqual(shape(real));
        await mount.close();
      }),
      { numRuns: 40 },
    );
  });

  test('tells what it has: types, sizes, times, numbers, links, room', async () => {
    fs.writeFileSync(join(base, 'f'), 'text');
    fs.linkSync(join(base, 'f'), join(base, 'g'));
    fs.symlinkSync('f', join(base, 'l'));
    fs.symlinkSync(join(base, 'd/x'), join(base, 'in'));
    fs.symlinkSync(base, join(base, 'self'));
    fs.mkdirSync(join(base, 'd'), 0o750);
    fs.utimesSync(join(base, 'f'), 1, 2);
    const mount = new DiskMount({ root: base });
    const [file, second] = [await mount.lstat('/f'), await mount.lstat('/g')];
    expect(file).toMatchObject({ type: 'file', size: 4, mtime: new Date(2000), links: 2 });
    expect(file.ino).toBe(second.ino);
    expect(await mount.lstat('/d')).toMatchObject({ type: 'directory', mode: 0o750 });
    expect((await mount.lstat('/l')).type).toBe('symlink');
    expect(await Promise.all(['/l', '/in', '/self'].map((path) => mount.readlink(path)))).toEqual([
      'f',
      'd/x',
      '.',
    ]);
    expect(await mount.readdir('/')).toEqual([
      { name: 'd', type: 'directory' },
      { name: 'f', type: 'file' },
      { name: 'g', type: 'file' },
      { name: 'in', type: 'symlink' },
      { name: 'l', type: 'symlink' },
      { name: 'self', type: 'symlink' },
    ]);
    expect(
      ['/f', '/d', '/d/none', '/l', '/self/f', '/l/x', '/'].map((path) => mount.hasLinks(path)),
    ).toEqual([false, false, false, true, true, true, false]);
    expect(['/f', '/none', '/d/none', '/l'].map((path) => mount.lacks(path))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const { total, used, free } = mount.capacity();
    expect(total).toBeGreaterThan(0);
    expect(used + free).toBeLessThanOrEqual(total);
    expect(mount.directory).toBe(base);
    await mount.utimes('/l', new Date(9000));
    expect([fs.lstatSync(join(base, 'l')).mtimeMs, fs.statSync(join(base, 'f')).mtimeMs]).toEqual([
      9000, 2000,
    ]);
    expect(await codeOf(() => mount.chmod('/l', 0o700))).toBe('ELOOP');
    await mount.chmod('/f', 0o6755);
    expect(fs.statSync(join(base, 'f')).mode & 0o7777).toBe(0o755);
    expect(await codeOf(() => mount.rmdir('/'))).toBe('EBUSY');
    expect(await codeOf(() => mount.unlink('/d'))).toBe('EISDIR');
    expect(await codeOf(() => mount.read('/d'))).toBe('EISDIR');
    expect(await codeOf(() => mount.readdir('/f'))).toBe('ENOTDIR');
    expect(await codeOf(() => mount.lstat('/none'))).toBe('ENOENT');
  });

  test('shows nothing of what the host keeps for itself, and lets nobody make it', async () => {
    for (const path of ['.dirigent', 'secret/in', 'open'])
      fs.mkdirSync(join(base, path), { recursive: true });
    fs.writeFileSync(join(base, '.dirigent/f'), 'x');
    fs.writeFileSync(join(base, 'open/.dirigent-0123456789ab.tmp'), 'left');
    fs.writeFileSync(join(base, 'dirigent.config.ts'), 'x');
    const mount = new DiskMount({
      root: base,
      hidden: [join(base, 'secret/in'), join(base, 'later')],
    });
    const listed = async (path: string) => (await mount.readdir(path)).map(({ name }) => name);
    expect([await listed('/'), await listed('/secret'), await listed('/open')]).toEqual([
      ['dirigent.config.ts', 'open', 'secret'],
      [],
      [],
    ]);
    for (const path of ['/.dirigent', '/.dirigent/f', '/secret/in', '/secret/in/x', '/later'])
      expect(await codeOf(() => mount.lstat(path)), path).toBe('ENOENT');
    expect(mount.lacks('/secret/in')).toBe(true);
    for (const path of [
      '/.dirigent/g',
      '/secret/in/g',
      '/later',
      '/dirigent.config.ts',
      '/open/Dirigent.Config.mjs',
    ])
      expect(await codeOf(() => mount.write(path, Buffer.from('y'))), path).toBe('EACCES');
    expect(await codeOf(() => mount.rename('/secret', '/moved'))).toBe('EBUSY');
    expect(await codeOf(() => mount.rename('/dirigent.config.ts', '/x'))).toBe('done');
    fs.writeFileSync(join(base, 'dirigent.config.ts'), 'x');
    expect(await codeOf(() => mount.link('/dirigent.config.ts', '/y'))).toBe('EACCES');
    // What a killed write has left is no reason to keep a directory.
    expect(await codeOf(() => mount.rmdir('/open'))).toBe('done');
    expect(await codeOf(() => mount.rmdir('/secret'))).toBe('ENOTEMPTY');
  });

  test('makes files for their owner alone where it is private', async () => {
    const modes = async (isPrivate: boolean) => {
      const root = join(base, String(isPrivate));
      fs.mkdirSync(root);
      const mount = new DiskMount({ root, isPrivate });
      await mount.write('/f', Buffer.from(''));
      await mount.append('/g', Buffer.from(''));
      await mount.mkdir('/d');
      await mount.chmod('/g', 0o777);
      return ['f', 'g', 'd'].map((name) =>
        (fs.statSync(join(root, name)).mode & 0o777).toString(8),
      );
    };
    const umask = process.umask(0);
    try {
      expect([await modes(true), await modes(false)]).toEqual([
        ['600', '700', '700'],
        ['644', '777', '777'],
      ]);
    } finally {
      process.umask(umask);
    }
  });

  test('needs a directory', () => {
    fs.writeFileSync(join(base, 'f'), '');
    expect(() => new DiskMount({ root: join(base, 'f') })).toThrow('it is not a directory');
    expect(() => new DiskMount({ root: join(base, 'none') })).toThrow('cannot mount the directory');
  });
});
