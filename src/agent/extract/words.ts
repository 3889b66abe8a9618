/** Words of a question, as they are compared with words of files: small letters, no accents. */

/** Small letters without accents. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The words of a text, folded. What holds a name together (`quay-cli`, `needs_review`, `3.4`) stays one word. */
export function wordsOf(text: string): string[] {
  return folded(text).match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Words that say how something is asked, and nothing of what is asked about. */
const FORM: ReadonlySet<string> = new Set(
  (
    'a about after again before between because against all also am an and any are as at be been before being but by can could did do does ' +
    'done during each every exist exists find for from get give got had has have having here how i if in into is it its ' +
    'just know list many me more most much must my need needs no not now number of on one or our ours out over per ' +
    'please say said show should so some tell than that the their them then there these they this those ' +
    'through to under up us was we were what when where which while who whom whose why will with without would you your ' +
    'currently right still ever first last give see count total entries rows records them named called'
  ).split(' '),
);

/** The words of a question that something must speak of. */
export const tellingWords = (text: string): string[] =>
  wordsOf(text).filter((word) => word.length > 1 && !FORM.has(word));

/** Are both forms of one word? `webhooks` and `webhook`, `renewed` and `renew`, `policies` and `policy`. */
export function isForm(one: string, other: string): boolean {
  return one === other || stem(one) === stem(other);
}

function stem(word: string): string {
  const bare = word
    .replace(/'s$/, '')
    .replace(/ies$/, 'y')
    .replace(/(?<=[^s])s$/, '');
  const cut = bare.replace(/(?:ations?|ing|ed|ly|er|al)$/, '');
  return (cut.length >= 3 ? cut : bare).replace(/(.)\1$/, '$1').replace(/e$/, '');
}
