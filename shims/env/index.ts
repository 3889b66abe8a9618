/** env and printenv: the variables that are exported, where the built-in ones show all that there are. */
import type { ExecResult } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, shellQuote, type Tool } from '../support/tool.ts';
import { splitString } from './split-string.ts';

const exported = (tool: Tool): Record<string, string> => ({ ...tool.ctx.exportedEnv });

function print(tool: Tool, variables: Readonly<Record<string, string>>, end: string): void {
  for (const [name, value] of Object.entries(variables)) tool.print(`${name}=${value}${end}`);
}

/** What env is to change, and what it is to run. */
interface Request {
  isEmpty: boolean;
  end: string;
  directory: string | undefined;
  unset: string[];
  assigned: [name: string, value: string][];
  command: string[];
}

const OPTIONS = {
  short: '0C:iu:S:v',
  long: {
    null: '0',
    chdir: 'C:',
    'ignore-environment': 'i',
    unset: 'u:',
    'split-string': 'S:',
    debug: 'v',
  },
  stopAtOperand: true,
} as const;

/** The arguments with what `-S` holds split into words in its place. */
function withSplit(tool: Tool, args: readonly string[]): string[] {
  for (const [i, arg] of args.entries()) {
    const held = /^(?:-([0iv]*)S|--split-string(?:=|$))(.*)$/s.exec(arg);
    if (held !== null) {
      const [, flags = '', attached = ''] = held;
      const isAttached = attached !== '' || arg.endsWith('=');
      const text = isAttached ? attached : args[i + 1];
      if (text === undefined) return [...args];
      const after = args.slice(i + (isAttached ? 1 : 2));
      const words = splitString(text, (name) => tool.ctx.exportedEnv?.[name]);
      const lead = flags === '' ? [] : [`-${flags}`];
      return withSplit(tool, [...args.slice(0, i), ...lead, ...words, ...after]);
    }
    if (arg === '--' || !arg.startsWith('-') || arg === '-') return [...args];
    if (/^-[0iv]*[uC]$/.test(arg)) {
      const rest = withSplit(tool, args.slice(i + 2));
      return [...args.slice(0, i + 2), ...rest];
    }
  }
  return [...args];
}

function requestOf(tool: Tool): Request {
  const args = withSplit(tool, tool.args);
  const options = tool.options(OPTIONS, args);
  const operands = [...options.operands];
  const isDash = operands[0] === '-';
  if (isDash) operands.shift();
  const assigned: [string, string][] = [];
  for (let word = operands[0]; word?.includes('=') === true; word = operands[0]) {
    const equals = word.indexOf('=');
    assigned.push([word.slice(0, equals), word.slice(equals + 1)]);
    operands.shift();
  }
  return {
    isEmpty: isDash || options.has('i'),
    end: options.has('0') ? '\0' : '\n',
    directory: options.get('C'),
    unset: options.all('u'),
    assigned,
    command: operands,
  };
}

/** Without a command it prints; with one, the built-in env runs it. */
async function env(tool: Tool): Promise<ExecResult | undefined> {
  const { isEmpty, end, directory, unset, assigned, command } = requestOf(tool);
  for (const name of unset) {
    if (name === '' || name.includes('='))
      throw new UsageError(`cannot unset '${name}': Invalid argument`, { hint: false });
  }
  if (command.length === 0) {
    if (directory !== undefined) throw new UsageError('must specify command with --chdir (-C)');
    const variables = isEmpty ? {} : exported(tool);
    for (const name of unset) delete variables[name];
    print(tool, { ...variables, ...Object.fromEntries(assigned) }, end);
    return undefined;
  }
  if (end === '\0') throw new UsageError('cannot specify --null (-0) with command');
  const place = directory === undefined ? tool.ctx.cwd : tool.path(directory);
  if (directory !== undefined) {
    const what = `cannot change directory to '${directory}'`;
    if ((await tool.attempt(what, () => tool.fs.readdir(place), 125)) === undefined)
      return undefined;
  }
  const odd = assigned.find(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd !== undefined)
    throw new UsageError(`cannot set '${odd[0]}': not a name that the shell can hand on`, {
      hint: false,
    });
  // Assignments before a command are exported to it; those of exec() are not.
  const without = [...(isEmpty ? ['PWD'] : []), ...unset];
  const line = [
    ...(without.length > 0 ? [`unset ${without.map(shellQuote).join(' ')};`] : []),
    ...assigned.map(([name, value]) => `${name}=${shellQuote(value)}`),
    // Quoted, a word is no keyword and no alias.
    ...command.map((word) => `'${word.replaceAll("'", "'\\''")}'`),
  ].join(' ');
  const { stdout, stderr, exitCode } = await tool.runLine(line, { cwd: place, isEmpty });
  tool.write(stdout);
  tool.stderr += stderr;
  tool.status = exitCode;
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
    {
      name: 'env',
      usage: 'Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]',
      usageStatus: 125,
    },
    env,
  ),
  defineTool(
    host,
    { name: 'printenv', usage: 'Usage: printenv [OPTION]... [VARIABLE]...', usageStatus: 2 },
    printenv,
  ),
];
