/**
 * What somebody wrote in a mail, apart from what they repeat of others. What others wrote may be
 * marked line by line; below a line that says whose it is, or the header of their mail, all is
 * theirs, marked or not.
 */

const QUOTE = /^ {0,3}>/;
/** A line that says whose words follow: its end is the same in all languages. */
const ATTRIBUTION = /[^\s:]\s?[:：]\**\s*$/;
/** `-----Original Message-----`, in any language; `---- On DATE NAME <ADDRESS> wrote ----`. */
const DIVIDER = /^\s*-{3,}\s*\p{L}[^\n]{2,160}?\s*-{3,}\s*$/u;
/** What some programs draw above such a header. */
const RULE = /^\s*(?:_{5,}|-{5,}|\*(?: ?\*){2,})\s*$/;
/** Above the words of others some programs put the header of their mail, in the language of the reader. */
const FIELD = /^\s*\**\p{L}[\p{L} .'’-]{0,20}\**\s*[:：]\**(?:\s+\S|\s*$|(?<=：)\S)/u;
/** Below the name of who sent it a field is known by less. */
const FIELD_BELOW = /^\s*\**\p{L}[\p{L} .'’-]{0,20}\**\s*[:：](?!\/\/)/u;
const FROM =
  /^\s*\**(?:From|Von|De|Da|Van|Fra|Från|Od|От|De la|Kimden|Lähettäjä|Feladó|Από|Expéditeur|Remitente|Mittente|Afzender|发件人|寄件者|寄件人|差出人|보낸 사람)\**\s*[:：]/iu;
/** So many fields are a header: of somebody with an address, or else of a time. */
const FIELDS = 3;
const FIELDS_OF_A_NAME = 4;
/** Within so many lines: some programs break them, or put empty ones between. */
const LINES_OF_FIELDS = 12;
const ADDRESS = /[^\s@<>]@[^\s@<>]/;
/** As a program writes it behind a name. */
const BRACKETED = /[<([][^\s@<>]{1,254}@[^\s@<>]{1,254}[>)\]]/;
const WROTE =
  /(?<!\p{L})(?:wrote|writes|schrieb|écrit|escribió|scritto|schreef|geschreven|escreveu|skrev|napisał|napsal|kirjoitti|írta|yazdı|scris|έγραψε|написал|пише)(?!\p{L})|写道|寫道|のメール|작성/iu;
/** Some programs end it with the word. */
const ENDS_WITH_WORD = /[>)\]]\s+\p{L}{4,12}\s*$/u;
const TIME = /\d[:.]\d\d/;
const YEAR = /(?<!\d)\d{4}(?!\d)|\d[/.-]\d{1,2}[/.-]\d\d/;
/** A signature is below it (RFC 3676). */
const SIGNATURE = /^-- ?$/;
const WHO_OR_WHEN = /\S@\S|\d[:.]\d\d|\b\d{4}\b/;
/** An attribution may be broken into so many lines. */
const MOST_BROKEN = 3;
/** No longer line is any of these. In characters. */
const MOST_LINE = 2_000;

/** What somebody has written, and what they repeat. */
export interface Parts {
  own: string;
  /** Certainly others' words, said in a mail before. */
  quoted: string;
  /** What looks like others' words, and may not have been said before. */
  doubtful: string;
}

/** Where a whole mail of others begins, and whether that is certain. */
interface End {
  at: number;
  isCertain: boolean;
}

export function partsOf(text: string): Parts {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
  const { at: end, isCertain } = endOfOwn(lines);
  const quotedAt = new Set<number>();
  for (const [at, line] of lines.slice(0, end).entries()) {
    if (!QUOTE.test(line)) continue;
    quotedAt.add(at);
    for (const above of attributionAbove(lines, at)) quotedAt.add(above);
  }
  const kept = lines.slice(0, end).filter((_, at) => !quotedAt.has(at));
  const signature = kept.findIndex((line) => SIGNATURE.test(line));
  const own = (signature < 0 ? kept : kept.slice(0, signature)).join('\n').trim();
  const marked = lines.slice(0, end).filter((_, at) => quotedAt.has(at));
  const rest = lines.slice(end);
  // Who wrote nothing above may have written below.
  return isCertain && own !== ''
    ? { own, quoted: unmarked([...marked, ...rest]), doubtful: '' }
    : { own, quoted: unmarked(marked), doubtful: unmarked(rest) };
}

const unmarked = (lines: readonly string[]): string =>
  lines
    .map((line) => line.replace(/^ {0,3}> ?/, ''))
    .join('\n')
    .trim();

function endOfOwn(lines: readonly string[]): End {
  for (const [at, line] of lines.entries()) {
    if (line.length > MOST_LINE) continue;
    const end = divider(lines, at) ?? header(lines, at) ?? attribution(lines, at);
    if (end === null) continue;
    let first = end.at;
    while (first > 0 && RULE.test(lines[first - 1] ?? '')) first -= 1;
    return { ...end, at: first };
  }
  return { at: lines.length, isCertain: true };
}

function divider(lines: readonly string[], at: number): End | null {
  const line = lines[at] ?? '';
  if (!DIVIDER.test(line)) return null;
  const next = lines[nextOf(lines, at)] ?? '';
  return { at, isCertain: isField(next) || ADDRESS.test(line) };
}

/** Lines as of the header of a mail. */
function header(lines: readonly string[], at: number): End | null {
  const first = lines[at] ?? '';
  if (!isField(first)) return null;
  const block = lines
    .slice(at, at + LINES_OF_FIELDS)
    .filter((line) => line.trim() !== '' && line.length <= MOST_LINE);
  const isFrom = FROM.test(first);
  const other = block.findIndex((line) => !isField(line));
  const run = other < 0 ? block : block.slice(0, other);
  const isBroken = isFrom && block.slice(1, 3).some((line) => FIELD_BELOW.test(line));
  const fields = isBroken ? block.filter((line) => FIELD_BELOW.test(line)) : run;
  if (fields.length < FIELDS) return null;
  const hasAddress = [...block.slice(0, 2), ...fields].some((line) => ADDRESS.test(line));
  const isNamed = fields.length >= FIELDS_OF_A_NAME;
  const isDated = isNamed && fields.some((line) => TIME.test(line) && YEAR.test(line));
  if (isFrom) return { at, isCertain: hasAddress || isDated };
  return ADDRESS.test(first) || isDated ? { at, isCertain: false } : null;
}

/** A line, or several, that say who wrote what stands below without marks. */
function attribution(lines: readonly string[], last: number): End | null {
  const line = lines[last] ?? '';
  const isEnd = ATTRIBUTION.test(line) || (ENDS_WITH_WORD.test(line) && WROTE.test(line));
  if (!isEnd || QUOTE.test(line)) return null;
  const next = nextOf(lines, last);
  // What is marked is known by its marks: somebody may have answered between.
  if (next >= lines.length || QUOTE.test(lines[next] ?? '')) return null;
  for (let at = last; at > last - MOST_BROKEN && at >= 0; at -= 1) {
    const above = lines[at] ?? '';
    if (above.trim() === '' || above.length > MOST_LINE || QUOTE.test(above)) return null;
    const said = lines.slice(at, last + 1).join(' ');
    const isDated = TIME.test(said) || YEAR.test(said);
    // The name, or the word that they wrote, is the last thing that is said.
    const end = lines.slice(Math.max(at, last - 1), last + 1).join(' ');
    if (isDated && BRACKETED.test(end)) return { at, isCertain: true };
    if (/\d/.test(said) && WROTE.test(line)) return { at, isCertain: false };
    if (isDated && ADDRESS.test(line)) return { at, isCertain: false };
    if (at === last && TIME.test(said) && YEAR.test(said)) return { at, isCertain: false };
  }
  return null;
}

const isField = (line: string): boolean => line.length <= MOST_LINE && FIELD.test(line);

/** The next line that has something in it. */
function nextOf(lines: readonly string[], at: number): number {
  let next = at + 1;
  while (next < lines.length && lines[next]?.trim() === '') next += 1;
  return next;
}

/** The lines right above a quote that say whose it is. */
function attributionAbove(lines: readonly string[], quote: number): number[] {
  let last = quote - 1;
  while (last >= 0 && lines[last]?.trim() === '') last -= 1;
  const line = lines[last] ?? '';
  if (line.length > MOST_LINE || !ATTRIBUTION.test(line) || QUOTE.test(line)) return [];
  const above: number[] = [];
  for (let at = last; at >= 0 && above.length <= MOST_BROKEN; at -= 1) {
    if (lines[at]?.trim() === '' || QUOTE.test(lines[at] ?? '')) break;
    above.push(at);
  }
  const said = above.length > MOST_BROKEN ? [last] : above;
  // What names neither a person nor a time is somebody's own line.
  return said.some((at) => WHO_OR_WHEN.test((lines[at] ?? '').slice(0, MOST_LINE))) ? said : [];
}
