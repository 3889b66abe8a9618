/** Documents made by a seed, and files that hold them in memory. */

import type { VerifyOptions } from '../../src/citations/verify.ts';
import { FsError } from '../../src/errors.ts';
import { textOfPages } from '../../src/texts/pages.ts';

/** Chances of a seed: the same seed gives the same ones. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 up to, and without, `n`. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new Error('there is nothing to choose from');
    return one;
  }
}

const SUBJECTS =
  'pump valve ledger lease permit courier turbine archive relay quota invoice harbour glacier orchard kiln compass schooner parcel beacon cistern'.split(
    ' ',
  );
const ADJECTIVES =
  'northern brass provisional sealed quarterly wooden spare bonded tidal amber lapsed dormant audited portable rusted'.split(
    ' ',
  );
const VERBS =
  'inspected renewed drained stamped moved repainted counted insured weighed sealed lowered recorded dismantled'.split(
    ' ',
  );
const NAMES = 'Ines Marta Okafor Lindqvist Tanaka Béla Zoë Horváth Delacroix O’Neill'.split(' ');
const PLACES = 'Tromsø,Port Elgin,São Roque,Quay 7,the east depot,Łódź,hall B-12'.split(',');

/** A sentence with a name, two numbers, a denial, and Markdown where it is wanted. */
function sentence(chance: Chance, markdown: boolean): string {
  const subject = `${chance.of(ADJECTIVES)} ${chance.of(SUBJECTS)}`;
  const shown = markdown && chance.next() < 0.4 ? `**${subject}**` : subject;
  const days = `${2 + chance.below(90)}.${1 + chance.below(9)}`;
  const code = markdown
    ? `\`${chance.of(SUBJECTS)}_${chance.below(900)}\``
    : `unit ${chance.below(900)}`;
  const number = 100 + chance.below(900);
  return chance.of([
    () =>
      `The ${shown} must not be ${chance.of(VERBS)} within ${days} days of the date that ${chance.of(NAMES)} gave for ${code}, at ${chance.of(PLACES)}.`,
    () =>
      `In ${chance.of(PLACES)} the ${shown} was ${chance.of(VERBS)} ${number} times – “never twice a day”, says ${chance.of(NAMES)} – and costs ${days} crowns with ${code}.`,
    () =>
      `${chance.of(NAMES)} and ${chance.of(NAMES)} found that ${code} cannot be ${chance.of(VERBS)} by the ${shown}; about ${number} of ${number + 40} were not in order.`,
  ])();
}

/** A document of a library. */
export interface MadeDocument {
  path: string;
  /** As grep counts them, or none where it has pages. */
  lines: string[];
  pages: { anchor: string; text: string }[] | null;
}

/** Documents in Markdown, as plain text, as tables, and with pages. */
export function library(chance: Chance, count: number): MadeDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = index % 4;
    const markdown = kind === 0;
    const amount = 12 + chance.below(30);
    const lines = Array.from({ length: amount }, (_, at) => {
      if (markdown && at % 7 === 0) return `## Part ${at}: ${chance.of(SUBJECTS)}s of ${index}`;
      if (at % 5 === 4) return '';
      const said = `${sentence(chance, markdown)} Entry ${index}-${at} closes it.`;
      if (markdown && at % 3 === 0) return `- ${said}`;
      return kind === 2 ? `${index}\t${at}\t${said}` : said;
    });
    const extension = ['md', 'txt', 'tsv', 'pdf'][kind];
    const path = `/mnt/library/shelf ${index % 3}/volume-${index}.${extension}`;
    if (kind !== 3) return { path, lines, pages: null };
    const pages = Array.from({ length: 6 }, (_, at) => ({
      anchor: `p${at + 1}`,
      text: lines.filter((_, line) => line % 6 === at).join('\n'),
    }));
    return { path, lines: [], pages };
  });
}

/** What stands in a document, a line or a page each, with how it is cited. */
export const placesOf = ({ lines, pages }: MadeDocument): { place: string; text: string }[] =>
  pages === null
    ? lines.map((text, at) => ({ place: String(at + 1), text }))
    : pages.map(({ anchor, text }) => ({ place: anchor, text }));

/** A world that holds documents, and nothing else. */
export function worldOf(
  documents: readonly Pick<MadeDocument, 'path' | 'lines' | 'pages'>[],
  updated: Date = new Date('2026-03-01T00:00:00Z'),
): VerifyOptions {
  const byPath = new Map(documents.map((each) => [each.path, each]));
  const named = (path: string) => {
    const found = byPath.get(path);
    if (found === undefined) throw new FsError('ENOENT', { path, op: 'open' });
    return found;
  };
  return {
    bases: ['/workspace', '/mnt/library'],
    files: {
      stat: async (path) => {
        named(path);
        return { isDirectory: false, mtime: updated };
      },
      readFileBuffer: async (path) => {
        const ofText = named(path.replace(/\.pdf\.md$/, '.pdf'));
        if (ofText.pages === null) return Buffer.from(`${ofText.lines.join('\n')}\n`);
        const pages = ofText.pages.map(({ text }) => text);
        if (path.endsWith('.pdf')) return Buffer.from(`%PDF\0${JSON.stringify(pages)}`);
        return Buffer.from(textOfPages({ fields: {}, unit: 'p', pages }));
      },
    },
  };
}
