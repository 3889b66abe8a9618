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

export function noCounts(): Counts {
  return { searched: 0, matched: 0, lines: 0, matches: 0, bytes: 0, printed: 0 };
}

interface Elapsed {
  secs: number;
  nanos: number;
  human: string;
}

/** A time as ripgrep writes it, to the millisecond. */
function elapsed(ms: number): Elapsed {
  const secs = Math.floor(ms / 1000);
  return { secs, nanos: (ms % 1000) * 1_000_000, human: `${(ms / 1000).toFixed(6)}s` };
}

export class RgReport {
  readonly total: Counts = noCounts();
  private readonly printer: RgPrinter;
  private readonly began = Date.now();
  private fileBegan = 0;
  private printedBefore = 0;

  constructor(printer: RgPrinter) {
    this.printer = printer;
  }

  begin(name: string): void {
    this.fileBegan = Date.now();
    this.printedBefore = this.printer.out.length;
    this.printer.json('begin', { path: { text: name } });
  }

  end(name: string, { lines, matches, bytes }: Pick<Counts, 'lines' | 'matches' | 'bytes'>): void {
    const printed = this.printer.out.length - this.printedBefore;
    this.total.printed += printed;
    this.printer.json('end', {
      path: { text: name },
      binary_offset: null,
      stats: {
        elapsed: elapsed(Date.now() - this.fileBegan),
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
    const took = elapsed(Date.now() - this.began);
    this.printer.line({
      data: {
        elapsed_total: took,
        stats: {
          bytes_printed: printed,
          bytes_searched: bytes,
          elapsed: took,
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
    const seconds = (Date.now() - this.began) / 1000;
    const counts = [
      `${matches} matches`,
      `${lines} matched lines`,
      `${matched} files contained matches`,
      `${searched} files searched`,
      `${this.printer.out.length} bytes printed`,
      `${bytes} bytes searched`,
      `${seconds.toFixed(6)} seconds spent searching`,
      `${seconds.toFixed(6)} seconds`,
    ];
    this.printer.out += `\n${counts.join('\n')}\n`;
  }
}
