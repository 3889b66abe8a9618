/**
 * Text within a block. Read the same way in both languages: Notion escapes more than it has to,
 * people less. Written for Notion, everything is escaped that its documentation names.
 */
import type { Inline } from './blocks.ts';

/** "The following characters should be escaped outside of code blocks". */
const SPECIAL = /[\\*~`$[\]<>{}|^]/;
/** In files `_` is a mark, too. */
const ESCAPED = /[\\*~`$[\]<>{}|^_]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

const TAGS: readonly RegExp[] = [
  /^<\/?span(?: [a-z-]+="[^"]*")*>/,
  /^<mention-[a-z-]+(?: [a-zA-Z-]+="[^"]*")*\/>/,
  /^<(mention-[a-z-]+)(?: [a-zA-Z-]+="[^"]*")*>[^<]*<\/\1>/,
  /^\[\^[a-z]+:[^\]\s]+\]/,
];

type Mark = 'bold' | 'italic' | 'strike';
const MARKS: readonly (readonly [string, Mark])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];

export interface Reading {
  /** Is `_a_` a mark? In files it is; Notion does not know it, and does not escape it. */
  underscores: boolean;
  /** Told what Notion cannot hold. */
  trouble?: (message: string) => void;
}

/** Reads a text; a line break in it is one. */
export function readInline(source: string, reading: Reading): Inline[] {
  return new InlineReader(source, reading).read();
}

class InlineReader {
  readonly #source: string;
  readonly #reading: Reading;
  readonly #out: Inline[] = [];
  /** Marks that were looked for up to the end in vain. */
  readonly #open = new Set<string>();
  #text = '';
  #at = 0;

  constructor(source: string, reading: Reading) {
    this.#source = source;
    this.#reading = reading;
  }

  read(): Inline[] {
    while (this.#at < this.#source.length) {
      if (!this.#special()) {
        this.#text += this.#source[this.#at] ?? '';
        this.#at++;
      }
    }
    this.#flush();
    return this.#out;
  }

  #trouble(message: string): void {
    this.#reading.trouble?.(message);
  }

  #flush(): void {
    if (this.#text !== '') this.#out.push({ type: 'text', text: this.#text });
    this.#text = '';
  }

  #put(node: Inline, length: number): true {
    this.#flush();
    this.#out.push(node);
    this.#at += length;
    return true;
  }

  #special(): boolean {
    const rest = this.#source.slice(this.#at, this.#at + 2);
    switch (rest[0]) {
      case '\n':
        return this.#break(1);
      case '\\':
        return this.#escape(rest[1]);
      case '`':
        return this.#code();
      case '$':
        return this.#math();
      case '<':
        return this.#tag();
      case '!':
        if (rest[1] === '[' && this.#linkAt(this.#at + 1) !== null) {
          this.#trouble(
            'an image within a text: Notion has images as blocks, on a line of their own',
          );
        }
        return false;
      case '[':
        return this.#citation() || this.#link();
      case '*':
      case '_':
      case '~':
        return this.#mark();
      default:
        return false;
    }
  }

  #break(length: number): true {
    this.#text = this.#text.replace(/[ \t]+$/, '');
    this.#put({ type: 'break' }, length);
    const spaces = /^[ \t]*/.exec(this.#source.slice(this.#at, this.#at + 200))?.[0].length ?? 0;
    this.#at += spaces;
    return true;
  }

  #escape(next: string | undefined): boolean {
    if (next === '\n') return this.#break(2);
    if (next === undefined || !PUNCTUATION.test(next)) return false;
    this.#text += next;
    this.#at += 2;
    return true;
  }

  #code(): boolean {
    const ticks = this.#run('`');
    const from = this.#at + ticks;
    const end = this.#closingTicks(from, ticks);
    if (end < 0) {
      this.#text += '`'.repeat(ticks);
      this.#at += ticks;
      return true;
    }
    const inner = this.#source.slice(from, end).replaceAll('\n', ' ');
    const padded = /^ .*[^ ].* $/.test(inner) || /^ [^ ] $/.test(inner);
    return this.#put(
      { type: 'code', text: padded ? inner.slice(1, -1) : inner },
      end + ticks - this.#at,
    );
  }

  #closingTicks(from: number, ticks: number): number {
    for (let at = this.#source.indexOf('`', from); at >= 0; ) {
      let end = at;
      while (this.#source[end] === '`') end++;
      if (end - at === ticks) return at;
      at = this.#source.indexOf('`', end);
    }
    return -1;
  }

  #run(character: string): number {
    let end = this.#at;
    while (this.#source[end] === character) end++;
    return end - this.#at;
  }

  /** `$5 and $6` is none: what opens is next to the formula, and so is what closes, with no digit behind. */
  #math(): boolean {
    const line = this.#source.slice(this.#at).split('\n', 1)[0] ?? '';
    const found = /^\$(?=[^\s$])((?:\\.|[^$\\])*?[^\s\\$]|[^\s\\$])\$(?![\d$])/.exec(line);
    if (found === null) return false;
    const inner = found[1] ?? '';
    const text = /^`[^`]+`$/.test(inner) ? inner.slice(1, -1) : inner;
    return this.#put({ type: 'math', text }, found[0].length);
  }

  #tag(): boolean {
    const rest = this.#source.slice(this.#at, this.#at + 4_000);
    const line = /^<br ?\/?>/.exec(rest);
    if (line !== null) return this.#break(line[0].length);
    const address = /^<([a-z][a-z0-9+.-]*:\/\/[^\s<>]+)>/i.exec(rest);
    if (address !== null) {
      const url = address[1] ?? '';
      return this.#put(
        { type: 'link', url, children: [{ type: 'text', text: url }] },
        address[0].length,
      );
    }
    const tag = TAGS.map((one) => one.exec(rest)?.[0]).find((one) => one !== undefined);
    return tag !== undefined && this.#put({ type: 'tag', text: tag }, tag.length);
  }

  #citation(): boolean {
    const found = TAGS.at(-1)?.exec(this.#source.slice(this.#at, this.#at + 4_000))?.[0];
    return found !== undefined && this.#put({ type: 'tag', text: found }, found.length);
  }

  #link(): boolean {
    const found = this.#linkAt(this.#at);
    if (found === null) return false;
    const { label, url, title, end } = found;
    if (title) this.#trouble(`a link with a title ("${label}"): Notion has none, leave it out`);
    return this.#put(
      { type: 'link', url, children: readInline(label, this.#reading) },
      end - this.#at,
    );
  }

  #linkAt(from: number): { label: string; url: string; title: boolean; end: number } | null {
    const close = this.#bracket(from);
    if (close < 0 || this.#source[close + 1] !== '(') return null;
    const rest = this.#source.slice(close + 1, close + 4_000);
    const found =
      /^\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))+))(\s+"[^"\n]*"|\s+'[^'\n]*')?\s*\)/.exec(
        rest,
      );
    if (found === null) return null;
    return {
      label: this.#source.slice(from + 1, close),
      url: found[1] ?? (found[2] ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1'),
      title: found[3] !== undefined,
      end: close + 1 + found[0].length,
    };
  }

  /** Where the bracket that opens at `from` closes; -1 where it does not. */
  #bracket(from: number): number {
    if (this.#open.has('[')) return -1;
    let depth = 0;
    for (let at = from; at < this.#source.length; at++) {
      const character = this.#source[at];
      if (character === '\\') at++;
      else if (character === '[') depth++;
      else if (character === ']' && --depth === 0) return at;
    }
    this.#open.add('[');
    return -1;
  }

  #mark(): boolean {
    for (const [mark, type] of MARKS) {
      if (!this.#source.startsWith(mark, this.#at) || !this.#opens(mark)) continue;
      const end = this.#closes(mark);
      if (end < 0) continue;
      const inner = this.#source.slice(this.#at + mark.length, end);
      const children = readInline(inner, this.#reading);
      return this.#put({ type, children }, end + mark.length - this.#at);
    }
    return false;
  }

  #opens(mark: string): boolean {
    const next = this.#source[this.#at + mark.length];
    if (next === undefined || /\s/.test(next) || this.#open.has(mark)) return false;
    if (mark[0] !== '_') return true;
    return this.#reading.underscores && !isWord(this.#source[this.#at - 1]);
  }

  /** Where a mark closes; of a longer run of its character, the end. */
  #closes(mark: string): number {
    const [character = ''] = mark;
    for (let at = this.#at + mark.length; at < this.#source.length; at++) {
      if (this.#source[at] === '\\') {
        at++;
        continue;
      }
      if (this.#source[at] === '`') {
        const ticks = /^`+/.exec(this.#source.slice(at, at + 100))?.[0].length ?? 1;
        const end = this.#closingTicks(at + ticks, ticks);
        at = end < 0 ? at + ticks - 1 : end + ticks - 1;
        continue;
      }
      if (this.#source[at] !== character) continue;
      let end = at;
      while (this.#source[end] === character) end++;
      const run = end - at;
      const nested = mark.length === 1 && run === 2;
      const spaced = /\s/.test(this.#source[at - 1] ?? ' ');
      const inWord = character === '_' && isWord(this.#source[end]);
      if (run >= mark.length && !nested && !spaced && !inWord) {
        const found = end - mark.length;
        if (found > this.#at + mark.length) return found;
      }
      at = end - 1;
    }
    this.#open.add(mark);
    return -1;
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

export interface InlineForm {
  /** What a line break is written as. */
  lineBreak: string;
  text(text: string): string;
}

/** As Notion's markdown has it. */
export const NOTION: InlineForm = {
  lineBreak: '<br>',
  text: (text) => [...text].map((one) => (SPECIAL.test(one) ? `\\${one}` : one)).join(''),
};

/** Every character escaped that may mean something. */
export const ESCAPING: Pick<InlineForm, 'text'> = {
  text: (text) => [...text].map((one) => (ESCAPED.test(one) ? `\\${one}` : one)).join(''),
};

/** Within a table, whose own writing takes care of `|`. */
export const CELL: Pick<InlineForm, 'text'> = {
  text: (text) => ESCAPING.text(text).replaceAll('\\|', '|'),
};

export const LITERAL: Pick<InlineForm, 'text'> = { text: (text) => text };

const AROUND = { bold: '**', italic: '*', strike: '~~' } as const;

export function writeInline(nodes: readonly Inline[], form: InlineForm): string {
  return nodes.map((node) => writeNode(node, form)).join('');
}

function writeNode(node: Inline, form: InlineForm): string {
  switch (node.type) {
    case 'text':
      return form.text(node.text);
    case 'tag':
      return node.text;
    case 'break':
      return form.lineBreak;
    case 'code':
      return codeSpan(node.text);
    case 'math':
      return `$${node.text}$`;
    case 'link': {
      const plain = /^(?:[^\s()\\<>]|\([^\s()\\<>]*\))+$/.test(node.url);
      return `[${writeInline(node.children, form)}](${plain ? node.url : `<${node.url}>`})`;
    }
    default: {
      const mark = AROUND[node.type];
      return `${mark}${writeInline(node.children, form)}${mark}`;
    }
  }
}

function codeSpan(text: string): string {
  let ticks = '`';
  const runs = new Set(text.match(/`+/g) ?? []);
  while (runs.has(ticks)) ticks += '`';
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${ticks}${pad}${text}${pad}${ticks}`;
}
