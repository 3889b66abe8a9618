/**
 * `echo a |` and `b && ;`: a script in which a command is missing is refused by bash. just-bash puts
 * an empty command there, and the script would go on as if all had been said.
 */
import type { CommandNode, PipelineNode, ScriptNode, StatementNode } from 'just-bash';
import { lineOf } from './discard.ts';
import type { CommandResult } from './interpreter-types.ts';

/** Status of a script that cannot be understood. */
const MISUNDERSTOOD = 2;

/** Runs a script up to the line on which a command is missing, and refuses it there. */
export async function runWhole(
  node: ScriptNode,
  original: (node: ScriptNode) => Promise<CommandResult>,
): Promise<CommandResult> {
  const at = node.statements.findIndex((one) => operatorAtEnd(one) !== null);
  const broken = node.statements[at];
  if (broken === undefined) return original(node);
  // A line is read as a whole before any of it runs.
  const line = lineOf(broken);
  const statements = node.statements
    .slice(0, at)
    .filter((one) => line !== null && (lineOf(one) ?? line) < line);
  const empty: CommandResult = { stdout: '', stderr: '', exitCode: 0 };
  const before = statements.length === 0 ? empty : await original({ ...node, statements });
  const told = `bash: syntax error: a command is missing behind \`${operatorAtEnd(broken)}'\n`;
  return { ...before, stderr: before.stderr + told, exitCode: MISUNDERSTOOD };
}

/** The operator behind or before which a command is missing, in the statement or deep in it. */
function operatorAtEnd({ pipelines, operators }: StatementNode): string | null {
  for (const [index, pipeline] of pipelines.entries()) {
    if (pipelines.length > 1 && isNothing(pipeline)) return operators[Math.max(0, index - 1)] ?? '';
    if (pipeline.commands.length > 1 && pipeline.commands.some(isEmpty)) return '|';
    for (const command of pipeline.commands) {
      const inner = innerOf(command);
      for (const statement of inner) {
        const found = operatorAtEnd(statement);
        if (found !== null) return found;
      }
    }
  }
  return null;
}

/** Only `!` and `time` may stand alone. */
const isNothing = ({ commands, negated, timed }: PipelineNode): boolean =>
  commands.length === 1 && commands.every(isEmpty) && !negated && timed !== true;

const isEmpty = (node: CommandNode): boolean =>
  node.type === 'SimpleCommand' &&
  node.name === null &&
  node.args.length === 0 &&
  node.assignments.length === 0 &&
  node.redirections.length === 0;

/** The statements in a compound command. */
function innerOf(node: CommandNode): readonly StatementNode[] {
  switch (node.type) {
    case 'If':
      return [
        ...node.clauses.flatMap(({ condition, body }) => [...condition, ...body]),
        ...(node.elseBody ?? []),
      ];
    case 'While':
    case 'Until':
      return [...node.condition, ...node.body];
    case 'For':
    case 'CStyleFor':
    case 'Subshell':
    case 'Group':
      return node.body;
    case 'Case':
      return node.items.flatMap(({ body }) => body);
    case 'FunctionDef':
      return innerOf(node.body);
    default:
      return [];
  }
}
