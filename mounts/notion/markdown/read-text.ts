/**
 * The markdown of the mount's files, read: what people and models write, as far as Notion can hold
 * it. A line break in a text stays one; an empty line ends a block. What Notion cannot hold is told.
 */
import {
  type Block,
  COLONS,
  colonsAttrs,
  colonsSpan,
  EMPTY_BLOCK,
  isSingleTag,
  isStrayClose,
  type Kind,
  numbered,
  opensContainer,
  paragraph,
  spanOf,
  splitAttrs,
  type TextBlock,
  type Trouble,
  withDeepTables,
} from './blocks.ts';
import { readInline } from './inline.ts';
import { languageOf, PLAIN_TEXT } from './languages.ts';
import { columnsOf, continuationOf, FENCE, ITEM, itemLines, stripColumns } from './lines.ts';
import { readPipes, readTags, startsTable } from './tables.ts';

/** The blocks of a text, and what about it Notion could not hold. */
export function readText(text: string): { blocks: Block[]; troubles: Trouble[] } {
  const troubles: Trouble[] = [];
  const lines = withDeepTables(text.replace(/\r\n?/g, '\n').split('\n'));
  return { blocks: new TextReader(lines, 1, troubles).read(), troubles };
}

/** GitHub's alerts, which are callouts: icon and color. */
export const ALERTS: Readonly<Record<string, string>> = {
  NOTE: ' icon="ℹ️" color="blue_bg"',
  TIP: ' icon="💡" color="green_bg"',
  IMPORTANT: ' icon="❗" color="purple_bg"',
  WARNING: ' icon="⚠️" color="yellow_bg"',
  CAUTION: ' icon="🛑" color="red_bg"',
};

const HEADING = /^(#{1,6})(?:[ \t]+(.*))?$/;
const DIVIDER = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^>[ \t]?(.*)$/;
const IMAGE =
  /^!\[((?:\\.|[^\]\\])*)\]\((?:<([^<>\n]*)>|([^\s()]+(?:\([^\s()]*\))?[^\s()]*))(\s+["'].*["'])?\)(?:[ \t]+(\{.*\}))?$/;
const DETAILS = /^<details((?: [a-z-]+="[^"]*")*)>/;
const CALLOUT = /^<callout((?: [a-z-]+="[^"]*")*)>$/;

class TextReader {
  readonly #lines: readonly string[];
  /** The number of the first line. */
  readonly #first: number;
  readonly #troubles: Trouble[];
  readonly #blocks: Block[] = [];
  #at = 0;

  constructor(lines: readonly string[], first: number, troubles: Trouble[]) {
    this.#lines = lines;
    this.#first = first;
    this.#troubles = troubles;
  }

  read(): Block[] {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] ?? '';
      if (line.trim() === '') this.#at++;
      else if (columnsOf(line) >= 4) this.#indented();
      else this.#block(line.trim());
    }
    return this.#blocks;
  }

  #trouble(message: string, at = this.#at): void {
    this.#troubles.push({ line: this.#first + at, message });
  }

  #within(lines: readonly string[], at: number): Block[] {
    return new TextReader(lines, this.#first + at, this.#troubles).read();
  }

  #inline(text: string, at = this.#at) {
    const trouble = (message: string) => this.#trouble(message, at);
    return readInline(text, { underscores: true, trouble });
  }

  #put(block: Block, length: number): void {
    this.#blocks.push(block);
    this.#at += length;
  }

  /** Lines a tab deeper are below the block before them. */
  #indented(): void {
    const from = this.#at;
    const last = this.#blocks.at(-1);
    let end = from;
    for (let at = from; at < this.#lines.length; at++) {
      const line = this.#lines[at] ?? '';
      if (line.trim() === '') continue;
      if (columnsOf(line) < 4) break;
      end = at + 1;
    }
    const lines = this.#lines.slice(from, end);
    const tabs = lines.every((line) => line.trim() === '' || line.startsWith('\t'));
    if (last?.type !== 'text' || !tabs) {
      this.#trouble(
        'begins with four spaces: code stands between lines of ```, and what belongs below a block begins with a tab',
      );
    } else {
      last.children.push(
        ...this.#within(
          lines.map((line) => stripColumns(line, 4)),
          from,
        ),
      );
    }
    this.#at = end;
  }

  #block(line: string): void {
    const next = this.#lines[this.#at + 1];
    const found =
      this.#fence() ||
      this.#formula(line) ||
      this.#tagged(line) ||
      this.#colons(line) ||
      this.#headed(line) ||
      this.#image(line) ||
      this.#item() ||
      this.#quote(line);
    if (found) return;
    if (EMPTY_BLOCK.test(line)) this.#put({ type: 'empty' }, 1);
    else if (DIVIDER.test(line)) this.#put({ type: 'divider' }, 1);
    else if (startsTable(line, next)) {
      const at = this.#at;
      const read = readPipes(this.#lines, at, {
        underscores: true,
        trouble: (message, offset) => this.#trouble(message, at + offset),
      });
      this.#put({ type: 'table', rows: read.rows }, read.length);
    } else this.#paragraph();
  }

  #fence(): boolean {
    const open = FENCE.exec(this.#lines[this.#at] ?? '');
    if (open === null) return false;
    const [, spaces = '', mark = '', info = ''] = open;
    const closes = new RegExp(`^\\s*${mark[0]}{${mark.length},}\\s*$`);
    const found = this.#lines.slice(this.#at + 1).findIndex((line) => closes.test(line));
    if (found < 0) this.#trouble(`is not closed by a line ${mark}`);
    const end = found < 0 ? this.#lines.length : this.#at + 1 + found;
    const code = this.#lines
      .slice(this.#at + 1, end)
      .map((line) => stripColumns(line, spaces.length));
    const known = languageOf(info);
    if ('nearest' in known) {
      const hint = known.nearest.length > 0 ? ` (nearest: ${known.nearest.join(', ')})` : '';
      this.#trouble(
        `Notion has no language "${info.trim()}"${hint}: leave it out, or write one that it has`,
      );
    }
    const language = 'language' in known ? known.language : PLAIN_TEXT;
    this.#put({ type: 'code', language, code: code.join('\n') }, end + 1 - this.#at);
    return true;
  }

  #formula(line: string): boolean {
    const one = /^\$\$(.+)\$\$$/.exec(line);
    if (one !== null) {
      this.#put({ type: 'math', text: (one[1] ?? '').trim() }, 1);
      return true;
    }
    if (line !== '$$') return false;
    const found = this.#lines.slice(this.#at + 1).findIndex((each) => each.trim() === '$$');
    if (found < 0) this.#trouble('is not closed by a line $$');
    const length = found < 0 ? this.#lines.length - this.#at : found + 2;
    const inner = this.#lines.slice(this.#at + 1, this.#at + length - (found < 0 ? 0 : 1));
    this.#put({ type: 'math', text: inner.map((each) => each.trim()).join('\n') }, length);
    return true;
  }

  #tagged(line: string): boolean {
    if (!line.startsWith('<')) return false;
    if (isStrayClose(line)) this.#trouble('closes what no line before it opens');
    if (isSingleTag(line)) {
      this.#put({ type: 'raw', lines: [line] }, 1);
      return true;
    }
    const container = opensContainer(line) ?? (/^<table\b/.test(line) ? 'table' : null);
    if (container !== null) return this.#verbatim(container);
    if (DETAILS.test(line)) return this.#details(line);
    return CALLOUT.test(line) && this.#callout(line);
  }

  #span(name: string): number {
    const length = spanOf(this.#lines, this.#at, name);
    if (length === 0) this.#trouble(`is not closed by a line </${name}>`);
    return length === 0 ? this.#lines.length - this.#at : length;
  }

  #verbatim(name: string): true {
    const length = this.#span(name);
    const indent = columnsOf(this.#lines[this.#at] ?? '');
    const lines = this.#lines
      .slice(this.#at, this.#at + length)
      .map((line) => stripColumns(line, indent).trimEnd());
    const rows = name === 'table' ? readTags(lines, { underscores: true }) : null;
    this.#put(rows === null ? { type: 'raw', lines } : { type: 'table', rows }, length);
    return true;
  }

  /** `<details>`, `<summary>` and what is folded, indented or not. */
  #details(line: string): true {
    const length = this.#span('details');
    const attrs = DETAILS.exec(line)?.[1] ?? '';
    const inner = this.#lines.slice(this.#at, this.#at + length);
    inner[0] = (inner[0] ?? '').trim().replace(DETAILS, '');
    inner[inner.length - 1] = (inner.at(-1) ?? '').replace(/<\/details>\s*$/, '');
    const first = inner.findIndex((each) => each.trim() !== '');
    const summary = /^\s*<summary>(.*?)<\/summary>(.*)$/.exec(inner[first] ?? '');
    if (summary === null) this.#trouble('is not followed by a line <summary>…</summary>');
    else inner[first] = summary[2] ?? '';
    const text = this.#inline((summary?.[1] ?? '').trim());
    const children = this.#within(dedented(inner), this.#at);
    this.#put({ type: 'text', of: { kind: 'toggle' }, text, attrs, children }, length);
    return true;
  }

  /** The older form of a callout: `::: callout`, text, `:::`. */
  #colons(line: string): boolean {
    const open = COLONS.exec(line);
    if (open === null) return false;
    const span = colonsSpan(this.#lines, this.#at);
    if (span === 0) this.#trouble('is not closed by a line :::');
    const length = span === 0 ? this.#lines.length - this.#at : span;
    const inner = this.#lines.slice(this.#at + 1, this.#at + length - (span === 0 ? 0 : 1));
    const children = this.#within(dedented(inner), this.#at + 1);
    this.#put({ type: 'callout', attrs: colonsAttrs(open), children }, length);
    return true;
  }

  #callout(line: string): true {
    const length = this.#span('callout');
    const attrs = CALLOUT.exec(line)?.[1] ?? '';
    const inner = this.#lines.slice(this.#at + 1, this.#at + length - 1);
    this.#put(
      { type: 'callout', attrs, children: this.#within(dedented(inner), this.#at + 1) },
      length,
    );
    return true;
  }

  #headed(line: string): boolean {
    const found = HEADING.exec(line);
    if (found === null) return false;
    const level = (found[1] ?? '').length;
    if (level > 4) this.#trouble('Notion has headings of four levels: write at most ####');
    this.#text({ kind: 'heading', level: Math.min(level, 4) }, found[2] ?? '', 1);
    return true;
  }

  /** A block of one line. */
  #text(of: Kind, source: string, length: number): TextBlock {
    const [text, attrs] = splitAttrs(source.trim());
    const block: TextBlock = { type: 'text', of, text: this.#inline(text), attrs, children: [] };
    this.#put(block, length);
    return block;
  }

  #image(line: string): boolean {
    const found = IMAGE.exec(line);
    if (found === null) return false;
    const [, caption = '', pointed, plain, title, attrs = ''] = found;
    if (title !== undefined)
      this.#trouble('Notion’s images have a caption, in the brackets, and no title');
    this.#put(
      { type: 'image', caption: this.#inline(caption), url: pointed ?? plain ?? '', attrs },
      1,
    );
    return true;
  }

  #item(): boolean {
    const line = this.#lines[this.#at] ?? '';
    const found = ITEM.exec(line);
    if (found === null || DIVIDER.test(line.trim())) return false;
    const [, , marker = '', rest = ''] = found;
    const box = /^\[([ xX])\](?:[ \t]+(.*)|)$/.exec(rest);
    const number = /^\d/.test(marker);
    const of: Kind = number
      ? numbered(this.#blocks.at(-1), Number.parseInt(marker, 10))
      : box === null
        ? { kind: 'bullet' }
        : { kind: 'todo', checked: box[1] !== ' ' };
    const { lines, length } = itemLines(this.#lines, this.#at);
    const source = (number || box === null ? rest : (box[2] ?? '')).trim();
    if (FENCE.test(source))
      this.#trouble('code in a list stands on a line of its own, below its item');
    const more = continuationOf(lines, interrupts);
    const from = this.#at;
    this.#text(of, [source, ...lines.slice(0, more).map((each) => each.trim())].join('\n'), length);
    const block = this.#blocks.at(-1);
    if (block?.type === 'text')
      block.children.push(...this.#within(lines.slice(more), from + 1 + more));
    return true;
  }

  #quote(line: string): boolean {
    if (!QUOTE.test(line)) return false;
    const inner: string[] = [];
    for (let at = this.#at; at < this.#lines.length; at++) {
      const found = QUOTE.exec((this.#lines[at] ?? '').trimStart());
      if (found === null) break;
      inner.push(found[1] ?? '');
    }
    const from = this.#at;
    const alert = ALERTS[/^\[!([A-Z]+)\]\s*$/.exec(inner[0] ?? '')?.[1] ?? ''];
    if (alert !== undefined) {
      this.#put(
        { type: 'callout', attrs: alert, children: this.#within(inner.slice(1), from + 1) },
        inner.length,
      );
      return true;
    }
    const blocks = this.#within(inner, from);
    const [first] = blocks;
    const isText =
      first?.type === 'text' && first.of.kind === 'paragraph' && first.children.length === 0;
    const { text, attrs } = isText ? first : { text: [], attrs: '' };
    const children = isText ? blocks.slice(1) : blocks;
    this.#put({ type: 'text', of: { kind: 'quote' }, text, attrs, children }, inner.length);
    return true;
  }

  #paragraph(): void {
    const from = this.#at;
    let end = from + 1;
    while (end < this.#lines.length && !this.#ends(end)) end++;
    const source = this.#lines.slice(from, end).map((line) => line.trim());
    for (const [offset, line] of source.entries()) {
      const message = definitionIn(line);
      if (message !== null) this.#trouble(message, from + offset);
    }
    const [text, attrs] = splitAttrs(source.join('\n'));
    this.#put(paragraph(this.#inline(text, from), attrs), end - from);
  }

  /** Does a line end the paragraph before it? */
  #ends(at: number): boolean {
    const line = (this.#lines[at] ?? '').trim();
    if (/^(?:-+|=+)$/.test(line) && line.length > 1) {
      this.#trouble(
        'is the underline of a heading in markdown: write `# …` for a heading, or an empty line before --- for a line',
        at,
      );
    }
    return line === '' || interrupts(this.#lines, at);
  }
}

/** What to write instead of a footnote's text, or of a reference link's address; null where a line is neither. */
function definitionIn(line: string): string | null {
  const note = /^\[(\^[^\]\s\\]+)\]:(?:\s|$)/.exec(line)?.[1];
  if (note !== undefined) {
    return `the footnote [${note}]: Notion has none, write what it says where [${note}] stands`;
  }
  const link =
    /^\[((?:\\.|[^\]\\^])(?:\\.|[^\]\\])*)\]:\s*(?:<[^<>]*>|[^\s<]\S*)(?:\s+(?:".*"|'.*'|\(.*\)))?$/.exec(
      line,
    )?.[1];
  if (link === undefined) return null;
  return `the address of the reference link [${link}]: Notion has links in their place alone, write [text](address) there`;
}

/** Does a line begin a block even right below a text? */
function interrupts(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? '').trim();
  const item = ITEM.exec(line);
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    DIVIDER.test(line) ||
    QUOTE.test(line) ||
    IMAGE.test(line) ||
    EMPTY_BLOCK.test(line) ||
    isSingleTag(line) ||
    opensContainer(line) !== null ||
    /^<(?:table|details|callout)\b[^>]*>/.test(line) ||
    line === '$$' ||
    COLONS.test(line) ||
    startsTable(line, lines[at + 1]) ||
    (item !== null &&
      item[3] !== undefined &&
      (!/^\d/.test(item[2] ?? '') || item[2]?.slice(0, -1) === '1'))
  );
}

/** What is between two tags may be indented as a whole. */
function dedented(lines: readonly string[]): string[] {
  const tabs = lines.every((line) => line.trim() === '' || line.startsWith('\t'));
  return tabs ? lines.map((line) => line.replace(/^\t/, '')) : [...lines];
}
