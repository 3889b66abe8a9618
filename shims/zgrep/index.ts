/** zgrep, zegrep and zfgrep: grep in what may be compressed with gzip. */
import { gunzipSync } from 'node:zlib';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBuffer } from '../support/tool.ts';

/** Short options of grep that take an argument. */
const WITH_ARGUMENT = 'ABCDXdefm';
/** Options of grep that mean nothing here: of directories, and of lines that end otherwise. */
const REFUSED =
  /^-[RrZz]|^-d|^--(?:dereference-recursive|directories|exclude|include|null|recursive)/;
/** What a compressed file may grow to. */
const MAX_BYTES = 512 * 1024 * 1024;

/** The words for grep, and the files. A pattern counts among the words. */
function divide(args: readonly string[]): { words: string[]; files: string[] } {
  const words: string[] = [];
  const files: string[] = [];
  let pattern = false;
  let plain = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (plain || arg === '-' || !arg.startsWith('-')) {
      if (pattern) files.push(arg);
      else words.push('-e', arg);
      pattern = true;
    } else if (arg === '--') plain = true;
    else {
      if (REFUSED.test(arg)) {
        throw new UsageError(`${arg}: option not supported`, { status: 2, hint: false });
      }
      words.push(arg);
      const short = /^-(?!-)/.test(arg)
        ? [...arg.slice(1)].findIndex((letter) => WITH_ARGUMENT.includes(letter))
        : -1;
      const letter = short < 0 ? '' : (arg[short + 1] ?? '');
      if (letter === 'e' || letter === 'f' || /^--(?:regexp|file)\b/.test(arg)) pattern = true;
      const separate =
        (short >= 0 && short === arg.length - 2) ||
        /^--(?:regexp|file|max-count|context|after-context|before-context)$/.test(arg);
      if (separate && i + 1 < args.length) words.push(args[++i] ?? '');
    }
  }
  if (!pattern) throw new UsageError('missing pattern', { status: 2, hint: false });
  return { words, files };
}

function expand(bytes: string): string {
  if (!bytes.startsWith('\x1f\x8b')) return bytes;
  return gunzipSync(toBuffer(bytes), { maxOutputLength: MAX_BYTES }).toString('latin1');
}

async function zgrep(tool: Tool, command: readonly string[]): Promise<undefined> {
  const { words, files } = divide(tool.args);
  const names = files.length === 0 ? ['-'] : files;
  const short = words.filter((word) => /^-[^-]/.test(word)).join('');
  const lists = /l/.test(short) || words.some((word) => /^--files-with-/.test(word));
  const listsOthers = /L/.test(short) || words.some((word) => /^--files-without/.test(word));
  const label = names.length > 1 && !short.includes('h') ? ['-H'] : [];
  let status = 1;
  for (const name of names) {
    // What cannot be read or expanded is searched as if it were empty.
    let bytes = (await tool.tryRead(name, 2)) ?? '';
    try {
      bytes = expand(bytes);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      tool.fail(`${name}: ${error.message}`, 2);
      bytes = '';
    }
    const named = name === '-' ? [] : [`--label=${name}`];
    const result = await tool.spawn([...command, ...named, ...words, ...label, '--', '-'], bytes);
    tool.stderr += result.stderr;
    if (result.exitCode === 0) status = 0;
    else if (result.exitCode > 1) tool.status = 2;
    if (!lists && !listsOthers) tool.write(result.stdout);
    else if (result.exitCode === (lists ? 0 : 1)) tool.print(`${name}\n`);
  }
  tool.status = Math.max(tool.status, status);
}

/** zgrep, zegrep and zfgrep. */
export const zgrepShims: ShimFactory = (host) =>
  (
    [
      ['zgrep', ['grep']],
      ['zegrep', ['grep', '-E']],
      ['zfgrep', ['grep', '-F']],
    ] as const
  ).map(([name, command]) =>
    defineTool(
      host,
      { name, usage: `Usage: ${name} [OPTION]... PATTERN [FILE]...`, usageStatus: 2 },
      (tool) => zgrep(tool, command),
    ),
  );
