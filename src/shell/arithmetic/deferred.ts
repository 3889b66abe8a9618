/**
 * An expression whose expansions only the interpreter can make: `$(( $(f) << 40 ))`.
 * just-bash takes it for a substitution whose command is this very object, so that
 * it comes back to the shell, which expands the words and works out the value.
 */
import type { ScriptNode, WordNode } from 'just-bash';
import type { CommandResult, InterpreterContext } from '../interpreter-types.ts';
import { type Expression, type Node, nodeOf, type Outcome } from './outcome.ts';

/** For words while they are expanded. The script cannot see it. */
const SCRATCH = '__dirigent_arithmetic';

export class Deferred {
  readonly #words: readonly WordNode[];
  readonly #compute: (texts: readonly string[], context: InterpreterContext) => Outcome;
  readonly #shown: string;
  #node: Node = { type: 'ArithNumber', value: 0 };

  /**
   * @param words to be expanded, in order
   * @param compute works out the value from their texts
   * @param shown as it is written, for messages
   */
  constructor(
    words: readonly WordNode[],
    compute: (texts: readonly string[], context: InterpreterContext) => Outcome,
    shown: string,
  ) {
    this.#words = words;
    this.#compute = compute;
    this.#shown = shown;
  }

  /** How it is written, where just-bash prints a tree. */
  toString(): string {
    return this.#shown;
  }

  /** What stands in the tree: first this, then the value that it found. */
  expression(): Expression {
    const value = (): Node => this.#node;
    const right = Object.defineProperties(
      {},
      {
        type: { get: () => value().type },
        value: { get: () => Reflect.get(value(), 'value') },
        operator: { get: () => Reflect.get(value(), 'operator') },
        left: { get: () => Reflect.get(value(), 'left') },
        right: { get: () => Reflect.get(value(), 'right') },
        message: { get: () => Reflect.get(value(), 'message') },
      },
    ) as Node;
    const command = this as unknown as string;
    return {
      type: 'ArithmeticExpression',
      expression: {
        type: 'ArithBinary',
        operator: ',',
        left: { type: 'ArithCommandSubst', command },
        right,
      },
    };
  }

  /** Expands and computes, in the interpreter that came upon it. */
  async run(context: InterpreterContext): Promise<CommandResult> {
    const { state } = context;
    const { lastExitCode } = state;
    const traced = state.options['xtrace'] === true;
    const texts: string[] = [];
    let stderr = '';
    try {
      state.options['xtrace'] = false;
      for (const word of this.#words) {
        const result = await context.executeScript(assigning(word));
        stderr += result.stderr;
        texts.push(state.env.get(SCRATCH) ?? '');
      }
    } finally {
      state.env.delete(SCRATCH);
      state.options['xtrace'] = traced;
      state.lastExitCode = lastExitCode;
    }
    const outcome = this.#compute(texts, context) ?? {
      failure: `${texts.join(' ')}: syntax error in expression`,
    };
    if ('commit' in outcome) outcome.commit();
    this.#node = nodeOf(outcome);
    return { stdout: '', stderr, exitCode: 0 };
  }
}

function assigning(value: WordNode): ScriptNode {
  return {
    type: 'Script',
    statements: [
      {
        type: 'Statement',
        pipelines: [
          {
            type: 'Pipeline',
            negated: false,
            commands: [
              {
                type: 'SimpleCommand',
                name: null,
                args: [],
                redirections: [],
                assignments: [
                  { type: 'Assignment', name: SCRATCH, value, append: false, array: null },
                ],
              },
            ],
          },
        ],
        operators: [],
        background: false,
      },
    ],
  };
}
