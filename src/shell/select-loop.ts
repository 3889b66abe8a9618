/**
 * `select`, which just-bash's parser refuses. In the source it becomes a `for`
 * over a variable of a special name; that node, when its turn comes, becomes the
 * `while` loop that `select` stands for.
 */
import {
  type CommandNode,
  parse,
  type ScriptNode,
  type StatementNode,
  type WordNode,
} from 'just-bash';
import { spellAssignmentWords } from './assignment-words.ts';

type For = Extract<CommandNode, { type: 'For' }>;

const PREFIX = '__dirigent_select_';
const VARIABLE = new RegExp(`^${PREFIX}\\d+_`);
/** `select NAME` where a command can begin. */
const SELECT =
  /(^|[\n;&|({!]|\b(?:do|then|else|elif|if|while|until)\b)([ \t]*)select([ \t]+)([A-Za-z_]\w*)(?=[ \t]*(?:[;\n]|[ \t]in\b|[ \t]do\b))/g;

/** The script with each `select` spelled so that it can be parsed. */
export function spellSelects(script: string): string {
  if (!/\bselect\b/.test(script)) return script;
  const all = spelled(script, () => true);
  if (all === script) return script;
  // What stands in a string or a here-document is no loop, and stays as it is.
  const real = loopsOf(all);
  return spelled(script, (index) => real.has(index));
}

/** The loop that such a node stands for; null for any other command. */
export function selectLoop(node: CommandNode): CommandNode | null {
  if (node.type !== 'For' || !VARIABLE.test(node.variable)) return null;
  const number = Number.parseInt(node.variable.slice(PREFIX.length), 10);
  return whileLoop(node, node.variable.replace(VARIABLE, ''), `__dirigent_menu_${number}_`);
}

/** The word and the variable with which a loop was written: `for` or `select`. */
export function loopHead(variable: string): string {
  return VARIABLE.test(variable) ? `select ${variable.replace(VARIABLE, '')}` : `for ${variable}`;
}

function spelled(script: string, is: (index: number) => boolean): string {
  let index = -1;
  return script.replace(
    SELECT,
    (whole, before: string, blank: string, gap: string, name: string) => {
      index += 1;
      return is(index) ? `${before}${blank}for${gap}${PREFIX}${index}_${name}` : whole;
    },
  );
}

function loopsOf(script: string): Set<number> {
  const found = new Set<number>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, variable } = node as { type?: unknown; variable?: unknown };
    if (type === 'For' && typeof variable === 'string' && VARIABLE.test(variable)) {
      found.add(Number.parseInt(variable.slice(PREFIX.length), 10));
    }
    for (const inner of Object.values(node)) visit(inner);
  };
  try {
    visit(parse(spellAssignmentWords(script)));
  } catch (error) {
    // A syntax error: it is told when the script is run, in the words it was written in.
    if (!(error instanceof Error)) throw error;
  }
  return found;
}

/** The menu is shown at first and after an empty answer; the end of input ends the loop with status 1. */
function whileLoop(node: For, name: string, own: string): CommandNode {
  const script = parse(`${own}quiet=; ${own}end=; ${own}items=(); while {
if [[ -z $${own}quiet ]]; then for ${own}i in "\${!${own}items[@]}"; do echo "$(( ${own}i + 1 ))) \${${own}items[${own}i]}" >&2; done; fi
printf %s "\${PS3-#? }" >&2
IFS= read -r REPLY || { echo; ${own}end=1; false; }
}; do
if [[ -z $REPLY ]]; then ${own}quiet=; continue; fi
${own}quiet=1; ${name}=
if [[ $REPLY =~ ^[[:space:]]*0*([0-9]+)[[:space:]]*$ ]]; then
${own}i=$(( BASH_REMATCH[1] - 1 ))
(( ${own}i < 0 || ${own}i >= \${#${own}items[@]} )) || ${name}=\${${own}items[${own}i]}
fi
done
[[ -z $${own}end ]]`);
  const group: CommandNode = {
    type: 'Group',
    body: withWords(script, node),
    redirections: node.redirections,
  };
  return group;
}

/** The template's statements with the words and the body of the loop in their places. */
function withWords(script: ScriptNode, node: For): StatementNode[] {
  for (const statement of script.statements) {
    const command = statement.pipelines[0]?.commands[0];
    const [assignment] = command?.type === 'SimpleCommand' ? command.assignments : [];
    if (assignment?.array != null) assignment.array = [...(node.words ?? ARGUMENTS)];
    if (command?.type === 'While') command.body = [...command.body, ...node.body];
  }
  return script.statements;
}

/** `"$@"`, over which a loop without words goes. */
export const ARGUMENTS: readonly WordNode[] = [
  {
    type: 'Word',
    parts: [
      {
        type: 'DoubleQuoted',
        parts: [{ type: 'ParameterExpansion', parameter: '@', operation: null }],
      },
    ],
  },
];
