/** Of answers with seeded faults every false citation is found, and no true one is refused. */
import { expect, test } from 'vitest';
import { verifyAnswer } from '../../src/citations/verify.ts';
import { Chance, library, type MadeDocument, placesOf, worldOf } from './library.ts';

/** A citation that an answer is made of: what is said, and what should come of it. */
interface Made {
  path: string;
  place: string;
  quote: string;
  /** null where it is true. */
  fault: string | null;
}

const words = (text: string): string[] => text.split(' ');

/** Some words of a line, none of them cut. */
function excerpt(chance: Chance, text: string): string {
  const all = words(text.replace(/^- /, ''));
  const length = 9 + chance.below(6);
  const from = chance.below(Math.max(1, all.length - length));
  return all.slice(from, from + length).join(' ');
}

const telling = ({ text }: { text: string }): boolean => words(text).length > 12;

/** Ways to write the same words. */
const SAME: Readonly<Record<string, (quote: string, chance: Chance) => string>> = {
  'to the letter': (quote) => quote,
  'with other white space': (quote) => quote.replaceAll(' ', ' \u00a0').replace(' ', '\n'),
  'with plain quotation marks and dashes': (quote) =>
    quote.replace(/[“”’]/g, "'").replaceAll('–', '-'),
  'with typographic ones': (quote) => quote.replaceAll("'", '’').replaceAll('-', '\u2011'),
  'without signs of Markdown': (quote) => quote.replace(/[*`]/g, ''),
  'with an ellipsis': (quote, chance) => {
    const all = words(quote);
    const at = 2 + chance.below(2);
    // What is left out is more than a denial.
    return [...all.slice(0, at), chance.of(['…', '...', '[…]']), ...all.slice(at + 4)].join(' ');
  },
  'with an ellipsis at both ends': (quote) => `… ${quote} …`,
  'with a capital': (quote) => quote.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
  'with a full stop': (quote) => (/\w$/.test(quote) ? `${quote}.` : quote),
};

/** Ways to say something else. null where this quotation gives no occasion. */
const OTHER: Readonly<
  Record<string, (made: Made, chance: Chance, all: readonly MadeDocument[]) => Partial<Made> | null>
> = {
  'wrong line or page': ({ place }, chance) => {
    const [, unit = '', number = ''] = /^(\D*)(\d+)$/.exec(place) ?? [];
    const by = chance.of([1, -1, 2, 3]);
    return { place: `${unit}${Math.max(1, Number(number) + by === 0 ? 2 : Number(number) + by)}` };
  },
  'no such line or page': ({ place }) => ({ place: place.replace(/\d+/, '999') }),
  'wrong path': ({ path }) => ({ path: path.replace('volume', 'volumes') }),
  'another file': ({ path }, chance, all) => {
    const other = chance.of(all.filter((each) => each.path !== path && each.pages === null));
    const place = chance.of(placesOf(other).filter(telling)).place;
    return { path: other.path, place };
  },
  'altered number': ({ quote }) =>
    /\d/.test(quote)
      ? { quote: quote.replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`) }
      : null,
  'cut number': ({ quote }) => {
    const cut = /\d(?:\d*\.?\d+)/.exec(quote);
    const rest = quote.slice((cut?.index ?? 0) + 1);
    // A number alone behind a line's is a column.
    return cut === null || words(rest).length < 3 ? null : { quote: rest };
  },
  'altered word': ({ quote }, chance) => {
    const all = words(quote);
    const at = chance.below(all.length);
    return { quote: all.with(at, chance.of(['zinc', 'perhaps', 'wholly'])).join(' ') };
  },
  'dropped word': ({ quote }) => {
    const all = words(quote);
    return { quote: [...all.slice(0, 4), ...all.slice(5)].join(' ') };
  },
  'words in another order': ({ quote }) => {
    const [a = '', b = '', c = '', ...rest] = words(quote);
    return b === c ? null : { quote: [a, c, b, ...rest].join(' ') };
  },
  'dropped denial': ({ quote }) =>
    / (?:not|never) /.test(quote) ? { quote: quote.replace(/ (?:not|never) /, ' ') } : null,
  'dropped denial of a word': ({ quote }) =>
    / cannot /.test(quote) ? { quote: quote.replace(' cannot ', ' can ') } : null,
  'denial behind an ellipsis': ({ quote }) =>
    / not /.test(quote) ? { quote: quote.replace(' not ', ' … ') } : null,
  'added denial': ({ quote }) =>
    / (?:be|was) /.test(quote) ? { quote: quote.replace(/ (be|was) /, ' $1 not ') } : null,
  'stitched from two places': ({ path, place, quote }, chance, all) => {
    const doc = all.find((each) => each.path === path);
    const others = placesOf(doc as MadeDocument).filter((each) => each.place !== place);
    const other = excerpt(chance, chance.of(others.filter(telling)).text);
    const joint = chance.of([' ', ' … ']);
    return {
      quote: `${words(quote).slice(0, 5).join(' ')}${joint}${words(other).slice(3).join(' ')}`,
    };
  },
  'letters of another alphabet': ({ quote }) =>
    /[aeo]/.test(quote)
      ? { quote: quote.replace(/[aeo]/, (letter) => ({ a: 'а', e: 'е', o: 'о' })[letter] ?? '') }
      : null,
  'a character that nobody sees': ({ quote }) => ({
    quote: quote.replace(/(\p{L})(\p{L})/u, '$1\u200b$2'),
  }),
  'digits of another script': ({ quote }) =>
    /\d/.test(quote)
      ? { quote: quote.replace(/\d/, (digit) => String.fromCharCode(0xff10 + Number(digit))) }
      : null,
  'dropped accent': ({ quote }) =>
    /[éëáøã]/.test(quote) ? { quote: quote.replace(/[éëáøã]/, 'e') } : null,
  'cut word': ({ quote }) => {
    const at = words(quote)[0]?.search(/\p{L}{4}/u) ?? -1;
    return at === -1 ? null : { quote: quote.slice(at + 2) };
  },
  'another case': ({ quote }) => {
    const at = quote.slice(2).search(/\p{Lu}/u);
    if (at === -1) return null;
    const letter = quote.charAt(at + 2).toLowerCase();
    return { quote: `${quote.slice(0, at + 2)}${letter}${quote.slice(at + 3)}` };
  },
};

/** The forms in which a citation is understood. */
const FORMS: readonly ((made: Made) => string | null)[] = [
  ({ path, place, quote }) => `So it is written [${path}:${place} "${quote}"].`,
  ({ path, place, quote }) => `So it is written [${path}:${place}, “${quote}”].`,
  ({ path, place, quote }) => `The volume says "${quote}" (\`${path}:${place}\`).`,
  ({ path, place, quote }) => `They claim: “${quote}” — "${path}:${place}".`,
  ({ path, place, quote }) => `See [the volume](<${path}:${place}> '${quote}').`,
  ({ path, place, quote }) => `> ${quote.replaceAll('\n', '\n> ')}\n> — \`${path}:${place}\``,
  ({ path, place, quote }) => (quote.includes('\n') ? null : `    ${path}:${place}:${quote}`),
  ({ path, place, quote }) => (quote.includes('\n') ? null : `- \`${path}:${place}:${quote}\``),
];

/** Is the quotation there all the same, as the sternest reader would have it? */
function isThere({ path, place, quote }: Made, all: readonly MadeDocument[]): boolean {
  const found = all.find((each) => each.path === path);
  const text = found && placesOf(found).find((each) => each.place === place)?.text;
  return text?.includes(quote) === true;
}

test('of 200 answers with seeded faults every false citation is found, and no true one is refused', async () => {
  const chance = new Chance(20_261_122);
  const all = library(chance, 24);
  const options = worldOf(all);
  const met = new Map<string, number>();
  const wrong: string[] = [];
  for (let answer = 0; answer < 200; answer++) {
    const made = Array.from({ length: 8 }, (_, at) => citation(chance, all, answer * 8 + at));
    const written = made.flatMap((each) => {
      const form = chance.of(FORMS)(each);
      return form === null ? [] : [{ ...each, form }];
    });
    const text = written.map(({ form }) => form).join('\n\n');
    const { citations } = await verifyAnswer(text, options);
    expect(citations.length, text).toBe(written.length);
    for (const [index, { fault, form }] of written.entries()) {
      const { verdict, fault: found } = citations[index] ?? {};
      met.set(fault ?? 'true', (met.get(fault ?? 'true') ?? 0) + 1);
      if (verdict !== (fault === null ? 'holds' : 'false')) {
        wrong.push(`${fault ?? 'true'}: ${verdict}, ${found}\n${form}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  for (const kind of ['true', ...Object.keys(OTHER)])
    expect([kind, (met.get(kind) ?? 0) >= 20]).toEqual([kind, true]);
});

/** @param turn whose turn it is among the faults */
function citation(chance: Chance, all: readonly MadeDocument[], turn: number): Made {
  const faults = Object.keys(OTHER);
  const isTrue = chance.next() < 0.4;
  const kind = faults[turn % faults.length] ?? '';
  for (;;) {
    const doc = chance.of(all);
    const { place, text } = chance.of(placesOf(doc).filter(telling));
    const line = chance.of(text.split('\n').filter((each) => words(each).length > 12));
    const plain = { path: doc.path, place, quote: excerpt(chance, line), fault: null };
    const kinds = Object.keys(SAME);
    const same = SAME[chance.of(kinds)];
    if (isTrue && same !== undefined) return { ...plain, quote: same(plain.quote, chance) };
    const changed = OTHER[kind]?.(plain, chance, all);
    if (changed == null) continue;
    const made = { ...plain, ...changed, fault: kind };
    // What is cut stands there, and yet says something else.
    if (kind.startsWith('cut') || !isThere(made, all)) return made;
  }
}
