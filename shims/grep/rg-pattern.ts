/** From rg's patterns to the engine's. */
import { alt, assertion, cat, type Node, PatternError } from '../support/literal/ast.ts';
import type { Pattern } from '../support/literal/matcher.ts';
import { type PerlPattern, parsePerl } from '../support/literal/perl.ts';
import { parseFixed } from '../support/literal/posix.ts';
import { UTF8 } from '../support/literal/utf8.ts';
import { UsageError } from './errors.ts';
import type { RgOptions } from './rg-settings.ts';

/** A pattern with the numbers of its named groups. */
export interface RgPattern extends Pattern {
  names: Map<string, number>;
}

/** Smart case: a pattern without a capital letter ignores case. */
function ignoresCase(lines: readonly string[], options: RgOptions): boolean {
  if (options.caseMode !== 'smart') return options.caseMode === 'insensitive';
  const plain = lines.map((line) =>
    options.fixed ? line : line.replace(/\\[pP](\{[^}]*\}|.)|\\x\{[^}]*\}|\\./g, ''),
  );
  return !plain.some((line) => /\p{Lu}/u.test(line)) && plain.some((line) => /\p{L}/u.test(line));
}

function explained(error: PatternError, pattern: string): UsageError {
  const caret = error.at === undefined ? '' : `    ${' '.repeat(Math.max(error.at, 0))}^\n`;
  const hint = /back-?references|look-around/.test(error.message)
    ? '\nConsider -P, whose patterns have back-references and look-around.\n'
    : '';
  return new UsageError(
    `regex parse error:\n    ${pattern}\n${caret}error: ${error.message}\n${hint}`,
  );
}

function parsed(pattern: string, options: RgOptions, ignoreCase: boolean): PerlPattern {
  if (options.engine === 'auto' && !options.perl) {
    const byDefault = { ...options, engine: 'default' as const };
    try {
      return parsed(pattern, byDefault, ignoreCase);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return parsed(pattern, { ...byDefault, perl: true }, ignoreCase);
    }
  }
  try {
    return parsePerl(pattern, {
      dialect: options.perl ? 'pcre' : 'rust',
      ignoreCase,
      dotAll: options.multiline && options.dotAll,
      crlf: options.crlf,
    });
  } catch (error) {
    throw error instanceof PatternError ? explained(error, pattern) : error;
  }
}

/**
 * Compiles rg's patterns.
 * @throws UsageError with what stderr must say
 */
export function rgPattern(lines: readonly string[], options: RgOptions): RgPattern {
  const crossLines = options.multiline;
  if (
    !crossLines &&
    lines.some(
      (line) => line.includes('\n') || (!options.fixed && /(?:^|[^\\])(?:\\\\)*\\n/.test(line)),
    )
  ) {
    throw new UsageError("rg: a pattern cannot hold a line's end without --multiline (-U)\n");
  }
  const ignoreCase = ignoresCase(lines, options);
  for (const line of lines) if (!options.fixed) parsed(line, options, ignoreCase);
  const joined = lines.length === 1 ? (lines[0] ?? '') : lines.map((l) => `(?:${l})`).join('|');
  const whole = parsed(options.fixed ? '' : joined, options, ignoreCase);
  let tree: Node = options.fixed
    ? alt(lines.map((line) => parseFixed(line, ignoreCase)))
    : whole.tree;
  if (lines.length === 0) tree = alt([]);
  if (options.line) tree = cat([assertion('lineStart'), tree, assertion('lineEnd')]);
  else if (options.word) tree = cat([assertion('noWordBefore'), tree, assertion('noWordAfter')]);
  return {
    tree,
    longest: false,
    word: whole.word,
    eol: 10,
    crossLines,
    encoding: UTF8,
    rawWords: false,
    names: whole.names,
  };
}

/** Does what `-r` asks for: `$1`, `${name}`, `$0`, `$$`. Bytes in, bytes out. */
export function expand(
  template: string,
  group: (index: number) => string,
  names: ReadonlyMap<string, number>,
): string {
  return template.replace(/\$(?:\$|\{([^}]*)\}|(\w+))/g, (whole, braced, bare) => {
    if (whole === '$$') return '$';
    const name: string = braced ?? bare;
    if (/^\d+$/.test(name)) return group(Number(name));
    const index = names.get(name);
    return index === undefined ? '' : group(index);
  });
}
