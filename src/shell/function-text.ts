/** Functions as `declare -f` and `type` print them: just-bash has dots in place of most of their commands. */

import {
  type CommandNode,
  type ScriptNode,
  type StatementNode,
  serialize,
  type WordNode,
} from 'just-bash';
import type {
  CommandResult,
  FunctionNode,
  InterpreterState,
  RedirectionNode,
} from './interpreter-types.ts';
import { redirectionsOf } from './redirects.ts';
import { loopHead } from './select-loop.ts';
import { asTyped } from './source.ts';

type Statements = readonly StatementNode[];

/** `declare -f [NAME…]`; null for other commands. */
export function printFunctions(
  name: string,
  args: readonly string[],
  { functions }: InterpreterState,
): CommandResult | null {
  if (name !== 'declare' && name !== 'typeset') return null;
  const flags = args.filter((word) => /^-\w/.test(word)).join('');
  if (!flags.includes('f') || /[Fx]/.test(flags)) return null;
  const asked = args.filter((word) => !/^-/.test(word));
  const names = asked.length === 0 ? [...functions.keys()].sort() : asked;
  const found = names.flatMap((one) => functions.get(one) ?? []);
  const stdout = found.map((one) => `${typedText(one)}\n`).join('');
  return { stdout, stderr: '', exitCode: found.length < names.length ? 1 : 0 };
}

/** What `type` and `command -V` printed, with the text of the functions. */
export function withFunctionTexts(
  name: string,
  result: CommandResult,
  { functions }: InterpreterState,
): CommandResult {
  if (name !== 'type' || !/ is a function$/m.test(result.stdout)) return result;
  const stdout = result.stdout.replace(
    /^(.+) is a function\n\1 \(\) \n\{ \n[\s\S]*?\n\}$/gm,
    (whole, called: string) => {
      const known = functions.get(called);
      return known === undefined ? whole : `${called} is a function\n${typedText(known)}`;
    },
  );
  const { internalOutputAccounting: _counted, ...rest } = result;
  return { ...rest, stdout };
}

const typedText = (one: FunctionNode): string => asTyped(functionText(one));

/** In bash's layout, its commands in the spelling that was parsed. */
function functionText({ name, body, redirections }: FunctionNode, depth = 0): string {
  const isGroup = body.type === 'Group';
  const list = [...body.redirections, ...redirections];
  const inner = isGroup
    ? body.body
    : [{ ...EMPTY, pipelines: [pipelineOf({ ...body, redirections: list })] }];
  const end = margin(depth);
  const outside = isGroup ? redirected(list) : '';
  return `${name} () \n${end}{ \n${block(inner, depth + 1, '')}\n${end}}${outside}`;
}

const EMPTY: StatementNode = { type: 'Statement', pipelines: [], operators: [], background: false };

const pipelineOf = (command: CommandNode) => ({
  type: 'Pipeline' as const,
  commands: [command],
  negated: false,
});

const margin = (depth: number): string => '    '.repeat(depth);

/** Statements, a line each. @param last what ends the last of them */
function block(statements: Statements, depth: number, last: string): string {
  let text = margin(depth);
  for (const [at, one] of statements.entries()) {
    const isLast = at === statements.length - 1;
    text += statementText(one, depth);
    if (one.background) text += isLast ? ' &' : ' & ';
    else if (endsDocument(one)) text += isLast ? '\n' : `\n\n${margin(depth)}`;
    else text += isLast ? last : `;\n${margin(depth)}`;
  }
  return text;
}

/** A condition, on one line. */
function condition(statements: Statements, depth: number): string {
  return statements.map((one) => statementText(one, depth)).join('; ');
}

/** Does a here-document end its text? Behind it stands no semicolon. */
function endsDocument({ pipelines }: StatementNode): boolean {
  return pipelines.some(({ commands }) => commands.some(hasDocument));
}

function hasDocument(command: CommandNode): boolean {
  return redirectionsOf(command).some(({ target }) => target.type === 'HereDoc');
}

function statementText(node: StatementNode, depth: number): string {
  const commands = node.pipelines.flatMap((one) => one.commands);
  // `|&` is told as what it stands for.
  const isPlain =
    commands.every((one) => one.type === 'SimpleCommand' && !hasDocument(one)) &&
    !node.pipelines.some(({ pipeStderr = [] }) => pipeStderr.includes(true));
  if (isPlain && node.sourceText !== undefined) {
    return node.sourceText.trim().replace(/\s*(?:;|(?<!&)&)$/, '');
  }
  return node.pipelines
    .map((one, at) => {
      const before = at === 0 ? '' : ` ${node.operators[at - 1] ?? ';'} `;
      const { pipeStderr = [] } = one as { pipeStderr?: boolean[] };
      const stages = one.commands.map((command, stage) => {
        const pipe = stage === 0 ? '' : pipeStderr[stage - 1] === true ? ' 2>&1 | ' : ' | ';
        return pipe + commandText(command, depth);
      });
      return `${before}${one.timed === true ? 'time ' : ''}${one.negated ? '! ' : ''}${stages.join('')}`;
    })
    .join('');
}

function commandText(node: CommandNode, depth: number): string {
  if (node.type === 'SimpleCommand') return written(node);
  if (node.type === 'FunctionDef') return `function ${functionText(node, depth)}`;
  return compoundText(node, depth) + redirected(node.redirections);
}

/** As it was parsed. */
function expressionText(expression: object | null): string {
  return (expression as { originalText?: string } | null)?.originalText ?? '';
}

function compoundText(
  node: Exclude<CommandNode, { type: 'SimpleCommand' | 'FunctionDef' }>,
  depth: number,
): string {
  const end = margin(depth);
  const inside = (body: Statements): string => `${block(body, depth + 1, ';')}\n${end}`;
  switch (node.type) {
    case 'If':
      return ifText(node, 0, depth);
    case 'For': {
      const words = node.words === null ? '"$@"' : wordsText(node.words);
      return `${loopHead(node.variable)} in ${words};\n${end}do\n${inside(node.body)}done`;
    }
    case 'CStyleFor': {
      const heads = [node.init, node.condition, node.update].map(expressionText);
      return `for ((${heads.join('; ')}))\n${end}do\n${inside(node.body)}done`;
    }
    case 'ArithmeticCommand': {
      // Of what it did not understand the tree has only the end.
      const isWhole = node.expression.expression.type !== 'ArithSyntaxError';
      if (isWhole) return written({ ...node, redirections: [] });
      return `((${asTyped(expressionText(node.expression)).trim()}))`;
    }
    case 'While':
    case 'Until': {
      const word = node.type === 'While' ? 'while' : 'until';
      return `${word} ${condition(node.condition, depth)}; do\n${inside(node.body)}done`;
    }
    case 'Case': {
      const items = node.items.map(({ patterns, body, terminator }) => {
        const heads = patterns.map((one) => wordsText([one])).join(' | ');
        const text = body.length === 0 ? '' : block(body, depth + 2, '');
        return `${margin(depth + 1)}${heads})\n${text}\n${margin(depth + 1)}${terminator}\n`;
      });
      return `case ${wordsText([node.word])} in \n${items.join('')}${end}esac`;
    }
    case 'Subshell':
      return `( ${block(node.body, depth, '').trimStart()} )`;
    case 'Group':
      return `{ \n${block(node.body, depth + 1, '')}\n${end}}`;
    default:
      return written({ ...node, redirections: [] });
  }
}

/** From one of its clauses on: bash prints `elif` as an `if` within `else`. */
function ifText(node: Extract<CommandNode, { type: 'If' }>, at: number, depth: number): string {
  const end = margin(depth);
  const clause = node.clauses[at];
  if (clause === undefined) return '';
  const head = `if ${condition(clause.condition, depth)}; then\n${block(clause.body, depth + 1, ';')}\n`;
  const hasMore = at + 1 < node.clauses.length;
  const rest = hasMore
    ? `${margin(depth + 1)}${ifText(node, at + 1, depth + 1)};`
    : node.elseBody && block(node.elseBody, depth + 1, ';');
  return rest == null ? `${head}${end}fi` : `${head}${end}else\n${rest}\n${end}fi`;
}

function wordsText(words: readonly WordNode[]): string {
  const [name = null, ...args] = words;
  return written({ type: 'SimpleCommand', name, args, assignments: [], redirections: [] });
}

function redirected(redirections: readonly RedirectionNode[]): string {
  if (redirections.length === 0) return '';
  const all = [...redirections];
  return ` ${written({ type: 'SimpleCommand', name: null, args: [], assignments: [], redirections: all })}`;
}

function written(command: CommandNode): string {
  const statement: StatementNode = { ...EMPTY, pipelines: [pipelineOf(command)] };
  const script: ScriptNode = { type: 'Script', statements: [statement] };
  return serialize(script)
    .replace(/([<>]&) /g, '$1')
    .replace(/\\\]/g, ']');
}
