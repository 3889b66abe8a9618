/** The words of a command whose file names are expanded here, see marks.ts. */
import type { CommandNode, WordNode } from 'just-bash';
import { isKeyed } from '../array-keys.ts';
import { DECLARES, isArrayArgument, literalText } from '../array-literals.ts';
import type { CommandResult } from '../interpreter-types.ts';
import { expandMarks, type GlobHost } from './expand.ts';
import { hasMarks, marked, unmarked } from './marks.ts';
import { hasMarkedOperand, markedOperands } from './operands.ts';

/** Carries out every expansion of words but that of file names. */
export type ExpandWords = (words: readonly WordNode[]) => Promise<string[]>;

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;
type Assignment = SimpleCommand['assignments'][number];
type Redirection = SimpleCommand['redirections'][number];

/** The command with the wildcards of its words marked; the very same node if there are none. */
export function markCommand(node: CommandNode): CommandNode {
  return node.type === 'SimpleCommand' || node.type === 'For' ? markedCommand(node) : node;
}

/**
 * Lists that no command sees after their expansion (of `for`, of arrays) are expanded before it runs.
 * @param everything its arguments too: `set -x` prints them before the command has them
 */
export async function withFoundLists(
  node: CommandNode,
  expand: ExpandWords,
  host: GlobHost,
  everything = false,
): Promise<CommandNode> {
  const found = async (words: readonly WordNode[]): Promise<WordNode[]> =>
    (await expandMarks(await expand(words), host)).map(literal);
  if (node.type === 'For') return { ...node, words: await found(node.words ?? []) };
  if (node.type !== 'SimpleCommand') return node;
  const assignments: Assignment[] = [];
  for (const one of node.assignments) {
    const { array } = one;
    const looks = array !== null && array !== undefined && hasMarkedWord(array);
    assignments.push(looks ? { ...one, array: await found(array) } : one);
  }
  const args: WordNode[] = [];
  for (const arg of everything && hasMarkedWord(node.args) ? await found(node.args) : node.args) {
    const looks = isArrayArgument(arg) && hasMarkedWord(arg.elements);
    args.push(looks ? ({ ...arg, elements: await found(arg.elements) } as WordNode) : arg);
  }
  const redirections: Redirection[] = [];
  for (const one of node.redirections) {
    const word = targetWord(one);
    if (word === null || !hasMarkedWord([word])) redirections.push(one);
    else redirections.push({ ...one, target: onlyOne(word, await found([word])) });
  }
  return { ...node, assignments, args, redirections };
}

/** A redirection goes to one file. @throws AmbiguousRedirect */
function onlyOne(word: WordNode, targets: readonly WordNode[]): WordNode {
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  throw new AmbiguousRedirect(word.parts.map(writtenPart).join(''));
}

function writtenPart(part: WordNode['parts'][number]): string {
  const written = part as { value?: unknown; parameter?: unknown };
  if (typeof written.value === 'string') return unmarked(written.value);
  return typeof written.parameter === 'string' ? `$${written.parameter}` : '';
}

/** A pattern for the target of a redirection that fits several files, or under `nullglob` none. */
export class AmbiguousRedirect extends Error {
  override readonly name = 'AmbiguousRedirect';
}

/** The word that a redirection names its file by; null where it names none. */
function targetWord({ operator, target }: Redirection): WordNode | null {
  return target.type === 'HereDoc' || operator === '<<<' ? null : target;
}

/** bash's answer to a pattern that fits nothing, under `failglob`. */
export function noMatch(pattern: string): CommandResult {
  return { stdout: '', stderr: `bash: no match: ${pattern}\n`, exitCode: 1 };
}

/** Are there lists with marks, for {@link withFoundLists}? */
export function hasLists(node: CommandNode, everything: boolean): boolean {
  if (node.type === 'For') return node.words !== null && hasMarkedWord(node.words);
  if (node.type !== 'SimpleCommand') return false;
  return (
    (everything && hasMarkedWord(node.args)) ||
    node.assignments.some(({ array }) => array != null && hasMarkedWord(array)) ||
    node.redirections.some((one) =>
      hasMarkedWord([targetWord(one)].filter((word) => word !== null)),
    ) ||
    node.args.some((arg) => isArrayArgument(arg) && hasMarkedWord(arg.elements))
  );
}

function markedCommand(node: Extract<CommandNode, { type: 'SimpleCommand' | 'For' }>): CommandNode {
  if (node.type === 'For') {
    const words = node.words === null ? null : markedWords(node.words);
    return words === null ? node : { ...node, words };
  }
  const declares = DECLARES.has(literalText(node.name) ?? '');
  const args = node.args.map((arg) => {
    // `export x=*` is an assignment.
    const assigns = declares && /^\w+\+?=/.test(literalStart(arg));
    return assigns && !isArrayArgument(arg) ? arg : markedWord(markedElements(arg));
  });
  const assignments = node.assignments.map((one) => {
    const array = one.array == null || isKeyed(one.array) ? null : markedWords(one.array);
    return array === null ? one : { ...one, array };
  });
  const redirections = node.redirections.map((one) => {
    const word = targetWord(one);
    const target = word === null ? null : markedWord(word);
    return target === word || target === null ? one : { ...one, target };
  });
  const same =
    args.every((arg, index) => arg === node.args[index]) &&
    assignments.every((one, index) => one === node.assignments[index]) &&
    redirections.every((one, index) => one === node.redirections[index]);
  return same ? node : { ...node, args, assignments, redirections };
}

function literalStart({ parts: [part] }: WordNode): string {
  return part?.type === 'Literal' ? part.value : '';
}

function markedElements(arg: WordNode): WordNode {
  if (!isArrayArgument(arg) || isKeyed(arg.elements)) return arg;
  const elements = markedWords(arg.elements);
  return elements === null ? arg : ({ ...arg, elements } as WordNode);
}

/** Null if no word has a wildcard. */
function markedWords(words: readonly WordNode[]): WordNode[] | null {
  const all = words.map(markedWord);
  return all.some((word, index) => word !== words[index]) ? all : null;
}

function markedWord(word: WordNode): WordNode {
  const known = markedOperands(word) ?? word;
  return marked(known) ?? known;
}

function hasMarkedWord(words: readonly WordNode[]): boolean {
  return words.some(({ parts }) => parts.some(isMarkedPart));
}

function isMarkedPart(part: WordNode['parts'][number]): boolean {
  if (hasMarkedOperand(part)) return true;
  if (part.type === 'Literal' || part.type === 'SingleQuoted') return hasMarks(part.value);
  if (part.type !== 'BraceExpansion') return false;
  return part.items.some((item) => item.type === 'Word' && item.word.parts.some(isMarkedPart));
}

function literal(value: string): WordNode {
  return { type: 'Word', parts: [{ type: 'SingleQuoted', value }] };
}
