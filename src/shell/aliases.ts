/** `alias`: just-bash looks at its first operand alone. */
import type { CommandResult, InterpreterState } from './interpreter-types.ts';
import { quoted } from './quote.ts';

/** just-bash's name for an alias among the variables. */
const PREFIX = 'BASH_ALIAS_';

/** `alias [-p] [NAME[=VALUE]…]` */
export function alias(args: readonly string[], { env }: InterpreterState): CommandResult {
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
    if (value !== undefined) env.set(PREFIX + name, value);
    else if (env.has(PREFIX + name)) stdout += line(name);
    else stderr += `bash: alias: ${name}: not found\n`;
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}
