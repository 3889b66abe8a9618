/** From grep's pattern list to the engine's pattern. */
import {
  alt,
  assertion,
  cat,
  EMPTY,
  type Node,
  nullable,
  PatternError,
} from '../../src/search/literal/ast.ts';
import { posixWord } from '../../src/search/literal/charset.ts';
import type { Pattern } from '../../src/search/literal/matcher.ts';
import { parsePerl } from '../../src/search/literal/perl.ts';
import { parseFixed, parsePosix } from '../../src/search/literal/posix.ts';
import type { Syntax } from './options.ts';

export interface PatternOptions {
  syntax: Syntax;
  ignoreCase: boolean;
  word: boolean;
  line: boolean;
  /** The byte that ends a line. */
  eol: number;
}

/** Beginnings that many strings share are matched once. */
function trie(words: string[][], ignoreCase: boolean): Node {
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
    const rest = only ? parseFixed(only.join(''), ignoreCase) : trie(tails, ignoreCase);
    items.push(cat([parseFixed(head, ignoreCase), rest]));
  }
  return alt(items);
}

function fixed(lines: string[], ignoreCase: boolean): Node {
  if (lines.length <= 12) return alt(lines.map((line) => parseFixed(line, ignoreCase)));
  return trie(
    lines.map((line) => Array.from(line)),
    ignoreCase,
  );
}

function wrap(tree: Node, options: PatternOptions): Node {
  if (options.line) return cat([assertion('lineStart'), tree, assertion('lineEnd')]);
  if (!options.word) return tree;
  const words = (inner: Node): Node =>
    cat([assertion('noWordBefore'), inner, assertion('noWordAfter')]);
  if (options.syntax === 'perl' || !nullable(tree)) return words(tree);
  // GNU shortens a match that is no word, but not to nothing: an empty one must be the longest.
  const filled: Node = { kind: 'filled', item: tree };
  return alt([words(filled), words({ kind: 'look', item: filled, ahead: true, negate: true })]);
}

/**
 * Compiles grep's patterns, each of them one line of `lines`.
 * @throws PatternError in GNU grep's words
 */
export function grepPattern(
  lines: string[],
  options: PatternOptions,
  warn: (message: string) => void,
): Pattern {
  const shared = { eol: options.eol, crossLines: false };
  if (options.syntax === 'perl') {
    if (lines.length > 1) throw new PatternError('the -P option only supports a single pattern');
    const one = lines[0];
    if (one === undefined) return { ...shared, tree: alt([]), longest: false, word: posixWord() };
    const perl = parsePerl(one, { dialect: 'pcre', ignoreCase: options.ignoreCase, dotAll: false });
    return { ...shared, tree: wrap(perl.tree, options), longest: false, word: perl.word };
  }
  const unique = [...new Set(lines)];
  const posix = { ...shared, longest: true, word: posixWord() };
  if (options.syntax === 'fixed') {
    return { ...posix, tree: wrap(fixed(unique, options.ignoreCase), options) };
  }
  let groups = 0;
  const trees = unique.map((line) => {
    const parsed = parsePosix(line, {
      extended: options.syntax === 'extended',
      ignoreCase: options.ignoreCase,
      firstGroup: groups,
      warn,
    });
    groups = parsed.groups;
    return parsed.tree;
  });
  return { ...posix, tree: wrap(alt(trees), options) };
}
