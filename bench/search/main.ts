/**
 * How well the search by meaning finds: `npm run bench:search`. Documents are files in a
 * mounted directory and are asked for by the search's own door, beside BM25 of the whole
 * documents, FTS5 and MiniSearch in the same run. The public collections are read where
 * they are present (../shared/data/retrieval beside the project). With names of collections
 * only those. With --choosing: what the ranking's constants were chosen by, leaving out the
 * collection that is judged. With --scale: speed and memory as the index grows. With
 * --sentences: what a sentence model adds.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readWordTable, type WordTable } from '../../src/search/static/table.ts';
import { benchChoosing } from './choosing.ts';
import { beirCollection, type Collection, demoCollection, sharedWords } from './collections.ts';
import { judge } from './judge.ts';
import { mean } from './metrics.ts';
import { plainBm25 } from './others.ts';
import { benchRefusal } from './refusal.ts';
import { benchScale } from './scale.ts';

function wordTable(): WordTable {
  return readWordTable(
    readFileSync(fileURLToPath(new URL('../../data/words.bin', import.meta.url))),
  );
}

const out = (line: string): void => void process.stdout.write(`${line}\n`);

const NAMES = ['cran', 'cisi', 'cosqa', 'scifact', 'cacm', 'npl', 'issues', 'demo'];

const collectionOf = (name: string): Collection | null =>
  name === 'demo' ? demoCollection() : beirCollection(name);

/** The collections of these names that are present. */
function collectionsOf(names: readonly string[]): Collection[] {
  return names.flatMap((name) => {
    const collection = collectionOf(name);
    if (collection === null) out(`${name}: not present here, not measured`);
    return collection ?? [];
  });
}

async function benchRanking(collections: readonly Collection[]): Promise<void> {
  const ratios = await judge(collections, wordTable(), out);
  const open = collections.filter(({ paraphrased }) => !paraphrased);
  const own = open.flatMap(({ name }) => ratios.get(name) ?? []);
  if (own.length > 0)
    out(`mean ${mean(own).toFixed(3)} x BM25, least ${Math.min(...own).toFixed(3)} x`);
  for (const collection of collections.filter(({ paraphrased }) => paraphrased)) {
    const shared = Math.round(100 * sharedWords(collection));
    out(`${collection.name}: an answer has ${shared} % of the words of its question`);
  }
}

const { values, positionals } = parseArgs({
  options: {
    scale: { type: 'boolean' },
    sentences: { type: 'boolean' },
    cache: { type: 'string' },
    weight: { type: 'string' },
    choosing: { type: 'boolean' },
  },
  allowPositionals: true,
});
const sizes = positionals.map(Number);
const names = positionals.length > 0 ? positionals : NAMES;
if (values.sentences === true && values.scale === true) {
  const { benchSentenceScale } = await import('./sentence-scale.ts');
  await benchSentenceScale(sizes[0] ?? 100_000, out);
} else if (values.sentences === true) {
  const { benchSentences } = await import('./sentences.ts');
  await benchSentences({
    table: wordTable,
    plain: plainBm25,
    print: out,
    cache: values.cache ?? null,
    weight: Number(values.weight ?? 0.2),
    choosing: values.choosing ?? false,
  });
} else if (values.scale === true) {
  benchScale(sizes.length > 0 ? sizes : [1_000, 2_000, 10_000, 100_000], out);
  const { benchFiles } = await import('./files-scale.ts');
  const large = sizes.length > 0 ? sizes : [100_000];
  benchFiles(
    large.flatMap((size) => [[size, Math.ceil(size / 20)] as const, [size, size] as const]),
    out,
  );
} else if (values.choosing === true) {
  benchChoosing(collectionsOf(names), wordTable(), out);
} else {
  const collections = collectionsOf(names);
  await benchRanking(collections);
  benchRefusal(collections, wordTable, out);
}
