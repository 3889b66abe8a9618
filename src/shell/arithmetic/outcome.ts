/** What an expression comes to, and how just-bash is told. */
import type { CommandNode } from 'just-bash';
import type { InterpreterState } from '../interpreter-types.ts';
import { ArithmeticFailure, evaluate, NotHere } from './evaluate.ts';
import { type Arithmetic, ArithmeticSyntaxError, parseArithmetic } from './syntax.ts';
import { StagedVariables } from './variables.ts';

/** just-bash's own tree of an expression. */
export type Expression = Extract<CommandNode, { type: 'ArithmeticCommand' }>['expression'];
export type Node = Expression['expression'];

/** A value with what it assigns; a failure in bash's words; or null: left to just-bash. */
export type Outcome = { value: bigint; commit: () => void } | { failure: string } | null;

/** Texts that were parsed; those with values in them come and go. */
const MAX_KEPT = 200;

/** Works out expressions whose expansions have been made. */
export class Arithmetics {
  readonly #parsed = new Map<string, Arithmetic>();

  /**
   * @param text after its expansions
   * @param variables to go on with what an expression before it assigned
   */
  outcome(
    text: string,
    state: InterpreterState,
    variables: StagedVariables = new StagedVariables(state),
  ): Outcome {
    try {
      const value = evaluate(this.#parse(text), variables);
      return { value, commit: () => variables.commit() };
    } catch (error) {
      if (error instanceof ArithmeticFailure) return { failure: error.message };
      if (error instanceof ArithmeticSyntaxError) {
        return { failure: `${text}: ${error.message}` };
      }
      if (error instanceof NotHere) return null;
      throw error;
    }
  }

  #parse(text: string): Arithmetic {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    if (this.#parsed.size >= MAX_KEPT) this.#parsed.clear();
    const tree = parseArithmetic(text);
    this.#parsed.set(text, tree);
    return tree;
  }
}

/** A node that stands for an outcome. */
export function nodeOf(outcome: Exclude<Outcome, null>): Node {
  if ('failure' in outcome) return failing(outcome.failure);
  // just-bash keeps a bigint as it is, where a double would not hold the value.
  const { value } = outcome;
  const safe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
  return { type: 'ArithNumber', value: (safe ? Number(value) : value) as number };
}

/** Fails with bash's words, and what follows is run, as after any failure of a command. */
function failing(message: string): Node {
  const number = (value: number): Node => ({ type: 'ArithNumber', value });
  if (message === 'division by 0') {
    return { type: 'ArithBinary', operator: '/', left: number(1), right: number(0) };
  }
  if (message === 'exponent less than 0') {
    return { type: 'ArithBinary', operator: '**', left: number(1), right: number(-1) };
  }
  return { type: 'ArithSyntaxError', errorToken: message, message };
}
