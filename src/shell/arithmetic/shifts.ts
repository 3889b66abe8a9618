/**
 * `((x << 2))`: just-bash takes the shift for the beginning of a here-document. In the
 * script it is spelled with a noncharacter, which is a shift again once the script is
 * parsed, and `<<` again wherever it turns out to stand in a string.
 */

/** Stands for `<<`. Text cannot hold it: it is no character. */
const MARK = '\u{fddf}';

/** What holds no command: quoted text, an escaped character, a comment. */
const PASSED = /\\.|"(?:[^"\\]|\\.)*"|\$?'(?:[^'\\]|\\.)*'|(?<=^|\s)#[^\n]*/.source;
/** `((` that is no expansion, up to the first line's end. */
const OPENS = /(?<![$(\w])\(\([^\n]*/.source;
const PIECE = new RegExp(`${PASSED}|${OPENS}`, 'gs');

/** The script with the shifts of arithmetic commands marked. */
export function markShifts(script: string): string {
  if (!/\(\([^\n]*<</.test(script)) return script;
  return script.replace(PIECE, (piece) => (piece.startsWith('((') ? markedLine(piece) : piece));
}

/** Marks the shifts of a line up to the brackets that close the first two. */
function markedLine(line: string): string {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '(') depth++;
    else if (line[at] === ')' && --depth === 0) {
      // Two subshells are closed apart.
      if (line[at - 1] !== ')') return line;
      return line.slice(0, at).replaceAll('<<', MARK) + markShifts(line.slice(at));
    }
  }
  return line;
}

/** Text as it was written. */
export function withShifts(text: string): string {
  return text.includes(MARK) ? text.replaceAll(MARK, '<<') : text;
}
