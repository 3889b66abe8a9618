/** file: what is in a file, in the words of file(1). */
import { latin1FromBytes, stdoutAsBytes } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, splitLines, strerror, type Tool, toText } from '../support/tool.ts';
import type { Kind } from './kind.ts';
import { recognise } from './magic.ts';
import { encodingOf, textKind } from './text.ts';

/** What is said of one file. */
interface Answer extends Kind {
  charset: string;
}

/** No format, and no text, is told from more. Bytes. */
const MOST = 1024 * 1024;
const LONG = {
  brief: 'b',
  mime: 'i',
  'mime-type': 'type',
  'mime-encoding': 'encoding',
  dereference: 'L',
  'no-dereference': 'h',
  'files-from': 'f:',
  separator: 'F:',
  print0: '0',
  'no-pad': 'N',
  'special-files': 's',
  'keep-going': 'k',
  raw: 'r',
  'no-buffer': 'n',
  'preserve-date': 'p',
};
/** Major and minor numbers of devices. */
const DEVICES: Readonly<Record<string, string>> = {
  '/dev/null': '1/3',
  '/dev/zero': '1/5',
  '/dev/full': '1/7',
  '/dev/random': '1/8',
  '/dev/urandom': '1/9',
  '/dev/tty': '5/0',
};

const inode = (text: string, type: string): Answer => ({
  text,
  mime: `inode/${type}`,
  charset: 'binary',
});

async function contentKind(tool: Tool, name: string, bytes: Buffer): Promise<Answer> {
  if (bytes.length === 0) return inode('empty', 'x-empty');
  const known = recognise(bytes);
  if (known !== undefined) {
    return { ...known, charset: encodingOf(bytes)?.charset ?? 'binary' };
  }
  const data = { text: 'data', mime: 'application/octet-stream', charset: 'binary' };
  if (bytes.length === 1) return { ...data, text: 'very short file (no magic)' };
  const text = textKind(bytes);
  if (text !== undefined) return text;
  if (name === '-') return data;
  // The built-in one knows some formats more, but takes what it does not know for a text.
  const ask = async (flags: string): Promise<string> =>
    toText(latin1FromBytes(stdoutAsBytes(await tool.original([flags, tool.path(name)])))).trimEnd();
  const words = await ask('-b');
  return /\btext\b|^$/.test(words)
    ? data
    : { text: words, mime: (await ask('-bi')).replace(/;.*/, ''), charset: 'binary' };
}

/** A symbolic link that is not followed. */
async function linkKind(tool: Tool, path: string): Promise<Answer> {
  const target = await tool.fs.readlink(path);
  const whole = (await tool.fs.exists(path)) ? '' : 'broken ';
  return inode(`${whole}symbolic link to ${target}`, 'symlink');
}

async function kindOf(tool: Tool, options: Options, name: string): Promise<Answer> {
  if (name === '-') {
    const bytes = Buffer.from(tool.stdin.slice(0, MOST), 'latin1');
    tool.enough();
    return contentKind(tool, name, bytes);
  }
  const path = tool.path(name);
  const device = DEVICES[path];
  if (device !== undefined && !options.has('s')) {
    return inode(`character special (${device})`, 'chardevice');
  }
  const follows = options.seen.findLast(([key]) => key === 'L' || key === 'h')?.[0] === 'L';
  const stat = follows ? await tool.fs.stat(path) : await tool.fs.lstat(path);
  if (stat.isSymbolicLink) return linkKind(tool, path);
  if (stat.isDirectory) return inode('directory', 'directory');
  const bytes = await tool.readBytes(name);
  if (device !== undefined) tool.enough();
  return contentKind(tool, name, bytes.subarray(0, MOST));
}

function shown(answer: Answer, options: Options): string {
  const { text, mime, charset } = answer;
  if (options.has('type')) return mime;
  if (options.has('encoding')) return charset;
  return options.has('i') ? `${mime}; charset=${charset}` : text;
}

async function lineOf(tool: Tool, options: Options, name: string): Promise<string> {
  try {
    return shown(await kindOf(tool, options, name), options);
  } catch (error) {
    const reason = strerror(error);
    if (reason === undefined) throw error;
    // What is there and is refused is no answer; what is not there is one to file(1).
    if (errnoOf(error) !== 'ENOENT') tool.complain(name, error);
    if (options.has('E')) {
      tool.status = 1;
      return `ERROR: cannot stat \`${name}' (${reason})`;
    }
    return `cannot open \`${name}' (${reason})`;
  }
}

async function file(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'bEf:F:hikLnNprs0', long: LONG });
  const names: string[] = [];
  for (const list of options.all('f')) {
    const content = await tool.tryRead(list);
    if (content !== undefined) names.push(...splitLines(toText(content)));
  }
  names.push(...options.operands);
  if (names.length === 0 && !options.has('f')) throw new UsageError('missing file operand');
  const widthOf = (name: string): number => Array.from(name).length;
  const room = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  const separator = options.get('F') ?? ':';
  for (const name of names) {
    const label = name === '-' ? '/dev/stdin' : name;
    const line = await lineOf(tool, options, name);
    const pad = options.has('N') ? '' : ' '.repeat(room - widthOf(name));
    const zero = options.has('0') ? '\0' : '';
    tool.print(options.has('b') ? `${line}\n` : `${label}${zero}${separator} ${pad}${line}\n`);
    await tool.pulse();
  }
}

/** file. */
export const fileShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'file',
      usage: `Usage: file [OPTION...] [FILE...]
Determine the type of FILEs.

  -b, --brief   -i, --mime   --mime-type   --mime-encoding   -L, --dereference
  -h, --no-dereference   -f, --files-from FILE   -F, --separator STRING   -0, --print0
  -N, --no-pad   -s, --special-files   -E   exit with 1 where a file cannot be read`,
    },
    file,
  ),
];
