/** The conformance of what writes: content, directories, removing, renaming, copying, names. */
import { describe, expect, it } from 'vitest';
import type { Conformance, Subject } from './mount-suite.ts';
import { outcome, treeOf } from './support.ts';

/** Names that break what was written in a hurry. */
const NAMES = [
  'with space',
  ' lead and trail ',
  '-rf',
  '--',
  'line\nbreak',
  'tab\tand\rreturn',
  'quote\'s "and" `more`',
  '$HOME *?[a]{b,c}',
  '\\back\\slash',
  'é (composed)',
  'é (decomposed)',
  '日本語 🗂️',
  '.hidden',
  '..two',
  '...',
  'constructor',
  '__proto__',
  'x'.repeat(255),
  'é'.repeat(127),
];

export function describeWriting({ fs, at }: Subject, truth: Conformance): void {
  describe('writing', () => {
    it('all byte values survive, in files of any form', async () => {
      const bytes = Uint8Array.from({ length: 256 * 3 }, (_, index) => index % 256);
      await fs().writeFile(at('/bytes'), bytes);
      expect(Buffer.from(await fs().readFileBuffer(at('/bytes'))).equals(bytes)).toBe(true);
      const latin1 = Buffer.from(bytes).toString('latin1');
      await fs().writeFile(at('/latin1'), latin1, 'binary');
      await fs().appendFile(at('/latin1'), latin1, { encoding: 'latin1' });
      expect(Buffer.from(await fs().readFileBuffer(at('/latin1'))).toString('latin1')).toBe(
        latin1 + latin1,
      );
      await fs().writeFile(at('/utf8'), 'é 日本 🗂️');
      expect(await fs().readFile(at('/utf8'))).toBe('é 日本 🗂️');
      await fs().writeFile(at('/utf8'), 'é 日本', 'binary');
      expect(await fs().readFile(at('/utf8'))).toBe('é 日本');
    });

    it('the caller’s bytes are copied: changing them later changes no file', async () => {
      const bytes = Buffer.from('before');
      await fs().writeFile(at('/copied'), bytes);
      bytes.fill('x');
      expect(await fs().readFile(at('/copied'))).toBe('before');
    });

    it('bytes that were read stay as they were when the file changes', async () => {
      await fs().writeFile(at('/read'), 'old');
      const held = await fs().readFileBuffer(at('/read'));
      await fs().appendFile(at('/read'), ' and more');
      await fs().writeFile(at('/read'), 'new');
      expect(Buffer.from(held).toString()).toBe('old');
    });

    it('writing shortens and lengthens; appending adds, and makes what is missing', async () => {
      await fs().writeFile(at('/f'), 'long content');
      await fs().writeFile(at('/f'), 'x');
      expect(await fs().readFile(at('/f'))).toBe('x');
      await fs().writeFile(at('/f'), '');
      expect((await fs().stat(at('/f'))).size).toBe(0);
      await fs().appendFile(at('/f'), 'a');
      await fs().appendFile(at('/f'), '');
      await fs().appendFile(at('/f'), 'b');
      expect(await fs().readFile(at('/f'))).toBe('ab');
      await fs().appendFile(at('/appended'), '');
      expect(await fs().readFile(at('/appended'))).toBe('');
      for (let index = 0; index < 50; index++) await fs().appendFile(at('/g'), `${index}\n`);
      expect((await fs().readFile(at('/g'))).split('\n').length).toBe(51);
    });

    it('nothing is written into a directory that is missing', async () => {
      for (const act of [
        fs().writeFile(at('/no/f'), 'x'),
        fs().writeFile(at('/no/f'), ''),
        fs().appendFile(at('/no/f'), 'x'),
        fs().mkdir(at('/no/d')),
        fs().cp(at(truth.samples.file), at('/no/f')),
        fs().mv(at(truth.samples.file), at('/no/f')),
      ])
        expect(await outcome(act)).toBe('ENOENT');
      expect(await fs().exists(at('/no'))).toBe(false);
    });

    it('a file is no directory and a directory no file, to every change', async () => {
      await fs().writeFile(at('/f'), 'x');
      await fs().mkdir(at('/d'));
      expect(await outcome(fs().writeFile(at('/f/x'), 'x'))).toBe('ENOTDIR');
      expect(await outcome(fs().appendFile(at('/f/x'), 'x'))).toBe('ENOTDIR');
      expect(await outcome(fs().mkdir(at('/f/x')))).toBe('ENOTDIR');
      expect(await outcome(fs().rm(at('/f/x')))).toBe('ENOTDIR');
      expect(await outcome(fs().writeFile(at('/d'), 'x'))).toBe('EISDIR');
      expect(await outcome(fs().writeFile(at('/d'), ''))).toBe('EISDIR');
      expect(await outcome(fs().appendFile(at('/d'), 'x'))).toBe('EISDIR');
      expect(await outcome(fs().cp(at('/f'), at('/d')))).toBe('EISDIR');
      expect(await outcome(fs().cp(at('/d'), at('/e')))).toBe('EISDIR');
      expect(await outcome(fs().mkdir(at('/f')))).toBe('EEXIST');
      expect(await outcome(fs().mkdir(at('/d')))).toBe('EEXIST');
      expect(await outcome(fs().mkdir(at('/f'), { recursive: true }))).toBe('EEXIST');
      expect(await outcome(fs().mkdir(at('/d'), { recursive: true }))).toBe('ok');
      expect(await outcome(fs().mkdir(at('/d/e/f/g'), { recursive: true }))).toBe('ok');
    });

    it('rm takes files and empty directories, -r trees, and -f what is not there', async () => {
      await fs().mkdir(at('/d/e'), { recursive: true });
      await fs().writeFile(at('/d/e/f'), 'x');
      expect(await outcome(fs().rm(at('/d')))).toBe('ENOTEMPTY');
      expect(await outcome(fs().rm(at('/gone')))).toBe('ENOENT');
      expect(await outcome(fs().rm(at('/gone'), { force: true }))).toBe('ok');
      expect(await outcome(fs().rm(at('/d/e/f/below'), { force: true }))).toBe('ok');
      expect(await outcome(fs().rm(at('/d'), { recursive: true }))).toBe('ok');
      expect(await fs().exists(at('/d'))).toBe(false);
      await fs().mkdir(at('/empty'));
      expect(await outcome(fs().rm(at('/empty')))).toBe('ok');
    });

    it('mv is rename(2): it replaces files and empty directories, and nothing else', async () => {
      await fs().mkdir(at('/d/e'), { recursive: true });
      await fs().mkdir(at('/empty'));
      await fs().writeFile(at('/f'), 'f');
      await fs().writeFile(at('/g'), 'g');
      expect(await outcome(fs().mv(at('/f'), at('/empty')))).toBe('EISDIR');
      expect(await outcome(fs().mv(at('/d'), at('/f')))).toBe('ENOTDIR');
      expect(await outcome(fs().mv(at('/empty'), at('/d')))).toBe('ENOTEMPTY');
      expect(await outcome(fs().mv(at('/d'), at('/d/e/x')))).toBe('EINVAL');
      expect(await outcome(fs().mv(at('/d/e'), at('/d')))).toBe('ENOTEMPTY');
      expect(await outcome(fs().mv(at('/gone'), at('/f')))).toBe('ENOENT');
      expect(await outcome(fs().mv(at('/f'), at('/f')))).toBe('ok');
      await fs().mv(at('/f'), at('/g'));
      expect(await fs().readFile(at('/g'))).toBe('f');
      expect(await fs().exists(at('/f'))).toBe(false);
      await fs().mv(at('/d'), at('/empty'));
      expect(await fs().readdir(at('/empty'))).toEqual(['e']);
    });

    it('cp and mv over mounts move bytes, trees and modes, and merge nothing', async () => {
      await fs().mkdir(at('/t/sub'), { recursive: true });
      await fs().writeFile(at('/t/sub/f'), Uint8Array.from([0, 128, 255]));
      await fs().writeFile(at('/t/run'), 'run');
      if (truth.attributes) await fs().chmod(at('/t/run'), 0o755);
      const shape = (await treeOf(fs(), at('/t'))).map((line) => line.replace(at('/t'), ''));
      const rest = (lines: string[], root: string) => lines.map((line) => line.replace(root, ''));
      await fs().cp(at('/t'), '/other/t', { recursive: true });
      expect(rest(await treeOf(fs(), '/other/t'), '/other/t')).toEqual(shape);
      await fs().mv('/other/t', at('/back'));
      expect(rest(await treeOf(fs(), at('/back')), at('/back'))).toEqual(shape);
      expect(await fs().exists('/other/t')).toBe(false);
      await fs().mkdir('/other/full/t', { recursive: true });
      await fs().writeFile('/other/file', '');
      expect(await outcome(fs().mv(at('/t'), '/other/full'))).toBe('ENOTEMPTY');
      expect(await outcome(fs().mv(at('/t'), '/other/file'))).toBe('ENOTDIR');
      expect(await outcome(fs().mv(at('/t/run'), '/other/full'))).toBe('EISDIR');
      expect(await outcome(fs().link(at('/t/run'), '/other/run'))).toBe('EXDEV');
      expect(rest(await treeOf(fs(), at('/t')), at('/t'))).toEqual(shape);
      expect(await outcome(fs().cp(at('/t'), at('/t/sub/in'), { recursive: true }))).toBe('EINVAL');
    });

    if (truth.attributes) {
      it('mode and mtime are kept, changed on request alone, and survive a rewrite', async () => {
        await fs().writeFile(at('/f'), 'x');
        expect((await fs().stat(at('/f'))).mode).toBe(0o644);
        await fs().chmod(at('/f'), 0o700);
        await fs().writeFile(at('/f'), 'y');
        await fs().appendFile(at('/f'), 'z');
        expect((await fs().stat(at('/f'))).mode).toBe(0o700);
        const then = new Date('2001-02-03T04:05:06Z');
        await fs().utimes(at('/f'), then, then);
        expect((await fs().stat(at('/f'))).mtime).toEqual(then);
        await fs().chmod(at('/f'), 0o600);
        expect((await fs().stat(at('/f'))).mtime).toEqual(then);
        const before = Date.now() - 2_000;
        await fs().writeFile(at('/f'), 'later');
        expect((await fs().stat(at('/f'))).mtime.getTime()).toBeGreaterThan(before);
        await fs().mkdir(at('/d'));
        await fs().utimes(at('/d'), then, then);
        await fs().writeFile(at('/d/new'), '');
        expect((await fs().stat(at('/d'))).mtime.getTime()).toBeGreaterThan(before);
        expect(await outcome(fs().utimes(at('/f'), then, new Date(Number.NaN)))).toBe('EINVAL');
        expect(await outcome(fs().chmod(at('/gone'), 0o600))).toBe('ENOENT');
        expect(await outcome(fs().utimes(at('/gone'), then, then))).toBe('ENOENT');
      });
    }

    it('what changed is told once, by resolved paths', async () => {
      fs().takeChanges();
      await fs().writeFile(at('/f'), 'x');
      await fs().appendFile(at('/f'), 'x');
      await outcome(fs().writeFile(at('/no/f'), 'x'));
      expect(fs().takeChanges()).toEqual([at('/f')]);
      expect(fs().takeChanges()).toEqual([]);
    });
  });
}

export function describeNames({ fs, at }: Subject): void {
  describe('names', () => {
    it.for(NAMES)('%j is a name like any other', async (name) => {
      await fs().mkdir(at(`/n`));
      const path = at(`/n/${name}`);
      await fs().writeFile(path, name);
      expect(await fs().readdir(at('/n'))).toEqual([name]);
      expect(await fs().readFile(path)).toBe(name);
      expect([...(fs().walk(at('/n')) ?? [])].map((file) => file.path)).toEqual([path]);
      await fs().rm(path);
      await fs().mkdir(path);
      await fs().writeFile(`${path}/below`, 'x');
      expect(await fs().readdir(path)).toEqual(['below']);
      await fs().rm(at('/n'), { recursive: true });
    });

    it('256 bytes are ENAMETOOLONG, in characters as in bytes', async () => {
      for (const name of ['x'.repeat(256), 'é'.repeat(128)]) {
        expect(await outcome(fs().writeFile(at(`/${name}`), 'x'))).toBe('ENAMETOOLONG');
        expect(await outcome(fs().mkdir(at(`/${name}`)))).toBe('ENAMETOOLONG');
        expect(await outcome(fs().stat(at(`/${name}`)))).toBe('ENAMETOOLONG');
      }
    });

    it('composed and decomposed letters are two files, upper and lower case too', async () => {
      await fs().mkdir(at('/n'));
      for (const name of ['é', 'é', 'A', 'a']) await fs().writeFile(at(`/n/${name}`), name);
      expect(new Set(await fs().readdir(at('/n')))).toEqual(new Set(['é', 'é', 'A', 'a']));
    });

    it('listings are in code-unit order', async () => {
      await fs().mkdir(at('/n'));
      const names = ['b', 'a', 'Z', 'a.b', 'a-b', 'a b', 'é', '10', '9'];
      for (const name of names) await fs().writeFile(at(`/n/${name}`), '');
      expect(await fs().readdir(at('/n'))).toEqual(names.toSorted());
    });
  });
}
