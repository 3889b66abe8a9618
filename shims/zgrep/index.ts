/** zgrep, zegrep and zfgrep: grep in what may be compressed with gzip. */
import { gunzipSync } from 'node:zlib';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBuffer, toBytes } from '../support/tool.ts';

/** Short options of grep that take an argument. */
const WITH_ARGUMENT = 'ABCDXdefm';
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

function prefixed(text: string, name: string): string {
  return text.replace(/^.*\n?/gm, (line) => (line === '' ? '' : `${toBytes(name)}:${line}`));
}

async function zgrep(tool: Tool, command: readonly string[]): Promise<undefined> {
  const { words, files } = divide(tool.args);
  const names = files.length === 0 ? ['-'] : files;
  const short = words.filter((word) => /^-[^-]/.test(word)).join('');
  const list = /l/i.test(short) || words.some((word) => /^--files-with/.test(word));
  const label = names.length > 1 ? !short.includes('h') : short.includes('H');
  let status = 1;
  for (const name of names) {
    const content = await tool.tryRead(name, 2);
    if (content === undefined) continue;
    let bytes: string;
    try {
      bytes = expand(content);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      tool.fail(`${name}: ${error.message}`, 2);
      continue;
    }
    const result = await tool.spawn([...command, ...words, '-h', '--', '-'], bytes);
    tool.stderr += result.stderr;
    if (result.exitCode === 0) status = 0;
    else if (result.exitCode > 1) tool.status = 2;
    if (list)
      tool.print(result.stdout === '' ? '' : `${name === '-' ? '(standard input)' : name}\n`);
    else tool.write(label ? prefixed(result.stdout, name) : result.stdout);
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
