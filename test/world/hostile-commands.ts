/** Commands that match a hostile pattern, each with an engine of its own or the shell's. */
import { HOSTILE_TEXT } from '../../shims/grep/testing/hostile-patterns.ts';

/** The file that they search. */
export const HOSTILE_FILE = '/workspace/hostile.txt';

export const HOSTILE_CONTENT = `${HOSTILE_TEXT.join('\n')}\n`;

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command by the name of its tool, for a pattern in extended syntax. */
export const HOSTILE_COMMANDS: Readonly<Record<string, (pattern: string) => string>> = {
  grep: (pattern) => `grep -cE -e ${quoted(pattern)} ${HOSTILE_FILE}`,
  rg: (pattern) => `rg -c -e ${quoted(pattern)} ${HOSTILE_FILE}`,
  sed: (pattern) =>
    `sed -nE ${quoted(`\\~${pattern.replaceAll('~', '.')}~p`)} ${HOSTILE_FILE} | wc -l`,
  awk: (pattern) =>
    `awk -v p=${quoted(pattern)} '$0 ~ p { n++ } END { print n + 0 }' ${HOSTILE_FILE}`,
  '[[ =~ ]]': (pattern) =>
    `p=${quoted(pattern)}; while IFS= read -r l; do [[ $l =~ $p ]]; done < ${HOSTILE_FILE}; echo`,
  expr: (pattern) =>
    `expr "$(head -1 ${HOSTILE_FILE})" : ${quoted(pattern.replace(/[(){}|+?]/g, '\\$&'))}`,
  'find -regex': (pattern) =>
    `mkdir -p /workspace/d && : > /workspace/d/${'a'.repeat(40)}! && find /workspace/d -regextype posix-extended -regex ${quoted(pattern)}`,
};
