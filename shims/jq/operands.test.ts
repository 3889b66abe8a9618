import { expect, test } from 'vitest';
import { inputFiles } from './operands.ts';

test.each<[command: string, paths: string[], readsAll?: boolean]>([
  ['.a f g', ['f', 'g']],
  ['-n . f', ['f'], false],
  ['--null-input . f', ['f'], false],
  ['. --args f g', []],
  ['--args . f', []],
  ['. f --jsonargs 1 2', ['f']],
  ['--arg x f . g', ['g']],
  ['--slurpfile x f . g', ['g']],
  ['-L lib . f', ['f']],
  ['--indent 4 . f', ['f']],
  ['-r . -- -f', ['-f']],
  ['. -', []],
  ['-cr', []],
])('of the words of jq those name its input that do: %s', (command, paths, readsAll = true) => {
  const found = inputFiles(command.split(' '));
  expect(found.paths.filter((path) => path !== '-')).toEqual(paths);
  if (paths.length > 0) expect(found.readsAll).toBe(readsAll);
});
