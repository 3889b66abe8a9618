/**
 * What the ranking's constants are chosen by. All questions are polled once, and the
 * polls counted with many constants. What is printed for a collection comes from the
 * constants that are best on the others: of one that is judged nothing was chosen.
 */
import {
  counted,
  FUSION,
  type FusionConstants,
  type Poll,
  pollOf,
} from '../../src/search/fuse/fusion.ts';
import { gather } from '../../src/search/fuse/pool.ts';
import { SearchIndex } from '../../src/search/index/search-index.ts';
import type { WordTable } from '../../src/search/static/table.ts';
import type { Collection } from './collections.ts';
import { mean, ndcg10 } from './metrics.ts';

type Print = (line: string) => void;

/** A question, what was said of its candidates, and which document each is of. */
interface Polled {
  poll: Poll;
  ids: readonly string[];
  relevant: ReadonlySet<string>;
  /** nDCG of BM25 of the whole documents alone. */
  plain: number;
}

interface PolledCollection {
  name: string;
  paraphrased: boolean;
  questions: readonly Polled[];
}

/** What is chosen among. */
const GRID: readonly FusionConstants[] = [0.02, 0.03, 0.04, 0.05, 0.06].flatMap((vote) =>
  [0, 0.3, 0.5, 0.7].flatMap((passage) =>
    [0, 0.15, 0.3, 0.5].map((words) => ({
      ...{ passage, vote },
      inDoubt: { ...FUSION.inDoubt, words },
    })),
  ),
);

const BM25_ALONE: FusionConstants = {
  ...{ passage: 0, vote: 0 },
  inDoubt: { ...FUSION.inDoubt, words: 0 },
};

export function benchChoosing(
  collections: readonly Collection[],
  table: WordTable,
  print: Print,
): void {
  const polled = collections.map((each) => pollCollection(each, table));
  const open = polled.filter(({ paraphrased }) => !paraphrased);
  const ratios = GRID.map((constants) => open.map((each) => ratioOf(each, constants)));
  print('nDCG@10 against BM25 of whole documents; constants chosen on the other collections');
  const own: number[] = [];
  for (const [at, { name }] of open.entries()) {
    const others = ratios.map((each) => mean(each.filter((_, other) => other !== at)));
    const chosen = others.indexOf(Math.max(...others));
    own.push(ratios[chosen]?.[at] ?? 0);
    const shipped = ratioOf(open[at] as PolledCollection, FUSION);
    print(
      `${name.padEnd(10)} ${shown(own.at(-1))}  by ${told(GRID[chosen])}; as shipped ${shown(shipped)}`,
    );
  }
  print(`${'mean'.padEnd(10)} ${shown(mean(own))}, least ${shown(Math.min(...own))}`);
  for (const each of polled.filter(({ paraphrased }) => paraphrased)) {
    print(`${each.name.padEnd(10)} ${shown(ratioOf(each, FUSION))}  paraphrased, as shipped`);
  }
  print('as shipped, without one of the votes:');
  for (const vote of open[0]?.questions[0]?.poll.votes.keys() ?? []) {
    const without = open.map((each) => ratioOf(withoutVote(each, vote), FUSION));
    print(`  ${vote.padEnd(10)} ${without.map(shown).join('  ')}  mean ${shown(mean(without))}`);
  }
}

function pollCollection(collection: Collection, table: WordTable): PolledCollection {
  const { name, paraphrased, documents, questions } = collection;
  const index = new SearchIndex(':memory:', table);
  index.update(documents, []);
  index.settle();
  const signals = index.signals(null);
  const held = index.memory.documents;
  const ids = new Map(documents.map(({ path, id }) => [path, id]));
  const all = index.memory.select(() => true).slots;
  const polled = questions.map(({ text, relevant }): Polled => {
    const pool = gather(signals, index.words(text).terms, all);
    const poll = pollOf(pool, signals, index.stemmer);
    const named = pool.candidates.map(
      ({ passages: [slot = 0] }) => ids.get(held.owner(slot).path) ?? '',
    );
    const question = { poll, ids: named, relevant };
    return { ...question, plain: gainOf(question, BM25_ALONE) };
  });
  index.close();
  return { name, paraphrased, questions: polled };
}

function gainOf(
  { poll, ids, relevant }: Omit<Polled, 'plain'>,
  constants: FusionConstants,
): number {
  const parts = [...counted(poll, constants).values()];
  const scores = ids.map((_, at) => parts.reduce((sum, values) => sum + (values[at] as number), 0));
  const order = scores
    .map((_, at) => at)
    .sort((a, b) => (scores[b] as number) - (scores[a] as number));
  return ndcg10([...new Set(order.map((at) => ids[at] as string))], relevant);
}

function ratioOf({ questions }: PolledCollection, constants: FusionConstants): number {
  const own = mean(questions.map((each) => gainOf(each, constants)));
  return own / mean(questions.map(({ plain }) => plain));
}

function withoutVote(collection: PolledCollection, vote: string): PolledCollection {
  const questions = collection.questions.map((each) => {
    const votes = new Map([...each.poll.votes].filter(([name]) => name !== vote));
    return { ...each, poll: { ...each.poll, votes } };
  });
  return { ...collection, questions };
}

const shown = (ratio: number | undefined): string => (ratio ?? 0).toFixed(3);

function told(constants: FusionConstants | undefined): string {
  if (constants === undefined) return '';
  const { vote, passage, inDoubt } = constants;
  return `vote ${vote}, passage ${passage}, words in doubt ${inDoubt.words}`;
}
