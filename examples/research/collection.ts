/** A folder of 200 documents in six formats about places that do not exist, made by a seed, and 60 questions to it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docx, pdf } from '../../test/documents/make.ts';

/** A question, and where its answer stands. */
export interface Question {
  text: string;
  /** Of the document, relative to the folder. */
  path: string;
  /** Words that the place must hold. */
  answer: string;
}

/** What was made. */
export interface Collection {
  documents: number;
  questions: readonly Question[];
}

const PLACES =
  'Aldmoor Brackwater Carrow Dunvale Eskmouth Fenwick Garnholt Haverley Inchmere Jarrowby Kelsay Lorne Marrick Northolm Oxgate Pelham Quarrick Ravensey Stannick Thornlea'.split(
    ' ',
  );
const KINDS = [
  'lighthouse',
  'tide mill',
  'observatory',
  'boat shed',
  'ice house',
  'signal station',
  'salt works',
  'lock house',
  'glass house',
  'rope walk',
];
const NAMES =
  'Ines Okafor,Marta Lindqvist,Béla Horváth,Zoë Delacroix,Tom Abernathy,Aiko Tanaka'.split(',');
const MONTHS = 'January March May July September November'.split(' ');

/** A fact: what a document says, what is asked, and the words that answer. */
type Fact = (
  name: string,
  n: number,
  person: string,
  month: string,
) => [said: string, asked: string, answer: string];

const FACTS: readonly Fact[] = [
  (name, n) => [
    `The bearings of the ${name} are greased every ${n} days, and not only when they squeal.`,
    `How often are the bearings of the ${name} greased?`,
    `every ${n} days`,
  ],
  (name, _, person) => [
    `${person} has kept the keys of the ${name} since the flood, and lends them to nobody.`,
    `Who keeps the keys of the ${name}?`,
    person,
  ],
  (name, n) => [
    `Repairs to the roof of the ${name} came to ${n * 7} crowns, slates included.`,
    `What did the repair of the roof of the ${name} cost?`,
    `${n * 7} crowns`,
  ],
  (name, n) => [
    `No more than ${n} visitors are let into the ${name} at a time.`,
    `How many visitors may be in the ${name} at once?`,
    `${n} visitors`,
  ],
  (name, _n, _person, month) => [
    `Dogs are not admitted to the ${name} before the end of ${month}.`,
    `Until which month are dogs kept out of the ${name}?`,
    month,
  ],
  (name, n) => [
    `The cistern below the ${name} holds ${n * 11} litres when it is full.`,
    `How much water does the cistern of the ${name} hold?`,
    `${n * 11} litres`,
  ],
];

const REMARKS = [
  'The path is steep in winter, and the railing was painted last year.',
  'A register lies in the porch; it is read once a month.',
  'Parcels are left with the neighbours when the tide is high.',
  'Whoever comes by bicycle leaves it at the gate.',
  'The society meets on the first Tuesday and keeps its minutes.',
  'Photographs may be taken, but for the upper floor.',
];

const FORMATS = ['md', 'txt', 'html', 'pdf', 'docx', 'eml'] as const;
type Format = (typeof FORMATS)[number];

/** Makes the folder. */
export function makeCollection(directory: string, seed = 7): Collection {
  const chance = chances(seed);
  const questions: Question[] = [];
  const names = PLACES.flatMap((place) => KINDS.map((kind) => `${place} ${kind}`));
  for (const [index, name] of names.entries()) {
    const format = FORMATS[index % FORMATS.length] ?? 'md';
    const folder = name.split(' ')[0]?.toLowerCase() ?? '';
    const path = `${folder}/${name.replaceAll(' ', '-').toLowerCase()}.${format}`;
    const facts = FACTS.map((fact) => {
      const person = NAMES[chance(NAMES.length)] ?? '';
      return fact(name, 12 + chance(80), person, MONTHS[chance(MONTHS.length)] ?? '');
    });
    const paragraphs = facts.map(([said]) => `${REMARKS[chance(REMARKS.length)]} ${said}`);
    mkdirSync(join(directory, folder), { recursive: true });
    writeFileSync(join(directory, path), written(format, name, paragraphs));
    // Every third document is asked about, each of its formats as often as any other.
    const asked = facts[chance(facts.length)];
    if (
      Math.floor(index / FORMATS.length) % 3 === 0 &&
      questions.length < 60 &&
      asked !== undefined
    )
      questions.push({ text: asked[1], path, answer: asked[2] });
  }
  return { documents: names.length, questions };
}

function written(format: Format, name: string, paragraphs: readonly string[]): string | Buffer {
  const title = `The ${name}`;
  switch (format) {
    case 'md':
      return `# ${title}\n\n${paragraphs.join('\n\n')}\n`;
    case 'txt':
      return `${title}\n\n${paragraphs.map((each) => wrapped(each)).join('\n\n')}\n`;
    case 'html':
      return `<!doctype html><html><head><title>${title}</title></head><body><article><h1>${title}</h1>${paragraphs.map((each) => `<p>${each}</p>`).join('\n')}</article></body></html>\n`;
    case 'pdf': {
      const pages = [0, 2, 4].map((from) =>
        paragraphs.slice(from, from + 2).map((each) => wrapped(each)),
      );
      return pdf(
        pages.map((page, at) => `${title}, page ${at + 1}\n\n${page.join('\n\n')}`),
        { Title: title },
      );
    }
    case 'docx':
      return docx([`# ${title}`, ...paragraphs]);
    case 'eml':
      return `From: warden@example.org\r\nTo: society@example.org\r\nSubject: ${title}\r\nDate: Mon, 02 Mar 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${paragraphs.join('\r\n\r\n')}\r\n`;
  }
}

/** Lines of some 80 characters, as a typewriter has them. */
const wrapped = (text: string): string => text.replace(/(.{60,80}) /g, '$1\n');

/** Whole numbers below a limit: the same seed gives the same ones. */
function chances(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}
