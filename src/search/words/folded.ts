/** Letters without their accents, so that Inès is found as Ines, and STRASSE as Straße. */

/** Letters that Unicode does not take apart. */
const APART: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  ø: 'o',
  Ø: 'O',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ı: 'i',
  ħ: 'h',
};
const TO_TAKE_APART = new RegExp(`[${Object.keys(APART).join('')}]`, 'g');
/** Those of Latin, Greek and Cyrillic letters: vowel signs of other scripts are no accents. */
const ACCENTS = /[\u0300-\u036f]/g;
const OTHER_THAN_ASCII = /[^\0-\x7f]/;

export function isPlain(text: string): boolean {
  return !OTHER_THAN_ASCII.test(text);
}

/** The same letters plain: without accents, in ordinary width, ligatures taken apart. Letter case is kept. */
export function folded(text: string): string {
  if (isPlain(text)) return text;
  return text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(TO_TAKE_APART, (letter) => APART[letter] ?? letter);
}
