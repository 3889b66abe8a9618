/**
 * What stands above buttons, as Slack's rich text: it has no marks that a text could break out of,
 * as the ends of code blocks in the other forms are.
 */

interface Element {
  type: 'text';
  text: string;
  style?: { bold?: true; code?: true };
}

/** A block of a message. */
export interface RichText {
  type: 'rich_text';
  elements: { type: 'rich_text_section' | 'rich_text_preformatted'; elements: Element[] }[];
}

const FENCE = /^(`{3,})\S*\n([\s\S]*?)\n\1$/gm;
const STYLED = /\*\*([^*\n]+)\*\*|`([^`\n]+)`/g;

/** Reads the Markdown that the channel writes around what it shows: paragraphs, `**bold**`, `code`, blocks of code. */
export function richText(markdown: string): RichText {
  const elements: RichText['elements'] = [];
  let from = 0;
  const prose = (text: string): void => {
    if (text.trim() !== '')
      elements.push({ type: 'rich_text_section', elements: styled(text.trim()) });
  };
  for (const found of markdown.matchAll(FENCE)) {
    prose(markdown.slice(from, found.index));
    const text = found[2] === '' ? ' ' : (found[2] ?? ' ');
    elements.push({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] });
    from = found.index + found[0].length;
  }
  prose(markdown.slice(from));
  return { type: 'rich_text', elements };
}

function styled(text: string): Element[] {
  const elements: Element[] = [];
  let from = 0;
  const plain = (part: string): void => {
    if (part !== '') elements.push({ type: 'text', text: part });
  };
  for (const found of text.matchAll(STYLED)) {
    plain(text.slice(from, found.index));
    const [whole, bold, code] = found;
    elements.push(
      bold === undefined
        ? { type: 'text', text: code ?? '', style: { code: true } }
        : { type: 'text', text: bold, style: { bold: true } },
    );
    from = found.index + whole.length;
  }
  plain(text.slice(from));
  return elements;
}
