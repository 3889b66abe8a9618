/** An awk program cut into its tokens, as far as telling code from strings, patterns and comments needs it. */

export interface Token {
  kind: 'word' | 'string' | 'regex' | 'comment' | 'other';
  text: string;
}

/** Tried in this order; the pattern only where none can be divided. */
const KINDS: ReadonlyArray<{ name: Token['kind'] | 'blank' | 'number'; pattern: RegExp }> = [
  { name: 'blank', pattern: /[ \t]+/y },
  { name: 'comment', pattern: /#[^\n]*/y },
  { name: 'string', pattern: /"(?:\\[\s\S]|[^"\\])*"?/y },
  { name: 'regex', pattern: /\/(?:\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\\n])*\]|[^/\\\n[])*\//y },
  { name: 'word', pattern: /[A-Za-z_]\w*/y },
  { name: 'number', pattern: /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y },
  { name: 'other', pattern: /==|[\s\S]/y },
];

/** Words after which a slash opens a pattern. */
const BEFORE_PATTERN = new Set(['print', 'printf', 'return', 'in', 'case', 'else', 'do', 'exit']);

/** The tokens, which joined are the program again. */
export function tokens(program: string): Token[] {
  const list: Token[] = [];
  /** After an operand a slash divides. */
  let operand = false;
  for (let at = 0; at < program.length; ) {
    const { name, text } = tokenAt(program, at, operand);
    list.push({ kind: name === 'blank' || name === 'number' ? 'other' : name, text });
    if (name !== 'blank' && name !== 'comment') operand = isOperand(name, text);
    at += text.length;
  }
  return list;
}

function tokenAt(program: string, at: number, operand: boolean) {
  for (const { name, pattern } of KINDS) {
    if (name === 'regex' && operand) continue;
    pattern.lastIndex = at;
    const [text] = pattern.exec(program) ?? [];
    if (text !== undefined) return { name, text };
  }
  return { name: 'other' as const, text: program.slice(at) };
}

function isOperand(name: string, text: string): boolean {
  if (name === 'word') return !BEFORE_PATTERN.has(text);
  return name === 'other' ? text === ')' || text === ']' : true;
}
