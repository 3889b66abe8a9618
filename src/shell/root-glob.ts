/**
 * `/**` + `/*.md` with globstar on: just-bash cuts the pattern before the stars,
 * takes the empty rest for the working directory and finds the wrong files.
 * With two slashes the rest is the root; the second slash is taken away again
 * from what was found.
 */
import type { CommandNode, WordNode } from 'just-bash';

/** The command with such words mended, or the very same node if it has none. */
export function mendRootGlobs(node: CommandNode): CommandNode {
  if (node.type === 'SimpleCommand' && node.args.some(isRootGlob)) {
    return { ...node, args: node.args.map(mend) };
  }
  if (node.type === 'For' && node.words?.some(isRootGlob) === true) {
    return { ...node, words: node.words.map(mend) };
  }
  return node;
}

/** The words found, as the script's author would write them. */
export function mendFound(args: string[]): string[] {
  return args.map((arg) => (arg.startsWith('//') ? arg.slice(1) : arg));
}

function isRootGlob(word: WordNode): boolean {
  const [first, second] = word.parts;
  return (
    first?.type === 'Literal' &&
    first.value === '/' &&
    second?.type === 'Glob' &&
    second.pattern === '**'
  );
}

function mend(word: WordNode): WordNode {
  if (!isRootGlob(word)) return word;
  return { ...word, parts: [{ type: 'Literal', value: '//' }, ...word.parts.slice(1)] };
}
