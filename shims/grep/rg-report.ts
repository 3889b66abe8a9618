/** What rg says of a search beside its lines: JSON objects about files, and --stats. */
import type { RgPrinter } from './rg-printer.ts';

/** Counts over one file, or over all. */
export interface Counts {
  searched: number;
  matched: number;
  lines: number;
  matches: number;
  bytes: number;
  printed: number;
}

function noCounts(): Counts {
  return { searched: 0, matched: 0, lines: 0, matches: 0, bytes: 0, printed: 0 };
}

/** Times are given as none, so that the same search prints the same. */
const NO_TIME = { secs: 0, nanos: 0, human: '0s' };

export class RgReport {
  readonly total: Counts = noCounts();
  private readonly printer: RgPrinter;
  private printedBefore = 0;

  constructor(printer: RgPrinter) {
    this.printer = printer;
  }

  begin(name: string): void {
    this.printedBefore = this.printer.out.size;
    this.printer.json('begin', { path: { text: name } });
  }

  end(name: string, { lines, matches, bytes }: Pick<Counts, 'lines' | 'matches' | 'bytes'>): void {
    const printed = this.printer.out.size - this.printedBefore;
    this.total.printed += printed;
    this.printer.json('end', {
      path: { text: name },
      binary_offset: null,
      stats: {
        elapsed: NO_TIME,
        searches: 1,
        searches_with_match: lines > 0 ? 1 : 0,
        bytes_searched: bytes,
        bytes_printed: printed,
        matched_lines: lines,
        matches,
      },
    });
  }

  /** The last JSON object; ripgrep puts the names in it in their order. */
  summary(): void {
    const { searched, matched, lines, matches, bytes, printed } = this.total;
    this.printer.line({
      data: {
        elapsed_total: NO_TIME,
        stats: {
          bytes_printed: printed,
          bytes_searched: bytes,
          elapsed: NO_TIME,
          matched_lines: lines,
          matches,
          searches: searched,
          searches_with_match: matched,
        },
      },
      type: 'summary',
    });
  }

  /** What --stats prints. */
  statistics(): void {
    const { searched, matched, lines, matches, bytes } = this.total;
    const counts = [
      `${matches} matches`,
      `${lines} matched lines`,
      `${matched} files contained matches`,
      `${searched} files searched`,
      `${this.printer.printedBytes} bytes printed`,
      `${bytes} bytes searched`,
      '0.000000 seconds spent searching',
      '0.000000 seconds',
    ];
    this.printer.out.add(`\n${counts.join('\n')}\n`);
  }
}
