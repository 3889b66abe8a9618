/** The main input: the files and assignments of ARGV, one record after the other. */
import { errnoOf, strerror } from '../support/tool.ts';
import { FatalError } from './errors.ts';
import { readEscapes } from './lexer.ts';
import type { RecordReader } from './reader.ts';
import type { RecordInput, Runtime } from './runtime.ts';
import { Input, toNumber } from './values.ts';

/** Told where a file begins and ends, for BEGINFILE and ENDFILE. */
export interface FileHooks {
  /** May skip the file, by giving false. */
  begin(): Promise<boolean>;
  end(): Promise<void>;
}

export class MainInput implements RecordInput {
  readonly #runtime: Runtime;
  readonly #hooks: FileHooks | null;
  #reader: RecordReader | null = null;
  /** The next element of ARGV. */
  #next = 1;
  #opened = false;
  #ended = false;

  constructor(runtime: Runtime, hooks: FileHooks | null) {
    this.#runtime = runtime;
    this.#hooks = hooks;
  }

  /** The next record, undefined at the end. A promise only where another file must be opened. */
  next(): string | undefined | Promise<string | undefined> {
    const record = this.#fromFile();
    return record === undefined ? this.#fromNextFile() : record;
  }

  #fromFile(): string | undefined {
    const runtime = this.#runtime;
    const reader = this.#reader;
    if (reader === null) return undefined;
    const record = reader.next(runtime.text(runtime.RS.value), runtime.regexes);
    if (record === undefined) return undefined;
    runtime.RT.value = reader.terminator;
    runtime.NR.value = toNumber(runtime.NR.value) + 1;
    runtime.FNR.value = toNumber(runtime.FNR.value) + 1;
    return record;
  }

  async #fromNextFile(): Promise<string | undefined> {
    for (;;) {
      const record = this.#fromFile();
      if (record !== undefined) return record;
      await this.skipFile();
      if (!(await this.#open())) return undefined;
    }
  }

  /** Leaves the file at hand: nextfile. */
  async skipFile(): Promise<void> {
    if (this.#reader === null) return;
    this.#reader = null;
    await this.#hooks?.end();
  }

  async #open(): Promise<boolean> {
    if (this.#ended) return false;
    const runtime = this.#runtime;
    const argv = runtime.array('ARGV').elements;
    for (; this.#next < toNumber(runtime.cell('ARGC').value); ) {
      const value = argv.get(String(this.#next++));
      if (value === undefined || (typeof value === 'object' && !(value instanceof Input))) continue;
      const operand = runtime.text(value);
      if (operand === '') continue;
      const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(operand);
      if (assignment !== null) {
        assignOperand(runtime, assignment[1] ?? '', assignment[2] ?? '');
        continue;
      }
      if (await this.#openFile(operand)) return true;
    }
    if (this.#opened) {
      this.#ended = true;
      return false;
    }
    return this.#openFile('-');
  }

  async #openFile(operand: string): Promise<boolean> {
    const runtime = this.#runtime;
    this.#opened = true;
    try {
      this.#reader = await runtime.streams.open(operand);
    } catch (error) {
      const text = strerror(error);
      if (text === undefined) throw error;
      if (errnoOf(error) === 'EISDIR') {
        runtime.tool.warn(`warning: command line argument \`${operand}' is a directory: skipped`);
        return false;
      }
      runtime.tool.complain(`fatal: cannot open file \`${operand}' for reading`, error, 2);
      throw new FatalError('');
    }
    runtime.FILENAME.value = new Input(operand);
    runtime.FNR.value = 0;
    if (this.#hooks !== null && !(await this.#hooks.begin())) {
      this.#reader = null;
      return false;
    }
    return true;
  }
}

/** `var=value` of the command line. */
export function assignOperand(runtime: Runtime, name: string, value: string): void {
  const text = readEscapes(value, (message) => runtime.tool.warn(`warning: ${message}`));
  runtime.assign(name, new Input(text));
}
