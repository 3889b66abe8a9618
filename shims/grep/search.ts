/** Finds the lines of one text that are selected, with the context around them. */
import type { LineMatcher } from '../support/literal/matcher.ts';

/** What finds lines: the matcher, or something that knows them already. */
export type Finder = Pick<LineMatcher, 'begin' | 'find'>;

export interface LineOptions {
  /** The byte that ends a line. */
  eol: number;
  invert: boolean;
  maxCount: number;
  /** Lines of context. */
  before: number;
  after: number;
  /** Told of matches as they are found where they may go over lines' ends. */
  spanning?: (buf: Uint8Array, start: number, end: number) => void;
}

/** What became of a line: a withheld one counts as not shown, so that it may come up again. */
export type Answer = 'printed' | 'withheld' | 'stop';

/**
 * Told of each line to print, in order; `end` is without the line's ending byte.
 * `leads`: it is the first of a selected line's group, its context included.
 */
export type LineSink = (start: number, end: number, selected: boolean, leads: boolean) => Answer;

/** The end of the last line, without the byte that ends it. */
export function textEnd(buf: Uint8Array, eol: number): number {
  return buf.length > 0 && buf[buf.length - 1] === eol ? buf.length - 1 : buf.length;
}

/** Most lines are shorter than this, and a call costs more than to look at so many bytes one by one. */
const SHORT = 96;

export function lineEndAt(buf: Uint8Array, at: number, to: number, eol: number): number {
  const near = Math.min(at + SHORT, to);
  for (let end = at; end < near; end++) if (buf[end] === eol) return end;
  const end = buf.indexOf(eol, near);
  return end === -1 || end > to ? to : end;
}

export function lineStartAt(buf: Uint8Array, at: number, from: number, eol: number): number {
  const near = Math.max(at - SHORT, from);
  for (let before = at - 1; before >= near; before--) if (buf[before] === eol) return before + 1;
  return near <= from ? from : Math.max(buf.lastIndexOf(eol, near - 1) + 1, from);
}

class LineSearch {
  private readonly buf: Uint8Array;
  private readonly matcher: Finder;
  private readonly options: LineOptions;
  private readonly sink: LineSink;
  private readonly to: number;
  /** Everything before this has been printed or passed over for good. */
  private shown = 0;
  private trailing = 0;
  private selected = 0;
  private stopped = false;

  constructor(buf: Uint8Array, matcher: Finder, options: LineOptions, sink: LineSink) {
    this.buf = buf;
    this.matcher = matcher;
    this.options = options;
    this.sink = sink;
    this.to = textEnd(buf, options.eol);
  }

  run(): number {
    const { buf, to } = this;
    const { eol, invert } = this.options;
    let at = 0;
    while (at <= to && at < buf.length && !this.full) {
      const hit = this.matcher.find(buf, at, to);
      if (hit === -1) {
        if (invert) this.rest(at, buf.length);
        break;
      }
      const start = lineStartAt(buf, hit, at, eol);
      const end = lineEndAt(buf, hit, to, eol);
      if (invert) this.rest(at, start);
      else this.select(start, end);
      at = end + 1;
    }
    if (!this.stopped) this.flush(buf.length);
    return this.selected;
  }

  private get full(): boolean {
    return this.stopped || this.selected >= this.options.maxCount;
  }

  /** Selects every line that begins in a stretch of text. */
  private rest(from: number, until: number): void {
    let at = from;
    while (at < until && !this.full) {
      const end = lineEndAt(this.buf, at, this.to, this.options.eol);
      if (at === from) this.select(at, end);
      else this.selectNext(at, end);
      at = end + 1;
    }
  }

  /** A line right after a selected one: of the same group, whatever became of that one. */
  private selectNext(start: number, end: number): void {
    this.selected++;
    this.show(start, end, true, false);
    this.trailing = this.options.after;
  }

  private select(start: number, end: number): void {
    this.selected++;
    if (this.options.after > 0) this.flush(start);
    const led = this.options.before > 0 && this.leading(start);
    this.show(start, end, true, !led);
    this.trailing = this.options.after;
  }

  private show(start: number, end: number, selected: boolean, leads: boolean): void {
    if (this.stopped) return;
    const answer = this.sink(start, end, selected, leads);
    if (answer === 'stop') this.stopped = true;
    else if (answer === 'printed') this.shown = end + 1;
  }

  /** Prints what is due of the context after the last selected line. */
  private flush(until: number): void {
    for (; this.trailing > 0 && this.shown < until && !this.stopped; this.trailing--) {
      const end = lineEndAt(this.buf, this.shown, this.to, this.options.eol);
      this.show(this.shown, end, false, false);
    }
  }

  /** Prints the context before a selected line; true if there was any. */
  private leading(until: number): boolean {
    const { eol, before } = this.options;
    let from = until;
    for (let i = 0; i < before && from > this.shown; i++) {
      from = lineStartAt(this.buf, from - 1, this.shown, eol);
    }
    const first = from;
    while (from < until) {
      const end = lineEndAt(this.buf, from, this.to, eol);
      this.show(from, end, false, from === first);
      from = end + 1;
    }
    return first < until;
  }
}

/**
 * Searches one text and reports its lines. Gives the number of selected lines.
 * @throws TooExpensiveError where the pattern would take too long on it
 */
export function searchLines(
  buf: Uint8Array,
  matcher: Finder,
  options: LineOptions,
  sink: LineSink,
): number {
  matcher.begin(buf.length);
  return new LineSearch(buf, matcher, options, sink).run();
}

/** How many lines are selected, at most `maxCount`; context is of no account. @throws as searchLines */
export function countLines(buf: Uint8Array, matcher: Finder, options: LineOptions): number {
  const { eol, invert, maxCount } = options;
  if (invert) return searchLines(buf, matcher, options, () => 'printed');
  matcher.begin(buf.length);
  const to = textEnd(buf, eol);
  let selected = 0;
  for (let at = 0; at <= to && at < buf.length && selected < maxCount; selected++) {
    const hit = matcher.find(buf, at, to);
    if (hit === -1) break;
    at = lineEndAt(buf, hit, to, eol) + 1;
  }
  return selected;
}

/** Line numbers of positions that only grow. */
export class LineCounter {
  private line = 1;
  private at = 0;
  private readonly buf: Uint8Array;
  private readonly eol: number;
  /** Four bytes each, from the first position on whose address is a multiple of four. */
  private words: Int32Array | null = null;
  private readonly aligned: number;

  constructor(buf: Uint8Array, eol: number) {
    this.buf = buf;
    this.eol = eol;
    this.aligned = -buf.byteOffset & 3;
  }

  /** The number (from 1) of the line that a position stands in. */
  number(position: number): number {
    if (position > this.at) {
      this.line += this.ends(this.at, position);
      this.at = position;
    }
    return this.line;
  }

  /** The line that was numbered last ends here: the next one need not be looked for. */
  ended(end: number): void {
    this.line += 1;
    this.at = end + 1;
  }

  /** How many lines end in a stretch. */
  private ends(from: number, to: number): number {
    const first = from + ((this.aligned - from) & 3);
    const words = (to - first) >> 2;
    if (words <= 0) return this.endsOneByOne(from, to);
    const word = (first - this.aligned) >> 2;
    const last = first + words * 4;
    return (
      this.endsOneByOne(from, first) +
      this.endsByWords(word, word + words) +
      this.endsOneByOne(last, to)
    );
  }

  private endsOneByOne(from: number, to: number): number {
    const { buf, eol } = this;
    let ends = 0;
    for (let at = from; at < to; at++) if (buf[at] === eol) ends++;
    return ends;
  }

  /** Counts four bytes at once, each in a lane of its own. */
  private endsByWords(from: number, to: number): number {
    const { buf, aligned } = this;
    this.words ??= new Int32Array(
      buf.buffer,
      buf.byteOffset + aligned,
      (buf.length - aligned) >> 2,
    );
    const { words } = this;
    const eols = this.eol * 0x01010101;
    let ends = 0;
    for (let at = from; at < to; ) {
      // A lane holds up to 255.
      const stop = Math.min(to, at + 255);
      let lanes = 0;
      for (; at < stop; at++) {
        const differs = (words[at] as number) ^ eols;
        // The top bit of each byte that is 0, and nothing else.
        const same = ~(((differs & 0x7f7f7f7f) + 0x7f7f7f7f) | differs | 0x7f7f7f7f);
        lanes = (lanes + (same >>> 7)) | 0;
      }
      ends += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
    }
    return ends;
  }
}
