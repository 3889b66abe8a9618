/** An awk program cut into tokens, one at a time, since only the parser knows what a slash is. */
import { ProgramError } from './errors.ts';
import { UTF8 } from './text.ts';

export interface Token {
  kind:
    | 'number'
    | 'string'
    | 'name'
    | 'function'
    | 'builtin'
    | 'keyword'
    | 'op'
    | 'newline'
    | 'end';
  /** As written; of a string its value. */
  text: string;
  line: number;
  /** Where it begins in the program. */
  at: number;
}

const KEYWORDS = new Set(
  (
    'BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile ' +
    'exit return delete in getline print printf switch case default'
  ).split(' '),
);

const BUILTINS: ReadonlySet<string> = new Set(
  (
    'length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand ' +
    'tolower toupper system close fflush systime strftime mktime and or xor compl lshift rshift ' +
    'strtonum asort asorti isarray typeof patsplit'
  ).split(' '),
);

/** The longest come first. */
const OPERATORS = [
  ...['**=', '&&', '||', '++', '--', '+=', '-=', '*=', '/=', '%=', '^=', '**', '==', '<=', '>='],
  ...['!=', '!~', '>>', '|&', '{', '}', '(', ')', '[', ']', ';', ',', '+', '-', '*', '/', '%', '^'],
  ...['!', '>', '<', '|', '?', ':', '~', '$', '=', '@'],
];

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Text with its escape sequences replaced.
 * @param warn told of those that mean nothing
 */
export function readEscapes(text: string, warn: (message: string) => void): string {
  if (!text.includes('\\')) return text;
  const plain = text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|\n|([\s\S]))/g,
    (whole, hex?: string, octal?: string, char?: string) => {
      if (hex !== undefined) return byteCharacter(Number.parseInt(hex, 16));
      if (octal !== undefined) return byteCharacter(Number.parseInt(octal, 8) & 0xff);
      if (char === undefined) return whole === '\\\n' ? '' : whole;
      const meant = ESCAPES[char];
      if (meant === undefined) {
        warn(`escape sequence \`\\${char}' treated as plain \`${char}'`);
      }
      return meant ?? char;
    },
  );
  return plain.isWellFormed() ? plain : UTF8.decode(UTF8.encode(plain));
}

/** Beyond ASCII a number stands for a byte, of which several make a character. */
function byteCharacter(code: number): string {
  return String.fromCharCode(code < 128 ? code : 0xdc00 + code);
}

const BLANK = /(?:[ \t\r]|\\\r?\n|#[^\n]*)+/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const STRING = /"((?:\\[\s\S]|[^"\\\n])*)"/y;
const NAME = /[A-Za-z_]\w*/y;

export class Lexer {
  /** The token that is next. */
  token: Token = { kind: 'end', text: '', line: 1, at: 0 };
  readonly #source: string;
  readonly #warn: (message: string, line: number) => void;
  #at = 0;
  #line = 1;

  constructor(source: string, warn: (message: string, line: number) => void) {
    this.#source = source;
    this.#warn = warn;
    this.advance();
  }

  /** Where it stands, to come back to. */
  mark(): { at: number; line: number; token: Token } {
    return { at: this.#at, line: this.#line, token: this.token };
  }

  back(mark: { at: number; line: number; token: Token }): void {
    this.#at = mark.at;
    this.#line = mark.line;
    this.token = mark.token;
  }

  advance(): void {
    this.#take(BLANK);
    const at = this.#at;
    const line = this.#line;
    const [kind, text] = this.#read();
    this.token = { kind, text, line, at };
  }

  /** Reads the slash that is next, and what follows, as a pattern: its source. */
  regex(): string {
    const begin = this.token.at;
    let at = begin + 1;
    for (let bracket = 0; ; at++) {
      const char = this.#source[at];
      if (char === undefined || char === '\n') {
        throw new ProgramError('unterminated regexp', this.token.line, 1, this.token.at + 1);
      }
      if (char === '\\') at++;
      else if (bracket > 0) {
        const inner = /^\[[:.=][^\]\n]*?[:.=]\]/.exec(this.#source.slice(at, at + 40));
        if (inner !== null) at += inner[0].length - 1;
        // A bracket that closes at once is one of the set.
        else if (char === ']' && at > bracket) bracket = 0;
      } else if (char === '[') {
        bracket = at + (this.#source[at + 1] === '^' ? 2 : 1);
        if (bracket > at + 1) at++;
      } else if (char === '/') break;
    }
    const source = this.#source.slice(begin + 1, at);
    this.#at = at + 1;
    this.#line = this.token.line;
    this.advance();
    return source;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    for (const char of found[0]) if (char === '\n') this.#line++;
    return found;
  }

  #read(): [Token['kind'], string] {
    const line = this.#line;
    const char = this.#source[this.#at];
    if (char === undefined) return ['end', ''];
    if (char === '\n') {
      this.#at++;
      this.#line++;
      return ['newline', '\n'];
    }
    if (char === '"') {
      const found = this.#take(STRING);
      if (found === null) throw new ProgramError('unterminated string', line, 1, this.#at);
      return ['string', readEscapes(found[1] ?? '', (message) => this.#warn(message, line))];
    }
    const number = this.#take(NUMBER);
    if (number !== null) return ['number', number[0]];
    const name = this.#take(NAME);
    if (name !== null) return this.#word(name[0]);
    const operator = OPERATORS.find((one) => this.#source.startsWith(one, this.#at));
    if (operator === undefined) {
      throw new ProgramError(`invalid char '${char}' in expression`, line);
    }
    this.#at += operator.length;
    return ['op', operator];
  }

  #word(text: string): [Token['kind'], string] {
    if (KEYWORDS.has(text)) return ['keyword', text === 'func' ? 'function' : text];
    if (BUILTINS.has(text)) return ['builtin', text];
    return [this.#source[this.#at] === '(' ? 'function' : 'name', text];
  }
}
