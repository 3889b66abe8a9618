/** env and printenv: the variables that are exported, where the built-in ones show all that there are. */
import type { ExecResult } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const exported = (tool: Tool): Record<string, string> => ({ ...tool.ctx.exportedEnv });

function print(tool: Tool, variables: Readonly<Record<string, string>>, end: string): void {
  for (const [name, value] of Object.entries(variables)) tool.print(`${name}=${value}${end}`);
}

/** Without a command it prints; with one, the built-in env runs it. */
async function env(tool: Tool): Promise<ExecResult | undefined> {
  const variables = exported(tool);
  let end = '\n';
  const { args } = tool;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(arg);
    if (arg === '-i' || arg === '-' || arg === '--ignore-environment') {
      for (const name of Object.keys(variables)) delete variables[name];
    } else if (arg === '-u' || arg === '--unset') delete variables[args[++i] ?? ''];
    else if (arg.startsWith('--unset=')) delete variables[arg.slice('--unset='.length)];
    else if (arg === '-0' || arg === '--null') end = '\0';
    else if (assigned !== null) variables[assigned[1] ?? ''] = assigned[2] ?? '';
    else return tool.original();
  }
  print(tool, variables, end);
  return undefined;
}

async function printenv(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '0', long: { null: '0' } });
  const end = options.has('0') ? '\0' : '\n';
  const variables = exported(tool);
  if (options.operands.length === 0) return print(tool, variables, end) as undefined;
  for (const name of options.operands) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) tool.status = 1;
    else tool.print(`${value}${end}`);
  }
}

/** env and printenv. */
export const envShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'env', usage: 'Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]' },
    env,
  ),
  defineTool(
    host,
    { name: 'printenv', usage: 'Usage: printenv [OPTION]... [VARIABLE]...', usageStatus: 2 },
    printenv,
  ),
];
