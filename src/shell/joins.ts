/**
 * `x="${a[*]}"` and `cat <<< "$*"`: just-bash joins with a blank, whatever IFS
 * says, in every word that is not an argument. Such words are expanded as
 * arguments are, before the command sees them.
 */
import type { CommandNode, WordNode } from 'just-bash';
import type { WordPart } from './interpreter-types.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;

/** Carries out the expansions of an argument. */
type Expand = (words: readonly WordNode[]) => Promise<string[]>;

/** Does an assignment, or a here-string, join an array? */
export function joins({ assignments, redirections }: SimpleCommand): boolean {
  return (
    assignments.some(({ value }) => value !== null && isJoin(value)) ||
    redirections.some(({ target }) => target.type === 'Word' && isJoin(target))
  );
}

/** The command with such words as text. */
export async function joined(node: SimpleCommand, expand: Expand): Promise<SimpleCommand> {
  const text = async (word: WordNode): Promise<WordNode> => ({
    type: 'Word',
    parts: [{ type: 'SingleQuoted', value: (await expand([word])).join('') }],
  });
  const assignments: SimpleCommand['assignments'] = [];
  for (const one of node.assignments) {
    const { value } = one;
    assignments.push(value !== null && isJoin(value) ? { ...one, value: await text(value) } : one);
  }
  const redirections: SimpleCommand['redirections'] = [];
  for (const one of node.redirections) {
    const { target } = one;
    const mends = target.type === 'Word' && isJoin(target);
    redirections.push(mends ? { ...one, target: await text(target) } : one);
  }
  return { ...node, assignments, redirections };
}

/** Quoted as a whole, so that it stays one word, and joined in it somewhere. */
function isJoin({ parts }: WordNode): boolean {
  const [part, ...others] = parts;
  return part?.type === 'DoubleQuoted' && others.length === 0 && part.parts.some(isStar);
}

function isStar(part: WordPart): boolean {
  return part.type === 'ParameterExpansion' && /^\*$|\[\*\]$/.test(part.parameter);
}
