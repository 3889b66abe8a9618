/** A regular expression that was typed where a question is expected: what it matches is shown. */
import type { NamespaceFs } from '../../src/namespace/types.ts';
import { type Outcome, runGrep, type Surroundings } from './run.ts';

/** What no question in words has: `.*`, `\d`, `[a-z]`, `^start`, `(one|other)`, `one|other`, `{2,4}`. */
const SIGNS: readonly RegExp[] = [
  /\.[*+]/,
  /\\[dDwWsSbB.()[\]|]/,
  /\[\^?[^\]\s]*\w-\w[^\]\s]*\]/,
  /^\^\S/,
  /[\w)]\|[\w(]/,
  /[\w\])]\{\d+,?\d*\}/,
];
/** What only Perl's expressions have. */
const PERL = /\\[dDwWsSbB]|\(\?/;
/** How many lines are shown, as of an answer. */
const LIMIT = 10;
/** grep's status when there was a line. */
const SOME = 0;

export function isTypedPattern(query: string): boolean {
  return SIGNS.some((sign) => sign.test(query));
}

/** The lines that it matches, as `grep -rnE` prints them; null where there are none, or where it is no expression. */
export async function linesOfPattern(
  args: readonly string[],
  fs: NamespaceFs,
  io: Surroundings,
): Promise<Outcome | null> {
  const [query = '', ...operands] = args;
  const syntax = PERL.test(query) ? '-P' : '-E';
  const found = await runGrep(fs, ['-rnIH', syntax, '-e', query, '--', ...operands], io);
  if (found.exitCode !== SOME) return null;
  const lines = found.stdout.split('\n').filter((line) => line !== '');
  const shown = lines.slice(0, LIMIT);
  const many = lines.length.toLocaleString('en');
  const count = lines.length > LIMIT ? `, the first ${LIMIT} of ${many} lines` : '';
  const stderr = `read as a regular expression${count}: grep -rn${syntax.slice(1)} does so everywhere\n`;
  return { stdout: `${shown.join('\n')}\n`, stderr, exitCode: SOME };
}
