/** The conformance of links, symbolic and hard, within a mount and over mounts. */
import { describe, expect, it } from 'vitest';
import type { Subject } from './mount-suite.ts';
import { outcome } from './support.ts';

export function describeLinks({ fs, at }: Subject): void {
  describe('links', () => {
    it('a relative and an absolute link lead to the same file, with its identity', async () => {
      await fs().mkdir(at('/d'));
      await fs().writeFile(at('/d/f'), 'text');
      await fs().symlink('f', at('/d/relative'));
      await fs().symlink('../d/./f', at('/d/up'));
      await fs().symlink(at('/d/f'), at('/absolute'));
      const { identity } = await fs().stat(at('/d/f'));
      for (const path of [at('/d/relative'), at('/d/up'), at('/absolute')]) {
        expect(await fs().readFile(path)).toBe('text');
        expect((await fs().stat(path)).identity).toBe(identity);
        expect((await fs().lstat(path)).identity).not.toBe(identity);
        expect((await fs().lstat(path)).isSymbolicLink).toBe(true);
        expect((await fs().lstat(path)).mode).toBe(0o777);
        expect(await fs().realpath(path)).toBe(at('/d/f'));
      }
      expect(await fs().readlink(at('/d/up'))).toBe('../d/./f');
    });

    it('a dangling link is there, leads nowhere, and is filled by writing', async () => {
      await fs().mkdir(at('/d'));
      await fs().symlink('d/target', at('/dangling'));
      expect(await fs().exists(at('/dangling'))).toBe(false);
      expect((await fs().lstat(at('/dangling'))).isSymbolicLink).toBe(true);
      expect(await outcome(fs().readFile(at('/dangling')))).toBe('ENOENT');
      expect(await outcome(fs().realpath(at('/dangling')))).toBe('ENOENT');
      expect(await outcome(fs().mkdir(at('/dangling')))).toBe('EEXIST');
      expect(await outcome(fs().symlink('x', at('/dangling')))).toBe('EEXIST');
      await fs().writeFile(at('/dangling'), 'filled');
      expect(await fs().readFile(at('/d/target'))).toBe('filled');
      expect((await fs().lstat(at('/dangling'))).isSymbolicLink).toBe(true);
    });

    it('loops end in ELOOP, for every way of following; 40 links are followed, 41 not', async () => {
      await fs().symlink('b', at('/a'));
      await fs().symlink('a', at('/b'));
      await fs().symlink('self', at('/self'));
      for (const path of [at('/a'), at('/self'), at('/a/below')]) {
        expect(await outcome(fs().readFile(path))).toBe('ELOOP');
        expect(await outcome(fs().stat(path))).toBe('ELOOP');
        expect(await outcome(fs().writeFile(path, 'x'))).toBe('ELOOP');
        expect(await outcome(fs().readdir(path))).toBe('ELOOP');
      }
      expect(await outcome(fs().lstat(at('/a')))).toBe('ok');
      await fs().writeFile(at('/0'), 'end');
      for (let index = 1; index <= 41; index++) await fs().symlink(`${index - 1}`, at(`/${index}`));
      expect(await fs().readFile(at('/40'))).toBe('end');
      expect(await outcome(fs().readFile(at('/41')))).toBe('ELOOP');
    });

    it('a link in the middle of a path is followed, for reading and for every change', async () => {
      await fs().mkdir(at('/real/sub'), { recursive: true });
      await fs().symlink('real', at('/way'));
      await fs().writeFile(at('/way/sub/f'), 'x');
      await fs().mkdir(at('/way/new'));
      await fs().symlink('sub', at('/way/link'));
      expect(await fs().readFile(at('/real/link/f'))).toBe('x');
      expect(await fs().readdir(at('/way'))).toEqual(['link', 'new', 'sub']);
      await fs().mv(at('/way/sub/f'), at('/way/new/g'));
      await fs().rm(at('/way/sub'));
      expect(await fs().readdir(at('/real/new'))).toEqual(['g']);
      expect(await fs().realpath(at('/way/new/g'))).toBe(at('/real/new/g'));
      expect(await fs().readdirWithFileTypes(at('/'))).toContainEqual({
        name: 'way',
        isFile: false,
        isDirectory: false,
        isSymbolicLink: true,
      });
    });

    it('`..` in a link leads to the real parent, and a missing or plain name has none', async () => {
      await fs().mkdir(at('/a/b/c'), { recursive: true });
      await fs().writeFile(at('/a/b/f'), 'real');
      await fs().writeFile(at('/f'), 'textual');
      await fs().symlink('a/b/c', at('/deep'));
      await fs().symlink('deep/../f', at('/up'));
      expect(await fs().readFile(at('/up'))).toBe('real');
      await fs().symlink('gone/../f', at('/missing'));
      await fs().symlink('f/../f', at('/plain'));
      expect(await outcome(fs().readFile(at('/missing')))).toBe('ENOENT');
      expect(await outcome(fs().readFile(at('/plain')))).toBe('ENOTDIR');
      await fs().symlink('../../../../../../..', at('/top'));
      expect(await fs().realpath(at('/top'))).toBe('/');
    });

    it('links cross mounts and come back, and what is written goes where they lead', async () => {
      await fs().symlink('/other/back', at('/out'));
      await fs().symlink(at('/home'), '/other/back');
      await fs().mkdir(at('/home'));
      await fs().writeFile(at('/out/f'), 'round trip');
      expect(await fs().readFile(at('/home/f'))).toBe('round trip');
      expect(await fs().realpath(at('/out/f'))).toBe(at('/home/f'));
      expect(await fs().readdir('/other')).toEqual(['back']);
      await fs().symlink('../other', at('/beside'));
      await fs().writeFile(at('/beside/g'), 'over there');
      expect(await fs().readFile('/other/g')).toBe('over there');
      await fs().symlink(at('/home/f'), '/l');
      await fs().appendFile('/l', '!');
      expect(await fs().readFile(at('/home/f'))).toBe('round trip!');
    });

    it('no phantom appears where a link leads out', async () => {
      await fs().symlink('/other/new', at('/out'));
      await fs().writeFile(at('/out'), 'x');
      expect((await fs().lstat(at('/out'))).isSymbolicLink).toBe(true);
      expect(await fs().readdir('/other')).toEqual(['new']);
      expect(await outcome(fs().writeFile(at('/out/below'), 'x'))).toBe('ENOTDIR');
      await fs().symlink('/other/none', at('/nowhere'));
      expect(await outcome(fs().writeFile(at('/nowhere/below'), 'x'))).toBe('ENOENT');
      expect(await outcome(fs().mkdir(at('/nowhere/below')))).toBe('ENOENT');
    });

    it('rm and mv act on the link, chmod and utimes on what it leads to', async () => {
      await fs().mkdir(at('/d'));
      await fs().writeFile(at('/d/f'), 'x');
      await fs().symlink('d', at('/l'));
      await fs().symlink('d/f', at('/m'));
      await fs().chmod(at('/m'), 0o600);
      await fs().utimes(at('/m'), new Date(0), new Date(5_000));
      const stat = await fs().stat(at('/d/f'));
      expect([stat.mode, stat.mtime.getTime()]).toEqual([0o600, 5_000]);
      await fs().mv(at('/l'), at('/moved'));
      expect(await fs().readlink(at('/moved'))).toBe('d');
      await fs().rm(at('/moved'), { recursive: true });
      await fs().rm(at('/m'));
      expect(await fs().readFile(at('/d/f'))).toBe('x');
    });

    it('rm -r and cp -r do not follow links', async () => {
      await fs().mkdir(at('/keep'));
      await fs().writeFile(at('/keep/f'), 'kept');
      await fs().mkdir(at('/t'));
      await fs().symlink('../keep', at('/t/dir'));
      await fs().symlink('../keep/f', at('/t/file'));
      await fs().symlink('nowhere', at('/t/dangling'));
      await fs().cp(at('/t'), at('/copy'), { recursive: true });
      await fs().cp(at('/t'), '/other/copy', { recursive: true });
      for (const copy of [at('/copy'), '/other/copy']) {
        expect(await fs().readlink(`${copy}/dir`)).toBe('../keep');
        expect(await fs().readlink(`${copy}/dangling`)).toBe('nowhere');
      }
      await fs().rm(at('/t'), { recursive: true });
      expect(await fs().readFile(at('/keep/f'))).toBe('kept');
    });

    it('cp of a link copies what it leads to; mv over a link replaces the link', async () => {
      await fs().writeFile(at('/f'), 'x');
      await fs().symlink('f', at('/l'));
      await fs().cp(at('/l'), at('/copy'));
      expect((await fs().lstat(at('/copy'))).isFile).toBe(true);
      for (const source of [at('/new'), '/other/new']) {
        await fs().writeFile(source, 'new');
        await fs().mv(source, at('/l'));
        expect((await fs().lstat(at('/l'))).isFile).toBe(true);
        await fs().rm(at('/l'));
        await fs().symlink('f', at('/l'));
      }
      expect(await fs().readFile(at('/f'))).toBe('x');
    });

    it('a walk lists no link, goes through none, and starts at none', async () => {
      await fs().mkdir(at('/d/e'), { recursive: true });
      await fs().writeFile(at('/d/e/f'), 'x');
      await fs().symlink('d', at('/l'));
      await fs().symlink('e/f', at('/d/lf'));
      await fs().symlink('..', at('/d/up'));
      expect([...(fs().walk(at('/d')) ?? [])].map((file) => file.path)).toEqual([at('/d/e/f')]);
      expect(fs().walk(at('/l'))).toBeNull();
      expect(fs().walk(at('/l/e'))).toBeNull();
    });

    it('a link to nothing at all is ENOENT, one longer than a path ENAMETOOLONG', async () => {
      expect(await outcome(fs().symlink('', at('/l')))).toBe('ENOENT');
      expect(await outcome(fs().symlink('x\0', at('/l')))).toBe('EINVAL');
      expect(await outcome(fs().symlink('x'.repeat(4_096), at('/l')))).toBe('ENAMETOOLONG');
    });

    it('hard links are one file with several names', async () => {
      await fs().writeFile(at('/a'), 'x');
      await fs().link(at('/a'), at('/b'));
      expect((await fs().stat(at('/a'))).identity).toBe((await fs().stat(at('/b'))).identity);
      await fs().writeFile(at('/b'), 'longer text');
      await fs().appendFile(at('/a'), '!');
      expect(await fs().readFile(at('/b'))).toBe('longer text!');
      await fs().chmod(at('/b'), 0o600);
      expect((await fs().stat(at('/a'))).mode).toBe(0o600);
      await fs().mv(at('/a'), at('/b'));
      expect(await fs().exists(at('/a'))).toBe(true);
      await fs().rm(at('/a'));
      expect(await fs().readFile(at('/b'))).toBe('longer text!');
      await fs().mkdir(at('/d'));
      expect(await outcome(fs().link(at('/d'), at('/d2')))).toBe('EPERM');
      expect(await outcome(fs().link(at('/b'), at('/d')))).toBe('EEXIST');
      expect(await outcome(fs().link(at('/gone'), at('/x')))).toBe('ENOENT');
      await fs().symlink('b', at('/l'));
      await fs().link(at('/l'), at('/l2'));
      expect(await fs().readlink(at('/l2'))).toBe('b');
    });
  });
}
