/** csplit. */

import { formatInteger } from '../support/format.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { PosixPattern } from '../support/posix-pattern.ts';
import { splitLines, type Tool, toBuffer, toText } from '../support/tool.ts';

/** Where a piece ends. */
type Pattern =
  | { kind: 'line'; line: number; repeat: number; text: string }
  | {
      kind: 'regexp';
      skips: boolean;
      matches: (line: string) => boolean;
      offset: number;
      repeat: number;
      text: string;
    };

const unhinted = (message: string): UsageError => new UsageError(message, { hint: false });

function regexpPattern(text: string): Pattern {
  const mark = text[0] ?? '';
  const end = text.lastIndexOf(mark);
  if (end === 0) throw unhinted(`${text}: closing delimiter '${mark}' missing`);
  const offset = text.slice(end + 1);
  if (offset !== '' && !/^[-+]?\d+$/.test(offset))
    throw unhinted(`${text}: integer expected after delimiter`);
  const source = text.slice(1, end).replaceAll(`\\${mark}`, mark);
  const pattern = new PosixPattern(source, { extended: false });
  const matches = (line: string): boolean => pattern.test(line);
  return {
    kind: 'regexp',
    skips: mark === '%',
    matches,
    offset: Number(offset || 0),
    repeat: 0,
    text,
  };
}

function patternsOf(words: readonly string[], warn: (text: string) => void): Pattern[] {
  const out: Pattern[] = [];
  let before = 0;
  for (const word of words) {
    if (/^[/%]/.test(word)) out.push(regexpPattern(word));
    else if (/^\{.*\}$/s.test(word) && out.length > 0) {
      const times = word.slice(1, -1);
      if (times !== '*' && !/^\d+$/.test(times))
        throw new UsageError(`${word}: integer required between '{' and '}'`);
      const last = out.at(-1);
      if (last !== undefined) last.repeat = times === '*' ? Infinity : Number(times);
    } else {
      if (!/^\d+$/.test(word)) throw unhinted(`${word}: invalid pattern`);
      const line = Number(word);
      if (line === 0) throw unhinted(`${word}: line number must be greater than zero`);
      if (line < before)
        throw unhinted(`line number '${word}' is smaller than preceding line number, ${before}`);
      if (line === before)
        warn(`warning: line number '${word}' is the same as preceding line number`);
      before = line;
      out.push({ kind: 'line', line, repeat: 0, text: word });
    }
  }
  return out;
}

/** What is out of range; the pieces so far are removed unless they are to be kept. */
class OutOfRange extends Error {
  override readonly name = 'OutOfRange';
}

/** Cuts lines into pieces. */
class Cutter {
  readonly pieces: string[][] = [];
  readonly #lines: readonly string[];
  readonly #suppress: boolean;
  #at = 0;

  constructor(lines: readonly string[], suppress: boolean) {
    this.#lines = lines;
    this.#suppress = suppress;
  }

  cut(patterns: readonly Pattern[]): void {
    for (const pattern of patterns) {
      for (let turn = 0; turn <= pattern.repeat; turn++) {
        const going =
          pattern.kind === 'line' ? this.#line(pattern, turn) : this.#regexp(pattern, turn);
        if (!going) break;
      }
    }
    this.pieces.push(this.#lines.slice(this.#at));
  }

  #line({ line, text }: Extract<Pattern, { kind: 'line' }>, turn: number): boolean {
    const to = line * (turn + 1) - 1;
    if (to > this.#lines.length || this.#at > this.#lines.length) {
      this.pieces.push(this.#lines.slice(this.#at));
      const times = turn > 0 ? ` on repetition ${turn}` : '';
      throw new OutOfRange(`'${text}': line number out of range${times}`);
    }
    this.pieces.push(this.#lines.slice(this.#at, to));
    this.#at = this.#suppress ? to + 1 : to;
    return true;
  }

  /** False where nothing is left and `{*}` ends with that. */
  #regexp(pattern: Extract<Pattern, { kind: 'regexp' }>, turn: number): boolean {
    const { matches, offset, skips, repeat, text } = pattern;
    // The line that ended the last piece does not end this one, too.
    let line = this.#began ? Math.max(this.#searched + 1, this.#at) : this.#at;
    while (line < this.#lines.length && !matches(this.#lines[line] ?? '')) line++;
    if (line >= this.#lines.length) {
      if (repeat === Infinity) {
        if (skips) this.#at = this.#lines.length;
        return false;
      }
      if (!skips) this.pieces.push(this.#lines.slice(this.#at));
      const times = turn > 0 ? ` on repetition ${turn}` : '';
      throw new OutOfRange(`'${text}': match not found${times}`);
    }
    const to = line + offset;
    if (to < this.#at || to > this.#lines.length) {
      throw new OutOfRange(`'${text}': line number out of range`);
    }
    if (!skips) this.pieces.push(this.#lines.slice(this.#at, to));
    this.#at = this.#suppress && offset === 0 ? to + 1 : to;
    this.#began = true;
    this.#searched = line;
    return true;
  }

  #began = false;
  /** The line that was found last. */
  #searched = 0;
}

function nameOf(options: Options): (index: number) => string {
  const prefix = options.get('f') ?? 'xx';
  const digits = options.get('n') ?? '2';
  if (!/^\d+$/.test(digits)) throw unhinted(`invalid number: '${digits}'`);
  const format = options.get('b');
  if (format === undefined)
    return (index) => `${prefix}${String(index).padStart(Number(digits), '0')}`;
  const conversions = format.replaceAll('%%', '').match(/%[-+ #0']*\d*(?:\.\d*)?./g) ?? [];
  if (conversions.length === 0) throw unhinted('missing % conversion specification in suffix');
  if (conversions.length > 1) throw unhinted('too many % conversion specifications in suffix');
  if (!/[diouxX]$/.test(conversions[0] ?? ''))
    throw unhinted(`invalid conversion specifier in suffix: ${conversions[0]?.at(-1)}`);
  const [before = '', after = ''] = format.split(conversions[0] ?? '');
  const plain = (text: string): string => text.replaceAll('%%', '%');
  return (index) =>
    prefix + plain(before) + formatInteger(conversions[0] ?? '', BigInt(index)) + plain(after);
}

export async function csplit(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'b:f:kn:sqz',
    long: {
      'suffix-format': 'b:',
      prefix: 'f:',
      'keep-files': 'k',
      'suppress-matched': 'suppress',
      digits: 'n:',
      quiet: 's',
      silent: 's',
      'elide-empty-files': 'z',
    },
  });
  const [file, ...words] = options.operands;
  if (file === undefined) throw new UsageError('missing operand');
  if (words.length === 0) throw new UsageError(`missing operand after '${file}'`);
  const name = nameOf(options);
  const patterns = patternsOf(words, (text) => tool.warn(text));
  const content = await tool.tryRead(file, 1, `cannot open '${file}' for reading`);
  if (content === undefined) return;
  const ended = content === '' || content.endsWith('\n');
  const lines = splitLines(content).map(toText);
  const cutter = new Cutter(lines, options.has('suppress'));
  try {
    cutter.cut(patterns);
  } catch (error) {
    if (!(error instanceof OutOfRange)) throw error;
    tool.fail(error.message);
  }
  const wanted = options.has('z')
    ? cutter.pieces.filter((piece) => piece.length > 0)
    : cutter.pieces;
  for (const [index, piece] of wanted.entries()) {
    const last = index === wanted.length - 1 && !ended && piece.length > 0;
    const bytes = toBuffer(
      Buffer.from(piece.map((line) => `${line}\n`).join('')).toString('latin1'),
    );
    const data = last ? bytes.subarray(0, -1) : bytes;
    if (!(options.has('s') || options.has('q'))) tool.print(`${data.length}\n`);
    // What failed leaves no files behind.
    if (tool.status !== 0 && !options.has('k')) continue;
    await tool.attempt(name(index), () => tool.fs.writeFile(tool.path(name(index)), data));
  }
}
