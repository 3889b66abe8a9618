/** Sorts characters into classes that a program cannot tell apart, as they turn up. */
import { assertionBit } from './ast.ts';
import type { CharSet } from './charset.ts';
import { OP, type Program } from './program.ts';
import { type Encoding, INVALID } from './utf8.ts';

/**
 * What a neighbour of a position is, for assertions. The order matters: edges
 * come first, words last. `rawWord` is a byte that is no text and yet a letter to
 * the C library, which takes it for the character of that number: word edges see
 * a letter there, -w does not.
 */
export const KIND = { edge: 0, line: 1, other: 2, word: 3, rawWord: 4 } as const;

/** The classes that exist always: the end of the text, the line's end, invalid bytes. */
export const CLASS = { edge: 0, line: 1, invalid: 2, rawWord: 3 } as const;

/** An invalid byte of a pattern is this plus its value: a lone surrogate, as the shell passes it. */
const RAW = 0xdc00;

const WORD_ASSERTIONS =
  assertionBit('wordEdge') |
  assertionBit('notWordEdge') |
  assertionBit('wordStart') |
  assertionBit('wordEnd') |
  assertionBit('noWordBefore') |
  assertionBit('noWordAfter');

/** Does an assertion hold between two neighbours? The number indexes ASSERTIONS. */
export function holds(assertion: number, before: number, after: number): boolean {
  switch (assertion) {
    case 0:
      return before <= KIND.line;
    case 1:
      return after <= KIND.line;
    case 2:
      return before === KIND.edge;
    case 3:
      return after === KIND.edge;
    case 4:
      return before >= KIND.word !== after >= KIND.word;
    case 5:
      return before >= KIND.word === after >= KIND.word;
    case 6:
      return before < KIND.word && after >= KIND.word;
    case 7:
      return before >= KIND.word && after < KIND.word;
    case 8:
      return before !== KIND.word;
    case 9:
      return after !== KIND.word;
    default:
      return after <= KIND.line;
  }
}

/** What is a line and a letter, and how bytes make characters. */
export interface TextRules {
  /** The byte that ends a line. */
  eol: number;
  /** May a match hold that byte? */
  crossLines: boolean;
  /** What `\w` and word edges take for a letter. */
  word: CharSet;
  encoding: Encoding;
  /** May an invalid byte be a letter to word edges, as it may for the C library? */
  rawWords: boolean;
}

export class CharClasses {
  /** Class by byte for ASCII. */
  readonly ascii = new Uint16Array(128);
  /** Kind by class. */
  readonly kinds: number[] = [KIND.edge, KIND.line, KIND.other, KIND.rawWord];
  /** Index among the program's single characters by class, -1 for none. */
  readonly chars: number[] = [-1, -1, -1, -1];
  /** Membership in each of the program's sets, by class. */
  readonly members: Uint8Array[];
  private readonly wide = new Map<number, number>();
  private readonly bySignature = new Map<string, number>();
  private readonly known = new Set<number>();
  private readonly sets: CharSet[];

  readonly program: Program;
  readonly eol: number;
  readonly crossLines: boolean;
  readonly word: CharSet;
  readonly encoding: Encoding;
  private readonly rawWords: boolean;

  constructor(program: Program, text: TextRules) {
    this.program = program;
    const { eol, crossLines, word } = text;
    this.eol = eol;
    this.crossLines = crossLines;
    this.word = word;
    this.encoding = text.encoding;
    this.rawWords = text.rawWords && (program.assertions & WORD_ASSERTIONS) !== 0;
    this.sets = program.sets;
    for (let i = 0; i < program.ops.length; i++) {
      if (program.ops[i] === OP.char) this.known.add(program.a[i] as number);
    }
    const none = new Uint8Array(this.sets.length);
    this.members = [none, none, none, none];
    for (let cp = 0; cp < 128; cp++) this.ascii[cp] = this.make(cp);
    if (!crossLines) this.ascii[eol] = CLASS.line;
  }

  /** The class of what stands at a byte of 128 and above. */
  at(found: number, byte: number): number {
    if (found !== INVALID) return this.of(found >> 3);
    if (this.known.has(RAW + byte)) return this.of(RAW + byte);
    return this.kindOfRaw(byte) === KIND.rawWord ? CLASS.rawWord : CLASS.invalid;
  }

  private kindOfRaw(byte: number): number {
    return this.rawWords && this.word(byte) ? KIND.rawWord : KIND.other;
  }

  get size(): number {
    return this.kinds.length;
  }

  /** The class of a code point of 128 and above. */
  of(cp: number): number {
    const known = this.wide.get(cp);
    if (known !== undefined) return known;
    const made = this.make(cp);
    this.wide.set(cp, made);
    return made;
  }

  private make(cp: number): number {
    const raw = cp >= RAW + 128 && cp <= RAW + 255;
    // An invalid byte is what the pattern names, and in no set.
    const member = Uint8Array.from(this.sets, (has) => (!raw && has(cp) ? 1 : 0));
    const char = this.known.has(cp) ? cp : -1;
    const kind = raw ? this.kindOfRaw(cp - RAW) : this.kindOf(cp);
    const signature = `${kind} ${char} ${member.join('')}`;
    const known = this.bySignature.get(signature);
    if (known !== undefined) return known;
    this.kinds.push(kind);
    this.chars.push(char);
    this.members.push(member);
    this.bySignature.set(signature, this.kinds.length - 1);
    return this.kinds.length - 1;
  }

  /** Kinds are told apart only as far as the program's assertions ask. */
  private kindOf(cp: number): number {
    if (cp === this.eol) return this.program.assertions === 0 ? KIND.other : KIND.line;
    if ((this.program.assertions & WORD_ASSERTIONS) === 0) return KIND.other;
    return this.word(cp) ? KIND.word : KIND.other;
  }
}
