/** Commands in the form in which just-bash does what bash would: each is rewritten once, however often it runs. */
import type { CommandNode, WordNode } from 'just-bash';
import type { Arithmetics } from './arithmetic/outcome.ts';
import { ArithmeticRewriter } from './arithmetic/rewrite.ts';
import { isKeyed } from './array-keys.ts';
import { isArrayArgument, literalText } from './array-literals.ts';
import { divideRanges } from './brace-ranges.ts';
import { mendPatterns } from './case-patterns.ts';
import { withVariables } from './glob/variables.ts';
import { markCommand } from './glob/words.ts';
import { mendHereDocuments } from './here-documents.ts';
import type { InterpreterState } from './interpreter-types.ts';
import { ARGUMENTS, selectLoop } from './select-loop.ts';
import { mendDefaults } from './unset-defaults.ts';

export class Rewrites {
  readonly #made = new WeakMap<CommandNode, CommandNode>();
  readonly #withTraps = new WeakSet<CommandNode>();
  readonly #arithmetic: ArithmeticRewriter;

  #state: InterpreterState | null = null;
  /** That of the last command: what a rewritten one is may be asked after it has run. */
  #last: InterpreterState | null = null;

  constructor(arithmetics: Arithmetics) {
    this.#arithmetic = new ArithmeticRewriter(arithmetics, () => this.#current());
  }

  /** The state of the command that is running: a rewritten command is kept from one line to the next. */
  get state(): InterpreterState | null {
    return this.#state;
  }

  set state(state: InterpreterState | null) {
    this.#state = state;
    this.#last = state ?? this.#last;
  }

  #current(): InterpreterState {
    const state = this.#state ?? this.#last;
    if (state === null) throw new Error('a rewritten command was asked before it ran');
    return state;
  }

  /** The command to run in its place: the very same one if there is nothing to mend. */
  of(node: CommandNode): CommandNode {
    let made = this.#made.get(node);
    if (made === undefined) {
      const whole = mendHereDocuments(this.#withTrap(selectLoop(node) ?? overArguments(node)));
      const mended = mendPatterns(mendDefaults(whole));
      const known = this.#withVariables(markCommand(divideRanges(mended)));
      made = this.#arithmetic.command(known);
      this.#made.set(node, made);
    }
    return made;
  }

  #withVariables(node: CommandNode): CommandNode {
    const looked = (word: WordNode): WordNode => withVariables(word, () => this.#current());
    if (node.type === 'For') {
      return node.words === null ? node : { ...node, words: node.words.map(looked) };
    }
    if (node.type !== 'SimpleCommand') return node;
    const assignments = node.assignments.map((one) =>
      one.array == null || isKeyed(one.array) ? one : { ...one, array: one.array.map(looked) },
    );
    const args = node.args.map((arg) => (isArrayArgument(arg) ? arg : looked(arg)));
    return { ...node, args, assignments };
  }

  /** Is it all of a subshell that sets traps of its own? */
  hasTraps(node: CommandNode): boolean {
    return this.#withTraps.has(node);
  }

  /** A subshell with traps gets a group around its commands, at the end of which its EXIT trap can run. */
  #withTrap(node: CommandNode): CommandNode {
    if (node.type !== 'Subshell' || !setsTrap(node.body)) return node;
    const group: CommandNode = { type: 'Group', body: node.body, redirections: [] };
    this.#withTraps.add(group);
    const pipelines = [{ type: 'Pipeline' as const, commands: [group], negated: false }];
    return {
      ...node,
      body: [{ type: 'Statement', pipelines, operators: [], background: false }],
    };
  }
}

/** `for x` is over `"$@"`, which just-bash splits once more. */
function overArguments(node: CommandNode): CommandNode {
  return node.type === 'For' && node.words === null ? { ...node, words: [...ARGUMENTS] } : node;
}

/** Is there a `trap` anywhere in it? */
export function setsTrap(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, name } = node as { type?: unknown; name?: WordNode | null };
  if (type === 'SimpleCommand' && literalText(name ?? null) === 'trap') return true;
  return Object.values(node).some(setsTrap);
}
