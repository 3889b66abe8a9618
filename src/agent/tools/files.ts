/** The tools `read`, `write` and `edit`: files of the world, through the same gate as the shell. */
import { posix } from 'node:path';
import { z } from 'zod';
import { isFsError } from '../../errors.ts';
import { documentFormat, textPath } from '../../texts/names.ts';
import { defineTool, ToolFault } from '../tool.ts';
import type { AgentFiles } from '../world-access.ts';
import { clipped } from './clip.ts';

/** Lines that `read` gives when it is not told how many. */
const DEFAULT_LINES = 2000;

const path = z.string().min(1).describe('A path; relative ones start at the current directory');

export const readTool = defineTool({
  name: 'read',
  description: 'Reads a file, or lists a directory. Lines are numbered.',
  guideline: 'Use `read` for one file whose path you know; `grep` in `bash` to find it.',
  input: z.strictObject({
    path,
    offset: z.int().min(1).optional().describe('The first line, counted from 1'),
    limit: z.int().min(1).optional().describe(`How many lines; ${DEFAULT_LINES} by default`),
  }),
  repeatable: true,
  readOnly: true,
  run: async ({ path: given, offset = 1, limit = DEFAULT_LINES }, { access }) => {
    const file = access.files.resolvePath(access.cwd, given);
    if ((await access.files.stat(file)).isDirectory) {
      const names = await access.files.readdir(file);
      return names.length === 0 ? '[an empty directory]' : names.join('\n');
    }
    return numbered(textOf(await access.files.readFileBuffer(file), file), offset, limit);
  },
});

function textOf(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) {
    const how =
      documentFormat(path) === null
        ? 'look at it with xxd or file in bash'
        : `its text is ${textPath(path)}`;
    throw new ToolFault(`the file is binary, ${bytes.length} bytes; ${how}`);
  }
  return new TextDecoder().decode(bytes);
}

function numbered(text: string, offset: number, limit: number): string {
  if (text === '') return '[an empty file]';
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  if (shown.length === 0) return `[the file has ${lines.length} lines]`;
  const body = shown.map((line, index) => `${offset + index}\t${line}`).join('\n');
  const left = lines.length - (offset - 1 + shown.length);
  const more = left > 0 ? `\n[${left} more lines; offset ${offset + shown.length} goes on]` : '';
  return clipped(body) + more;
}

export const writeTool = defineTool({
  name: 'write',
  description: 'Writes a file whole; what it held is replaced. Missing directories are made.',
  input: z.strictObject({ path, content: z.string() }),
  run: async ({ path: given, content }, { access }) => {
    const file = access.files.resolvePath(access.cwd, given);
    await makeParent(access.files, file);
    await access.files.writeFile(file, content);
    return `wrote ${Buffer.byteLength(content)} bytes to ${file}`;
  },
});

async function makeParent(files: AgentFiles, file: string): Promise<void> {
  const parent = posix.dirname(file);
  if (!(await files.exists(parent))) await files.mkdir(parent, { recursive: true });
}

export const editTool = defineTool({
  name: 'edit',
  description:
    'Replaces text in a file. `old` must be there exactly once, to the character, unless `all` is set.',
  guideline: 'Use `edit` for a change in a file that is there; `write` for a new one.',
  input: z.strictObject({
    path,
    old: z.string().min(1).describe('The text to replace, with enough around it to be unique'),
    new: z.string().describe('The text to put in its place, literally'),
    all: z.boolean().optional().describe('Replace every occurrence'),
  }),
  run: async ({ path: given, old, new: fresh, all = false }, { access }) => {
    const file = access.files.resolvePath(access.cwd, given);
    const text = await readText(access.files, file);
    // Split and join: in String.replace a `$&` of the new text would stand for the old one.
    const pieces = text.split(old);
    const found = pieces.length - 1;
    if (found === 0) {
      throw new ToolFault(`${file} does not hold that text; read it again: every space counts`);
    }
    if (found > 1 && !all) {
      throw new ToolFault(
        `${file} holds that text ${found} times; give more of what is around it, or set all`,
      );
    }
    if (old === fresh) throw new ToolFault('old and new are the same; nothing was written');
    await access.files.writeFile(file, pieces.join(fresh));
    return `replaced ${found === 1 ? 'one place' : `${found} places`} in ${file}`;
  },
});

async function readText(files: AgentFiles, file: string): Promise<string> {
  try {
    return textOf(await files.readFileBuffer(file), file);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) {
      throw new ToolFault(`${file} does not exist; write makes a new file`);
    }
    throw error;
  }
}
