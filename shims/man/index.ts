/** man, whatis, apropos and whereis: what is known of the commands. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { PerlPattern } from '../support/perl-pattern.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const BIN = '/usr/bin';

const isCommand = (tool: Tool, name: string): Promise<boolean> =>
  name.includes('/') ? Promise.resolve(false) : tool.fs.exists(`${BIN}/${name}`);

/** What a command says of itself, or the shell of what it has built in. */
async function pageOf(tool: Tool, name: string): Promise<string | undefined> {
  if (await isCommand(tool, name)) {
    const { stdout, exitCode } = await tool.spawn([name, '--help']);
    if (exitCode === 0 && stdout !== '') return stdout;
  }
  const { stdout, exitCode } = await tool.spawn(['help', name]);
  return exitCode === 0 && stdout !== '' ? stdout : undefined;
}

async function man(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'adfhkKlM:P:s:S:wW',
    long: { apropos: 'k', whatis: 'f', pager: 'P:', sections: 's:', where: 'w', path: 'w' },
  });
  const names = options.operands.filter(
    (word, i, all) => !(i === 0 && all.length > 1 && /^[1-9]$/.test(word)),
  );
  if (names.length === 0)
    throw new UsageError("What manual page do you want?\nFor example, try 'man ls'.", {
      hint: false,
    });
  if (options.has('k')) return apropos(tool, names);
  if (options.has('f')) return whatis(tool, names);
  for (const name of names) {
    const page = await pageOf(tool, name);
    if (page !== undefined) tool.write(page);
    else {
      tool.stderr += `No manual entry for ${name}\n`;
      tool.status = 16;
    }
  }
}

/** The first line of what a command says of itself that is no usage. */
async function summary(tool: Tool, name: string): Promise<string | undefined> {
  const page = await pageOf(tool, name);
  const lines = page
    ?.split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(?:Usage|usage|or):?/.test(line));
  const first = lines?.[0]?.trim();
  return page === undefined
    ? undefined
    : (first ?? 'see --help').replace(new RegExp(`^${name.replace(/\W/g, '\\$&')} - `), '');
}

async function whatis(tool: Tool, names: readonly string[]): Promise<undefined> {
  for (const name of names) {
    const text = (await isCommand(tool, name)) ? await summary(tool, name) : undefined;
    if (text !== undefined) tool.print(`${`${name} (1)`.padEnd(20)} - ${text}\n`);
    else {
      tool.stderr += `${name}: nothing appropriate.\n`;
      tool.status = 16;
    }
  }
}

async function apropos(tool: Tool, words: readonly string[]): Promise<undefined> {
  const patterns = words.map((word) => new PerlPattern(word, true));
  let found = 0;
  for (const name of (await tool.fs.readdir(BIN)).sort()) {
    const text = (await summary(tool, name)) ?? '';
    if (!patterns.some((pattern) => pattern.test(name) || pattern.test(text))) continue;
    tool.print(`${`${name} (1)`.padEnd(20)} - ${text}\n`);
    found++;
    await tool.pulse();
  }
  if (found > 0) return;
  tool.stderr += `${words.join(' ')}: nothing appropriate.\n`;
  tool.status = 16;
}

const operandsOf = (tool: Tool, what: string): string[] => {
  const { operands } = tool.options({ short: 'ades:lwr' });
  if (operands.length === 0) throw new UsageError(`${what} what?`, { hint: false });
  return operands;
};

async function whereis(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'bmsuB:M:S:flg' });
  if (options.operands.length === 0) throw new UsageError('not enough arguments');
  for (const name of options.operands) {
    tool.print(`${name}:${(await isCommand(tool, name)) ? ` ${BIN}/${name}` : ''}\n`);
  }
}

/** man, whatis, apropos, whereis. */
export const manShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'man',
      usage: 'Usage: man [-k | -f] NAME...\nPrint what a command says of itself; -k: search in it.',
    },
    man,
  ),
  defineTool(
    host,
    { name: 'whatis', usage: 'Usage: whatis NAME...\nPrint one line about each command.' },
    async (tool) => whatis(tool, operandsOf(tool, 'whatis')),
  ),
  defineTool(
    host,
    {
      name: 'apropos',
      usage: 'Usage: apropos KEYWORD...\nPrint one line about each command that has to do with it.',
    },
    async (tool) => apropos(tool, operandsOf(tool, 'apropos')),
  ),
  defineTool(
    host,
    { name: 'whereis', usage: 'Usage: whereis NAME...\nPrint where each command is.' },
    whereis,
  ),
];
