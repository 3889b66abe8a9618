/**
 * `((x << 2))`: just-bash takes the shift for the beginning of a here-document. In the
 * script it is spelled with a noncharacter, which is a shift again once the script is
 * parsed, and `<<` again wherever it turns out to stand in a string. And `((x - 1))`,
 * `((!x))`, which it takes for commands in subshells, begin with another one.
 */

/** Stands for `<<`. Text cannot hold it: it is no character. */
const MARK = '\u{fddf}';
/** Stands before an expression, for nothing. */
const EXPRESSION = '\u{fddb}';
/** How a command may begin: with a word and an option, a negation or a test. */
const LIKE_COMMAND = /[ \t(]*(?:[![]|[A-Za-z_][\w.-]*[ \t]+-)/.source;

/** What holds no command: quoted text, an escaped character, a comment. */
const PASSED = /\\.|"(?:[^"\\]|\\.)*"|\$?'(?:[^'\\]|\\.)*'|(?<=^|\s)#[^\n]*/.source;
/** `((` that is no expansion, up to the first line's end. */
const OPENS = /(?<![$(\w])\(\([^\n]*/.source;
const PIECE = new RegExp(`${PASSED}|${OPENS}`, 'gs');
const SUSPECT = new RegExp(String.raw`\(\((?:[^\n]*<<|${LIKE_COMMAND})`);
const BEGINS_LIKE_COMMAND = new RegExp(`^${LIKE_COMMAND}`);

/** The script with the arithmetic commands marked that just-bash would misread. */
export function markArithmetic(script: string): string {
  if (!SUSPECT.test(script)) return script;
  return script.replace(PIECE, (piece) => (piece.startsWith('((') ? markedLine(piece) : piece));
}

/** Marks a line up to the brackets that close the first two. */
function markedLine(line: string): string {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '(') depth++;
    else if (line[at] === ')' && --depth === 1) {
      // Two subshells are closed apart.
      if (line[at + 1] !== ')') return `((${markArithmetic(line.slice(2))}`;
      const inner = line.slice(2, at).replaceAll('<<', MARK);
      const mark = BEGINS_LIKE_COMMAND.test(inner) ? EXPRESSION : '';
      return `((${mark}${inner}${markArithmetic(line.slice(at))}`;
    }
  }
  return line;
}

/** Text as it was written. */
export function withoutMarks(text: string): string {
  return /[\u{fddb}\u{fddf}]/u.test(text)
    ? text.replaceAll(MARK, '<<').replaceAll(EXPRESSION, '')
    : text;
}
