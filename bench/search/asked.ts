/**
 * Questions of many styles over corpora of many kinds, half of which nothing
 * there answers. They were written without a look at what the search makes of
 * them, and halved before the first was asked: one half to choose by, the other to
 * report. The later ones were written when all was chosen.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoSeed as linearSeed } from '../../test/stand-ins/linear/seed.ts';
import { demoSeed as notionSeed } from '../../test/stand-ins/notion/seed.ts';
import { beirCollection, demoCollection } from './collections.ts';

export interface Asked {
  text: string;
  /** How it is put: `word`, `sentence`, `typo`, … */
  style: string;
  /** True when something in the corpus answers it. */
  answerable: boolean;
  /** Only `choosing` may be looked at when weights and thresholds are chosen. */
  part: 'choosing' | 'held out' | 'later';
}

export interface AskedCorpus {
  name: string;
  about: string;
  documents: { path: string; text: string; context?: string }[];
  questions: Asked[];
}

interface Text {
  path: string;
  text: string;
  context?: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = join(root, 'node_modules');

/** Its questions are put to every corpus. */
const ANY = 'any';

/** The corpora that are present. */
export function askedCorpora(): AskedCorpus[] {
  const asked = ['', '-later'].flatMap((set) => [
    ...questionsOf(`answerable${set}.tsv`, true),
    ...questionsOf(`unanswerable${set}.tsv`, false),
  ]);
  const corpora: [name: string, about: string, documents: Text[] | null][] = [
    ['world', 'the demo: three services and these pages', world()],
    ['http', "undici's documentation", filesBelow(['undici/docs'], /\.md$/)],
    ['code', 'Express and what it is made of, JavaScript', filesBelow(EXPRESS, /\.js$/)],
    ['cran', 'abstracts on aerodynamics', beirCollection('cran')?.documents ?? null],
    ['small', 'six pages on six packages', filesBelow(PAGES, /\.md$/i)],
    ['one', 'one page', filesBelow(['semver/README.md'], /\.md$/)],
  ];
  const large = corpora.flatMap(([name, , documents]) =>
    (name === 'one' ? [] : (documents ?? [])).map((each) => ({
      ...each,
      path: `/${name}${each.path}`,
    })),
  );
  const extra = ['cisi', 'cosqa'].flatMap((name) =>
    (beirCollection(name)?.documents ?? []).map((each) => ({
      ...each,
      path: `/${name}${each.path}`,
    })),
  );
  corpora.push(['all', 'all of these and two public collections', [...large, ...extra]]);
  return corpora.flatMap(([name, about, documents]) => {
    if (documents === null) return [];
    const questions = asked.filter(({ corpus, answerable }) =>
      name === 'all' ? answerable || corpus === ANY : corpus === name || corpus === ANY,
    );
    return [{ name, about, documents, questions }];
  });
}

/** Where Express's own code and that of its parts is. */
const EXPRESS = [
  'express/lib',
  'body-parser/lib',
  'router/index.js',
  'router/lib',
  'send/index.js',
  'serve-static/index.js',
  'finalhandler/index.js',
  'cookie/index.js',
  'accepts/index.js',
  'content-disposition/dist/index.js',
  'qs/lib',
  'etag/index.js',
  'fresh/index.js',
];
const PAGES = ['ms/readme.md', 'nanoid/README.md', 'semver/README.md', 'debug/README.md'].concat(
  'qs/README.md',
  'lru-cache/README.md',
);

function filesBelow(places: readonly string[], names: RegExp): Text[] {
  return places.flatMap((place) => {
    const path = join(packages, place);
    if (!existsSync(path)) throw new Error(`${path} is missing: npm install`);
    if (statSync(path).isFile()) return [{ path: `/${place}`, text: readFileSync(path, 'utf8') }];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => names.test(name))
      .sort()
      .map((name) => ({ path: `/${place}/${name}`, text: readFileSync(join(path, name), 'utf8') }));
  });
}

/** GitHub and the project's pages as the demo collection has them, and the demo's other services. */
function world(): Text[] {
  const { issues, comments } = linearSeed();
  const tickets = issues.flatMap(({ id, number, title, description }): Text[] => {
    const path = `/linear/${number}-${id.slice(0, 4)}.md`;
    const said = comments.filter(({ issueId }) => issueId === id);
    return [
      { path, text: `---\ntitle: ${title}\n---\n\n${description ?? ''}` },
      ...said.map(({ id: comment, body }) => ({
        path: `${path.slice(0, -'.md'.length)}/comments/${comment}.md`,
        text: body,
        context: title,
      })),
    ];
  });
  const pages = notionSeed().pages.map(({ id, title, markdown }) => ({
    path: `/notion/${id}.md`,
    text: `---\ntitle: ${title}\n---\n\n${markdown}`,
  }));
  return [...demoCollection().documents, ...tickets, ...pages];
}

function questionsOf(file: string, answerable: boolean): (Asked & { corpus: string })[] {
  const seen = new Map<string, number>();
  const lines = readFileSync(join(root, 'bench', 'questions', file), 'utf8')
    .trim()
    .split('\n');
  const later = file.endsWith('-later.tsv');
  return lines.map((line) => {
    const [corpus = '', style = '', text = ''] = line.split('\t');
    const group = `${corpus} ${style}`;
    const before = seen.get(group) ?? 0;
    seen.set(group, before + 1);
    const half = before % 2 === 0 ? 'choosing' : 'held out';
    return { corpus, style, text, answerable, part: later ? 'later' : half };
  });
}
