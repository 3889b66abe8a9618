/** A document that is cited: its lines and pages, and the hash of what it holds. */
import { createHash } from 'node:crypto';
import { decoded } from '../decoded.ts';
import type { Page } from '../texts/pages.ts';
import { type FoldedText, type Folding, fold, hasLineEndHyphens } from './folded-text.ts';
import type { Span } from './quotation.ts';

/** What a document is made of. */
export interface DocumentParts {
  /** Absolute, in the namespace. */
  path: string;
  /** What it holds, as `cat` prints it. */
  bytes: Uint8Array;
  /** When it was changed last. */
  updated: Date;
  /** Its pages, where they are what is cited; else the lines of its bytes are. */
  pages?: readonly Pick<Page, 'name' | 'text'>[];
}

const MARKDOWN = /\.(?:md|mdx|markdown)$/i;

/** A document, read. */
export class CitedDocument {
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly sha256: string;
  readonly updated: Date;
  readonly text: string;
  /** null where it has lines and no pages. */
  readonly #pages: ReadonlyMap<string, Span> | null;
  readonly #lines: readonly number[];
  readonly #folded = new Map<string, FoldedText>();

  constructor({ path, bytes, updated, pages }: DocumentParts) {
    this.path = path;
    this.updated = updated;
    this.sha256 = createHash('sha256').update(bytes).digest('hex');
    if (pages === undefined) {
      this.text = decoded(bytes).normalize('NFC');
      this.#pages = null;
    } else [this.text, this.#pages] = joined(pages);
    this.#lines = lineStarts(this.text);
  }

  /** Has it pages, and no lines that anybody could count? */
  get paged(): boolean {
    return this.#pages !== null;
  }

  /** Its lines, or its pages. */
  get count(): number {
    return this.#pages?.size ?? this.#lines.length;
  }

  /** The anchors of its pages, in order. */
  get anchors(): readonly string[] {
    return [...(this.#pages?.keys() ?? [])];
  }

  /** A line, counted from 1, without its end; null where there is none. */
  line(number: number): Span | null {
    const from = this.#lines[number - 1];
    if (this.paged || from === undefined) return null;
    const next = this.#lines[number];
    const end = this.text.length - (this.text.endsWith('\n') ? 1 : 0);
    return { from, to: next === undefined ? end : next - 1 };
  }

  page(anchor: string): Span | null {
    return this.#pages?.get(anchor) ?? null;
  }

  /** Where an offset lies, as a citation says it: `12`, `p3`. */
  placeAt(offset: number): string {
    if (this.#pages !== null) {
      for (const [anchor, { to }] of this.#pages) if (offset < to) return anchor;
      return this.anchors.at(-1) ?? '';
    }
    return String(this.lineAt(offset));
  }

  /** The number of the line that an offset lies in. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Behind the last line of the paragraph that a place is in. */
  paragraphEnd({ to }: Span): number {
    const blank = /\n[ \t\r]*(?:\n|$)/g;
    blank.lastIndex = to;
    return blank.exec(this.text)?.index ?? this.text.length;
  }

  /** Its foldings, the strictest first. @param invisible do characters without a shape count? */
  foldings(invisible: boolean): Folding[] {
    const plain: Folding = { markup: false, invisible };
    const foldings = [plain];
    if (MARKDOWN.test(this.path) || this.paged) foldings.push({ markup: true, invisible });
    if (hasLineEndHyphens(this.text)) {
      for (const lineEndHyphen of ['kept', 'dropped'] as const)
        foldings.push({ ...plain, lineEndHyphen });
    }
    return foldings;
  }

  folded(folding: Folding): FoldedText {
    const key = JSON.stringify(folding);
    const known = this.#folded.get(key);
    if (known !== undefined) return known;
    const text = fold(this.text, folding);
    this.#folded.set(key, text);
    return text;
  }
}

/** Is it no text at all? */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8192).includes(0);

function joined(pages: NonNullable<DocumentParts['pages']>): [string, Map<string, Span>] {
  const spans = new Map<string, Span>();
  let text = '';
  for (const { name, text: page } of pages) {
    const from = text.length;
    text += `${page.normalize('NFC')}\n`;
    spans.set(name, { from, to: text.length });
  }
  return [text, spans];
}

/** As grep counts them: what follows the last newline is a line where it is not empty. */
function lineStarts(text: string): number[] {
  const starts: number[] = [];
  for (let from = 0; from < text.length; ) {
    starts.push(from);
    const end = text.indexOf('\n', from);
    from = end === -1 ? text.length : end + 1;
  }
  return starts;
}
