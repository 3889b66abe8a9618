/** A sed script, read into commands. */
import { UsageError } from '../support/getopt.ts';
import { PosixPattern } from '../support/posix-pattern.ts';
import { escapeAt, withCharacters, withWholeCharacters } from './escapes.ts';

/** A regular expression; undefined stands for the one used last. */
export type Pattern = PosixPattern | undefined;

/** What selects lines. */
export type Address =
  | { kind: 'line'; line: number }
  | { kind: 'last' }
  | { kind: 'regex'; regex: Pattern }
  | { kind: 'step'; first: number; step: number }
  | { kind: 'plus'; count: number }
  | { kind: 'multiple'; of: number };

/** A part of a replacement. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'group'; group: number }
  | { kind: 'case'; to: 'U' | 'L' | 'u' | 'l' | 'E' };

/** The `s` command. */
export interface Substitution {
  regex: Pattern;
  parts: Part[];
  global: boolean;
  print: boolean;
  nth: number;
  file: string | undefined;
}

/** One command. Blocks are flat: `{` knows where its `}` is. */
export interface SedCommand {
  name: string;
  from: Address | undefined;
  to: Address | undefined;
  negated: boolean;
  /** Text of a, i, c; label of b, t, T; file of r, R, w, W. */
  text: string;
  /** False where `a\` or `c\` ends the script. */
  hasText: boolean;
  substitution: Substitution | undefined;
  map: Map<string, string> | undefined;
  /** Exit status of q and Q, width of l. */
  number: number | undefined;
  /** Index of the matching `}`, or of a branch's target. */
  target: number;
}

const NO_TEXT = "expected \\ after `a', `c' or `i'";

/** Reads a script. Fails with {@link UsageError} in GNU's words. */
export class ScriptParser {
  readonly #source: string;
  readonly #extended: boolean;
  readonly #isBytes: boolean;
  readonly commands: SedCommand[] = [];
  readonly #blocks: number[] = [];
  readonly #labels = new Map<string, number>();
  #at = 0;

  /** @param isBytes is a character of the source a byte? */
  constructor(source: string, extended: boolean, isBytes: boolean) {
    this.#source = isBytes ? source : withWholeCharacters(source);
    this.#extended = extended;
    this.#isBytes = isBytes;
  }

  parse(): SedCommand[] {
    for (;;) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.#source.length) break;
      this.#command();
    }
    if (this.#blocks.length > 0) {
      // To GNU's that is a mistake of no place.
      this.#at = 0;
      this.#fail("unmatched `{'");
    }
    for (const command of this.commands) {
      if (!'btT'.includes(command.name)) continue;
      const target = command.text === '' ? this.commands.length : this.#labels.get(command.text);
      if (target === undefined) {
        throw new UsageError(`can't find label for jump to \`${command.text}'`, {
          hint: false,
          status: 4,
        });
      }
      command.target = target;
    }
    return this.commands;
  }

  #fail(message: string): never {
    throw new UsageError(`-e expression #1, char ${this.#at}: ${message}`, { hint: false });
  }

  /** Of a mistake that the character shows which comes next: GNU's has read it. */
  #failBehind(message: string): never {
    this.#at += 1;
    this.#fail(message);
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#source)?.[0] ?? '';
    this.#at += text.length;
    return text;
  }

  #number(): number | undefined {
    const text = this.#skip(/\d+/y);
    return text === '' ? undefined : Number(text);
  }

  #command(): void {
    const from = this.#address(false);
    let to: Address | undefined;
    this.#skip(/[ \t]*/y);
    if (from !== undefined && this.#source[this.#at] === ',') {
      this.#at++;
      this.#skip(/[ \t]*/y);
      to = this.#address(true);
      if (to === undefined) this.#failBehind("unexpected `,'");
    }
    if (from?.kind === 'line' && from.line === 0 && to?.kind !== 'regex') {
      this.#failBehind('invalid usage of line address 0');
    }
    this.#skip(/[ \t]*/y);
    const negated = this.#skip(/![ \t]*/y) !== '';
    if (this.#skip(/!/y) !== '') this.#fail("multiple `!'s");
    const name = this.#source[this.#at++];
    if (name === undefined) this.#fail('missing command');
    const command: SedCommand = {
      name,
      from,
      to,
      negated,
      text: '',
      hasText: true,
      substitution: undefined,
      map: undefined,
      number: undefined,
      target: 0,
    };
    this.#body(command);
  }

  #body(command: SedCommand): void {
    const { name } = command;
    if (name === '#') {
      if (command.from !== undefined) this.#fail("comments don't accept any addresses");
      this.#skip(/[^\n]*/y);
      return;
    }
    if (name === ':') {
      if (command.from !== undefined) this.#fail(": doesn't want any addresses");
      const label = this.#skip(/[^\n;]*/y).trim();
      if (label === '') this.#fail('":" lacks a label');
      this.#labels.set(label, this.commands.length);
      return;
    }
    this.commands.push(command);
    if (name === '{') {
      this.#blocks.push(this.commands.length - 1);
      return;
    }
    if (name === '}') {
      const open = this.#blocks.pop();
      const block = open === undefined ? undefined : this.commands[open];
      if (block === undefined) this.#fail("unexpected `}'");
      block.target = this.commands.length - 1;
    } else if ('aic'.includes(name)) {
      const text = this.#text();
      if (text === undefined && name === 'i') this.commands.pop();
      command.hasText = text !== undefined;
      command.text = text ?? '';
      return;
    } else if (name === 's') command.substitution = this.#substitution();
    else if (name === 'y') command.map = this.#transliteration();
    else if ('btT'.includes(name)) {
      this.#skip(/[ \t]*/y);
      command.text = this.#skip(/[^\n;}]*/y).trim();
    } else if ('rRwW'.includes(name)) {
      this.#skip(/[ \t]*/y);
      command.text = this.#skip(/[^\n]*/y);
      if (command.text === '') this.#fail('missing filename in r/R/w/W commands');
    } else if ('qQlL'.includes(name)) {
      if (command.to !== undefined && name !== 'l') this.#fail('command only uses one address');
      this.#skip(/[ \t]*/y);
      command.number = this.#number();
    } else if (name === 'e') this.#fail('e command not supported here');
    else if (name === 'v') this.#skip(/[^\n;]*/y);
    else if (!'dDgGhHnNpPxzF='.includes(name)) this.#fail(`unknown command: \`${name}'`);
    this.#end();
  }

  #end(): void {
    this.#skip(/[ \t\r]*/y);
    const next = this.#source[this.#at];
    if (next === undefined || '\n;}#'.includes(next)) return;
    this.#at++;
    this.#fail('extra characters after command');
  }

  #address(second: boolean): Address | undefined {
    const char = this.#source[this.#at];
    if (char === undefined) return undefined;
    if (/\d/.test(char)) {
      const line = this.#number() ?? 0;
      if (second || this.#skip(/[ \t]*~[ \t]*/y) === '') return { kind: 'line', line };
      return { kind: 'step', first: line, step: this.#number() ?? 0 };
    }
    if (char === '$') {
      this.#at++;
      return { kind: 'last' };
    }
    if (second && (char === '+' || char === '~')) {
      this.#at++;
      const count = this.#number();
      if (count === undefined) this.#fail('expected number');
      return char === '+' ? { kind: 'plus', count } : { kind: 'multiple', of: count };
    }
    if (char !== '/' && char !== '\\') return undefined;
    this.#at += char === '/' ? 1 : 2;
    const delimiter = this.#source[this.#at - 1] ?? '';
    const source = this.#delimited(delimiter, true);
    if (source === undefined) this.#fail('unterminated address regex');
    return { kind: 'regex', regex: this.#regex(source, this.#skip(/[IM]*/y)) };
  }

  #regex(source: string, flags: string): Pattern {
    if (source === '') return undefined;
    const style = { ignoreCase: /i/i.test(flags), multiline: /m/i.test(flags) };
    try {
      return new PosixPattern(withCharacters(source, this.#isBytes), {
        extended: this.#extended,
        ...style,
      });
    } catch (error) {
      if (error instanceof UsageError) this.#fail(error.message);
      throw error;
    }
  }

  /** Text up to a delimiter; `\` before it takes its meaning away. undefined without an end. */
  #delimited(delimiter: string, regex: boolean): string | undefined {
    let out = '';
    let bracket = false;
    for (; this.#at < this.#source.length; this.#at++) {
      const char = this.#source[this.#at] ?? '';
      if (bracket) {
        const named = /^\[([:.=])[^\]]*?\1\]/.exec(this.#source.slice(this.#at, this.#at + 40));
        if (named !== null) {
          out += named[0];
          this.#at += named[0].length - 1;
          continue;
        }
        if (char === ']') bracket = false;
        out += char;
      } else if (char === '\\') {
        const next = this.#source[++this.#at] ?? '';
        if (next === delimiter && delimiter !== '\\') {
          // Without its backslash it means in a pattern what the character means there.
          out += !regex && next === '&' ? '\\&' : next;
        } else if (next === 'n' && delimiter === 'n') out += 'n';
        else out += `\\${next}`;
      } else if (char === delimiter) {
        this.#at++;
        return out;
      } else if (regex && char === '[') {
        bracket = true;
        const lead = /^\[\^?\]?/.exec(this.#source.slice(this.#at))?.[0] ?? '[';
        out += lead;
        this.#at += lead.length - 1;
      } else if (char === '\n' && regex && delimiter === '/') return undefined;
      else out += char;
    }
    return undefined;
  }

  /** The text of a, i or c; undefined where the script ends behind `a\`. */
  #text(): string | undefined {
    this.#skip(/[ \t]*/y);
    if (this.#source[this.#at] === '\\') {
      this.#at++;
      this.#skip(/[ \t]*\n/y);
      if (this.#at >= this.#source.length && this.#source.at(-1) !== '\n') return undefined;
    }
    let out = '';
    for (; this.#at < this.#source.length; this.#at++) {
      const char = this.#source[this.#at] ?? '';
      if (char === '\n') break;
      if (char === '\\' && this.#at + 1 < this.#source.length) {
        const { text, length } = escapeAt(this.#source, this.#at + 1);
        out += text;
        this.#at += length;
      } else out += char;
    }
    if (out === '' && this.#at >= this.#source.length && this.#source.at(-1) !== '\n')
      this.#fail(NO_TEXT);
    return out;
  }

  #substitution(): Substitution {
    const delimiter = this.#source[this.#at++] ?? '';
    const unterminated = "unterminated `s' command";
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\') this.#fail(unterminated);
    const source = this.#delimited(delimiter, true);
    const replacement = source === undefined ? undefined : this.#delimited(delimiter, false);
    if (source === undefined || replacement === undefined) this.#fail(unterminated);
    const out: Substitution = {
      regex: undefined,
      parts: parts(replacement),
      global: false,
      print: false,
      nth: 1,
      file: undefined,
    };
    let flags = '';
    let hasNumber = false;
    for (;;) {
      const char = this.#source[this.#at];
      const digits = this.#number();
      if (digits !== undefined) {
        if (hasNumber) this.#fail("multiple number options to `s' command");
        hasNumber = true;
        if (digits === 0) this.#fail("number option to `s' command may not be zero");
        out.nth = digits;
      } else if (char === 'g') {
        if (out.global) this.#failBehind("multiple `g' options to `s' command");
        out.global = true;
      } else if (char === 'p') {
        if (out.print) this.#failBehind("multiple `p' options to `s' command");
        out.print = true;
      } else if (char !== undefined && 'iImM'.includes(char)) flags += char;
      else if (char === 'w') {
        this.#at++;
        this.#skip(/[ \t]*/y);
        out.file = this.#skip(/[^\n]*/y);
        break;
      } else if (char === undefined || /[\s;}#]/.test(char)) break;
      else {
        this.#at++;
        this.#fail("unknown option to `s'");
      }
      if (digits === undefined) this.#at++;
    }
    out.regex = this.#regex(source, flags);
    this.#checkGroups(out);
    return out;
  }

  #checkGroups({ regex, parts }: Substitution): void {
    if (regex === undefined) return;
    for (const part of parts) {
      if (part.kind === 'group' && part.group > regex.groups) {
        this.#fail(`invalid reference \\${part.group} on \`s' command's RHS`);
      }
    }
  }

  #transliteration(): Map<string, string> {
    const delimiter = this.#source[this.#at++] ?? '';
    const read = (): string[] => {
      const text = this.#delimited(delimiter, false);
      if (text === undefined) this.#fail("unterminated `y' command");
      return [
        ...text.replace(/\\(?:[xod][0-9A-Fa-f]{1,3}|c?[\s\S])/g, (whole) => {
          const { text: char, length } = escapeAt(whole, 1);
          return char + whole.slice(1 + length);
        }),
      ];
    };
    const [a, b] = [read(), read()];
    if (a.length !== b.length) this.#fail("strings for `y' command are different lengths");
    return new Map(a.map((char, i) => [char, b[i] ?? '']));
  }
}

/** Reads a replacement. */
function parts(text: string): Part[] {
  const out: Part[] = [];
  const plain = (char: string): void => {
    const last = out.at(-1);
    if (last?.kind === 'text') last.text += char;
    else out.push({ kind: 'text', text: char });
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '&') out.push({ kind: 'group', group: 0 });
    else if (char !== '\\') plain(char);
    else {
      const next = text[++i] ?? '\\';
      if (/\d/.test(next)) out.push({ kind: 'group', group: Number(next) });
      else if (/[ULulE]/.test(next)) out.push({ kind: 'case', to: next as 'U' });
      else if (i >= text.length) plain('\\');
      else {
        const read = escapeAt(text, i);
        plain(read.text);
        i += read.length - 1;
      }
    }
  }
  return out;
}
