/** nl. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { posixRegex } from '../support/regex.ts';
import { defineTool, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';

const SECTIONS = ['header', 'body', 'footer'] as const;
type Section = (typeof SECTIONS)[number];

/** Which lines of a section are numbered. */
type Style = 'all' | 'filled' | 'none' | RegExp;

function styleOf(text: string, section: Section): Style {
  if (text === 'a') return 'all';
  if (text === 't') return 'filled';
  if (text === 'n') return 'none';
  if (text.startsWith('p')) return posixRegex(text.slice(1), 'basic');
  throw new UsageError(`invalid ${section} numbering style: '${text}'`);
}

function integerOf(
  options: Options,
  key: string,
  fallback: number,
  what: string,
  least?: number,
): number {
  const text = options.get(key);
  if (text === undefined) return fallback;
  const number = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new UsageError(`invalid ${what}: '${text}'`, { hint: false });
  if (least !== undefined && number < least) {
    throw new UsageError(`invalid ${what}: '${text}': Numerical result out of range`, {
      hint: false,
    });
  }
  return number;
}

/** Numbers the lines of all files as one text. */
class Numbering {
  readonly #tool: Tool;
  readonly #styles: Readonly<Record<Section, Style>>;
  readonly #marks: readonly [header: string, body: string, footer: string];
  readonly #format: string;
  readonly #keeps: boolean;
  readonly #first: number;
  readonly #step: number;
  readonly #width: number;
  readonly #join: number;
  readonly #separator: string;
  #section: Section = 'body';
  #next: number;
  #blanks = 0;

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#styles = {
      header: styleOf(options.get('h') ?? 'n', 'header'),
      body: styleOf(options.get('b') ?? 't', 'body'),
      footer: styleOf(options.get('f') ?? 'n', 'footer'),
    };
    this.#first = integerOf(options, 'v', 1, 'starting line number');
    this.#step = integerOf(options, 'i', 1, 'line number increment');
    this.#join = integerOf(options, 'l', 1, 'line number of blank lines', 1);
    this.#width = integerOf(options, 'w', 6, 'line number field width', 1);
    this.#format = options.get('n') ?? 'rn';
    if (!['ln', 'rn', 'rz'].includes(this.#format))
      throw new UsageError(`invalid line numbering format: '${this.#format}'`);
    this.#separator = toBytes(options.get('s') ?? '\t');
    this.#keeps = options.has('p');
    this.#next = this.#first;
    const given = toBytes(options.get('d') ?? '\\:');
    const mark = given.length === 1 ? `${given}:` : given;
    this.#marks = mark === '' ? ['', '', ''] : [mark.repeat(3), mark.repeat(2), mark];
  }

  line(line: string): void {
    const section = line === '' ? -1 : this.#marks.indexOf(line);
    if (section >= 0) {
      this.#section = SECTIONS[section] ?? 'body';
      if (!this.#keeps) this.#next = this.#first;
      this.#tool.write('\n');
    } else if (this.#isNumbered(line))
      this.#tool.write(`${this.#number()}${this.#separator}${line}\n`);
    else this.#tool.write(`${' '.repeat(this.#width + this.#separator.length)}${line}\n`);
  }

  #isNumbered(line: string): boolean {
    const style = this.#styles[this.#section];
    if (style === 'none') return false;
    if (style === 'filled') return line !== '';
    if (style !== 'all') return style.test(toText(line));
    if (this.#join === 1 || line !== '') {
      this.#blanks = 0;
      return true;
    }
    this.#blanks = (this.#blanks + 1) % this.#join;
    return this.#blanks === 0;
  }

  #number(): string {
    const number = this.#next;
    this.#next += this.#step;
    const digits = String(number);
    if (this.#format === 'ln') return digits.padEnd(this.#width);
    if (this.#format === 'rn') return digits.padStart(this.#width);
    const sign = number < 0 ? '-' : '';
    return sign + digits.slice(sign.length).padStart(this.#width - sign.length, '0');
  }
}

async function nl(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'b:d:f:h:i:l:n:ps:v:w:',
    long: {
      'body-numbering': 'b:',
      'section-delimiter': 'd:',
      'footer-numbering': 'f:',
      'header-numbering': 'h:',
      'line-increment': 'i:',
      'join-blank-lines': 'l:',
      'number-format': 'n:',
      'no-renumber': 'p',
      'number-separator': 's:',
      'starting-line-number': 'v:',
      'number-width': 'w:',
    },
  });
  const numbering = new Numbering(tool, options);
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name);
    for (const line of splitLines(content ?? '')) {
      numbering.line(line);
      const rest = tool.pulse();
      if (rest !== undefined) await rest;
    }
  }
}

/** nl. */
export const nlShims: ShimFactory = (host) => [
  defineTool(host, { name: 'nl', usage: 'Usage: nl [OPTION]... [FILE]...' }, nl),
];
