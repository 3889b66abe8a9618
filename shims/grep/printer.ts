/** Prints the lines of one file after another as GNU grep does. */
import { isUtf8 } from 'node:buffer';
import type { LineKernel, LineQuery } from '../support/literal/line-kernel.ts';
import type { LineMatcher } from '../support/literal/matcher.ts';
import type { GrepOptions } from './options.ts';
import { asBuffer, coloured, Output, toBytes } from './output.ts';
import { LineCounter, type LineSink } from './search.ts';

const COLOR = { match: '01;31', file: '35', number: '32', separator: '36' } as const;

/** A line of so many bytes is a long one. */
const LONG = 4096;

/** What printing one file came to. */
export interface Printed {
  /** Something was held back because its bytes are no text. */
  binary: boolean;
}

/** A text to print lines of. */
export interface PrintedText {
  bytes: Uint8Array;
  /** Are lines with invalid UTF-8 withheld? */
  checked: boolean;
  /** Did it come from standard input? */
  piped: boolean;
}

interface FileInPrint {
  buf: Buffer;
  /** Its name as the prefix of lines, coloured, or ''. */
  head: string;
  counter: LineCounter;
  /** Of numbers, under -T. */
  width: number;
  /** Is a piece of it no text, so that it must not be printed? */
  refused(start: number, end: number): boolean;
}

export class Printer {
  /** All output so far. */
  readonly out = new Output();
  private readonly options: GrepOptions;
  private readonly matcher: LineMatcher;
  private readonly eol: string;
  /** Has anything been printed that a separator could separate? */
  private used = false;

  constructor(options: GrepOptions, matcher: LineMatcher) {
    this.options = options;
    this.matcher = matcher;
    this.eol = options.nullData ? '\0' : '\n';
  }

  /** Something was selected that is not printed: what follows is separated from it all the same. */
  touch(): void {
    this.used = true;
  }

  /** The name alone, for -l and -L. */
  name(name: string): void {
    this.out.add(this.paint(toBytes(name), COLOR.file) + (this.options.nullName ? '\0' : '\n'));
  }

  /** The count of a file, with its name if it is to be shown. */
  count(name: string | null, count: number): void {
    if (name !== null) {
      this.out.add(this.paint(toBytes(name), COLOR.file));
      this.out.add(this.options.nullName ? '\0' : this.paint(':', COLOR.separator));
    }
    this.out.add(`${count}\n`);
  }

  /**
   * A sink that prints a file's lines.
   * @param name the file's name if it is to be shown
   */
  sink(name: string | null, text: PrintedText, printed: Printed): LineSink {
    const buf = asBuffer(text.bytes);
    // Where few lines will be printed each is looked at, and not all of a long text.
    const few = this.options.maxCount * LONG < buf.length;
    const suspicious = text.checked && (few || !isUtf8(buf));
    const file: FileInPrint = {
      buf,
      head: name === null ? '' : this.paint(toBytes(name), COLOR.file),
      counter: new LineCounter(buf, this.options.nullData ? 0 : 10),
      width: this.options.initialTab ? this.widthFor(text) : 0,
      refused: (start, end) => {
        if (!suspicious || isUtf8(buf.subarray(start, end))) return false;
        printed.binary = true;
        return true;
      },
    };
    const { context, separator, invert, onlyMatching, color, lineNumber } = this.options;
    if (!suspicious && this.plain) return this.plainSink(name, file);
    let last = -1;
    return (start, end, selected, leads) => {
      // Even under -o, where context itself is not printed, GNU separates the groups.
      if (leads && context && this.used && start !== last && separator !== null) {
        this.out.add(`${this.paint(toBytes(separator), COLOR.separator)}\n`);
      }
      this.used = true;
      const matching = selected !== invert;
      if (onlyMatching) {
        // Under -v it is the context that matches.
        if (matching && !this.matches(file, start, end, selected)) return 'withheld';
        last = end + 1;
        return 'printed';
      }
      if (file.refused(start, end)) return 'withheld';
      last = end + 1;
      this.prefix(file, start, start, selected, end > start);
      if (color && matching) this.painted(buf, start, end);
      else this.out.copy(buf, start, end);
      this.out.add(this.eol);
      if (lineNumber) file.counter.ended(end);
      return 'printed';
    };
  }

  /** Are lines printed as they are, behind a name and a number at most? */
  get plain(): boolean {
    const { context, onlyMatching, color, byteOffset, initialTab } = this.options;
    return !context && !onlyMatching && !color && !byteOffset && !initialTab;
  }

  /** Prints the lines of a text that hold a literal, where they are {@link plain}; as the kernel does. */
  literally(kernel: LineKernel, query: LineQuery, name: string | null, text: Uint8Array) {
    return kernel.search(text, query, this.head(name), (memory, from, to) =>
      this.out.copy(memory, from, to),
    );
  }

  private head(name: string | null): string {
    return name === null ? '' : name + (this.options.nullName ? '\0' : ':');
  }

  /** What most searches print, in as few steps as it can be. */
  private plainSink(name: string | null, { buf, counter }: FileInPrint): LineSink {
    const { lineNumber, nullData } = this.options;
    const { out } = this;
    const head = Buffer.from(this.head(name));
    const eol = nullData ? 0 : 10;
    return (start, end) => {
      out.line(head, lineNumber ? counter.number(start) : 0, buf, start, end, eol);
      if (lineNumber) counter.ended(end);
      return 'printed';
    };
  }

  /** Under -T numbers are as wide as the file's size would be; a pipe may be of any size. */
  private widthFor(text: PrintedText): number {
    if (text.piped) return 19;
    return `${text.bytes.length + (this.options.lineNumber ? 1 : 0)}`.length;
  }

  private paint(text: string, sgr: string): string {
    return this.options.color ? coloured(text, sgr) : text;
  }

  private prefix(
    file: FileInPrint,
    lineStart: number,
    offset: number,
    selected: boolean,
    filled: boolean,
  ): void {
    const { lineNumber, byteOffset, initialTab, nullName } = this.options;
    const separator = this.paint(selected ? ':' : '-', COLOR.separator);
    const { out } = this;
    const { head, counter } = file;
    if (head !== '') {
      out.add(head);
      out.add(nullName ? '\0' : separator);
    }
    if (lineNumber) this.number(counter.number(lineStart), file.width, separator);
    if (byteOffset) this.number(offset, file.width, separator);
    const prefixed = head !== '' || lineNumber || byteOffset;
    if (initialTab && filled && prefixed) out.add('\t');
  }

  private number(value: number, width: number, separator: string): void {
    if (width === 0 && !this.options.color) this.out.number(value);
    else this.out.add(this.paint(`${value}`.padStart(width), COLOR.number));
    this.out.add(separator);
  }

  /** The matches of a line, each on a line of its own; false where one of them is no text. */
  private matches(file: FileInPrint, start: number, end: number, selected: boolean): boolean {
    const { buf } = file;
    const { line, word, syntax } = this.options;
    if (line && word && (syntax === 'basic' || syntax === 'extended')) {
      return this.wholeLine(file, start, end, selected);
    }
    let at = start;
    while (at < end && this.matcher.extent(buf, start, end, at)) {
      const { start: from, end: to } = this.matcher;
      if (from >= end) break;
      at = Math.max(to, from + 1);
      if (to === from) continue;
      if (file.refused(from, to)) return false;
      this.prefix(file, start, from, selected, true);
      this.out.add(this.paint(buf.toString('latin1', from, to), COLOR.match) + this.eol);
    }
    return true;
  }

  /** Under both -x and -w GNU takes the line's end for a part of the match. */
  private wholeLine(file: FileInPrint, start: number, end: number, selected: boolean): boolean {
    if (file.refused(start, end)) return false;
    this.prefix(file, start, start, selected, true);
    const text = file.buf.toString('latin1', start, end) + this.eol;
    this.out.add(this.paint(text, COLOR.match) + this.eol);
    return true;
  }

  private painted(buf: Buffer, start: number, end: number): void {
    let at = start;
    let plain = start;
    while (at < end && this.matcher.extent(buf, start, end, at)) {
      const { start: from, end: to } = this.matcher;
      if (from >= end) break;
      if (to === from) {
        at = from + 1;
        continue;
      }
      this.out.copy(buf, plain, from);
      this.out.add(coloured(buf.toString('latin1', from, to), COLOR.match));
      at = to;
      plain = to;
    }
    this.out.copy(buf, plain, end);
  }
}
