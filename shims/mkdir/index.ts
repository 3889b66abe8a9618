/** mkdir, with -p, -m and -v. */
import { dirname } from 'node:path/posix';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { parseMode } from '../support/mode.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

async function isDirectory(tool: Tool, path: string): Promise<boolean> {
  try {
    return (await tool.fs.stat(tool.path(path))).isDirectory;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Makes one directory, with a message as GNU's when it fails. Is it there now, and new? */
async function make(tool: Tool, name: string, verbose: boolean): Promise<boolean> {
  const made = await tool.attempt(`cannot create directory '${name}'`, async () => {
    await tool.fs.mkdir(tool.path(name));
    return true;
  });
  if (made === true && verbose) tool.print(`mkdir: created directory '${name}'\n`);
  return made === true;
}

/** -p: the directories that lead there first. False after a message. */
async function makeAll(tool: Tool, name: string, verbose: boolean): Promise<boolean> {
  if (await isDirectory(tool, name)) return true;
  const parent = dirname(name);
  if (parent !== name && parent !== '.' && !(await isDirectory(tool, parent))) {
    if (!(await makeAll(tool, parent, verbose))) return false;
  }
  return make(tool, name, verbose);
}

async function mkdir(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'm:pvZ',
    long: { mode: 'm:', parents: 'p', verbose: 'v', context: 'Z::' },
  });
  if (options.operands.length === 0) throw new UsageError('missing operand');
  const mode = options.get('m');
  const rule = mode === undefined ? undefined : parseMode(mode);
  if (mode !== undefined && rule === undefined) {
    throw new UsageError(`invalid mode '${mode}'`, { hint: false });
  }
  const verbose = options.has('v');
  for (const name of options.operands) {
    const there = options.has('p') && (await isDirectory(tool, name));
    if (there) continue;
    const made = options.has('p')
      ? await makeAll(tool, name, verbose)
      : await make(tool, name, verbose);
    if (made && rule !== undefined) {
      await tool.attempt(`cannot set permissions of '${name}'`, () =>
        tool.fs.chmod(tool.path(name), rule(0o777, true)),
      );
    }
  }
}

/** mkdir. */
export const mkdirShims: ShimFactory = (host) => [
  defineTool(host, { name: 'mkdir', usage: 'Usage: mkdir [OPTION]... DIRECTORY...' }, mkdir),
];
