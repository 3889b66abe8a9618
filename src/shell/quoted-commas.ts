/**
 * `{a,'b,c'}`: to just-bash each comma ends an alternative, also a quoted one. In the source a quoted
 * comma inside braces is a mark, and a comma again wherever it has come out once the script is parsed.
 */
import type { ScriptNode } from 'just-bash';

/** In text it stands nowhere: it is no character. */
const MARK = '\uFDDC';
/** Braces with a quote or a backslash and a comma in them. */
const CANDIDATE = /\{[^\s{}]*["'\\]/;
/** Quoted text, an escaped character, a comment; or one character that ends a word, or a brace. */
const TOKEN =
  /\$?'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?<=^|\s)#[^\n]*|\$\{|[{}\s;&|()<>]/gs;

/** The script with marks for such commas. Lines stay where they are. */
export function markQuotedCommas(script: string): string {
  if (!CANDIDATE.test(script)) return script;
  /** The braces of a word that are open: is each one of alternatives? */
  let open: boolean[] = [];
  return script.replace(TOKEN, (token) => {
    if (token === '{' || token === '${') open.push(token === '{');
    else if (token === '}') open.pop();
    else if (/^[\s;&|()<>#]/.test(token)) open = [];
    else if (open.at(-1) === true) return token.replaceAll(',', MARK);
    return token;
  });
}

/** Makes the marks of a parsed script commas again. @param script what was parsed */
export function restoreCommas(node: ScriptNode, script: string): ScriptNode {
  if (script.includes(MARK)) restore(node);
  return node;
}

function restore(node: object): void {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'string') {
      if (value.includes(MARK)) Object.assign(node, { [key]: value.replaceAll(MARK, ',') });
    } else if (typeof value === 'object' && value !== null) restore(value);
  }
}
