/** How fmt reads paragraphs, and where it breaks their lines: the cheapest of all ways. */

export interface Style {
  /** No line is as long, unless one word is. Bytes. */
  max: number;
  /** What lines should have. Bytes. */
  goal: number;
  crown: boolean;
  tagged: boolean;
  split: boolean;
  uniform: boolean;
  /** A byte string; blanks around it do not count as it. */
  prefix: string;
}

interface Word {
  text: string;
  /** Blanks behind it. */
  space: number;
  paren: boolean;
  period: boolean;
  punct: boolean;
  /** It ends a sentence. */
  final: boolean;
  cost: number;
  /** Index of the word that begins the next line, if this one begins one. */
  next: number;
  length: number;
}

const square = (n: number): number => n * n;
const shortCost = (n: number): number => square(n * 10);
const raggedCost = (n: number): number => Math.trunc(shortCost(n) / 2);
const widowCost = (n: number): number => Math.trunc(square(200) / (n + 2));
const orphanCost = (n: number): number => Math.trunc(square(150) / (n + 2));
const LINE = square(70);
const SENTENCE = square(50);
const NO_BREAK = square(600);
const PAREN = square(40);
const PUNCT = square(40);
const CREDIT = square(3);
/** What is held of a paragraph before a part of it is written. */
const MOST_BYTES = 5000;
const MOST_WORDS = 998;
const TAB = 8;
const DEFAULT_INDENT = 3;

const isSpace = (char: string): boolean => /[ \t\n\v\f\r]/.test(char);

/** Formats one file. Bytes in, bytes out. */
export class Formatter {
  readonly #input: string;
  readonly #style: Style;
  readonly #write: (bytes: string) => void;
  readonly #prefix: string;
  readonly #lead: number;
  /** The prefix with the blanks behind it. */
  readonly #fullLength: number;
  #at = 0;
  /** The character that was read last, undefined at the end. */
  #char: string | undefined;
  #column = 0;
  #out = '';
  #outColumn = 0;
  #tabs = false;
  #nextPrefixIndent = 0;
  #prefixIndent = 0;
  #firstIndent = 0;
  #otherIndent = 0;
  #lastLength = 0;
  #words: Word[] = [];
  #bytes = 0;

  constructor(input: string, style: Style, write: (bytes: string) => void) {
    this.#input = input;
    this.#style = style;
    this.#write = write;
    this.#lead = /^ */.exec(style.prefix)?.[0].length ?? 0;
    const bare = style.prefix.slice(this.#lead);
    this.#fullLength = bare.length;
    this.#prefix = bare.replace(/ +$/, '');
    this.#readPrefix();
  }

  /** Reads and writes the next paragraph; false at the end of the file. */
  paragraph(): boolean {
    const going = this.#readParagraph();
    if (going) {
      this.#solve();
      this.#put(this.#words.length);
    }
    this.#write(this.#out);
    this.#out = '';
    return going;
  }

  #get(): string | undefined {
    return this.#input[this.#at++];
  }

  #skipSpace(first: string | undefined): string | undefined {
    let char = first;
    for (; ; char = this.#get()) {
      if (char === ' ') this.#column++;
      else if (char === '\t') {
        this.#tabs = true;
        this.#column = (Math.floor(this.#column / TAB) + 1) * TAB;
      } else return char;
    }
  }

  #readPrefix(): void {
    this.#column = 0;
    let char = this.#skipSpace(this.#get());
    if (this.#prefix === '') this.#nextPrefixIndent = Math.min(this.#lead, this.#column);
    else {
      this.#nextPrefixIndent = this.#column;
      for (const wanted of this.#prefix) {
        if (char !== wanted) {
          this.#char = char;
          return;
        }
        this.#column++;
        char = this.#get();
      }
      char = this.#skipSpace(char);
    }
    this.#char = char;
  }

  /** What is no text of a paragraph goes out as it is. */
  #copyRest(): void {
    this.#outColumn = 0;
    let char = this.#char;
    const ends = char === undefined || char === '\n';
    if (this.#column > this.#nextPrefixIndent || !ends) {
      this.#putSpace(this.#nextPrefixIndent);
      for (const one of this.#prefix) {
        if (this.#outColumn === this.#column) break;
        this.#out += one;
        this.#outColumn++;
      }
      if (!ends) this.#putSpace(this.#column - this.#outColumn);
      const whole = this.#column >= this.#nextPrefixIndent + this.#prefix.length;
      if (char === undefined && whole) this.#out += '\n';
    }
    for (; char !== undefined && char !== '\n'; char = this.#get()) this.#out += char;
    this.#char = char;
  }

  #readParagraph(): boolean {
    this.#lastLength = 0;
    while (
      this.#char === '\n' ||
      this.#char === undefined ||
      this.#nextPrefixIndent < this.#lead ||
      this.#column < this.#nextPrefixIndent + this.#fullLength
    ) {
      this.#copyRest();
      if (this.#char === undefined) return false;
      this.#out += '\n';
      this.#readPrefix();
    }
    this.#prefixIndent = this.#nextPrefixIndent;
    this.#firstIndent = this.#column;
    this.#words = [];
    this.#bytes = 0;
    this.#readLine();
    const { split, crown, tagged } = this.#style;
    const same = this.#samePara();
    this.#setOtherIndent(same);
    const goes =
      !split &&
      (crown ? same : tagged ? same && this.#column !== this.#firstIndent : this.#continues());
    if (goes) {
      do this.#readLine();
      while (this.#continues());
    }
    const last = this.#words.at(-1);
    if (last !== undefined) last.period = last.final = true;
    return true;
  }

  #samePara(): boolean {
    return (
      this.#nextPrefixIndent === this.#prefixIndent &&
      this.#column >= this.#nextPrefixIndent + this.#fullLength &&
      this.#char !== '\n' &&
      this.#char !== undefined
    );
  }

  #continues(): boolean {
    return this.#samePara() && this.#column === this.#otherIndent;
  }

  #setOtherIndent(same: boolean): void {
    const { split, crown, tagged } = this.#style;
    if (split) this.#otherIndent = this.#firstIndent;
    else if (crown) this.#otherIndent = same ? this.#column : this.#firstIndent;
    else if (tagged) {
      if (same && this.#column !== this.#firstIndent) this.#otherIndent = this.#column;
      else if (this.#otherIndent === this.#firstIndent) {
        this.#otherIndent = this.#firstIndent === 0 ? DEFAULT_INDENT : 0;
      }
    } else this.#otherIndent = this.#firstIndent;
  }

  #readLine(): void {
    let char = this.#char;
    do {
      let text = '';
      do {
        if (this.#bytes === MOST_BYTES) {
          this.#setOtherIndent(true);
          this.#flush(text.length);
        }
        text += char;
        this.#bytes++;
        char = this.#get();
      } while (char !== undefined && !isSpace(char));
      this.#column += text.length;
      const word = wordOf(text);
      const start = this.#column;
      char = this.#skipSpace(char);
      word.space = this.#column - start;
      const ends = char === undefined || char === '\n';
      word.final = char === undefined || (word.period && (char === '\n' || word.space > 1));
      if (ends || this.#style.uniform) word.space = word.final ? 2 : 1;
      if (this.#words.length === MOST_WORDS) {
        this.#setOtherIndent(true);
        this.#flush(0);
      }
      this.#words.push(word);
    } while (char !== undefined && char !== '\n');
    this.#readPrefix();
  }

  /** Writes as much of a long paragraph as ends well. @param pending bytes of the word that is being read */
  #flush(pending: number): void {
    if (this.#words.length === 0) return;
    this.#solve();
    let at = this.#words.length;
    let best = Infinity;
    for (
      let i = this.#words[0]?.next ?? at;
      i !== this.#words.length;
      i = this.#words[i]?.next ?? at
    ) {
      const word = this.#words[i];
      const cost = (word?.cost ?? 0) - (this.#words[word?.next ?? 0]?.cost ?? 0);
      if (cost < best) {
        at = i;
        best = cost;
      }
      best += CREDIT;
    }
    this.#put(at);
    this.#words = this.#words.slice(at);
    this.#bytes = pending + this.#words.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Finds for each word the cheapest way on from a line that begins with it. */
  #solve(): void {
    const words = this.#words;
    const end = words.length;
    const costAt = (i: number): number => (i === end ? 0 : (words[i]?.cost ?? 0));
    for (let start = end - 1; start >= 0; start--) {
      const first = words[start] as Word;
      let best = Infinity;
      let length = (start === 0 ? this.#firstIndent : this.#otherIndent) + first.text.length;
      for (let i = start + 1; ; i++) {
        let cost = this.#lineCost(i, length) + costAt(i);
        if (start === 0 && this.#lastLength > 0) cost += raggedCost(length - this.#lastLength);
        if (cost < best) {
          best = cost;
          first.next = i;
          first.length = length;
        }
        if (i === end) break;
        length += (words[i - 1]?.space ?? 0) + (words[i]?.text.length ?? 0);
        if (length >= this.#style.max) break;
      }
      first.cost = best + this.#baseCost(start);
    }
  }

  #lineCost(next: number, length: number): number {
    const words = this.#words;
    if (next === words.length) return 0;
    const after = words[next] as Word;
    const cost = shortCost(this.#style.goal - length);
    return after.next === words.length ? cost : cost + raggedCost(length - after.length);
  }

  #baseCost(at: number): number {
    const [word, before, earlier] = [this.#words[at], this.#words[at - 1], this.#words[at - 2]];
    let cost = LINE;
    if (before !== undefined) {
      if (before.period) cost += before.final ? -SENTENCE : NO_BREAK;
      else if (before.punct) cost -= PUNCT;
      else if (earlier?.final === true) cost += widowCost(before.text.length);
    }
    if (word?.paren === true) cost -= PAREN;
    else if (word?.final === true) cost += orphanCost(word.text.length);
    return cost;
  }

  #put(end: number): void {
    let indent = this.#firstIndent;
    for (let i = 0; i < end; ) {
      const next = this.#words[i]?.next ?? end;
      this.#putLine(this.#words.slice(i, next), indent);
      indent = this.#otherIndent;
      i = next;
    }
  }

  #putLine(words: readonly Word[], indent: number): void {
    this.#outColumn = 0;
    this.#putSpace(this.#prefixIndent);
    this.#out += this.#prefix;
    this.#outColumn += this.#prefix.length;
    this.#putSpace(indent - this.#outColumn);
    for (const [i, { text, space }] of words.entries()) {
      this.#out += text;
      this.#outColumn += text.length;
      if (i < words.length - 1) this.#putSpace(space);
    }
    this.#lastLength = this.#outColumn;
    this.#out += '\n';
  }

  #putSpace(count: number): void {
    const target = this.#outColumn + count;
    if (this.#tabs) {
      const tabTarget = Math.floor(target / TAB) * TAB;
      if (this.#outColumn + 1 < tabTarget) {
        while (this.#outColumn < tabTarget) {
          this.#out += '\t';
          this.#outColumn = (Math.floor(this.#outColumn / TAB) + 1) * TAB;
        }
      }
    }
    if (this.#outColumn >= target) return;
    this.#out += ' '.repeat(target - this.#outColumn);
    this.#outColumn = target;
  }
}

function wordOf(text: string): Word {
  let end = text.length - 1;
  while (end > 0 && /[)\]'"]/.test(text[end] ?? '')) end--;
  return {
    text,
    space: 0,
    paren: /^[(['`"]/.test(text),
    punct: /[!-/:-@[-`{-~]$/.test(text),
    period: /[.?!]/.test(text[end] ?? ''),
    final: false,
    cost: 0,
    next: 0,
    length: 0,
  };
}
