/** chmod, with -R, -v, -c, -f and --reference. */
import type { FsStat } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { modeText } from '../support/files.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { type ModeRule, parseMode } from '../support/mode.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const MODE_LIKE = /^-(?:[rwxXstugo]+|[0-7]+)(?:,|$)/;

interface Rules {
  rule: ModeRule;
  naive: ModeRule | undefined;
}

/** How the mode is to change, and what is to have it. */
async function request(
  tool: Tool,
  options: Options,
): Promise<{ rule: ModeRule; names: string[] } | undefined> {
  const [mode, ...names] = options.operands;
  const reference = options.get('reference');
  if (reference !== undefined) {
    const model = await tool.attempt(`failed to get attributes of '${reference}'`, () =>
      tool.fs.stat(tool.path(reference)),
    );
    if (model === undefined) return undefined;
    if (mode === undefined) throw new UsageError('missing operand');
    return { rule: () => model.mode & 0o7777, names: options.operands };
  }
  if (mode === undefined) throw new UsageError('missing operand');
  if (names.length === 0) throw new UsageError(`missing operand after '${mode}'`);
  const rule = parseMode(mode);
  if (rule === undefined) throw new UsageError(`invalid mode: '${mode}'`);
  return { rule, names };
}

/** @param naive what `-w` looks like: with it, what the mask kept from being taken away is said */
async function change(
  tool: Tool,
  name: string,
  { rule, naive }: Rules,
  options: Options,
): Promise<void> {
  const complain = async <T>(what: string, run: () => Promise<T>): Promise<T | undefined> => {
    const { stderr } = tool;
    const done = await tool.attempt(what, run);
    if (options.has('f')) tool.stderr = stderr;
    return done;
  };
  const path = tool.path(name);
  const stat = await complain(`cannot access '${name}'`, () => tool.fs.stat(path));
  if (stat === undefined) return;
  const mode = rule(stat.mode & 0o7777, stat.isDirectory);
  const changed = await complain(`changing permissions of '${name}'`, async () => {
    await tool.fs.chmod(path, mode);
    return true;
  });
  if (changed === true) tell(tool, name, stat, mode, options);
  const meant = naive?.(stat.mode & 0o7777, stat.isDirectory) ?? mode;
  if ((mode & ~meant) !== 0) {
    const text = (bits: number): string => modeText({ ...stat, mode: bits }).slice(1);
    tool.fail(`${name}: new permissions are ${text(mode)}, not ${text(meant)}`);
  }
  if (!options.has('R') || !stat.isDirectory) return;
  const entries = await complain(`cannot read directory '${name}'`, () =>
    tool.fs.readdirWithFileTypes(path),
  );
  for (const entry of entries ?? []) {
    // Links met on the way are passed over.
    if (entry.isSymbolicLink) continue;
    await change(tool, `${name.replace(/\/+$/, '')}/${entry.name}`, { rule, naive }, options);
    await tool.pulse();
  }
}

function tell(tool: Tool, name: string, stat: FsStat, mode: number, options: Options): void {
  const before = stat.mode & 0o7777;
  const show = (bits: number): string => {
    const text = modeText({ ...stat, mode: bits }).slice(1);
    return `${bits.toString(8).padStart(4, '0')} (${text})`;
  };
  if (before !== mode && (options.has('v') || options.has('c'))) {
    tool.print(`mode of '${name}' changed from ${show(before)} to ${show(mode)}\n`);
  } else if (before === mode && options.has('v')) {
    tool.print(`mode of '${name}' retained as ${show(mode)}\n`);
  }
}

async function chmod(tool: Tool): Promise<undefined> {
  // `chmod -x f`: a mode that looks like options.
  const at = tool.args.findIndex((arg) => MODE_LIKE.test(arg) && parseMode(arg) !== undefined);
  const isMarked = tool.args.slice(0, Math.max(at, 0)).includes('--');
  const args =
    at < 0 || isMarked ? tool.args : [...tool.args.slice(0, at), '--', ...tool.args.slice(at)];
  const options = tool.options(
    {
      short: 'Rvcf',
      long: {
        recursive: 'R',
        verbose: 'v',
        changes: 'c',
        silent: 'f',
        quiet: 'f',
        reference: 'reference:',
      },
    },
    args,
  );
  const asked = await request(tool, options);
  if (asked === undefined) return;
  const dashed = at < 0 || isMarked ? undefined : tool.args[at]?.replace(/(^|,)(?=[-+=])/g, '$1a');
  const naive = dashed === undefined ? undefined : parseMode(dashed);
  for (const name of asked.names) await change(tool, name, { rule: asked.rule, naive }, options);
}

/** chmod. */
export const chmodShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'chmod', usage: 'Usage: chmod [OPTION]... MODE[,MODE]... FILE...' },
    chmod,
  ),
];
