/**
 * How well the search by meaning finds, against BM25 on the same terms in the
 * same run: `npm run bench:search`. The public collections are read where they
 * are present (../shared/data/retrieval beside the project). With --scale: speed
 * and memory as the index grows. With --sentences: what a sentence model adds.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { best } from '../../src/search/fuse/best.ts';
import { SearchIndex } from '../../src/search/index/search-index.ts';
import { bm25, queryTerms } from '../../src/search/lexical/bm25.ts';
import { Corpus } from '../../src/search/lexical/corpus.ts';
import { readWordTable, type WordTable } from '../../src/search/static/table.ts';
import { Stemmer } from '../../src/search/words/words.ts';
import { beirCollection, type Collection, demoCollection, sharedWords } from './collections.ts';
import { mean, ndcg10, recall100 } from './metrics.ts';
import { benchRefusal } from './refusal.ts';
import { benchScale } from './scale.ts';

interface Scores {
  ndcg: number;
  recall: number;
}

function wordTable(): WordTable {
  return readWordTable(
    readFileSync(fileURLToPath(new URL('../../data/words.bin', import.meta.url))),
  );
}

type Search = (query: string) => string[];

/** Files by BM25, of each document the best. */
function plainBm25({ documents }: Collection): Search {
  const stemmer = new Stemmer();
  const corpus = new Corpus();
  for (const { text, context = '' } of documents) {
    const counts = new Map<string, number>();
    for (const term of stemmer.terms(`${context}\n${text}`))
      counts.set(term, (counts.get(term) ?? 0) + 1);
    corpus.add(corpus.pack(counts));
  }
  return (query) => {
    const found = best(bm25(corpus, queryTerms(corpus, stemmer.terms(query))), 400, null, 0);
    return [...new Set(found.map((slot) => documents[slot]?.id ?? ''))].slice(0, 100);
  };
}

/** Documents by their best chunk, as Dirigent finds them. */
function ours({ documents }: Collection): Search {
  const index = new SearchIndex(':memory:', wordTable());
  index.update(documents, []);
  const ids = new Map(documents.map(({ path, id }) => [path, id]));
  return (query) => {
    const found = index.find(query, () => true, 400);
    return [...new Set(found.map(({ document }) => ids.get(document.path) ?? ''))].slice(0, 100);
  };
}

function measure({ questions }: Collection, search: Search, about?: string): Scores {
  const asked = questions.filter((each) => about === undefined || each.about === about);
  const answers = asked.map(({ text, relevant }) => ({ ranked: search(text), relevant }));
  return {
    ndcg: mean(answers.map(({ ranked, relevant }) => ndcg10(ranked, relevant))),
    recall: mean(answers.map(({ ranked, relevant }) => recall100(ranked, relevant))),
  };
}

function row(name: string, plain: Scores, own: Scores): string {
  const percent = (value: number): string => (100 * value).toFixed(1).padStart(6);
  const ratio = (a: number, b: number): string => `${(a / b).toFixed(3)}×`.padStart(8);
  return (
    name.padEnd(22) +
    `${percent(plain.ndcg)}${percent(own.ndcg)}${ratio(own.ndcg, plain.ndcg)}   ` +
    `${percent(plain.recall)}${percent(own.recall)}${ratio(own.recall, plain.recall)}`
  );
}

const out = (line: string): void => void process.stdout.write(`${line}\n`);

const NAMES = ['cran', 'cisi', 'cosqa', 'demo'] as const;

const collectionOf = (name: string): Collection | null =>
  name === 'demo' ? demoCollection() : beirCollection(name);

/** Ranking against BM25, on every collection that is present. */
function benchRanking(): void {
  out(`${''.padEnd(22)}nDCG@10: BM25, ours        Recall@100: BM25, ours`);
  const all: { plain: Scores; own: Scores }[] = [];
  for (const name of NAMES) {
    const collection = collectionOf(name);
    if (collection === null) {
      out(`${name.padEnd(22)}not present here, not measured`);
      continue;
    }
    const searches = { plain: plainBm25(collection), own: ours(collection) };
    const plain = measure(collection, searches.plain);
    const own = measure(collection, searches.own);
    const { questions, paraphrased } = collection;
    out(row(`${name} (${questions.length}${paraphrased ? ', paraphrased' : ''})`, plain, own));
    for (const about of new Set(questions.flatMap((each) => each.about ?? []))) {
      const of = (search: Search): Scores => measure(collection, search, about);
      out(row(`  on ${about}`, of(searches.plain), of(searches.own)));
    }
    if (paraphrased) {
      const shared = Math.round(100 * sharedWords(collection));
      out(`  an answer has ${shared} % of the words of its question`);
    }
    all.push({ plain, own });
  }
  const average = (side: 'plain' | 'own'): Scores => ({
    ndcg: mean(all.map((each) => each[side].ndcg)),
    recall: mean(all.map((each) => each[side].recall)),
  });
  out(row('mean', average('plain'), average('own')));
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
} else {
  benchRanking();
  benchRefusal(
    NAMES.flatMap((name) => collectionOf(name) ?? []),
    wordTable,
    out,
  );
}
