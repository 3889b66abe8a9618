/** Running a sed script over lines. */
import { UsageError } from '../support/getopt.ts';
import type { PosixPattern } from '../support/posix-pattern.ts';
import type { Address, Pattern, SedCommand, Substitution } from './script.ts';
import { expand, unambiguous } from './text.ts';

/** What the script's surroundings offer. */
export interface SedHost {
  /** Text as it is written: a byte string. */
  bytesOf(text: string): string;
  print(text: string): void;
  /** Adds to a `w` file. */
  write(file: string, text: string): void;
  /** The content of an `r` file; '' when there is none. */
  read(file: string): Promise<string>;
  pulse(): Promise<void> | undefined;
}

/** A stream of lines to edit. */
export interface Input {
  name: string;
  lines: readonly string[];
  /** Lines, from 0, that have no newline behind them: the last one of a file may. */
  open: ReadonlySet<number>;
}

/** What lasts from file to file. */
export interface SedState {
  hold: string;
  line: number;
  /** Set by q and Q. */
  quit: number | undefined;
  last: Pattern;
  /** The newline of the last line printed is still owed. */
  missing: boolean;
  /** The files of `w` whose last line was written without one. */
  openFiles: Set<string>;
  /** Ranges that are open, by command: the line where they end, or 0 for a pattern to come. */
  ranges: Map<SedCommand, number>;
  /** Ranges from a line's number that are over: they do not open again. */
  closed: Set<SedCommand>;
}

/** A fresh state. */
export function sedState(): SedState {
  return {
    hold: '',
    line: 0,
    quit: undefined,
    last: undefined,
    missing: false,
    openFiles: new Set(),
    ranges: new Map(),
    closed: new Set(),
  };
}

/** Edits one stream. */
export class Editor {
  readonly #commands: readonly SedCommand[];
  readonly #host: SedHost;
  readonly #state: SedState;
  readonly #quiet: boolean;
  readonly #end: string;
  /** Of the lines of `l`. */
  readonly #width: number;
  readonly #input: Input;
  /** No stream follows: `$` and N look no further. */
  readonly #final: boolean;
  #at = 0;
  #space = '';
  #replaced = false;
  #queue: Array<() => Promise<void> | void> = [];
  readonly #readers = new Map<string, string[]>();

  constructor(
    commands: readonly SedCommand[],
    host: SedHost,
    state: SedState,
    input: Input,
    style: { quiet: boolean; end: string; width: number; final: boolean },
  ) {
    this.#commands = commands;
    this.#host = host;
    this.#state = state;
    this.#input = input;
    this.#quiet = style.quiet;
    this.#end = style.end;
    this.#width = style.width;
    this.#final = style.final;
  }

  async run(): Promise<void> {
    let restart = false;
    while (this.#state.quit === undefined && (restart || this.#next())) {
      restart = await this.#cycle();
      const rest = this.#host.pulse();
      if (rest !== undefined) await rest;
    }
  }

  #next(): boolean {
    const line = this.#input.lines[this.#at];
    if (line === undefined) return false;
    this.#at++;
    this.#state.line++;
    this.#space = line;
    this.#replaced = false;
    return true;
  }

  get #isLast(): boolean {
    return this.#final && this.#at >= this.#input.lines.length;
  }

  /** Prints the newline that was held back before. */
  #owe(): void {
    if (this.#state.missing) this.#host.print(this.#end);
    this.#state.missing = false;
  }

  #print(text: string): void {
    if (text !== '') this.#owe();
    this.#host.print(text);
  }

  /** Has the line that was read last no newline behind it? */
  get #isOpen(): boolean {
    return this.#input.open.has(this.#at - 1);
  }

  /** Prints a line; one without a newline gets it when something follows. */
  #emit(text: string): void {
    const bare = this.#isOpen;
    this.#print(bare ? text : text + this.#end);
    if (bare) this.#state.missing = true;
  }

  /** The line for a `w` file, each of which, /dev/stdout too, knows of its own last newline alone. */
  #writeLine(file: string): void {
    const { openFiles } = this.#state;
    const held = openFiles.delete(file) ? this.#end : '';
    if (this.#isOpen) openFiles.add(file);
    this.#host.write(file, held + this.#space + (this.#isOpen ? '' : this.#end));
  }

  async #flush(): Promise<void> {
    const queue = this.#queue;
    this.#queue = [];
    for (const run of queue) {
      // Even what adds nothing ends the line before it.
      this.#owe();
      const waiting = run();
      if (waiting !== undefined) await waiting;
    }
  }

  /** One cycle; true when D asks for another one with what is left. */
  async #cycle(): Promise<boolean> {
    let pc = 0;
    let print = !this.#quiet;
    let restart = false;
    while (pc < this.#commands.length) {
      const command = this.#commands[pc];
      if (command === undefined) break;
      pc++;
      if (command.name === '}') continue;
      if (this.#selects(command) === command.negated) {
        if (command.name === '{') pc = command.target + 1;
        continue;
      }
      const step = await this.#execute(command);
      if (step === 'next') continue;
      if (step === 'jump') {
        pc = command.target;
        const rest = this.#host.pulse();
        if (rest !== undefined) await rest;
        continue;
      }
      restart = step === 'restart';
      if (step !== 'print') print = false;
      // Q leaves behind nothing, not even what an `a` before it would add.
      if (command.name === 'Q') this.#queue = [];
      break;
    }
    if (print) this.#emit(this.#space);
    if (this.#queue.length > 0) await this.#flush();
    return restart;
  }

  /** The pattern itself, or for an empty one the one that was used last. */
  #regexOf(pattern: Pattern): PosixPattern {
    const regex = pattern ?? this.#state.last;
    if (regex === undefined) {
      throw new UsageError('-e expression #1, char 0: no previous regular expression', {
        hint: false,
      });
    }
    this.#state.last = regex;
    return regex;
  }

  #matches(pattern: Pattern): boolean {
    return this.#regexOf(pattern).test(this.#space);
  }

  #hits(address: Address): boolean {
    const { line } = this.#state;
    switch (address.kind) {
      case 'line':
        return line === address.line;
      case 'last':
        return this.#isLast;
      case 'regex':
        return this.#matches(address.regex);
      case 'step':
        if (address.step <= 0) return line === address.first;
        return line >= address.first && (line - address.first) % address.step === 0;
      default:
        return false;
    }
  }

  #selects(command: SedCommand): boolean {
    const { from, to } = command;
    if (from === undefined) return true;
    if (to === undefined) return this.#hits(from);
    const { ranges, line } = this.#state;
    let until = ranges.get(command);
    if (until === undefined && from.kind === 'line' && from.line === 0 && line === 1) {
      ranges.set(command, 0);
      until = 0;
    }
    if (until === undefined) {
      if (from.kind === 'line') {
        // A command before this one may have kept the line from being seen here.
        if (this.#state.closed.has(command) || line < from.line) return false;
        if (to.kind === 'line' && line >= to.line) {
          this.#state.closed.add(command);
          return line === from.line;
        }
      } else if (!this.#hits(from)) return false;
      let end = 0;
      if (to.kind === 'line') end = to.line;
      else if (to.kind === 'plus') end = line + to.count;
      else if (to.kind === 'multiple') end = to.of <= 0 ? line : line - (line % to.of) + to.of;
      const open = to.kind === 'regex' || (to.kind === 'last' ? !this.#isLast : end > line);
      if (open) ranges.set(command, end);
      else if (from.kind === 'line') this.#state.closed.add(command);
      return true;
    }
    if (
      to.kind === 'regex'
        ? this.#matches(to.regex)
        : to.kind === 'last'
          ? this.#isLast
          : line >= until
    ) {
      ranges.delete(command);
      if (from.kind === 'line') this.#state.closed.add(command);
      // A range by number that was passed over (by n or N) ended before this line.
      if (to.kind === 'line' && line > until) return from.kind !== 'line' && this.#hits(from);
    }
    return true;
  }

  /** `print` ends the cycle with, `stop` without printing. */
  async #execute(command: SedCommand): Promise<'next' | 'jump' | 'print' | 'stop' | 'restart'> {
    const state = this.#state;
    switch (command.name) {
      case 's':
        if (command.substitution !== undefined) this.#substitute(command.substitution);
        return 'next';
      case 'p':
        this.#emit(this.#space);
        return 'next';
      case 'd':
        return 'stop';
      case 'D': {
        const newline = this.#space.indexOf(this.#end);
        if (newline < 0) return 'stop';
        this.#space = this.#space.slice(newline + 1);
        return 'restart';
      }
      case 'P':
        this.#print((this.#space.split(this.#end, 1)[0] ?? '') + this.#end);
        return 'next';
      case 'n':
        if (this.#at >= this.#input.lines.length) {
          state.quit ??= this.#final ? 0 : undefined;
          return 'print';
        }
        if (!this.#quiet) this.#emit(this.#space);
        await this.#flush();
        this.#advance();
        return 'next';
      case 'N': {
        if (this.#at >= this.#input.lines.length) {
          state.quit ??= this.#final ? 0 : undefined;
          return 'print';
        }
        await this.#flush();
        const before = this.#space;
        this.#advance();
        this.#space = before + this.#end + this.#space;
        return 'next';
      }
      case 'b':
        return 'jump';
      case 't':
      case 'T': {
        const jump = this.#replaced === (command.name === 't');
        this.#replaced = false;
        return jump ? 'jump' : 'next';
      }
      case 'q':
        state.quit = command.number ?? 0;
        return 'print';
      case 'Q':
        state.quit = command.number ?? 0;
        return 'stop';
      default:
        return this.#simple(command);
    }
  }

  #advance(): void {
    this.#space = this.#input.lines[this.#at++] ?? '';
    this.#state.line++;
  }

  /** Commands that never leave the cycle, save c. */
  #simple(command: SedCommand): 'next' | 'stop' {
    const state = this.#state;
    const { text } = command;
    switch (command.name) {
      case 'g':
        this.#space = state.hold;
        break;
      case 'G':
        this.#space += this.#end + state.hold;
        break;
      case 'h':
        state.hold = this.#space;
        break;
      case 'H':
        state.hold += this.#end + this.#space;
        break;
      case 'x':
        [this.#space, state.hold] = [state.hold, this.#space];
        break;
      case 'z':
        this.#space = '';
        break;
      case '=':
        this.#print(`${state.line}\n`);
        break;
      case 'F':
        this.#print(`${this.#input.name}\n`);
        break;
      case 'l':
        this.#print(
          unambiguous(this.#space, {
            width: command.number ?? this.#width,
            end: this.#end,
            bytesOf: this.#host.bytesOf,
          }),
        );
        break;
      case 'i':
        this.#print(`${text}\n`);
        break;
      case 'a':
        this.#queue.push(() => this.#print(command.hasText ? `${text}\n` : ''));
        break;
      case 'c':
        // A range is replaced as a whole, at its end.
        if (command.to === undefined || command.negated || !state.ranges.has(command)) {
          this.#print(command.hasText ? `${text}\n` : '');
        }
        return 'stop';
      case 'y':
        this.#space = Array.from(this.#space, (char) => command.map?.get(char) ?? char).join('');
        break;
      case 'r':
        this.#queue.push(async () => this.#print(await this.#host.read(text)));
        break;
      case 'R':
        this.#queue.push(() => this.#readLine(text));
        break;
      case 'w':
        this.#writeLine(text);
        break;
      case 'W':
        this.#host.write(text, `${this.#space.split(this.#end, 1)[0]}${this.#end}`);
        break;
      default:
        break;
    }
    return 'next';
  }

  async #readLine(file: string): Promise<void> {
    let lines = this.#readers.get(file);
    if (lines === undefined) {
      const text = await this.#host.read(file);
      lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
      this.#readers.set(file, lines);
    }
    const line = lines.shift();
    if (line !== undefined) this.#print(`${line}\n`);
  }

  #substitute({ regex: own, parts, global, print, nth, file }: Substitution): void {
    const regex = this.#regexOf(own);
    const text = this.#space;
    let out = '';
    let done = 0;
    let count = 0;
    let changed = false;
    let previous = -1;
    let from = 0;
    while (from <= text.length) {
      const match = regex.find(text, from);
      if (match === null) break;
      const end = match.index + match.text.length;
      const empty = match.text === '';
      from = empty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
      // An empty match right after another match is none.
      if (empty && match.index === previous) continue;
      previous = end;
      if (++count < nth) continue;
      out += text.slice(done, match.index) + expand(parts, match);
      done = end;
      changed = true;
      if (!global) break;
    }
    if (!changed) return;
    this.#space = out + text.slice(done);
    this.#replaced = true;
    if (print) this.#emit(this.#space);
    if (file !== undefined) this.#writeLine(file);
  }
}
