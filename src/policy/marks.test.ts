/** Marks of text that came from a service: they follow a file, its names and its copies, and are kept. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { openChangesFile } from '../changes/file.ts';
import { HOST, hasMarks, type MarksPlace, type Spot, UntrustedMarks } from './marks.ts';

function marksIn(file: string, more: Partial<MarksPlace> = {}): UntrustedMarks {
  const marks = new UntrustedMarks({ file, session: 's', ancestors: [], workspace: null, ...more });
  onTestFinished(() => marks.close());
  return marks;
}

const placeIn = (): string => join(temporaryDirectory(), 'changes.sqlite');
const at = (path: string, more: Partial<Spot> = {}): Spot => ({ scope: 's', path, ...more });

test('a mark names the services that a text or a name came from, in order and each once', () => {
  const marks = marksIn(placeIn());
  expect([marks.isEmpty, marks.textOf(at('/f')), marks.nameOf(at('/f'))]).toEqual([true, [], []]);
  marks.mark(at('/f'), 'text', ['/mnt/b', '/mnt/a']);
  marks.mark(at('/f'), 'text', ['/mnt/a']);
  marks.mark(at('/f'), 'name', ['/mnt/c']);
  expect([marks.textOf(at('/f')), marks.nameOf(at('/f'))]).toEqual([
    ['/mnt/a', '/mnt/b'],
    ['/mnt/c'],
  ]);
  expect([marks.isEmpty, marks.textOf({ scope: HOST, path: '/f' })]).toEqual([false, []]);
  marks.clean(at('/f'), 'text');
  expect([marks.textOf(at('/f')), marks.nameOf(at('/f'))]).toEqual([[], ['/mnt/c']]);
  marks.clean(at('/f'), 'name');
  marks.clean(at('/never'), 'name');
  expect(marks.isEmpty).toBe(true);
});

test('a directory tells of the names in it, and of all that is below', () => {
  const marks = marksIn(placeIn());
  marks.mark(at('/d/one'), 'name', ['/mnt/a']);
  marks.mark(at('/d/two'), 'name', ['/mnt/b']);
  marks.mark(at('/d/three'), 'text', ['/mnt/c']);
  marks.mark(at('/d/e/four'), 'name', ['/mnt/d']);
  marks.mark(at('/dd'), 'text', ['/mnt/e']);
  expect(marks.namesIn(at('/d'))).toEqual(['/mnt/a', '/mnt/b']);
  expect(marks.namesIn(at('/none'))).toEqual([]);
  expect(marks.within(at('/d'))).toEqual(['/mnt/a', '/mnt/b', '/mnt/c', '/mnt/d']);
  expect(marks.within(at('/d/three'))).toEqual(['/mnt/c']);
  expect(marks.within(at('/'))).toHaveLength(5);
  expect(marks.within({ scope: HOST, path: '/' })).toEqual([]);
  marks.clean(at('/d/two'), 'name');
  expect(marks.namesIn(at('/d'))).toEqual(['/mnt/a']);
  marks.remove(at('/d'));
  expect([marks.within(at('/d')), marks.namesIn(at('/d')), marks.within(at('/'))]).toEqual([
    [],
    [],
    ['/mnt/e'],
  ]);
});

test('a move takes the marks of all that is below along; its new name is of whoever gave it', () => {
  const marks = marksIn(placeIn());
  marks.mark(at('/d'), 'name', ['/mnt/a']);
  marks.mark(at('/d/f'), 'text', ['/mnt/a']);
  marks.mark(at('/d/f'), 'name', ['/mnt/b']);
  marks.mark(at('/n/f'), 'text', ['/mnt/was']);
  marks.move(at('/d'), at('/n'));
  expect(marks.within(at('/d'))).toEqual([]);
  expect([marks.nameOf(at('/n')), marks.textOf(at('/n/f')), marks.nameOf(at('/n/f'))]).toEqual([
    [],
    ['/mnt/a'],
    ['/mnt/b'],
  ]);
  // What is moved there has no mark: nor has what it replaced.
  marks.move(at('/clean'), at('/n'));
  expect(marks.isEmpty).toBe(true);
});

test('the names of one file have one text, marked by whichever', () => {
  const marks = marksIn(placeIn());
  marks.mark(at('/a'), 'text', ['/mnt/a']);
  marks.mark(at('/a'), 'name', ['/mnt/n']);
  marks.mark(at('/b'), 'text', ['/mnt/gone']);
  marks.link(at('/a'), at('/b'));
  marks.link(at('/b'), at('/c'));
  const texts = () => ['/a', '/b', '/c'].map((path) => marks.textOf(at(path)));
  expect(texts()).toEqual([['/mnt/a'], ['/mnt/a'], ['/mnt/a']]);
  expect([marks.nameOf(at('/a')), marks.nameOf(at('/b'))]).toEqual([['/mnt/n'], []]);
  marks.mark(at('/c'), 'text', ['/mnt/x']);
  marks.mark(at('/c'), 'name', ['/mnt/y']);
  expect(texts()).toEqual(Array(3).fill(['/mnt/a', '/mnt/x']));
  expect([marks.nameOf(at('/a')), marks.nameOf(at('/c'))]).toEqual([['/mnt/n'], ['/mnt/y']]);
  marks.clean(at('/b'), 'text');
  expect(texts()).toEqual([[], [], []]);
  marks.move(at('/c'), at('/moved'));
  marks.mark(at('/moved'), 'text', ['/mnt/z']);
  expect(texts()).toEqual([['/mnt/z'], ['/mnt/z'], []]);
  // A name that is gone is no name of it any more.
  marks.remove(at('/b'));
  marks.mark(at('/a'), 'text', ['/mnt/last']);
  expect(texts()).toEqual([['/mnt/last', '/mnt/z'], [], []]);
});

test('a file that has a second name before it is marked has one text, too', () => {
  const marks = marksIn(placeIn());
  marks.link(at('/a'), at('/b'));
  marks.mark(at('/b'), 'text', ['/mnt/a']);
  expect(marks.textOf(at('/a'))).toEqual(['/mnt/a']);
});

test('what may come back as it was is marked again when it does', () => {
  const returns = { returns: true };
  const marks = marksIn(placeIn());
  marks.mark(at('/workspace/a', returns), 'text', ['/mnt/a']);
  marks.clean(at('/workspace/a', returns), 'text');
  marks.mark(at('/workspace/d/b', returns), 'name', ['/mnt/b']);
  marks.remove(at('/workspace/d', returns));
  marks.mark(at('/workspace/c'), 'text', ['/mnt/c']);
  marks.clean(at('/workspace/c'), 'text');
  marks.mark(at('/elsewhere', returns), 'text', ['/mnt/e']);
  marks.clean(at('/elsewhere', returns), 'text');
  expect(marks.within(at('/'))).toEqual([]);
  marks.revive(at('/workspace'));
  const both = (path: string) => [marks.textOf(at(path)), marks.nameOf(at(path))];
  expect(both('/workspace/a')).toEqual([['/mnt/a'], ['/mnt/a']]);
  expect(both('/workspace/d/b')).toEqual([['/mnt/b'], ['/mnt/b']]);
  expect([both('/workspace/c'), both('/elsewhere')]).toEqual([
    [[], []],
    [[], []],
  ]);
  // What it had since is kept beside it.
  marks.mark(at('/elsewhere'), 'text', ['/mnt/new']);
  marks.revive(at('/elsewhere'));
  expect(both('/elsewhere')).toEqual([['/mnt/e', '/mnt/new'], ['/mnt/e']]);
});

describe('the state', () => {
  test('keeps marks from one process to the next, with the names of a file', () => {
    const file = placeIn();
    const first = marksIn(file);
    first.mark(at('/f'), 'text', ['/mnt/a']);
    first.mark(at('/f'), 'name', ['/mnt/b']);
    first.link(at('/f'), at('/g'));
    first.mark(at('/old', { returns: true }), 'text', ['/mnt/c']);
    first.clean(at('/old', { returns: true }), 'text');
    const second = marksIn(file);
    expect([second.textOf(at('/g')), second.namesIn(at('/'))]).toEqual([['/mnt/a'], ['/mnt/b']]);
    second.mark(at('/g'), 'text', ['/mnt/d']);
    second.revive(at('/old'));
    // The first one sees that once it looks.
    expect(first.textOf(at('/f'))).toEqual(['/mnt/a']);
    first.refresh();
    expect([first.textOf(at('/f')), first.textOf(at('/old'))]).toEqual([
      ['/mnt/a', '/mnt/d'],
      ['/mnt/c'],
    ]);
    second.remove(at('/'));
    first.refresh();
    expect([first.within(at('/')), first.namesIn(at('/'))]).toEqual([[], []]);
  });

  test('has marks or none, and to look makes nothing', () => {
    const file = placeIn();
    expect(hasMarks({ file })).toBe(false);
    openChangesFile(file, '').close();
    expect(hasMarks({ file })).toBe(false);
    const marks = marksIn(file);
    expect(hasMarks({ file })).toBe(false);
    marks.mark(at('/f'), 'text', ['/mnt/a']);
    expect(hasMarks({ file })).toBe(true);
    marks.remove(at('/f'));
    expect(hasMarks({ file })).toBe(false);
  });

  test('of an earlier version has marks of texts, which are taken over once', () => {
    const file = placeIn();
    const database = openChangesFile(
      file,
      'CREATE TABLE untrusted_files (scope TEXT, path TEXT, origins TEXT, PRIMARY KEY (scope, path));',
    );
    database.exec(`INSERT INTO untrusted_files VALUES ('', '/workspace/f', '["/mnt/a"]')`);
    expect(hasMarks({ file })).toBe(true);
    const spot = { scope: '', path: '/workspace/f' };
    const marks = marksIn(file);
    expect([marks.textOf(spot), marks.nameOf(spot)]).toEqual([['/mnt/a'], []]);
    marks.remove(spot);
    expect(marksIn(file).textOf(spot)).toEqual([]);
    database.close();
  });
});

describe('a fork', () => {
  const parents = (file: string): void => {
    const marks = marksIn(file, { session: 'parent' });
    const workspace = (path: string): Spot => ({ scope: 'parent', path, returns: true });
    marks.mark(workspace('/workspace/f'), 'text', ['/mnt/a']);
    marks.mark(workspace('/workspace/f'), 'name', ['/mnt/n']);
    marks.mark(workspace('/workspace/was'), 'text', ['/mnt/b']);
    marks.clean(workspace('/workspace/was'), 'text');
    marks.mark({ scope: 'parent', path: '/tmp/f' }, 'text', ['/mnt/tmp']);
    marks.mark({ scope: 'grandparent', path: '/workspace/g' }, 'text', ['/mnt/g']);
    marks.mark({ scope: HOST, path: '/home/work/h' }, 'text', ['/mnt/h']);
    marks.mark({ scope: HOST, path: '/home/other' }, 'text', ['/mnt/other']);
  };
  const fork = (file: string, workspace: string | null = '/home/work'): UntrustedMarks =>
    marksIn(file, { session: 'fork', ancestors: ['parent', 'grandparent'], workspace });
  const text = (marks: UntrustedMarks, path: string) => marks.textOf({ scope: 'fork', path });

  test('takes over what was ever marked in the workspaces of those before it, and no more', () => {
    const file = placeIn();
    parents(file);
    const marks = fork(file);
    expect(['f', 'was', 'g', 'h'].map((name) => text(marks, `/workspace/${name}`))).toEqual([
      ['/mnt/a'],
      ['/mnt/b'],
      ['/mnt/g'],
      ['/mnt/h'],
    ]);
    expect(marks.nameOf({ scope: 'fork', path: '/workspace/f' })).toEqual(['/mnt/n']);
    expect(marks.within({ scope: 'fork', path: '/' })).not.toContain('/mnt/tmp');
    expect(marks.within({ scope: 'fork', path: '/' })).not.toContain('/mnt/other');
  });

  test('does so once: what it cleans stays clean, and what is marked in its parents later is theirs', () => {
    const file = placeIn();
    parents(file);
    fork(file).clean({ scope: 'fork', path: '/workspace/f' }, 'text');
    const parent = marksIn(file, { session: 'parent' });
    parent.mark({ scope: 'parent', path: '/workspace/late' }, 'text', ['/mnt/late']);
    const again = fork(file);
    expect([text(again, '/workspace/f'), text(again, '/workspace/late')]).toEqual([[], []]);
    expect(text(again, '/workspace/g')).toEqual(['/mnt/g']);
  });

  test('of sessions without a directory of the host takes over nothing of the host', () => {
    const file = placeIn();
    parents(file);
    const marks = fork(file, null);
    expect([text(marks, '/workspace/h'), text(marks, '/workspace/g')]).toEqual([[], ['/mnt/g']]);
  });
});
