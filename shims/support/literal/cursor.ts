/** A reading position in a pattern, in code points. */
export class Cursor {
  at = 0;
  private readonly text: string[];

  readonly source: string;

  constructor(source: string) {
    this.source = source;
    this.text = Array.from(source);
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The character ahead, '' at the end. */
  peek(offset = 0): string {
    return this.text[this.at + offset] ?? '';
  }

  /** What has been taken since a position. */
  since(at: number): string {
    return this.text.slice(at, this.at).join('');
  }

  /** Takes the next character, '' at the end. */
  take(): string {
    const c = this.peek();
    if (c !== '') this.at++;
    return c;
  }

  /** The next characters, without taking them. */
  ahead(count: number): string {
    return this.text.slice(this.at, this.at + count).join('');
  }

  /** Takes a piece of text if it is next. */
  eat(piece: string): boolean {
    const chars = Array.from(piece);
    if (!chars.every((c, i) => this.peek(i) === c)) return false;
    this.at += chars.length;
    return true;
  }

  /** Takes what a sticky expression matches here, as its groups; null if it does not. */
  match(pattern: RegExp): string[] | null {
    const ahead = this.text.slice(this.at, this.at + 300).join('');
    const found = pattern.exec(ahead);
    if (found === null || found.index !== 0) return null;
    this.at += Array.from(found[0]).length;
    return Array.from(found, (group) => group ?? '');
  }

  /** Takes up to and with a delimiter; null (and nothing taken) where it is missing. */
  until(delimiter: string): string | null {
    const size = Array.from(delimiter).length;
    for (let end = this.at; end + size <= this.text.length; end++) {
      if (this.text.slice(end, end + size).join('') !== delimiter) continue;
      const taken = this.text.slice(this.at, end).join('');
      this.at = end + size;
      return taken;
    }
    return null;
  }
}
