/** When a mount was read often enough to be remembered, and by which files. */
import { expect, onTestFinished, test } from 'vitest';
import { Readings } from './readings.ts';

function open() {
  const clock = { now: 1 };
  const readings = new Readings(':memory:', 'ana', () => clock.now++);
  onTestFinished(() => readings.close());
  const due = (turn: string, files: readonly string[], known: readonly string[] = []) =>
    Object.fromEntries(readings.due(turn, ['/mnt/a', '/mnt/b', '/memory'], known, new Set(files)));
  return { readings, due };
}

test('a mount is due in the third turn that reads it, once, with the three files that most turns have read, the latest first', () => {
  const { due } = open();
  expect(due('1', ['/mnt/a/old.md', '/mnt/a/often.md'])).toEqual({});
  expect(due('1', ['/mnt/a/old.md'])).toEqual({});
  expect(due('2', ['/mnt/a/often.md', '/mnt/a/new.md'])).toEqual({});
  expect(due('3', ['/mnt/a/last.md', '/mnt/b/x.md'])).toEqual({
    '/mnt/a': ['/mnt/a/often.md', '/mnt/a/last.md', '/mnt/a/new.md'],
  });
  for (const turn of ['4', '5', '6']) expect(due(turn, ['/mnt/a/often.md'])).toEqual({});
});

test('what is no text to remember counts for nothing: lists, descriptions, other mounts, mounts that are remembered', () => {
  const { due } = open();
  const passing = ['README.md', 'd/README.md', 'index.tsv', 'x.csv', 'x.json', 'x.patch', 'x.lock'];
  for (const turn of ['1', '2', '3', '4']) {
    expect(
      due(
        turn,
        passing.map((name) => `/mnt/a/${name}`),
      ),
    ).toEqual({});
    expect(due(turn, ['/memory/a.md', '/workspace/a.md', '/mnt/other/a.md'])).toEqual({});
    expect(due(turn, ['/mnt/b/a.md'], ['/mnt/b'])).toEqual({});
  }
  expect(due('5', ['/mnt/a/README.txt'])).toEqual({});
});

test('each owner has readings of their own', () => {
  const { due } = open();
  for (const turn of ['1', '2']) due(turn, ['/mnt/a/x.md']);
  const other = open();
  expect(other.due('3', ['/mnt/a/x.md'])).toEqual({});
  expect(due('3', ['/mnt/a/x.md'])).toEqual({ '/mnt/a': ['/mnt/a/x.md'] });
});
