/** Prints the lines of one file after another as GNU grep does. */
import { isUtf8 } from 'node:buffer';
import type { Matcher } from '../../src/search/literal/matcher.ts';
import { widthAt } from '../../src/search/literal/utf8.ts';
import type { GrepOptions } from './options.ts';
import { asBuffer, coloured, toBytes } from './output.ts';
import { LineCounter, type LineSink } from './search.ts';

const COLOR = { match: '01;31', file: '35', number: '32', separator: '36' } as const;

/** What printing one file came to. */
export interface Printed {
  /** A line held bytes that are no text, so printing ended there. */
  binary: boolean;
}

export class Printer {
  /** All output so far, one character a byte. */
  out = '';
  private readonly options: GrepOptions;
  private readonly matcher: Matcher;
  private readonly eol: string;
  /** Has anything been printed that a separator could separate? */
  private used = false;

  constructor(options: GrepOptions, matcher: Matcher) {
    this.options = options;
    this.matcher = matcher;
    this.eol = options.nullData ? '\0' : '\n';
  }

  /** The name alone, for -l and -L. */
  name(name: string): void {
    this.out += this.paint(toBytes(name), COLOR.file) + (this.options.nullName ? '\0' : '\n');
  }

  /** The count of a file, with its name if it is to be shown. */
  count(name: string | null, count: number): void {
    if (name !== null) {
      this.out += this.paint(toBytes(name), COLOR.file);
      this.out += this.options.nullName ? '\0' : this.paint(':', COLOR.separator);
    }
    this.out += `${count}\n`;
  }

  /**
   * A sink that prints a file's lines.
   * @param name the file's name if it is to be shown
   * @param checked is a line with invalid UTF-8 the end of it?
   */
  sink(name: string | null, bytes: Uint8Array, checked: boolean, printed: Printed): LineSink {
    const buf = asBuffer(bytes);
    const counter = new LineCounter(buf, this.options.nullData ? 0 : 10);
    const suspicious = checked && !isUtf8(buf);
    const { context, separator, invert, onlyMatching, color } = this.options;
    const head = name === null ? '' : this.paint(toBytes(name), COLOR.file);
    let last = -1;
    return (start, end, selected) => {
      // Even under -o, where context itself is not printed, GNU separates the groups.
      if (context && this.used && start !== last && separator !== null) {
        this.out += `${this.paint(toBytes(separator), COLOR.separator)}\n`;
      }
      this.used = true;
      last = end + 1;
      if (suspicious && (selected || !onlyMatching) && !isUtf8(buf.subarray(start, end))) {
        printed.binary = true;
        return false;
      }
      const matching = selected !== invert;
      if (onlyMatching) {
        if (matching && selected) this.matches(buf, start, end, head, counter);
        return true;
      }
      this.prefix(head, counter, start, start, selected);
      if (color && matching) this.painted(buf, start, end);
      else this.out += buf.toString('latin1', start, end);
      this.out += this.eol;
      return true;
    };
  }

  private paint(text: string, sgr: string): string {
    return this.options.color ? coloured(text, sgr) : text;
  }

  private prefix(
    head: string,
    counter: LineCounter,
    lineStart: number,
    offset: number,
    selected: boolean,
  ): void {
    const { lineNumber, byteOffset, initialTab, nullName } = this.options;
    const separator = this.paint(selected ? ':' : '-', COLOR.separator);
    let text = '';
    if (head !== '') text += head + (nullName ? '\0' : separator);
    if (lineNumber) text += this.paint(`${counter.number(lineStart)}`, COLOR.number) + separator;
    if (byteOffset) text += this.paint(`${offset}`, COLOR.number) + separator;
    if (initialTab && text !== '') text += '\t';
    this.out += text;
  }

  /** The matches of a line, each on a line of its own. */
  private matches(
    buf: Buffer,
    start: number,
    end: number,
    head: string,
    counter: LineCounter,
  ): void {
    let at = start;
    while (at < end && this.matcher.extent(buf, start, end, at)) {
      const { start: from, end: to } = this.matcher;
      if (from >= end) return;
      if (to === from) {
        at = from + widthAt(buf, from, end);
        continue;
      }
      this.prefix(head, counter, start, from, true);
      this.out += this.paint(buf.toString('latin1', from, to), COLOR.match) + this.eol;
      at = to;
    }
  }

  private painted(buf: Buffer, start: number, end: number): void {
    let at = start;
    let plain = start;
    while (at < end && this.matcher.extent(buf, start, end, at)) {
      const { start: from, end: to } = this.matcher;
      if (from >= end) break;
      if (to === from) {
        at = from + widthAt(buf, from, end);
        continue;
      }
      this.out += buf.toString('latin1', plain, from);
      this.out += coloured(buf.toString('latin1', from, to), COLOR.match);
      at = to;
      plain = to;
    }
    this.out += buf.toString('latin1', plain, end);
  }
}
