/** From grep's pattern list to the matcher. */
import {
  alt,
  assertion,
  cat,
  EMPTY,
  isRegular,
  type Node,
  PatternError,
} from '../support/literal/ast.ts';
import type { Budget } from '../support/literal/budget.ts';
import { asciiWord, posixWord } from '../support/literal/charset.ts';
import { type LineMatcher, Matcher, type Pattern } from '../support/literal/matcher.ts';
import { type PerlPattern, parsePerl } from '../support/literal/perl.ts';
import { type ParsedPosix, parseFixed, parsePosix } from '../support/literal/posix.ts';
import { BYTES, UTF8 } from '../support/literal/utf8.ts';
import { WordMatcher } from '../support/literal/words.ts';
import type { Syntax } from './options.ts';

export interface PatternOptions {
  syntax: Syntax;
  ignoreCase: boolean;
  word: boolean;
  line: boolean;
  /** The byte that ends a line. */
  eol: number;
  /** One byte a character: the C locale. */
  unibyte: boolean;
}

/** Beginnings that many strings share are matched once. */
function trie(words: string[][], options: PatternOptions): Node {
  const branches = new Map<string, string[][]>();
  const items: Node[] = [];
  for (const [head, ...tail] of words) {
    if (head === undefined) {
      if (items.length === 0) items.push(EMPTY);
      continue;
    }
    const branch = branches.get(head);
    if (branch) branch.push(tail);
    else branches.set(head, [tail]);
  }
  for (const [head, tails] of branches) {
    const only = tails.length === 1 ? tails[0] : undefined;
    const rest = only ? fixedLine(only.join(''), options) : trie(tails, options);
    items.push(cat([fixedLine(head, options), rest]));
  }
  return alt(items);
}

function fixedLine(line: string, { ignoreCase, unibyte }: PatternOptions): Node {
  return parseFixed(line, ignoreCase, unibyte);
}

function fixed(lines: string[], options: PatternOptions): Node {
  if (lines.length <= 12) return alt(lines.map((line) => fixedLine(line, options)));
  return trie(
    lines.map((line) => Array.from(line)),
    options,
  );
}

function wholeLine(tree: Node): Node {
  return cat([assertion('lineStart'), tree, assertion('lineEnd')]);
}

function wholeWord(tree: Node): Node {
  return cat([assertion('noWordBefore'), tree, assertion('noWordAfter')]);
}

function wrap(tree: Node, { line, word }: PatternOptions): Node {
  if (line) return wholeLine(tree);
  return word ? wholeWord(tree) : tree;
}

type Rules = Pick<Pattern, 'eol' | 'crossLines' | 'encoding' | 'rawWords'>;

function perlPattern(lines: string[], options: PatternOptions, rules: Rules): Pattern {
  if (lines.length > 1) throw new PatternError('the -P option only supports a single pattern');
  const line = lines[0] ?? '';
  if (!line.isWellFormed()) {
    throw new PatternError(
      '-P with a pattern that is not UTF-8 is not supported here; use LC_ALL=C',
    );
  }
  const words = options.word && !options.line;
  const parse = (pattern: string): PerlPattern =>
    parsePerl(pattern, {
      dialect: 'pcre',
      ignoreCase: options.ignoreCase,
      dotAll: false,
      text: options.eol === 0 ? 'line with newlines' : 'line',
      unibyte: options.unibyte,
      verbs: !words,
    });
  // GNU puts -w around the text of the pattern, which may swallow the end of that.
  if (words) parse(`(?<!\\w)(?:${line})(?!\\w)`);
  const { tree, word } = parse(line);
  return { ...rules, tree: wrap(tree, options), longest: false, word };
}

/** What POSIX patterns come to; of several trees each is one that GNU runs apart. */
interface PosixTrees {
  /** They say which lines match. */
  lines: Node[];
  /** They say where in the line, if that is not the same. */
  places: Node[] | null;
  /** Does a line match only where there is such a place in it, too? */
  both: boolean;
}

/** One tree for all patterns without back-references, and one for each of the others. */
function grouped(trees: readonly Node[]): Node[] {
  const together = trees.filter(isRegular);
  const apart = trees.filter((tree) => !isRegular(tree));
  return together.length > 0 ? [alt(together), ...apart] : apart;
}

function posixTrees(
  lines: string[],
  options: PatternOptions,
  warn: (message: string) => void,
): PosixTrees {
  if (options.syntax === 'fixed')
    return { lines: [fixed(lines, options)], places: null, both: false };
  const { ignoreCase, unibyte } = options;
  const shared = { extended: options.syntax === 'extended', ignoreCase, unibyte };
  let firstGroup = 0;
  const parsed = lines.map((line) => {
    const own = parsePosix(line, { ...shared, firstGroup, warn });
    const read = (byRegex: boolean): ParsedPosix =>
      parsePosix(line, { ...shared, firstGroup, warn: () => undefined, byRegex });
    // Both read it, the C library for its errors and for places.
    const place = own.contested ? read(true) : own;
    firstGroup = Math.max(own.groups, place.groups);
    return { own, place, plain: own.braced ? read(false) : own };
  });
  const trees = (key: 'own' | 'place' | 'plain'): Node[] => grouped(parsed.map((p) => p[key].tree));
  const places = trees('place');
  // Words beyond ASCII are the C library's affair altogether.
  const left = options.word && !options.line && !unibyte;
  if (
    parsed.some(({ own }) => own.braced) &&
    !options.line &&
    (left || parsed.some(({ own }) => own.byRegex))
  ) {
    return { lines: trees('plain'), places, both: true };
  }
  if (left) return { lines: places, places: null, both: false };
  const contested = parsed.some(({ own }) => own.contested);
  return { lines: trees('own'), places: contested ? places : null, both: false };
}

/** Lines by one matcher, places by another. */
class SplitMatcher implements LineMatcher {
  private readonly lines: LineMatcher;
  private readonly places: LineMatcher;
  private readonly eol: number | null;

  /** @param eol what ends a line, if one is only found where it has a place, too */
  constructor(lines: LineMatcher, places: LineMatcher, eol: number | null) {
    this.lines = lines;
    this.places = places;
    this.eol = eol;
  }

  get start(): number {
    return this.places.start;
  }

  get end(): number {
    return this.places.end;
  }

  get literal(): boolean {
    return this.lines.literal;
  }

  get required(): readonly Buffer[] | null {
    return this.lines.required;
  }

  begin(size: number): void {
    this.lines.begin(size);
    this.places.begin(size);
  }

  find(buf: Uint8Array, from: number, to: number): number {
    const { eol } = this;
    if (eol === null) return this.lines.find(buf, from, to);
    for (let at = from; at <= to; ) {
      const found = this.lines.find(buf, at, to);
      if (found === -1) return -1;
      const start = found === 0 ? 0 : Math.max(from, buf.lastIndexOf(eol, found - 1) + 1);
      const next = buf.indexOf(eol, found);
      const end = next === -1 || next > to ? to : next;
      if (this.places.find(buf, start, end) !== -1) return found;
      at = end + 1;
    }
    return -1;
  }

  extent(buf: Uint8Array, base: number, to: number, from: number): boolean {
    return this.places.extent(buf, base, to, from);
  }
}

/**
 * Compiles grep's patterns, each of them one line of `lines`, in the C locale
 * one character a byte.
 * @throws PatternError in GNU grep's words
 */
export function grepMatcher(
  lines: string[],
  options: PatternOptions,
  budget: Budget,
  warn: (message: string) => void,
): LineMatcher {
  const { unibyte } = options;
  const perl = options.syntax === 'perl';
  const rules = {
    eol: options.eol,
    crossLines: false,
    encoding: unibyte ? BYTES : UTF8,
    rawWords: !perl,
  };
  if (perl) return new Matcher(perlPattern(lines, options, rules), budget);
  const word = unibyte ? asciiWord : posixWord();
  const matcher = (trees: Node[], isWord = options.word && !options.line): LineMatcher => {
    const tree = wrap(alt(trees), { ...options, word: isWord });
    const pattern = { ...rules, longest: true, word, tree };
    if (!isWord) return new Matcher(pattern, budget);
    return new WordMatcher(pattern, trees, budget);
  };
  const trees = posixTrees([...new Set(lines)], options, warn);
  if (trees.places === null) return matcher(trees.lines);
  const places = matcher(trees.places);
  // Of such a pattern GNU's automaton looks for lines without regard to words.
  if (trees.both) return new SplitMatcher(matcher(trees.lines, false), places, options.eol);
  return new SplitMatcher(matcher(trees.lines), places, null);
}
