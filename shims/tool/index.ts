/** tool: runs a script of /harness/tools with an input that its header declares. */
import { type CommandContext, DefenseInDepthBox, defineCommand, type ExecResult } from 'just-bash';
import type { ToolFile } from '../../src/harness/files.ts';
import type { NamespaceFs } from '../../src/namespace/types.ts';
import type { ShimFactory } from '../../src/shell/command.ts';

const DIRECTORY = '/harness/tools';
const USAGE = `usage: tool                      lists the tools
       tool NAME JSON            runs one, with its input as a JSON object
       tool NAME --KEY VALUE …   the same, field by field; --KEY alone is true
`;

/** An input that a tool does not take; the message says why. */
class InputError extends Error {}

/** tool. */
export const toolShims: ShimFactory = ({ fs }) => [
  defineCommand('tool', async (args, ctx): Promise<ExecResult> => {
    const [name, ...rest] = args;
    if (name === undefined) return list(fs);
    if (name.startsWith('-'))
      return { stdout: USAGE, stderr: '', exitCode: name === '--help' ? 0 : 2 };
    try {
      const tool = await find(fs, name);
      return await run(tool, await inputOf(tool, rest), ctx);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { stdout: '', stderr: `tool: ${name}: ${error.message}\n`, exitCode: 2 };
    }
  }),
];

/** The parser and its schemas are loaded by whoever uses a tool, and by nobody else. */
const files = () => DefenseInDepthBox.runTrustedAsync(() => import('../../src/harness/files.ts'));

async function find(fs: NamespaceFs, name: string): Promise<ToolFile> {
  const path = `${DIRECTORY}/${name}.sh`;
  if (name.includes('/') || !(await fs.exists(path)))
    throw new InputError(`there is no ${path}; "tool" lists the tools`);
  const text = await fs.readFile(path);
  const { parseTool, HarnessFault } = await files();
  return DefenseInDepthBox.runTrustedAsync(async () => {
    try {
      return parseTool(name, text);
    } catch (error) {
      if (error instanceof HarnessFault) throw new InputError(error.message);
      throw error;
    }
  });
}

async function list(fs: NamespaceFs): Promise<ExecResult> {
  let stdout = '';
  let stderr = '';
  const names = (await fs.exists(DIRECTORY)) ? await fs.readdir(DIRECTORY) : [];
  for (const file of names.filter((each) => each.endsWith('.sh') && !/^[_.]/.test(each))) {
    try {
      const { name, description } = await find(fs, file.slice(0, -'.sh'.length));
      stdout += `${name}\t${description}\n`;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      stderr += `tool: ${file}: ${error.message}\n`;
    }
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
}

/** The input, checked against the schema of the tool. */
async function inputOf(tool: ToolFile, args: readonly string[]): Promise<Record<string, unknown>> {
  const given = args[0]?.startsWith('{') === true ? fromJson(args) : fromFlags(tool, args);
  const { untrustedInputSchema } = await files();
  return DefenseInDepthBox.runTrustedAsync(async () => {
    const result = untrustedInputSchema(tool.input).safeParse(given);
    if (result.success) return result.data as Record<string, unknown>;
    const faults = result.error.issues.map(
      ({ path, message }) => `${path.length === 0 ? 'the input' : path.join('.')}: ${message}`,
    );
    throw new InputError(`${faults.join('; ')}; its input is ${JSON.stringify(tool.input)}`);
  });
}

function fromJson(args: readonly string[]): unknown {
  if (args.length > 1) throw new InputError(`one JSON object is taken (unexpected "${args[1]}")`);
  try {
    return JSON.parse(args[0] ?? '');
  } catch (error) {
    throw new InputError(`its input is no JSON: ${(error as Error).message}`);
  }
}

/** `--KEY VALUE`, `--KEY=VALUE`, `--KEY`, each of the type that the schema has for it. */
function fromFlags(tool: ToolFile, args: readonly string[]): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  const properties = (tool.input['properties'] ?? {}) as Record<string, { type?: unknown }>;
  for (let index = 0; index < args.length; index++) {
    const found = /^--([^=]+)(?:=([\s\S]*))?$/.exec(args[index] ?? '');
    if (found?.[1] === undefined)
      throw new InputError(`"${args[index]}" should be --KEY VALUE, or one JSON object`);
    const key = found[1];
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : undefined;
    const value = found[2] ?? (type === 'boolean' ? 'true' : args[++index]);
    if (value === undefined) throw new InputError(`--${key} takes a value`);
    given[key] = type === undefined || type === 'string' ? value : typed(value);
  }
  return given;
}

/** A value that is no string is written as JSON; what is none is left for the schema to refuse. */
function typed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

/** Runs the script: the whole input on stdin as JSON, and each field that can be one a variable. */
async function run(
  { location }: ToolFile,
  input: Record<string, unknown>,
  ctx: CommandContext,
): Promise<ExecResult> {
  if (ctx.exec === undefined) throw new InputError('no command can be run here');
  const variables = Object.entries(input)
    .filter(([key, value]) => VARIABLE.test(key) && value !== null)
    .map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]);
  return ctx.exec(`bash ${location}`, {
    cwd: ctx.cwd,
    env: Object.fromEntries(variables),
    stdin: `${JSON.stringify(input)}\n`,
    ...(ctx.signal === undefined ? {} : { signal: ctx.signal }),
  });
}

/** Names in lower case: PATH, IFS and the like are the shell's. */
const VARIABLE = /^[a-z][a-z0-9_]*$/;
