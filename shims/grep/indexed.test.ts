/** A search with the index says what one without it says, whatever happens to the files meanwhile. */
import { expect, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import { namespaceOver } from '../../test/conformance/support.ts';
import { TextIndex } from '../support/literal/trigrams/text-index.ts';
import { runGrep } from './run.ts';
import { checkIndexedSearch } from './testing/index-property.ts';

const RUNS = 12;

it('with the index and without it every command says the same, through edits of every kind', async () => {
  expect(await checkIndexedSearch(RUNS)).toBeGreaterThan(RUNS);
});

it('a change through one of the names of a file in memory is found under the others', async () => {
  const ns = namespaceOver([['/', new MemoryMount()]]);
  const index = new TextIndex();
  const find = async (word: string): Promise<string> =>
    (
      await runGrep(ns, ['-rl', word, '.'], {
        cwd: '/',
        stdin: '',
        piped: false,
        bytes: false,
        index,
      })
    ).stdout;
  for (const directory of ['/a', '/b', '/c']) await ns.mkdir(directory);
  await ns.writeFile('/a/file', 'nothing\n');
  await ns.link('/a/file', '/b/file');
  for (let time = 0; time < 3; time++) expect(await find('zebra')).toBe('');
  expect(index.passedOver).toBe(2);
  await ns.appendFile('/a/file', 'a zebra\n');
  expect(await find('zebra')).toBe('./a/file\n./b/file\n');
  await ns.mv('/b/file', '/c/file');
  await ns.writeFile('/c/file', 'an okapi\n');
  expect(await find('zebra')).toBe('');
  expect(await find('okapi')).toBe('./a/file\n./c/file\n');
});
