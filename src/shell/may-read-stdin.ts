/** May a script read its stdin? Asked only when a pipe on stdin stays open. */
import {
  type CommandNode,
  parse,
  type SimpleCommandNode,
  type StatementNode,
  type WordNode,
} from 'just-bash';
import { mayRead } from './stdin-readers.ts';

/** False only when no command of the script can read what is on its stdin. */
export function mayReadStdin(script: string): boolean {
  try {
    return parse(script).statements.some(statementReads);
  } catch (error) {
    // The shell will say what is wrong with the script; it will read nothing.
    if (error instanceof Error) return false;
    throw error;
  }
}

const statementReads = (statement: StatementNode): boolean =>
  // The second command of a pipeline reads the first one's output.
  statement.pipelines.some(({ commands: [first] }) => first !== undefined && commandReads(first));

function commandReads(node: CommandNode): boolean {
  const redirected = node.redirections.some(
    ({ operator, fd }) => operator.startsWith('<') && (fd ?? 0) === 0,
  );
  if (redirected) return false;
  switch (node.type) {
    case 'SimpleCommand':
      return simpleReads(node);
    case 'If':
      return (
        node.clauses.some(({ condition, body }) => [...condition, ...body].some(statementReads)) ||
        (node.elseBody ?? []).some(statementReads)
      );
    case 'While':
    case 'Until':
      return [...node.condition, ...node.body].some(statementReads);
    case 'For':
    case 'CStyleFor':
    case 'Subshell':
    case 'Group':
      return node.body.some(statementReads);
    case 'Case':
      return node.items.some(({ body }) => body.some(statementReads));
    case 'FunctionDef':
      return commandReads(node.body);
    default:
      return false;
  }
}

function simpleReads({ name, args, assignments }: SimpleCommandNode): boolean {
  // A substitution in a word has the same stdin.
  const words = [...args, ...assignments.flatMap(({ value, array }) => [value, ...(array ?? [])])];
  if (words.some((word) => word !== null && substitutes(word))) return true;
  if (name === null) return false;
  const command = textOf(name);
  if (command === null) return true;
  return mayRead(command, args.map(textOf));
}

/** A word's text if it is fixed; null if it is made when the script runs. */
function textOf(word: WordNode): string | null {
  let text = '';
  for (const part of word.parts) {
    if (part.type === 'DoubleQuoted') {
      const inner = textOf({ type: 'Word', parts: part.parts });
      if (inner === null) return null;
      text += inner;
    } else if ('value' in part && typeof part.value === 'string') text += part.value;
    else return null;
  }
  return text;
}

const substitutes = (word: WordNode): boolean =>
  word.parts.some((part) => {
    if (part.type === 'CommandSubstitution') return part.body.statements.some(statementReads);
    return part.type === 'DoubleQuoted' && substitutes({ type: 'Word', parts: part.parts });
  });
