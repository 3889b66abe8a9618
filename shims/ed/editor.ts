/** ed's commands. */

import { UsageError } from '../support/getopt.ts';
import { type Tool, toBytes, toText } from '../support/tool.ts';
import { EdBuffer, EdError, type Range } from './buffer.ts';
import { parseSubstitution, type Substitution, substituted } from './substitute.ts';

export interface EditorOptions {
  silent: boolean;
  /** Messages at once, as with `H`. */
  verbose: boolean;
  /** Patterns are extended ones. */
  extended: boolean;
  prompt: string | undefined;
}

/** One session: reads its commands from lines. */
export class Editor {
  readonly #tool: Tool;
  readonly #input: string[];
  readonly #options: EditorOptions;
  readonly #buffer: EdBuffer;
  #file: string | undefined;
  #modified = false;
  /** Before the change that `u` takes back. */
  #wasModified = false;
  #warned = false;
  #substitution: Substitution | undefined;
  #message = '';
  #verbose: boolean;
  #prompts: boolean;
  /** Within `g`: its command list, which takes the place of the input. */
  #nested = false;
  failed = false;

  constructor(tool: Tool, input: string[], options: EditorOptions) {
    this.#tool = tool;
    this.#input = input;
    this.#options = options;
    this.#buffer = new EdBuffer(options.extended);
    this.#verbose = options.verbose;
    this.#prompts = options.prompt !== undefined;
  }

  async open(file: string): Promise<void> {
    this.#file = file;
    await this.#attempt(() => this.#read(file, 0, true));
    this.#modified = false;
  }

  async run(): Promise<void> {
    for (;;) {
      if (this.#prompts) this.#tool.print(this.#options.prompt ?? '*');
      const line = this.#input.shift();
      if (line === undefined) {
        // The end of the input is `q`, which asks once whether what was changed may go.
        if (this.#modified && !this.#warned) {
          this.#say(new EdError('Warning: buffer modified'));
          this.#tool.status = 2;
        }
        return;
      }
      const rest = this.#tool.pulse();
      if (rest !== undefined) await rest;
      if (!(await this.#attempt(() => this.#command(line)))) return;
    }
  }

  /** False where the session is over. */
  async #attempt(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UsageError) this.#say(new EdError(error.message));
      else if (error instanceof EdError) this.#say(error);
      else throw error;
      return true;
    }
  }

  #say(error: EdError): void {
    this.#message = error.message;
    this.#tool.print(this.#verbose ? `?\n${error.message}\n` : '?\n');
    this.failed = true;
  }

  async #read(file: string, after: number, isOpening = false): Promise<boolean> {
    let bytes: string;
    try {
      bytes = await this.#tool.read(file);
    } catch (error) {
      const before = this.#tool.stderr;
      const status = this.#tool.status;
      this.#tool.complain(file, error);
      const said = this.#tool.stderr.slice(before.length + this.#tool.name.length + 2).trimEnd();
      this.#tool.stderr = `${before}${said}\n`;
      this.#tool.status = isOpening ? status : 2;
      if (isOpening) return true;
      throw new EdError('Cannot open input file');
    }
    const lines = toText(bytes).split('\n');
    if (lines.at(-1) === '') lines.pop();
    this.#buffer.lines.splice(after, 0, ...lines);
    this.#buffer.dot = after + lines.length;
    if (!this.#options.silent)
      this.#tool.print(`${bytes.length + (bytes !== '' && !bytes.endsWith('\n') ? 1 : 0)}\n`);
    return true;
  }

  /** The lines of `a`, `i` and `c`, up to a lone dot. */
  #typed(): string[] {
    const lines: string[] = [];
    for (
      let line = this.#input.shift();
      line !== undefined && line !== '.';
      line = this.#input.shift()
    )
      lines.push(line);
    return lines;
  }

  #change(): void {
    if (!this.#nested) {
      this.#buffer.keep();
      this.#wasModified = this.#modified;
    }
    this.#modified = true;
  }

  #show(first: number, last: number, form: string): void {
    for (let i = first; i <= last; i++) {
      const line = this.#buffer.lines[i - 1] ?? '';
      const number = form.includes('n') ? `${i}\t` : '';
      this.#tool.write(toBytes(`${number}${form.includes('l') ? listed(line) : line}\n`));
    }
    this.#buffer.dot = last;
  }

  async #command(text: string): Promise<boolean> {
    const [range, rest] = this.#buffer.addresses(text);
    // Only the very next command may give up what it was warned of.
    const wasWarned = this.#warned;
    this.#warned = false;
    const letter = rest[0] ?? '';
    const argument = rest.slice(1);
    const { count } = range;
    const whole = (): Range =>
      count === 0 ? { first: 1, last: this.#buffer.lines.length, count: 2 } : range;
    const suffix = (): string => {
      if (!/^[pnl]*\s*$/.test(argument)) throw new EdError('Invalid command suffix');
      return argument.trim();
    };
    switch (letter) {
      case '': {
        // An empty line goes on to the next one, but stays where it is within `g`.
        const at = count > 0 ? range.last : this.#buffer.dot + (this.#nested ? 0 : 1);
        this.#buffer.check({ first: at, last: at, count }, 1);
        this.#show(at, at, '');
        return true;
      }
      case 'p':
      case 'n':
      case 'l':
        this.#buffer.check(range, 1);
        this.#show(range.first, range.last, letter + suffix());
        return true;
      case 'a':
      case 'i':
      case 'c':
      case 'd':
      case 'j':
      case 'm':
      case 't':
        this.#edit(letter, range, argument);
        return true;
      case 's':
        this.#substitute(range, argument);
        return true;
      case 'g':
      case 'v':
        return this.#global(whole(), argument, letter === 'g');
      case '=':
        if (count > 0) this.#buffer.check(range, 0);
        this.#tool.print(`${count === 0 ? this.#buffer.lines.length : range.last}\n`);
        return true;
      case 'k':
        this.#buffer.check(range, 1);
        if (!/^[a-z]$/.test(argument.trim())) throw new EdError('Invalid mark character');
        this.#buffer.mark(argument.trim(), range.last);
        return true;
      case 'u': {
        this.#buffer.undo();
        [this.#modified, this.#wasModified] = [this.#wasModified, this.#modified];
        return true;
      }
      case 'z': {
        const first = count === 0 ? this.#buffer.dot + 1 : range.last;
        this.#buffer.check({ first, last: first, count }, 1);
        this.#show(
          first,
          Math.min(this.#buffer.lines.length, first + Number(/\d+/.exec(argument)?.[0] ?? 22) - 1),
          '',
        );
        return true;
      }
      case '#':
        return true;
      default:
        return this.#files(letter, whole(), range, argument, wasWarned);
    }
  }

  #edit(letter: string, range: Range, argument: string): void {
    if (letter === 'a' || letter === 'i') {
      this.#buffer.check(range, 0);
      const lines = this.#typed();
      this.#change();
      const after = letter === 'a' ? range.last : Math.max(0, range.last - 1);
      this.#buffer.insert(after, lines);
      if (lines.length === 0) this.#buffer.dot = range.last;
      return;
    }
    const { first } = range;
    // A line alone is joined with nothing, but without an address with the next one.
    const last = letter === 'j' && range.count === 0 ? first + 1 : range.last;
    this.#buffer.check({ first, last, count: 2 }, 1);
    const taken = this.#buffer.lines.slice(first - 1, last);
    if (letter === 'm' || letter === 't') {
      const [{ last: target }, form] = this.#buffer.addresses(argument);
      if (target > this.#buffer.lines.length || target < 0) throw new EdError('Invalid address');
      if (letter === 'm' && target >= first && target < last)
        throw new EdError('Invalid destination');
      this.#change();
      if (letter === 'm') this.#buffer.lines.splice(first - 1, taken.length);
      this.#buffer.insert(letter === 'm' && target >= last ? target - taken.length : target, taken);
      this.#showCurrent(form);
      return;
    }
    if (letter === 'j' && first === last) {
      this.#showCurrent(argument);
      return;
    }
    const lines = letter === 'c' ? this.#typed() : letter === 'j' ? [taken.join('')] : [];
    this.#change();
    this.#buffer.lines.splice(first - 1, taken.length, ...lines);
    this.#buffer.dot =
      lines.length > 0 ? first - 1 + lines.length : Math.min(first, this.#buffer.lines.length);
    if (letter !== 'c') this.#showCurrent(argument);
  }

  /** What `p`, `n` and `l` behind a command ask for. */
  #showCurrent(letters: string): void {
    const form = letters.trim();
    if (/^[pnl]+$/.test(form)) this.#show(this.#buffer.dot, this.#buffer.dot, form);
  }

  #substitute(range: Range, argument: string): void {
    this.#buffer.check(range, 1);
    let text = argument;
    // A replacement may go on behind a backslash at the end of a line.
    while (/(?:^|[^\\])(?:\\\\)*\\$/.test(text) && this.#input.length > 0)
      text += `\n${this.#input.shift()}`;
    if (/^[\w\s]*$/.test(text)) {
      if (this.#substitution === undefined) throw new EdError('No previous substitution');
    } else
      this.#substitution = parseSubstitution(
        text,
        (source) => this.#buffer.compile(source),
        this.#substitution,
      );
    const wanted = this.#substitution;
    const done: Array<[number, string[]]> = [];
    for (let i = range.first; i <= range.last; i++) {
      const made = substituted(this.#buffer.lines[i - 1] ?? '', wanted);
      if (made !== undefined) done.push([i, made.split('\n')]);
    }
    if (done.length === 0) {
      if (this.#nested) return;
      throw new EdError('No match');
    }
    this.#change();
    let shift = 0;
    for (const [at, lines] of done) {
      this.#buffer.lines.splice(at - 1 + shift, 1, ...lines);
      shift += lines.length - 1;
      this.#buffer.dot = at + shift;
    }
    if (wanted.print !== '') this.#show(this.#buffer.dot, this.#buffer.dot, wanted.print);
  }

  async #global(range: Range, argument: string, matching: boolean): Promise<boolean> {
    if (this.#nested) throw new EdError('Cannot nest global commands');
    this.#buffer.check(range, 1);
    const delimiter = argument[0] ?? '/';
    const match = new RegExp(
      `^\\${delimiter}((?:\\\\.|\\[[^\\]]*\\]|[^\\\\\\${delimiter}])*)(?:\\${delimiter}|$)`,
      's',
    ).exec(argument);
    const pattern = this.#buffer.compile(match?.[1] ?? '');
    let list = argument.slice(match?.[0].length ?? 0);
    while (/\\$/.test(list) && this.#input.length > 0)
      list = `${list.slice(0, -1)}\n${this.#input.shift()}`;
    const marked = this.#buffer.lines
      .slice(range.first - 1, range.last)
      .map((line) => ({ line, is: pattern.test(line) === matching }));
    this.#change();
    this.#nested = true;
    const kept = this.#input.splice(0);
    try {
      // Lines are followed by their place from the end, which changes above them leave alone.
      let seen = range.first - 1;
      for (const { is } of marked) {
        const before = this.#buffer.lines.length;
        seen++;
        if (!is) continue;
        this.#buffer.dot = seen;
        this.#input.push(...(list.trim() === '' ? ['p'] : list.split('\n')));
        while (this.#input.length > 0) await this.#command(this.#input.shift() ?? '');
        seen += this.#buffer.lines.length - before;
      }
    } finally {
      this.#nested = false;
      this.#input.splice(0, this.#input.length, ...kept);
    }
    return true;
  }

  async #files(
    letter: string,
    whole: Range,
    range: Range,
    argument: string,
    wasWarned: boolean,
  ): Promise<boolean> {
    const name =
      argument.trim() === '' ? this.#file : argument.replace(/^q?\s*/, '').trim() || this.#file;
    const needed = (): string => {
      if (name === undefined) throw new EdError('No current filename');
      if (name.startsWith('!')) throw new EdError('Commands of the shell cannot be run from here');
      return name;
    };
    switch (letter) {
      case 'w':
      case 'W': {
        const file = needed();
        if (this.#buffer.lines.length > 0) this.#buffer.check(whole, 1);
        const bytes = toBytes(
          this.#buffer.lines
            .slice(whole.first - 1, whole.last)
            .map((line) => `${line}\n`)
            .join(''),
        );
        const path = this.#tool.path(file);
        const done = await this.#tool.attempt(
          file,
          async () => {
            const data = Buffer.from(bytes, 'latin1');
            await (letter === 'W'
              ? this.#tool.fs.appendFile(path, data)
              : this.#tool.fs.writeFile(path, data));
            return true;
          },
          2,
        );
        if (done === undefined) throw new EdError('Cannot open output file');
        this.#file ??= file;
        if (!this.#options.silent) this.#tool.print(`${bytes.length}\n`);
        if (range.count === 0) this.#modified = false;
        return !argument.startsWith('q');
      }
      case 'r':
        await this.#reading(needed(), range.count === 0 ? this.#buffer.lines.length : range.last);
        this.#file ??= name;
        return true;
      case 'e':
      case 'E':
        if (letter === 'e') this.#guard(wasWarned);
        this.#buffer.lines = [];
        this.#buffer.dot = 0;
        this.#file = needed();
        await this.#read(this.#file, 0, true);
        this.#modified = false;
        return true;
      case 'f':
        if (argument.trim() !== '') this.#file = argument.trim();
        this.#tool.print(`${needed()}\n`);
        return true;
      case 'q':
        this.#guard(wasWarned);
        return false;
      case 'Q':
        this.#modified = false;
        return false;
      case 'h':
        if (this.#message !== '') this.#tool.print(`${this.#message}\n`);
        return true;
      case 'H':
        this.#verbose = !this.#verbose;
        if (this.#verbose && this.#message !== '') this.#tool.print(`${this.#message}\n`);
        return true;
      case 'P':
        this.#prompts = !this.#prompts;
        return true;
      case '!':
        throw new EdError('Commands of the shell cannot be run from here');
      default:
        throw new EdError('Unknown command');
    }
  }

  async #reading(file: string, after: number): Promise<void> {
    this.#change();
    await this.#read(file, after);
  }

  /** Changes that were not written are given up only when asked twice. */
  #guard(wasWarned: boolean): void {
    if (!this.#modified || wasWarned) return;
    this.#warned = true;
    throw new EdError('Warning: buffer modified');
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  $: '\\$',
};

function listed(line: string): string {
  const text = [...line]
    .map(
      (char) =>
        ESCAPES[char] ??
        (char < ' ' || char > '~'
          ? [...Buffer.from(char)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
          : char),
    )
    .join('');
  return `${text}$`;
}
