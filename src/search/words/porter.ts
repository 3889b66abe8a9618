/**
 * Porter's stemmer of 1980, with the two departures of its author's own
 * program ("bli" and "logi" in step 2). English; other words pass unchanged.
 */

const STEP_2: Readonly<Record<string, string>> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
};
const STEP_3: Readonly<Record<string, string>> = {
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
};
const SUFFIX_2 = new RegExp(`(?:${Object.keys(STEP_2).join('|')})$`);
const SUFFIX_3 = new RegExp(`(?:${Object.keys(STEP_3).join('|')})$`);
const SUFFIX_4 =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|(?<=[st])ion|al|er|ic|ou)$/;

/** One letter a character: c for a consonant, v for a vowel. */
function shape(word: string): string {
  let out = '';
  for (let i = 0; i < word.length; i++) {
    const letter = word.charAt(i);
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && out.charAt(i - 1) === 'c');
    out += vowel ? 'v' : 'c';
  }
  return out;
}

/** How often a vowel run is followed by a consonant run. */
function measure(stem: string): number {
  return shape(stem).match(/v+c+/g)?.length ?? 0;
}

function hasVowel(stem: string): boolean {
  return shape(stem).includes('v');
}

/** Ends in consonant, vowel, consonant, the last not w, x or y. */
function endsShort(stem: string): boolean {
  return /cvc$/.test(shape(stem)) && !/[wxy]$/.test(stem);
}

function endsDouble(word: string): boolean {
  return /([^aeiou])\1$/.test(word);
}

function step1(given: string): string {
  let word = given;
  if (/(?:ss|i)es$/.test(word)) word = word.slice(0, -2);
  else if (/[^s]s$/.test(word)) word = word.slice(0, -1);
  if (word.endsWith('eed')) {
    if (measure(word.slice(0, -3)) > 0) word = word.slice(0, -1);
  } else {
    const stem = word.replace(/(?:ed|ing)$/, '');
    if (stem !== word && hasVowel(stem)) word = restore(stem);
  }
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

/** What -ed and -ing had taken away: hop(p)ing, fil(e)ing. */
function restore(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function replaced(word: string, suffixes: RegExp, by: Readonly<Record<string, string>>): string {
  const suffix = suffixes.exec(word)?.[0];
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  return measure(stem) > 0 ? stem + (by[suffix] ?? '') : word;
}

function step4(word: string): string {
  const suffix = SUFFIX_4.exec(word)?.[0];
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  return measure(stem) > 1 ? stem : word;
}

function step5(given: string): string {
  let word = given;
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    const size = measure(stem);
    if (size > 1 || (size === 1 && !endsShort(stem))) word = stem;
  }
  return word.endsWith('ll') && measure(word) > 1 ? word.slice(0, -1) : word;
}

/** The stem of a word in lower case. Words of one or two letters, or with other than a–z, pass. */
export function porterStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const third = replaced(replaced(step1(word), SUFFIX_2, STEP_2), SUFFIX_3, STEP_3);
  return step5(step4(third));
}
