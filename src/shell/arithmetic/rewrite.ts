/**
 * Arithmetic in 64 bits, as bash's. just-bash computes in doubles, and bit
 * operations in 32 bits; its evaluator cannot be hooked. So every expression in a
 * command becomes a node that turns into its value when just-bash looks at it.
 */
import type { CommandNode, WordNode } from 'just-bash';
import { withExclusions } from '../exclusions.ts';
import { listedKeys, listedValues } from '../hash-order.ts';
import type { InterpreterState, WordPart } from '../interpreter-types.ts';
import { mendedParameter, type ParameterExpansion } from '../parameters.ts';
import { COMPARISONS } from './comparisons.ts';
import { Deferred } from './deferred.ts';
import { withoutMarks } from './marks.ts';
import { type Arithmetics, type Expression, type Node, nodeOf, type Outcome } from './outcome.ts';
import { followed, isPlain, partsOf, textOf } from './source.ts';
import { StagedVariables } from './variables.ts';

type Conditional = Extract<CommandNode, { type: 'ConditionalCommand' }>['expression'];
type Comparison = Extract<Conditional, { type: 'CondBinary' }>;

/** A subscript that just-bash cannot get wrong, or whose evaluation must happen once. */
const SIMPLE_SUBSCRIPT =
  /^(?:[@*]|-?\d{1,15}|\$?\w{1,60}|\$\{\w+\})$|[$`"']|\+\+|--|(?<![=!<>])=(?!=)/;

/** Of an expansion, as far as it is looked at here. */
type Operation = { type: string; array?: string; star?: boolean } | null;

interface Tagged {
  type: string;
}

function isTagged(value: unknown): value is Tagged {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Rewrites commands; one for a shell. */
export class ArithmeticRewriter {
  readonly #arithmetics: Arithmetics;
  readonly #state: () => InterpreterState;

  /** @param state the variables at the time of evaluation */
  constructor(arithmetics: Arithmetics, state: () => InterpreterState) {
    this.#arithmetics = arithmetics;
    this.#state = state;
  }

  /** The command with its arithmetic widened; the very same one where there is none. */
  command(node: CommandNode): CommandNode {
    return this.#within(node) as CommandNode;
  }

  /** Goes through a command's words; the commands inside it have their own turn. */
  #within(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map((one) => this.#within(one));
      return items.every((one, i) => one === value[i]) ? value : items;
    }
    if (typeof value === 'string') return withExclusions(withoutMarks(value));
    if (typeof value !== 'object' || value === null) return value;
    const type = isTagged(value) ? value.type : '';
    if (type === 'Script' || type === 'Statement' || type === 'FunctionDef') return value;
    if (type === 'ArithmeticExpression') return this.#widened(value as Expression);
    const inside = this.#fields(value);
    if (type === 'CondBinary') return this.#comparison(inside as Comparison);
    if (type === 'ArrayKeys') return this.#keysOf(inside);
    if (type === 'ParameterExpansion') {
      return this.#parameter(inside as ParameterExpansion, value as ParameterExpansion);
    }
    return type === 'Assignment' ? this.#subscripted(inside, 'name') : inside;
  }

  /** @param written as it was before anything in it was widened */
  #parameter(part: ParameterExpansion, written: ParameterExpansion): object {
    const mended = mendedParameter(part, written, this.#state, (text) => {
      const outcome = this.#arithmetics.outcome(text, this.#state());
      return outcome === null || 'failure' in outcome ? null : outcome.value;
    });
    return mended === part ? this.#listed(this.#subscripted(part, 'parameter')) : mended;
  }

  #fields(value: object): object {
    let made: Record<string, unknown> | null = null;
    for (const [key, field] of Object.entries(value)) {
      const inner = this.#within(field);
      if (inner === field) continue;
      made ??= { ...value };
      made[key] = inner;
    }
    return made ?? value;
  }

  #widened(expression: Expression): Expression {
    const originalText = withOperators(expression.originalText);
    const parts = originalText === undefined ? null : partsOf(originalText);
    if (originalText === undefined || parts === null) return expression;
    const compute = (text: string): Outcome => this.#arithmetics.outcome(text, this.#state());
    const word: WordNode = { type: 'Word', parts: [{ type: 'DoubleQuoted', parts }] };
    const deferred = new Deferred([word], ([text = '']) => compute(text), originalText);
    if (!isPlain(parts)) return deferred.expression();
    return this.#atOnce(expression, deferred, () => {
      const text = textOf(parts, this.#state(), this.#arithmetics);
      return text === null ? 'later' : compute(text);
    });
  }

  /**
   * An expression that is worked out at the moment that just-bash looks at it.
   * @param expression what it stays where it is left to just-bash
   * @param deferred what it is where the interpreter must expand its text
   */
  #atOnce(
    expression: Expression,
    deferred: Deferred,
    compute: () => Outcome | 'later',
  ): Expression {
    const root = expression.expression;
    let outcome: Outcome = null;
    let shown: Node = root;
    const look = (): Node => {
      const found = compute();
      outcome = found === 'later' ? null : found;
      if (found === 'later') shown = deferred.expression().expression;
      else shown = found === null ? root : nodeOf(found);
      return shown;
    };
    const field = (name: string) => ({ get: () => Reflect.get(shown, name) as unknown });
    const node = Object.create(root, {
      type: { get: () => look().type },
      value: {
        get: () => {
          if (outcome !== null && 'commit' in outcome) outcome.commit();
          return Reflect.get(shown, 'value') as unknown;
        },
      },
      operator: field('operator'),
      left: field('left'),
      right: field('right'),
      message: field('message'),
    }) as Node;
    return Object.create(expression, {
      expression: { value: node },
      // With its text, just-bash would parse it once more.
      originalText: { get: () => (compute() === null ? expression.originalText : undefined) },
    }) as Expression;
  }

  /** `[[ a -lt b ]]` becomes whether that holds: its operands are expressions of any size. */
  #comparison(node: Comparison): Comparison {
    const holds = COMPARISONS.get(node.operator);
    if (holds === undefined) return node;
    const compute = (texts: readonly string[]): Outcome => this.#compared(texts, holds);
    const words = [node.left, node.right];
    const plain = words.every(({ parts }) => isPlain(parts));
    const quoted = words.map((word) => inQuotes(word));
    const deferred = new Deferred(quoted, compute, `${node.operator} of two expressions`);
    const expression = plain
      ? this.#atOnce(deferred.expression(), deferred, () => {
          const state = this.#state();
          const texts = words.map(({ parts }) => textOf(parts, state, this.#arithmetics));
          return texts.every((text) => text !== null) ? compute(texts) : 'later';
        })
      : deferred.expression();
    const left: WordNode = { type: 'Word', parts: [{ type: 'ArithmeticExpansion', expression }] };
    const right: WordNode = { type: 'Word', parts: [{ type: 'Literal', value: '0' }] };
    return { ...node, operator: '-ne', left, right };
  }

  #compared(texts: readonly string[], holds: (left: bigint, right: bigint) => boolean): Outcome {
    const state = this.#state();
    const variables = new StagedVariables(state);
    const values: bigint[] = [];
    for (const text of texts) {
      const outcome = this.#arithmetics.outcome(text, state, variables);
      if (outcome === null || 'failure' in outcome) return outcome;
      values.push(outcome.value);
    }
    const [left = 0n, right = 0n] = values;
    return { value: holds(left, right) ? 1n : 0n, commit: () => variables.commit() };
  }

  /** `${!map[@]}` and `${map[@]}` in bash's order. */
  #listed(node: object): object {
    const { parameter, operation } = node as { parameter?: unknown; operation?: Operation };
    if (operation?.type === 'ArrayKeys') {
      const kind = operation.star === true ? '*' : '@';
      const keys = (): string | null => listedKeys(operation.array ?? '', this.#state());
      return Object.defineProperties(
        { ...node },
        {
          parameter: { get: () => `${keys() ?? ''}${keys() === null ? '' : `[${kind}]`}` },
          operation: { get: () => (keys() === null ? operation : null) },
        },
      );
    }
    const [, name, kind] = /^([A-Za-z_]\w*)\[([@*])\]$/.exec(String(parameter)) ?? [];
    if (name === undefined) return node;
    const get = (): string => {
      const state = this.#state();
      return `${listedValues(followed(name, state), state) ?? followed(name, state)}[${kind}]`;
    };
    return Object.defineProperty({ ...node }, 'parameter', { get, enumerable: true });
  }

  /** `${!ref[@]}`: just-bash lists the keys of the reference. */
  #keysOf(node: object): object {
    const name: unknown = Reflect.get(node, 'array');
    if (typeof name !== 'string') return node;
    const get = (): string => followed(name, this.#state());
    return Object.defineProperty({ ...node }, 'array', { get, enumerable: true });
  }

  /** `a[1<<40]` in a name: its subscript is worked out when the name is asked for. */
  #subscripted(node: object, field: 'parameter' | 'name'): object {
    const written: unknown = Reflect.get(node, field);
    if (typeof written !== 'string') return node;
    const [, name = '', subscript = ''] = /^([A-Za-z_]\w*)\[([\s\S]+)\]$/.exec(written) ?? [];
    if (name === '') return node;
    const simple = SIMPLE_SUBSCRIPT.test(subscript);
    const get = (): string => {
      const state = this.#state();
      const target = followed(name, state);
      const plain = target === name ? written : `${target}[${subscript}]`;
      if (simple || state.associativeArrays?.has(target) === true) return plain;
      const outcome = this.#arithmetics.outcome(subscript, state);
      if (outcome === null || 'failure' in outcome) return plain;
      return `${target}[${outcome.value}]`;
    };
    return Object.defineProperty({ ...node }, field, { get, enumerable: true });
  }
}

/** just-bash reads `((x <= 3))` as commands first, and takes `<=` apart. */
export function withOperators(text: string | undefined): string | undefined {
  return text?.replace(/(<<|>>|[<>&|]) =(?!=)/g, '$1=');
}

function inQuotes(word: WordNode): WordNode {
  const quoted = (part: WordPart): WordPart[] => {
    if (part.type === 'DoubleQuoted') return [...part.parts];
    // `a[0]` looks like a pattern.
    return [part.type === 'Glob' ? { type: 'Literal', value: part.pattern } : part];
  };
  return { type: 'Word', parts: [{ type: 'DoubleQuoted', parts: word.parts.flatMap(quoted) }] };
}
