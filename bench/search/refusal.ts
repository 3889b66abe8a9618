/** How often a question that nothing answers is refused, and one that something answers. */
import { SearchEngine } from '../../src/search/service/engine.ts';
import type { WordTable } from '../../src/search/static/table.ts';
import { type Asked, askedCorpora } from './asked.ts';
import { type Collection, irrelevantQuestions } from './collections.ts';

type Print = (line: string) => void;

const HEADINGS: Readonly<Record<Asked['part'], string>> = {
  later: 'questions written when all was chosen',
  'held out': 'questions of many styles, the half held out',
  choosing: 'the half that was chosen by',
};

interface Judged extends Asked {
  corpus: string;
  refused: boolean;
  /** Refused, or answered with a word about what of it no document has. */
  told: boolean;
}

export function benchRefusal(
  collections: readonly Collection[],
  table: () => WordTable,
  print: Print,
): void {
  ofCollections(collections, table, print);
  const judged = askedCorpora().flatMap(({ name, documents, questions }): Judged[] => {
    const engine = new SearchEngine(':memory:', table());
    engine.update(documents, []);
    const answered = questions.map((each) => ({
      ...each,
      corpus: name,
      ...judgedBy(engine, each.text),
    }));
    engine.close();
    return answered;
  });
  for (const part of ['later', 'held out', 'choosing'] as const) {
    print('');
    print(HEADINGS[part]);
    const half = judged.filter((each) => each.part === part);
    for (const answerable of [false, true]) {
      const asked = half.filter((each) => each.answerable === answerable);
      print(`  ${answerable ? 'wrongly refused' : 'irrelevant, refused'}: ${share(asked)}`);
      print(`    ${shares(asked, ({ corpus }) => corpus)}`);
      print(`    ${shares(asked, ({ style }) => style)}`);
    }
  }
}

/** The collections' own questions, and a hundred about nothing in the demo. */
function ofCollections(
  collections: readonly Collection[],
  table: () => WordTable,
  print: Print,
): void {
  const wrongly: string[] = [];
  for (const { name, documents, questions, paraphrased } of collections) {
    const engine = new SearchEngine(':memory:', table());
    engine.update(documents, []);
    const refused = (texts: readonly string[]): string =>
      `${texts.filter((text) => isRefused(engine, text)).length} of ${texts.length}`;
    const texts = questions.map(({ text }) => text);
    if (paraphrased) {
      print(`irrelevant questions refused: ${refused(irrelevantQuestions())}`);
      // The other half is what thresholds were looked at with.
      const held = texts.filter((_, index) => index % 2 === 0);
      wrongly.push(`${name} ${refused(texts)}, ${refused(held)} of those held out`);
    } else {
      wrongly.push(`${name} ${refused(texts)}`);
    }
    engine.close();
  }
  print(`wrongly refused: ${wrongly.join('; ')}`);
}

function judgedBy(engine: SearchEngine, query: string): Pick<Judged, 'refused' | 'told'> {
  const { answers, missing } = engine.search({ query, paths: ['/'], limit: 10 });
  const refused = answers.length === 0;
  return { refused, told: refused || missing !== undefined };
}

const isRefused = (engine: SearchEngine, query: string): boolean => judgedBy(engine, query).refused;

function share(judged: readonly Judged[]): string {
  const refused = judged.filter((each) => each.refused).length;
  const percent = ((100 * refused) / Math.max(1, judged.length)).toFixed(1);
  const told = judged.filter((each) => each.told).length;
  return `${refused} of ${judged.length} (${percent} %), or told what is nowhere ${told}`;
}

function shares(judged: readonly Judged[], by: (each: Judged) => string): string {
  const groups = Map.groupBy(judged, by);
  return Array.from(groups, ([name, group]) => {
    const refused = group.filter((each) => each.refused).length;
    return `${name} ${refused}/${group.length}`;
  }).join(', ');
}
