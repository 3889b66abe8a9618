/** MarkdownV2 as https://core.telegram.org/bots/api#markdownv2-style has it: what is shown of it, or why it is refused. */

/** As the Bot API says it. */
export class ParseFault extends Error {}

const RESERVED = new Set('_*[]()~`>#+-=|{}.!');
const MARKS = ['||', '__', '*', '_', '~'];

/**
 * What a text shows, without its marks.
 * @throws ParseFault
 */
export function shownOf(text: string): string {
  const open: string[] = [];
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const character = rest[0] ?? '';
    const [code] = /^(?:```[\s\S]*?(?<!\\)```|`(?:\\[\s\S]|[^`\\])*`)/.exec(rest) ?? [];
    const [link, label = ''] =
      /^!?\[((?:\\[\s\S]|[^\]\\])*)\]\((?:\\[\s\S]|[^)\\])*\)/.exec(rest) ?? [];
    const mark = MARKS.find((each) => rest.startsWith(each));
    if (character === '\\') {
      shown += rest[1] ?? '';
      at += 2;
    } else if (character === '`') {
      if (code === undefined)
        throw fault("Can't find end of the entity starting at byte offset", at);
      const inner = code.startsWith('```')
        ? code.slice(3, -3).replace(/^\S*\n/, '')
        : code.slice(1, -1);
      shown += inner.replaceAll(/\\([\s\S])/g, '$1');
      at += code.length;
    } else if (link !== undefined) {
      shown += shownOf(label);
      at += link.length;
    } else if (mark !== undefined) {
      if (open.at(-1) === mark) open.pop();
      else open.push(mark);
      at += mark.length;
    } else if (character === '>' && (at === 0 || text[at - 1] === '\n')) at += 1;
    else if (RESERVED.has(character))
      throw new ParseFault(
        `Bad Request: can't parse entities: Character '${character}' is reserved and must be escaped with the preceding '\\'`,
      );
    else {
      shown += character;
      at += 1;
    }
  }
  if (open.length > 0) throw fault("Can't find end of the entity starting at byte offset", 0);
  return shown;
}

const fault = (what: string, at: number): ParseFault =>
  new ParseFault(`Bad Request: can't parse entities: ${what} ${at}`);
