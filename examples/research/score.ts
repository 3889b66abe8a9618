/** `npm run research`: 60 questions to 200 documents of six formats; is the answer found, and do its citations hold? */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { env } from 'node:process';
import { createWorld, type World } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { countsOf, nameOf } from '../../src/citations/report.ts';
import { useModel } from '../scripted.ts';
import { assistant, type Hit, hitsOf } from './assistant.ts';
import { makeCollection, type Question } from './collection.ts';

const LIBRARY = '/mnt/library';
/** Lines read before and after a hit. */
const AROUND = 3;

/** What came of the questions to one format. */
interface Score {
  questions: number;
  /** Those whose document is among the first three hits. */
  documents: number;
  /** Those whose answer stands at one of them. */
  found: number;
  citations: number;
  hold: number;
}

const directory = mkdtempSync(join(tmpdir(), 'dirigent-research-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const library = join(directory, 'library');
const { documents, questions } = makeCollection(library);
await useModel(assistant(LIBRARY));
const world = createWorld({
  mounts: { '/workspace': 'mem', [LIBRARY]: `${library}:ro` },
  state: join(directory, 'state'),
});
const agent = await openAgent(world, { base: directory, env });
const scores = new Map<string, Score>();
for (const question of questions) {
  const format = extname(question.path).slice(1);
  const score = scores.get(format) ?? {
    questions: 0,
    documents: 0,
    found: 0,
    citations: 0,
    hold: 0,
  };
  scores.set(format, score);
  score.questions++;
  const places = await placesFound(world, question);
  if (places.length > 0) score.documents++;
  if (places.some((text) => text.includes(question.answer))) score.found++;
  const { citations } = await agent.run({ prompt: question.text, cite: true });
  if (citations === undefined) continue;
  score.citations += citations.citations.length;
  score.hold += countsOf(citations).holds;
  for (const each of citations.citations) {
    if (each.verdict !== 'holds') console.log(`${question.text}\n  ${nameOf(each)}: ${each.fault}`);
  }
}
await agent.close();
await world.close();
print();
const { citations, hold } = sum([...scores.values()]);
// The script's server would keep the process.
process.exit(hold === citations ? 0 : 1);

/** What stands at those of the first three hits that are of the right document. */
async function placesFound({ exec, fs }: World, { text, path }: Question): Promise<string[]> {
  const { stdout } = await exec(`grep ${JSON.stringify(text)} ${LIBRARY}`);
  const hits = hitsOf(stdout).slice(0, 3);
  const right = hits.filter((hit) => hit.path.replace(/\.md$/, '') === own(path));
  return Promise.all(right.map((hit) => standsAt(fs, hit)));
}

/** A document, or its text beside it. */
function own(path: string): string {
  return `${LIBRARY}/${path}`.replace(/\.md$/, '');
}

/** The page, or the lines around a hit: what a reader of it sees. */
async function standsAt(fs: World['fs'], { path, place }: Hit): Promise<string> {
  const isLine = /^\d+$/.test(place);
  const text = String(await fs.readFile(isLine ? path : `${path}:${place}`));
  const lines = text.split('\n');
  const at = Number(place) - 1;
  const read = isLine ? lines.slice(Math.max(0, at - AROUND), at + AROUND + 1) : lines;
  return read.join(' ').replace(/\s+/g, ' ');
}

function print(): void {
  const rows = [...scores, ['all', sum([...scores.values()])] as const];
  console.log(`${documents} documents, ${questions.length} questions\n`);
  console.log('        questions  in the first 3 hits   citations');
  console.log('format      asked  document    answer   made  hold');
  for (const [format, score] of rows) {
    const { questions: asked, documents: documented, found, citations, hold } = score;
    console.log(
      `${format.padEnd(6)}  ${String(asked).padStart(9)}  ${String(documented).padStart(8)}  ${String(found).padStart(8)}  ${String(citations).padStart(5)}  ${String(hold).padStart(4)}`,
    );
  }
}

function sum(all: readonly Score[]): Score {
  const total = { questions: 0, documents: 0, found: 0, citations: 0, hold: 0 };
  for (const each of all) {
    total.questions += each.questions;
    total.documents += each.documents;
    total.found += each.found;
    total.citations += each.citations;
    total.hold += each.hold;
  }
  return total;
}
