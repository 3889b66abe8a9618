/** Markdown of an answer, as a terminal shows it, line by line while it arrives. What is in it is made visible first. */
import { bold, dim, joined, type VisibleText, visible, visibleLines } from '../visible.ts';

/** `**strong**`, `__strong__` and `code`: what is marked within a line. */
const MARKED = /(\*\*[^*\n]+\*\*|__[^_\n]+__|`[^`\n]+`)/;

/** Text that arrives in pieces; a line is shown when it is whole. */
export class MarkdownStream {
  #line = '';
  #inCode = false;

  /** What can be shown once a piece has come. */
  push(piece: string): VisibleText {
    const lines = (this.#line + piece).split('\n');
    this.#line = lines.pop() ?? '';
    return joined(lines.map((line) => visible`${this.#shown(line)}\n`));
  }

  /** The line that nothing ended. */
  end(): VisibleText {
    const rest = this.#line;
    this.#line = '';
    return rest === '' ? visible`` : this.#shown(rest);
  }

  #shown(line: string): VisibleText {
    if (/^\s*(?:```|~~~)/.test(line)) {
      this.#inCode = !this.#inCode;
      return dim(visibleLines(line));
    }
    if (this.#inCode) return visibleLines(line);
    const [, heading] = /^#{1,6} +(.*)$/.exec(line) ?? [];
    if (heading !== undefined) return bold(visibleLines(heading.replaceAll('**', '')));
    const [, quote] = /^> ?(.*)$/.exec(line) ?? [];
    if (quote !== undefined) return visible`${dim(visible`│ `)}${inline(quote)}`;
    const [, indent = '', item] = /^(\s*)[-*+] +(.*)$/.exec(line) ?? [];
    if (item !== undefined) return visible`${visibleLines(indent)}• ${inline(item)}`;
    return inline(line);
  }
}

function inline(text: string): VisibleText {
  return joined(
    text.split(MARKED).map((part) => {
      if (!MARKED.test(part)) return visibleLines(part);
      return part.startsWith('`') ? visibleLines(part) : bold(visibleLines(part.slice(2, -2)));
    }),
  );
}
