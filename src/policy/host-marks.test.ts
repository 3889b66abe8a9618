/** What is marked of files of the host, for those who read them there. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { changesFile } from '../changes/file.ts';
import { originsOfFiles, reviveMarks, vouchFor } from './host-marks.ts';
import { HOST, UntrustedMarks } from './marks.ts';

/** A state and a directory with a file in it, and a way to mark what is in it. */
function made() {
  const state = temporaryDirectory();
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'd'));
  writeFileSync(join(directory, 'd/f'), 'x');
  const journal = changesFile(state);
  const withMarks = (work: (marks: UntrustedMarks) => void): void => {
    const marks = new UntrustedMarks({
      file: journal,
      session: '',
      ancestors: [],
      workspace: null,
    });
    work(marks);
    marks.close();
  };
  const mark = (path: string, what: 'text' | 'name', origin: string): void =>
    withMarks((marks) => marks.mark({ scope: HOST, path }, what, [origin]));
  return { state, directory, journal, mark, withMarks, file: join(directory, 'd/f') };
}

test('the origins of a file are those of its text and of every name above it, each once', () => {
  const { directory, journal, mark, file } = made();
  expect(originsOfFiles(journal, [file])).toEqual(new Map());
  mark(file, 'text', '/mnt/a');
  mark(file, 'name', '/mnt/b');
  mark(join(directory, 'd'), 'name', '/mnt/b');
  mark(directory, 'name', '/mnt/c');
  mark(join(directory, 'd'), 'text', '/mnt/no-text-of-a-directory');
  const other = join(directory, 'other');
  expect(originsOfFiles(journal, [file, other])).toEqual(
    new Map([
      [file, ['/mnt/a', '/mnt/b', '/mnt/c']],
      [other, ['/mnt/c']],
    ]),
  );
  expect(originsOfFiles(journal, [])).toEqual(new Map());
});

test('a file that is named by a link has the origins of what it is, and of the link', () => {
  const { directory, journal, mark, file } = made();
  const link = join(directory, 'link');
  symlinkSync(file, link);
  mark(file, 'text', '/mnt/a');
  mark(link, 'name', '/mnt/l');
  expect(originsOfFiles(journal, [link]).get(link)?.toSorted()).toEqual(['/mnt/a', '/mnt/l']);
  // It is gone by now, and its marks are not.
  renameSync(file, `${file}.gone`);
  expect(originsOfFiles(journal, [file]).get(file)).toEqual(['/mnt/a']);
});

test('a person who vouches for a file makes its text and the names on the way to it theirs, and no others', () => {
  const { state, directory, journal, mark, file } = made();
  vouchFor(state, directory, 'd/f');
  for (const path of [file, join(directory, 'd'), directory]) mark(path, 'name', '/mnt/n');
  mark(file, 'text', '/mnt/t');
  const beside = join(directory, 'd/g');
  mark(beside, 'text', '/mnt/g');
  vouchFor(state, directory, 'd/f');
  expect(originsOfFiles(journal, [file, beside])).toEqual(
    new Map([
      [file, ['/mnt/n']],
      [beside, ['/mnt/g', '/mnt/n']],
    ]),
  );
  // What is left is the name of the directory that it lies in, which nobody vouched for.
  mark(file, 'text', '/mnt/t');
  const link = join(temporaryDirectory(), 'link');
  symlinkSync(directory, link);
  vouchFor(state, link, 'd/f');
  expect(originsOfFiles(journal, [file]).get(file)).toEqual(['/mnt/n']);
});

test('files that are as they were are marked as they were', () => {
  const { state, journal, withMarks, file } = made();
  const spot = { scope: HOST, path: file, returns: true };
  reviveMarks(state, spot);
  withMarks((marks) => {
    marks.mark(spot, 'text', ['/mnt/a']);
    marks.clean(spot, 'text');
  });
  expect(originsOfFiles(journal, [file]).get(file)).toEqual([]);
  reviveMarks(state, spot);
  expect(originsOfFiles(journal, [file]).get(file)).toEqual(['/mnt/a']);
});
