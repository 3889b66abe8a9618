/** How well documents are found through the product, beside BM25, FTS5 and MiniSearch in the same run. */
import type { WordTable } from '../../src/search/static/table.ts';
import type { Collection } from './collections.ts';
import { intervalOfRatio, mean, ndcg10, recall100, success } from './metrics.ts';
import { fts5, miniSearch, plainBm25 } from './others.ts';
import { openProduct } from './product.ts';

type Print = (line: string) => void;

/** What one way of searching made of each question. */
type Ranked = readonly (readonly string[])[];

const WAYS = ['BM25', 'FTS5', 'MiniSearch', 'product'] as const;
type Way = (typeof WAYS)[number];

/** Prints a block for each collection; how the product's nDCG is to BM25's, by collection. */
export async function judge(
  collections: readonly Collection[],
  table: WordTable,
  print: Print,
): Promise<Map<string, number>> {
  const ratios = new Map<string, number>();
  for (const collection of collections) {
    const { name, questions, paraphrased } = collection;
    print(`${name} (${questions.length} questions${paraphrased ? ', paraphrased' : ''})`);
    print(`  ${''.padEnd(12)}nDCG@10  R@100    s@1    s@3   nDCG against BM25, 95 %`);
    const ranked = await answersTo(collection, table);
    for (const way of WAYS) print(`  ${rowOf(way, collection, ranked)}`);
    for (const about of new Set(questions.flatMap((each) => each.about ?? []))) {
      const of = (way: Way): number => mean(gains(ranked[way], collection, about));
      print(`  ${about}: ${percent(of('BM25'))} -> ${percent(of('product'))}`);
    }
    ratios.set(
      name,
      mean(gains(ranked.product, collection)) / mean(gains(ranked.BM25, collection)),
    );
  }
  return ratios;
}

async function answersTo(collection: Collection, table: WordTable): Promise<Record<Way, Ranked>> {
  const product = await openProduct(collection, table);
  const own: string[][] = [];
  for (const { text } of collection.questions) own.push(await product.ask(text, 100));
  await product.close();
  const by = (make: (of: Collection) => (query: string) => string[]): Ranked => {
    const search = make(collection);
    return collection.questions.map(({ text }) => search(text));
  };
  return { BM25: by(plainBm25), FTS5: by(fts5), MiniSearch: by(miniSearch), product: own };
}

function gains(ranked: Ranked, { questions }: Collection, about?: string): number[] {
  return questions.flatMap((each, at) =>
    about === undefined || each.about === about ? ndcg10(ranked[at] ?? [], each.relevant) : [],
  );
}

function rowOf(way: Way, collection: Collection, ranked: Record<Way, Ranked>): string {
  const { questions } = collection;
  const of = (metric: (ids: readonly string[], relevant: ReadonlySet<string>) => number): string =>
    percent(mean(questions.map(({ relevant }, at) => metric(ranked[way][at] ?? [], relevant))));
  const own = gains(ranked[way], collection);
  const plain = gains(ranked.BM25, collection);
  const [low, high] = intervalOfRatio(own, plain);
  const ratio = (mean(own) / mean(plain)).toFixed(3);
  return [
    way.padEnd(12),
    `${of(ndcg10)}  ${of(recall100)}`,
    of((ids, relevant) => success(ids, relevant, 1)),
    of((ids, relevant) => success(ids, relevant, 3)),
    way === 'BM25' ? '' : `  ${ratio} x (${low.toFixed(3)} to ${high.toFixed(3)})`,
  ].join(' ');
}

const percent = (value: number): string => (100 * value).toFixed(1).padStart(6);
