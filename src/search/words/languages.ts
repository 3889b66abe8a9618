/**
 * Languages of texts and of questions: which one a text is in, its stems and its
 * words that tell nothing apart. What is in no other one is taken for English.
 */

import { stemmer as danishStem } from '@orama/stemmers/danish';
import { stemmer as dutchStem } from '@orama/stemmers/dutch';
import { stemmer as finnishStem } from '@orama/stemmers/finnish';
import { stemmer as frenchStem } from '@orama/stemmers/french';
import { stemmer as germanStem } from '@orama/stemmers/german';
import { stemmer as italianStem } from '@orama/stemmers/italian';
import { stemmer as norwegianStem } from '@orama/stemmers/norwegian';
import { stemmer as portugueseStem } from '@orama/stemmers/portuguese';
import { stemmer as russianStem } from '@orama/stemmers/russian';
import { stemmer as spanishStem } from '@orama/stemmers/spanish';
import { stemmer as swedishStem } from '@orama/stemmers/swedish';
import { stopwords as danishStops } from '@orama/stopwords/danish';
import { stopwords as dutchStops } from '@orama/stopwords/dutch';
import { stopwords as finnishStops } from '@orama/stopwords/finnish';
import { stopwords as frenchStops } from '@orama/stopwords/french';
import { stopwords as germanStops } from '@orama/stopwords/german';
import { stopwords as italianStops } from '@orama/stopwords/italian';
import { stopwords as norwegianStops } from '@orama/stopwords/norwegian';
import { stopwords as portugueseStops } from '@orama/stopwords/portuguese';
import { stopwords as russianStops } from '@orama/stopwords/russian';
import { stopwords as spanishStops } from '@orama/stopwords/spanish';
import { stopwords as swedishStops } from '@orama/stopwords/swedish';
import { ENGLISH_STOPS } from './english-stops.ts';
import { folded, isPlain } from './folded.ts';

/** In the order in which an index counts them; new ones come at the end. */
export const LANGUAGES = [
  'en',
  'da',
  'de',
  'es',
  'fi',
  'fr',
  'it',
  'nl',
  'no',
  'pt',
  'ru',
  'sv',
  'zh',
  'ja',
  'ko',
  'uk',
  'el',
  'ar',
  'he',
  'th',
  'hi',
] as const;
export type Language = (typeof LANGUAGES)[number];

interface Known {
  stem: (word: string) => string;
  stops: ReadonlySet<string>;
}

/** Words that questions begin with, where the list of a language lacks them. */
const ASKING: Readonly<Record<string, string>> = {
  da: 'hvorfor hvordan hvornår hvem hvad hvor hvilken hvilke',
  de: 'wann warum wieso weshalb wer wem wen wie wo wohin woher oft',
  es: 'cómo cuándo cuánto cuántos dónde quién qué cuál por',
  fr: 'pourquoi quand où quel quelle quels quelles combien qui que',
  it: 'quando dove perché quanto quanti quale quali chi che',
  nl: 'hoe waarom wanneer waar wie wat welke hoeveel',
  no: 'hvorfor hvordan når hvem hva hvor hvilken hvilke',
  pt: 'quando onde porque quanto quantos qual quais quem',
  sv: 'varför hur när vem vad var vilken vilka',
};

const known = (
  language: Language,
  stem: (word: string) => string,
  stops: readonly string[],
): [Language, Known] => [
  language,
  { stem, stops: new Set([...stops, ...(ASKING[language]?.split(' ') ?? [])]) },
];

/** Those with stems of their own, besides English. */
const KNOWN: ReadonlyMap<Language, Known> = new Map([
  known('da', danishStem, danishStops),
  known('de', germanStem, germanStops),
  known('es', spanishStem, spanishStops),
  known('fi', finnishStem, finnishStops),
  known('fr', frenchStem, frenchStops),
  known('it', italianStem, italianStops),
  known('nl', dutchStem, dutchStops),
  known('no', norwegianStem, norwegianStops),
  known('pt', portugueseStem, portugueseStops),
  known('ru', russianStem, russianStops),
  known('sv', swedishStem, swedishStops),
]);

/** The languages that a word is a stop word of, besides English. */
const STOPPED_IN: ReadonlyMap<string, readonly Language[]> = new Map(
  [...new Set([...KNOWN.values()].flatMap(({ stops }) => [...stops]))].map((word) => [
    word,
    [...KNOWN].filter(([, { stops }]) => stops.has(word)).map(([language]) => language),
  ]),
);

const NO_STOPS: ReadonlySet<string> = new Set();

/** Words of a language that tell nothing apart, in lower case. */
export function stopsOf(language: Language): ReadonlySet<string> {
  return language === 'en' ? ENGLISH_STOPS : (KNOWN.get(language)?.stops ?? NO_STOPS);
}

/** The stem of a word in lower case, without accents; the word itself in a language without stems. */
export function stemIn(language: Language, word: string): string {
  return folded(KNOWN.get(language)?.stem(word) ?? word);
}

/** How the language is called in English. */
export function nameOf(language: Language): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}

/** What of a text is looked at. Characters. */
const SAMPLE = 2_500;
/** The script decides where so much of the letters is in it. */
const OF_A_SCRIPT = 0.4;
/** A sign for a syllable or a word stands for so many letters. */
const LETTERS_A_SIGN = 3;
const SCRIPTS: readonly [Language, RegExp, weight: number][] = [
  ['ko', /\p{Script=Hangul}/gu, LETTERS_A_SIGN],
  ['zh', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, LETTERS_A_SIGN],
  ['ru', /\p{Script=Cyrillic}/gu, 1],
  ['el', /\p{Script=Greek}/gu, 1],
  ['ar', /\p{Script=Arabic}/gu, 1],
  ['he', /\p{Script=Hebrew}/gu, 1],
  ['th', /\p{Script=Thai}/gu, 1],
  ['hi', /\p{Script=Devanagari}/gu, 1],
];
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const UKRAINIAN = /[іїєґ]/i;
const WORDS = /[\p{L}\p{M}]+/gu;

/** The language of a document. Of a text that does not clearly speak another one: English. */
export function languageOf(text: string): Language {
  const sample = text.slice(0, SAMPLE);
  const script = languageOfScript(sample);
  if (script !== null) return script;
  const { words, english, best, hits } = stopsIn(sample);
  const isOther = hits >= 3 && hits > 1.25 * english && hits >= 0.12 * words;
  return best !== null && isOther ? best : 'en';
}

/** What helps to tell the language of a question. */
export interface LanguageHints {
  /** Languages that texts are in: of those that fit alike, one of these is meant. */
  present?: readonly Language[];
  /** Is it an English word? */
  isEnglish?: (word: string) => boolean;
}

/** The language of a question; null where its few words do not tell. */
export function languageOfQuestion(
  text: string,
  { present = [], isEnglish = () => true }: LanguageHints = {},
): Language | null {
  const script = languageOfScript(text);
  if (script !== null) return script;
  const { words, english, best, hits, isShared } = stopsIn(text, present);
  if (english > 0 && english >= hits) return 'en';
  if (hits >= 3 && hits >= 0.25 * words) return best;
  if (hits === 0 || english > 0) return null;
  const others = (text.match(WORDS) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !STOPPED_IN.has(word));
  const foreign = others.filter((word) => !isEnglish(word)).length;
  const isAccented = !isShared && folded(text) !== text;
  return isAccented || (foreign > 0 && 2 * foreign >= others.length) ? best : null;
}

function languageOfScript(text: string): Language | null {
  if (isPlain(text)) return null;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  for (const [language, script, weight] of SCRIPTS) {
    const count = text.match(script)?.length ?? 0;
    if (count === 0 || weight * count < OF_A_SCRIPT * (letters + (weight - 1) * count)) continue;
    if (language === 'zh' && KANA.test(text)) return 'ja';
    return language === 'ru' && UKRAINIAN.test(text) ? 'uk' : language;
  }
  return null;
}

interface Stops {
  words: number;
  /** How many of them are English stop words. */
  english: number;
  /** The other language with most of them as stop words, how many, and has yet another one as many? */
  best: Language | null;
  hits: number;
  isShared: boolean;
}

/** @param present of languages with as many the one is meant that is among these */
function stopsIn(text: string, present: readonly Language[] = []): Stops {
  const words = text.match(WORDS) ?? [];
  const counts = new Map<Language, number>();
  let english = 0;
  for (const word of words) {
    const plain = word.toLowerCase();
    if (ENGLISH_STOPS.has(plain)) english += 1;
    for (const language of STOPPED_IN.get(plain) ?? []) {
      counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const order = [...counts].sort(
    ([one, few], [other, many]) =>
      many - few || Number(present.includes(other)) - Number(present.includes(one)),
  );
  const [best = null, hits = 0] = order[0] ?? [];
  return { words: words.length, english, best, hits, isShared: order[1]?.[1] === hits };
}
