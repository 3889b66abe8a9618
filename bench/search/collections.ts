/** The collections that the search is measured on: questions, documents, and which answer which. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stemmer } from '../../src/search/words/words.ts';
import { readScenarios } from '../../test/stand-ins/github/seed/scenario.ts';
import { demoSeed } from '../../test/stand-ins/github/seed.ts';
import { mean } from './metrics.ts';

export interface Collection {
  name: string;
  /** Questions that avoid the words of their answers. */
  paraphrased: boolean;
  /** What a mount shows as files; several may be of one document, as an issue and its comments. */
  documents: { id: string; path: string; text: string; context?: string }[];
  questions: { text: string; relevant: ReadonlySet<string>; about?: string }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));

const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

/** A collection in BEIR's form; null where it is not there. */
export function beirCollection(name: string): Collection | null {
  const directory = join(root, '..', 'shared', 'data', 'retrieval', name);
  if (!existsSync(join(directory, 'corpus.jsonl'))) return null;
  const relevant = new Map<string, Set<string>>();
  for (const line of lines(join(directory, 'qrels.tsv')).slice(1)) {
    const [query = '', document = '', grade] = line.split('\t');
    if (Number(grade) < 1) continue;
    const held = relevant.get(query) ?? new Set();
    relevant.set(query, held.add(document));
  }
  const documents = lines(join(directory, 'corpus.jsonl')).map((line) => {
    const { _id: id, title, text }: Record<string, string> = JSON.parse(line);
    return { id: id ?? '', path: `/${id}.txt`, text: title ? `${title}\n${text}` : (text ?? '') };
  });
  const questions = lines(join(directory, 'queries.jsonl')).flatMap((line) => {
    const { _id: id, text = '' }: Record<string, string> = JSON.parse(line);
    const answers = relevant.get(id ?? '');
    return answers === undefined ? [] : [{ text, relevant: answers }];
  });
  return { name, paraphrased: false, documents, questions };
}

/** Issues and pull requests of the demo's GitHub with their comments, and the project's own pages. */
export function demoCollection(): Collection {
  const documents: Collection['documents'] = [];
  const byKey = new Map<string, Set<string>>();
  for (const { repository, issues, comments } of demoSeed().repositories) {
    const keyOf = new Map<string, string>();
    const source = repository.name === 'quay' ? 'quay' : 'quay-cli';
    for (const { key, reports, later, fix } of readScenarios(source)) {
      for (const { title } of [...reports, later, fix]) keyOf.set(title, key);
    }
    for (const { number, title, body } of issues) {
      const id = `/${repository.owner}/${repository.name}/issues/${number}.md`;
      documents.push({ id, path: id, text: `---\ntitle: ${title}\n---\n\n${body ?? ''}` });
      for (const comment of comments.filter(({ issue }) => issue === number)) {
        const path = `${id.slice(0, -'.md'.length)}/comments/${comment.id}.md`;
        documents.push({ id, path, text: comment.body, context: title });
      }
      const key = keyOf.get(title);
      if (key === undefined) continue;
      byKey.set(key, (byKey.get(key) ?? new Set()).add(id));
    }
  }
  for (const name of readdirSync(join(root, 'docs')).filter((each) => each.endsWith('.md'))) {
    const id = `/docs/${name}`;
    documents.push({ id, path: id, text: readFileSync(join(root, 'docs', name), 'utf8') });
  }
  const questions = paired('quay.tsv').map(([key, text]): Collection['questions'][0] => {
    const relevant = byKey.get(key);
    if (relevant === undefined) throw new Error(`quay.tsv: nothing is about ${key}`);
    return { text, relevant, about: 'its issues' };
  });
  for (const [page, text] of paired('docs.tsv')) {
    const id = `/docs/${page}`;
    if (!documents.some((each) => each.id === id)) throw new Error(`docs.tsv: there is no ${id}`);
    questions.push({ text, relevant: new Set([id]), about: 'its pages' });
  }
  return { name: 'demo', paraphrased: true, documents, questions };
}

/** What is before and after the tab of each line. */
function paired(file: string): [string, string][] {
  return lines(join(root, 'bench', 'questions', file)).map((line) => {
    const [first = '', second = ''] = line.split('\t');
    return [first, second];
  });
}

/**
 * How much of a collection's questions is said in the words of their answers: the
 * mean share of a question's terms that an answer has, over all its answers.
 */
export function sharedWords({ documents, questions }: Collection): number {
  const stemmer = new Stemmer();
  const terms = new Map<string, Set<string>>();
  for (const { id, text, context = '' } of documents) {
    const held = terms.get(id) ?? new Set<string>();
    for (const term of stemmer.terms(`${context}\n${text}`)) held.add(term);
    terms.set(id, held);
  }
  const shares = questions.flatMap(({ text, relevant }) => {
    const asked = [...new Set(stemmer.terms(text))];
    return [...relevant].map(
      (id) => asked.filter((term) => terms.get(id)?.has(term)).length / asked.length,
    );
  });
  return mean(shares);
}

/** Questions about nothing that the demo mounts. */
export function irrelevantQuestions(): string[] {
  return lines(join(root, 'bench', 'questions', 'irrelevant.txt'));
}
