/** edit: a file of the world in the editor of the person at the terminal. */
import { FsError } from '../../src/errors.ts';
import { nameOf } from '../../src/paths.ts';
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import type { ShellTerminal } from '../../src/shell/terminal.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool, toText } from '../support/tool.ts';

const USAGE = `Usage: edit FILE...
Opens each FILE in your editor ($VISUAL, $EDITOR or vi), and writes it when the editor
has ended. What is refused is told with the reason, and can be edited again.`;

async function edit(tool: Tool, host: ShimHost): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  if (operands.length === 0) throw new UsageError('say which file: edit FILE');
  const terminal = host.terminal?.() ?? null;
  if (terminal === null) {
    throw new UsageError('it needs a terminal; sed -i, patch and > edit a file without one');
  }
  for (const name of operands) await editOne(tool, terminal, name);
}

async function editOne(tool: Tool, terminal: ShellTerminal, name: string): Promise<void> {
  const path = tool.path(name);
  const before = await tool.attempt(name, () => readOrNew(tool, path));
  if (before === undefined) return;
  let text = before;
  for (;;) {
    const edited = await terminal.ask({ kind: 'edit', name: path, text });
    if (edited === null) return tool.fail(`${name}: the editor failed; nothing was written`);
    if (edited === before) return tool.warn(`${name}: nothing was changed`);
    text = edited;
    const refused = await write(tool, path, text);
    if (refused === null) return;
    const prompt = `edit: ${name}: ${refused.reason ?? refused.strerror}\nEdit it again? y or n: `;
    const answer = await terminal.ask({ kind: 'line', prompt, hidden: false });
    if (/^y(es)?$/i.test(answer?.trim() ?? '')) continue;
    tool.complain(name, refused);
    const kept = `/tmp/${nameOf(path)}`;
    await tool.fs.writeFile(kept, text);
    return tool.warn(`your text is in ${kept}`);
  }
}

/** A file that is not there begins empty. */
async function readOrNew(tool: Tool, path: string): Promise<string> {
  try {
    return toText(await tool.read(path));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Writes it, and waits for what becomes of it: the refusal, or null. */
async function write(tool: Tool, path: string, text: string): Promise<FsError | null> {
  try {
    const held = tool.fs.heldMark();
    await tool.fs.writeFile(path, text);
    await tool.fs.flush(held);
    return null;
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return error;
  }
}

/** edit. */
export const editShims: ShimFactory = (host) => [
  defineTool(host, { name: 'edit', usage: USAGE }, (tool) => edit(tool, host)),
];
