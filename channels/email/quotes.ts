/** What somebody wrote in a mail, apart from what they repeat of others. */

const QUOTE = /^ {0,3}>/;
/** A line that says whose words follow: its end is the same in all languages. */
const ATTRIBUTION = /[^\s:][:：]\s*$/;
/** `-----Original Message-----`, in any language. */
const DIVIDER = /^\s*-{3,}\s*\p{L}[^\n]{2,60}?\s*-{3,}\s*$/u;
/** Above the words of others some programs put the header of their mail, in the language of the reader. */
const FIELD = /^\s*\**\p{L}[\p{L} .-]{0,20}\**\s*[:：]\**\s+\S/u;
const FIELDS = 3;
const ADDRESS = /[^\s@<>]+@[^\s@<>]+/;
/** A signature is below it (RFC 3676). */
const SIGNATURE = /^-- ?$/;
const WHO_OR_WHEN = /\S@\S|\d[:.]\d\d|\b\d{4}\b/;
/** An attribution may be broken into so many lines. */
const MOST_BROKEN = 3;

/** What somebody has written, and what they repeat. */
export interface Parts {
  own: string;
  quoted: string;
}

export function partsOf(text: string): Parts {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
  const end = endOfOwn(lines);
  const quotedAt = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (at >= end || !QUOTE.test(line)) continue;
    quotedAt.add(at);
    for (const above of attributionAbove(lines, at)) quotedAt.add(above);
  }
  const own = lines.filter((_, at) => at < end && !quotedAt.has(at));
  const quoted = lines.filter((_, at) => quotedAt.has(at) || at >= end);
  const signature = own.findIndex((line) => SIGNATURE.test(line));
  return {
    own: (signature < 0 ? own : own.slice(0, signature)).join('\n').trim(),
    quoted: quoted
      .map((line) => line.replace(/^ {0,3}> ?/, ''))
      .join('\n')
      .trim(),
  };
}

/** Where a whole mail of others begins. */
function endOfOwn(lines: readonly string[]): number {
  const at = lines.findIndex(
    (line, index) => DIVIDER.test(line) || isHeader(lines.slice(index, index + FIELDS)),
  );
  return at < 0 ? lines.length : at;
}

/** Lines as of a header, one of which has an address. */
const isHeader = (lines: readonly string[]): boolean =>
  lines.length === FIELDS &&
  lines.every((line) => FIELD.test(line)) &&
  ADDRESS.test(lines[0] ?? '');

/** The lines right above a quote that say whose it is. */
function attributionAbove(lines: readonly string[], quote: number): number[] {
  let last = quote - 1;
  while (last >= 0 && lines[last]?.trim() === '') last -= 1;
  if (last < 0 || !ATTRIBUTION.test(lines[last] ?? '') || QUOTE.test(lines[last] ?? '')) return [];
  const above: number[] = [];
  for (let at = last; at >= 0 && lines[at]?.trim() !== ''; at -= 1) above.push(at);
  const said = above.length > MOST_BROKEN ? [last] : above;
  // What names neither a person nor a time is somebody's own line.
  return said.some((at) => WHO_OR_WHEN.test(lines[at] ?? '')) ? said : [];
}
