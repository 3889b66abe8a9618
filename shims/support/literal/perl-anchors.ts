/** Where `^`, `$`, `\A`, `\z` and `\Z` hold, by what a pattern is matched with. */
import { alt, assertion, cat, type Node } from './ast.ts';

/**
 * A file, whose lines `^` and `$` look at, or, as grep does, one line after the
 * other, in which there may be newlines if lines end with NUL.
 */
export type MatchedText = 'file' | 'line' | 'line with newlines';

const NEWLINE_THERE = {
  kind: 'look',
  item: { kind: 'char', cp: 10 },
  ahead: true,
  negate: false,
} as const;

export class Anchors {
  private readonly text: MatchedText;
  private readonly pcre: boolean;
  private readonly crlf: boolean;

  /** @param crlf does a line end before the `\r` that stands before its end? */
  constructor(text: MatchedText, pcre: boolean, crlf: boolean) {
    this.text = text;
    this.pcre = pcre;
    this.crlf = crlf;
  }

  caret(multiline: boolean): Node {
    if (this.text === 'file') return assertion(multiline ? 'lineStart' : 'textStart');
    if (!multiline || this.text === 'line') return assertion('lineStart');
    return alt([assertion('lineStart'), { ...NEWLINE_THERE, ahead: false }]);
  }

  dollar(multiline: boolean): Node {
    if (this.text !== 'file') {
      const inside = multiline && this.text === 'line with newlines';
      return inside ? alt([assertion('lineEnd'), NEWLINE_THERE]) : assertion('lineEnd');
    }
    const end = assertion(multiline ? 'lineEnd' : this.pcre ? 'textEndish' : 'textEnd');
    if (!this.crlf) return end;
    const carriage: Node = { kind: 'char', cp: 13 };
    return cat([{ kind: 'repeat', item: carriage, min: 0, max: 1, mode: 'lazy' }, end]);
  }

  /** `\A` */
  get start(): Node {
    return assertion(this.text === 'file' ? 'textStart' : 'lineStart');
  }

  /** `\z` */
  get end(): Node {
    return assertion(this.text === 'file' ? 'textEnd' : 'lineEnd');
  }

  /** `\Z`: the end, or before a newline that is the end. */
  get nearEnd(): Node {
    if (this.text === 'file') return assertion('textEndish');
    if (this.text === 'line') return assertion('lineEnd');
    const last = cat([{ kind: 'char', cp: 10 }, assertion('lineEnd')]);
    return alt([assertion('lineEnd'), { kind: 'look', item: last, ahead: true, negate: false }]);
  }
}
