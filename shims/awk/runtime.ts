/** What a program has while it runs: variables, the record, input and output. */
import type { Tool } from '../support/tool.ts';
import { FatalError } from './errors.ts';
import { type FormatCache, formatNumber, toText } from './numbers.ts';
import { RandomSequence } from './random.ts';
import { AwkRecord } from './record.ts';
import { type Regex, RegexCache } from './regex.ts';
import { byContent, bySeparator, byWidths, type Splitter } from './split.ts';
import type { Streams } from './streams.ts';
import { AwkArray, isTrue, toNumber, type Value } from './values.ts';

/** The main input, as a program sees it. */
export interface RecordInput {
  /** The next record, undefined at the end. A promise only where another file must be opened. */
  next(): string | undefined | Promise<string | undefined>;
  /** Leaves the file at hand: nextfile. */
  skipFile(): Promise<void>;
}

export class Cell {
  value: Value = undefined;
}

/** A variable of a function that is running: a value, or an array. */
export type Local = Value | AwkArray;

/** Thrown by `next`, `nextfile` and `exit` inside a function. */
export class Jump extends Error {
  override readonly name = 'Jump';
  readonly signal: number;

  constructor(signal: number) {
    super('next or exit in a function');
    this.signal = signal;
  }
}

const DEFAULTS: Readonly<Record<string, Value>> = {
  FS: ' ',
  OFS: ' ',
  ORS: '\n',
  RS: '\n',
  SUBSEP: '\x1c',
  CONVFMT: '%.6g',
  OFMT: '%.6g',
  NR: 0,
  FNR: 0,
  RSTART: 0,
  RLENGTH: -1,
  IGNORECASE: 0,
  FPAT: '[^[:space:]]+',
};

/** Functions deeper than this are taken for endless. */
const MAX_DEPTH = 100_000;

export class Runtime {
  readonly tool: Tool;
  readonly regexes = new RegexCache();
  readonly formats: FormatCache = new Map();
  readonly random = new RandomSequence();
  readonly record: AwkRecord;
  readonly #cells = new Map<string, Cell>();
  readonly #arrays = new Map<string, AwkArray>();
  /** Variables of the function that runs. */
  frame: Local[] = [];
  depth = 0;
  /** The line of the program that runs. */
  line = 1;
  exitCode = 0;
  /** What `return` gave. */
  returned: Value = undefined;
  streams!: Streams;
  input!: RecordInput;
  readonly FS: Cell;
  readonly OFS: Cell;
  readonly ORS: Cell;
  readonly RS: Cell;
  readonly NR: Cell;
  readonly FNR: Cell;
  readonly SUBSEP: Cell;
  readonly CONVFMT: Cell;
  readonly OFMT: Cell;
  readonly RSTART: Cell;
  readonly RLENGTH: Cell;
  readonly RT: Cell;
  readonly FILENAME: Cell;
  /** Which variable says how records are split: the one assigned last. */
  #splitBy: 'FS' | 'FPAT' | 'FIELDWIDTHS' = 'FS';
  #splitter: Splitter | null = null;

  constructor(tool: Tool) {
    this.tool = tool;
    for (const [name, value] of Object.entries(DEFAULTS)) this.cell(name).value = value;
    this.FS = this.cell('FS');
    this.OFS = this.cell('OFS');
    this.ORS = this.cell('ORS');
    this.RS = this.cell('RS');
    this.NR = this.cell('NR');
    this.FNR = this.cell('FNR');
    this.SUBSEP = this.cell('SUBSEP');
    this.CONVFMT = this.cell('CONVFMT');
    this.OFMT = this.cell('OFMT');
    this.RSTART = this.cell('RSTART');
    this.RLENGTH = this.cell('RLENGTH');
    this.RT = this.cell('RT');
    this.FILENAME = this.cell('FILENAME');
    this.record = new AwkRecord({
      splitter: () => this.#currentSplitter(),
      separator: () => this.text(this.OFS.value),
      format: () => this.convfmt,
    });
  }

  cell(name: string): Cell {
    let cell = this.#cells.get(name);
    if (cell === undefined) {
      cell = new Cell();
      this.#cells.set(name, cell);
    }
    return cell;
  }

  array(name: string): AwkArray {
    let array = this.#arrays.get(name);
    if (array === undefined) {
      array = new AwkArray();
      this.#arrays.set(name, array);
    }
    return array;
  }

  get convfmt(): string {
    const { value } = this.CONVFMT;
    return typeof value === 'string' ? value : toText(value, '%.6g');
  }

  /** A value as text, as everywhere but in print. */
  text(value: Value): string {
    if (typeof value === 'string') return value;
    if (value === undefined) return '';
    return typeof value === 'number' ? formatNumber(value, this.convfmt) : value.text;
  }

  /** A value as print shows it. */
  shown(value: Value): string {
    if (typeof value === 'string') return value;
    if (value === undefined) return '';
    if (typeof value !== 'number') return value.text;
    return formatNumber(value, toText(this.OFMT.value, '%.6g'));
  }

  key(subscripts: readonly Value[]): string {
    const [first] = subscripts;
    if (subscripts.length === 1) return this.text(first);
    return subscripts.map((one) => this.text(one)).join(this.text(this.SUBSEP.value));
  }

  /** What assigning a variable of awk's own does beside; undefined for all others. */
  assigner(name: string): ((value: Value) => void) | undefined {
    const cell = this.cell(name);
    switch (name) {
      case 'NF':
        return (value) => this.record.resize(Math.trunc(toNumber(value)));
      case 'FS':
      case 'FPAT':
      case 'FIELDWIDTHS':
        return (value) => {
          this.record.split();
          cell.value = value;
          this.#splitBy = name;
          this.#splitter = null;
        };
      case 'RS':
        return (value) => {
          this.record.split();
          cell.value = value;
          this.#splitter = null;
        };
      case 'OFS':
        return (value) => {
          this.record.rebuild();
          cell.value = value;
        };
      case 'IGNORECASE':
        return (value) => {
          this.record.split();
          cell.value = value;
          this.regexes.ignoreCase = isTrue(value);
          this.#splitter = null;
        };
      default:
        return undefined;
    }
  }

  /** Assigns a global variable by its name, as from the command line. */
  assign(name: string, value: Value): void {
    const special = this.assigner(name);
    if (special === undefined) this.cell(name).value = value;
    else special(value);
  }

  #currentSplitter(): Splitter {
    this.#splitter ??= this.#makeSplitter();
    return this.#splitter;
  }

  #makeSplitter(): Splitter {
    if (this.#splitBy === 'FPAT') {
      return byContent(this.regexes.get(this.text(this.cell('FPAT').value)));
    }
    if (this.#splitBy === 'FIELDWIDTHS') {
      const widths = this.text(this.cell('FIELDWIDTHS').value);
      const splitter = byWidths(widths);
      if (splitter === undefined) throw new FatalError(`invalid FIELDWIDTHS value: \`${widths}'`);
      return splitter;
    }
    return bySeparator(this.text(this.FS.value), this.regexes, this.text(this.RS.value) === '');
  }

  /** A pattern that is worked out while the program runs. */
  regex(value: Value): Regex {
    return this.regexes.get(this.text(value));
  }

  /** Enters a function. */
  enter(): void {
    if (++this.depth > MAX_DEPTH) {
      throw new FatalError(`functions call one another ${MAX_DEPTH} deep: is there an end to it?`);
    }
  }
}
