/**
 * Patterns of `case` and of `[[ x == … ]]` in the form that just-bash understands:
 * it knows `[^x]` and not `[!x]`, and in a pattern of `case` that is quoted in
 * part it forgets the quotes.
 */
import type { CommandNode, WordNode } from 'just-bash';
import type { WordPart } from './interpreter-types.ts';

type Conditional = Extract<CommandNode, { type: 'ConditionalCommand' }>['expression'];

/** The command with its patterns mended, or the very same one if it has none. */
export function mendPatterns(node: CommandNode): CommandNode {
  if (node.type === 'Case') return mendedCase(node);
  return node.type === 'ConditionalCommand' ? mendedTest(node) : node;
}

function mendedCase(node: Extract<CommandNode, { type: 'Case' }>): CommandNode {
  return {
    ...node,
    items: node.items.map((item) => ({ ...item, patterns: item.patterns.map(casePattern) })),
  };
}

function mendedTest(node: Extract<CommandNode, { type: 'ConditionalCommand' }>): CommandNode {
  return { ...node, expression: mendedExpression(node.expression) };
}

function mendedExpression(one: Conditional): Conditional {
  switch (one.type) {
    case 'CondBinary':
      return PATTERNS.has(one.operator) ? mendedMatch(one) : one;
    case 'CondAnd':
    case 'CondOr':
      return { ...one, left: mendedExpression(one.left), right: mendedExpression(one.right) };
    case 'CondNot':
      return { ...one, operand: mendedExpression(one.operand) };
    case 'CondGroup':
      return { ...one, expression: mendedExpression(one.expression) };
    default:
      return one;
  }
}

type Match = Extract<Conditional, { type: 'CondBinary' }>;

const PATTERNS = new Set(['=', '==', '!=']);

/** `[[ x == !(a|b) ]]` is `[[ x != @(a|b) ]]`: just-bash has no expression for the first. */
function mendedMatch(one: Match): Match {
  const parts = negated(one.right.parts);
  const [part, ...others] = parts;
  const [, inner] = part?.type === 'Glob' ? (/^!(\([^()]*\))$/.exec(part.pattern) ?? []) : [];
  if (inner === undefined || others.length > 0) return { ...one, right: { ...one.right, parts } };
  const operator = one.operator === '!=' ? '==' : '!=';
  const right: WordNode = { ...one.right, parts: [{ type: 'Glob', pattern: `@${inner}` }] };
  return { ...one, operator, right };
}

function casePattern(word: WordNode): WordNode {
  // A pattern that is quoted as a whole is taken literally.
  if (word.parts.every(({ type }) => /Quoted$|^Escaped$/.test(type))) return word;
  return { ...word, parts: negated(word.parts).map(literally) };
}

/** `[!` as `[^`, where the parser put it: in one part, or in two. */
function negated(parts: readonly WordPart[]): WordPart[] {
  return parts.map((part, index) => {
    const before = parts[index - 1];
    if (part.type === 'Glob') {
      return { ...part, pattern: part.pattern.replace(/(?<!\\)\[!/g, '[^') };
    }
    const opened = before?.type === 'Glob' && /(?<!\\)\[$/.test(before.pattern);
    if (opened && part.type === 'Literal' && part.value.startsWith('!')) {
      return { ...part, value: `^${part.value.slice(1)}` };
    }
    return part;
  });
}

/** Quoted text with its special characters escaped. */
function literally(part: WordPart): WordPart {
  switch (part.type) {
    case 'SingleQuoted':
      return { ...part, value: escaped(part.value) };
    case 'Escaped':
      return { type: 'Literal', value: escaped(part.value) };
    case 'DoubleQuoted':
      return {
        ...part,
        parts: part.parts.map((inner) =>
          inner.type === 'Literal' ? { ...inner, value: escaped(inner.value) } : literally(inner),
        ),
      };
    default:
      return part;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\*?[\]()|]/g, '\\$&');
}
