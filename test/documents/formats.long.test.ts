/** Forty documents of each format, written by others: their text is what was written, on its page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pagesOf } from '../../src/texts/pages.ts';
import { ConvertedTexts } from '../../src/texts/texts.ts';
import { type Content, installWriters, WRITERS } from './writers.ts';

const DOCUMENTS = 40;

const texts = new ConvertedTexts({ directory: null });
beforeAll(() => installWriters(), 300_000);
afterAll(() => texts.close());

/** mulberry32 */
function chance(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % most;
  };
}

const PLAIN =
  'harbour quay tariff sloop lantern keeper ledger anchor weather signal cargo customs crane dock pilot tide mooring berth manifest beacon A&B 5<6 12.50 "quoted" it’s e-mail x_y 100% (sic) naïve Größe Ångström façade señor'.split(
    ' ',
  );
const OTHER = ['日本語', 'Привет', 'Ελλάδα', 'שלום', 'kaldırım', 'żółć', '한국어', 'ﬁne'];

function contentOf(seed: number, isLatin: boolean): Content {
  const next = chance(seed);
  const vocabulary = isLatin ? PLAIN : [...PLAIN, ...OTHER];
  const words = (count: number): string =>
    Array.from({ length: count }, () => vocabulary[next(vocabulary.length)]).join(' ');
  // A sign of its own in each tells what belongs where.
  const sentence = (mark: string): string => `Mark${seed}${mark} ${words(4 + next(20))}.`;
  return {
    title: `Title ${seed} ${words(2)}`,
    author: `Author ${words(1)}`,
    pages: Array.from({ length: 1 + next(6) }, (_, page) => ({
      heading: `Part ${page + 1} of ${seed}`,
      paragraphs: Array.from({ length: 2 + next(4) }, (_, at) => sentence(`p${page}x${at}`)),
      table: Array.from({ length: 2 + next(4) }, (_, row) => [
        `row${page}x${row}`,
        words(1 + next(2)),
        String(next(1000) / 4),
      ]),
    })),
  };
}

/** Text without what markdown, line breaks and the cells of a table put between words. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\\([|*_`[\]])/g, '$1')
    .replace(/[\s|]+/g, ' ')
    // A line may end behind a hyphen.
    .replace(/(?<=\p{L}-) (?=\p{L})/gu, '');

describe.each(Object.keys(WRITERS) as (keyof typeof WRITERS)[])('%s', (format) => {
  // The fonts that every program has write Latin alone; readers of web pages drop short ones.
  const isLatin = format === 'pdf';

  test(`${DOCUMENTS} documents have the text that was written, on the page where it was`, async () => {
    for (let seed = 1; seed <= DOCUMENTS; seed++) {
      const content = contentOf(seed, isLatin);
      const bytes = await WRITERS[format](content);
      const text = await texts.text(bytes, `x.${format}`);
      const pages = pagesOf(text);
      const whole = bare(text);
      for (const [index, { paragraphs, table }] of content.pages.entries()) {
        const expected = [...paragraphs, ...(format === 'png' ? [] : table.flat())];
        for (const each of expected) expect(whole, `${format} ${seed}`).toContain(bare(each));
        const own = pages.filter((page) => page.text.includes(`Mark${seed}p${index}x`));
        expect(own.length, `${format} ${seed}: ${text}`).toBe(1);
        if (['pdf', 'docx', 'xlsx', 'pptx', 'odt', 'eml'].includes(format))
          expect(own[0]?.name, `${format} ${seed}`).toMatch(new RegExp(`^[a-z]+${index + 1}$`));
      }
      if (format !== 'ipynb')
        expect(bare(text.split('\n---\n')[0] ?? '')).toContain(`Title ${seed}`);
    }
  }, 300_000);
});
