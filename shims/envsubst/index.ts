/** envsubst: exported variables in the place of their names. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBytes } from '../support/tool.ts';

const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

const namesIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map((match) => match[1] ?? match[2] ?? '');

async function envsubst(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'vhV', long: { variables: 'v' } });
  const [format, extra] = options.operands;
  if (extra !== undefined) throw new UsageError('too many arguments', { hint: false });
  if (options.has('v')) {
    if (format === undefined) throw new UsageError('missing arguments', { hint: false });
    for (const name of namesIn(format)) tool.print(`${name}\n`);
    return;
  }
  const chosen = format === undefined ? undefined : new Set(namesIn(format));
  const variables: Readonly<Record<string, string>> = { ...tool.ctx.exportedEnv };
  const bytes = tool.stdin.replace(REFERENCE, (all, plain?: string, braced?: string) => {
    const name = plain ?? braced ?? '';
    if (chosen?.has(name) === false) return all;
    return Object.hasOwn(variables, name) ? toBytes(variables[name] ?? '') : '';
  });
  tool.write(bytes);
}

/** envsubst. */
export const envsubstShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'envsubst',
      usage:
        'Usage: envsubst [OPTION] [SHELL-FORMAT]\nCopy standard input with $NAME and ${NAME} replaced by exported variables;\nwith SHELL-FORMAT only those that it names.\n\n  -v, --variables  print the names in SHELL-FORMAT',
    },
    envsubst,
  ),
];
