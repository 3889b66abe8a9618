/** Aliases: `alias` itself, of which just-bash looks at the first operand alone, and where they are words. */
import { type CommandNode, parse, type WordNode } from 'just-bash';
import { literalText } from './array-literals.ts';
import type { Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import { quoted } from './quote.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;

/** just-bash's name for an alias among the variables. */
const PREFIX = 'BASH_ALIAS_';

/** `alias [-p] [NAME[=VALUE]…]` */
export function alias(args: readonly string[], { ctx, aliasing }: Run): CommandResult {
  const { env } = ctx.state;
  const line = (name: string): string => `alias ${name}=${quoted(env.get(PREFIX + name) ?? '')}\n`;
  let stdout = '';
  let stderr = '';
  const operands = args.filter((word) => word !== '-p' && word !== '--');
  if (operands.length === 0 || args[0] === '-p') {
    const names = [...env.keys()].filter((key) => key.startsWith(PREFIX)).sort();
    stdout = names.map((key) => line(key.slice(PREFIX.length))).join('');
  }
  for (const word of operands) {
    const [, name = word, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (value !== undefined) {
      aliasing.made.set(name, { at: aliasing.lines, before: env.get(PREFIX + name) });
      env.set(PREFIX + name, value);
    } else if (env.has(PREFIX + name)) stdout += line(name);
    else stderr += `bash: alias: ${name}: not found\n`;
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

/**
 * The command with its aliases replaced: its name, and the words behind one that ends in a blank.
 * One that stands for more than a simple command is left to just-bash.
 */
export function withAliases(node: CommandNode, run: Run): CommandNode {
  const { state } = run.ctx;
  if (node.type !== 'SimpleCommand' || state.shoptOptions['expand_aliases'] !== true) return node;
  let made = node;
  const seen = new Set<string>();
  for (;;) {
    const name = literalText(made.name);
    if (name === null || !state.env.has(PREFIX + name)) return made;
    const value = stoodFor(name, run);
    if (seen.has(name) || value === undefined) return { ...made, name: settled(made.name) };
    seen.add(name);
    const inner = commandOf(value);
    if (inner === null) return made;
    const args = /\s$/.test(value) ? nextReplaced(made.args, run) : made.args;
    made = {
      ...made,
      name: inner.name,
      assignments: [...made.assignments, ...inner.assignments],
      args: [...inner.args, ...args],
      redirections: [...inner.redirections, ...made.redirections],
    };
  }
}

/** What an alias stood for when the command was read. */
function stoodFor(name: string, { aliasing, ctx }: Run): string | undefined {
  const made = aliasing.made.get(name);
  const isNew = made !== undefined && made.at >= aliasing.reading.at;
  return isNew ? made.before : ctx.state.env.get(PREFIX + name);
}

/** A name that just-bash takes for no alias. */
function settled(name: WordNode | null): WordNode | null {
  return name && { ...name, parts: [...name.parts, { type: 'SingleQuoted', value: '' }] };
}

function nextReplaced(args: readonly WordNode[], run: Run): WordNode[] {
  const [next, ...rest] = args;
  const name = literalText(next ?? null);
  const value = name === null ? undefined : stoodFor(name, run);
  if (value === undefined) return [...args];
  const inner = commandOf(`: ${value}`);
  if (inner === null || inner.redirections.length > 0) return [...args];
  return [...inner.args, ...(/\s$/.test(value) ? nextReplaced(rest, run) : rest)];
}

/** The one simple command that a text is; null where it is anything else. */
function commandOf(text: string): SimpleCommand | null {
  try {
    const [statement, ...others] = parse(text).statements;
    const [pipeline, ...more] = statement?.pipelines ?? [];
    const [command, ...stages] = pipeline?.commands ?? [];
    const alone = others.length + more.length + stages.length === 0 && !statement?.background;
    const plain = alone && pipeline?.negated === false && command?.type === 'SimpleCommand';
    return plain && command.name !== null ? command : null;
  } catch (error) {
    // No command by itself: that is the question here.
    if (error instanceof Error) return null;
    throw error;
  }
}
