/**
 * What every shim is made with: output, messages in GNU's form, operands,
 * input and a pulse that lets a deadline interrupt a long computation.
 *
 * Content is handled as "byte strings" (one char a byte, latin1), names as text.
 */
import { setImmediate as macrotask } from 'node:timers/promises';
import {
  type Command,
  decodeBytesToUtf8,
  defineCommand,
  type ExecResult,
  latin1FromBytes,
  type ResolvedCommandContext,
  stdoutAsBytes,
  unsafeBytesFromLatin1,
} from 'just-bash';
import { type Errno, FsError, STRERROR } from '../../src/errors.ts';
import type { NamespaceFs } from '../../src/namespace/types.ts';
import { bytesFromText } from '../../src/shell/bytes.ts';
import type { ShimHost } from '../../src/shell/command.ts';
import { IO_VARIABLE } from '../../src/shell/shim-io.ts';
import { withDescriptors } from './descriptors.ts';
import { getopt, type OptionSpec, type Options, UsageError } from './getopt.ts';

/** UTF-8 text as a byte string. */
export function toBytes(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** A byte string as text; bytes that are no UTF-8 stay as they are. */
export function toText(bytes: string): string {
  return decodeBytesToUtf8(unsafeBytesFromLatin1(bytes));
}

/** The bytes that a byte string stands for. */
export function toBuffer(bytes: string): Buffer {
  return Buffer.from(bytes, 'latin1');
}

/** What a failed file operation is called in GNU's messages, or undefined for other errors. */
export function strerror(error: unknown): string | undefined {
  if (error instanceof FsError) return error.strerror;
  const code = error instanceof Error ? /^([A-Z]+)\b/.exec(error.message)?.[1] : undefined;
  return code !== undefined && Object.hasOwn(STRERROR, code) ? STRERROR[code as Errno] : undefined;
}

/** The errno of a failed file operation, or undefined for other errors. */
export function errnoOf(error: unknown): Errno | undefined {
  if (error instanceof FsError) return error.code;
  const code = error instanceof Error ? /^([A-Z]+)\b/.exec(error.message)?.[1] : undefined;
  return code !== undefined && Object.hasOwn(STRERROR, code) ? (code as Errno) : undefined;
}

/** Quotes an argument for a line of shell. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const PULSE = 4096;

/** One run of a command. */
export class Tool {
  readonly name: string;
  readonly args: readonly string[];
  readonly fs: NamespaceFs;
  readonly ctx: ResolvedCommandContext;
  status = 0;
  stderr = '';
  #bytes: string[] = [];
  #text = '';
  #steps = 0;

  constructor(name: string, args: readonly string[], host: ShimHost, ctx: ResolvedCommandContext) {
    this.name = name;
    this.args = args;
    this.fs = withDescriptors(host.fs, ctx.fs, args);
    this.ctx = ctx;
  }

  /** Prints text. */
  print(text: string): void {
    this.#text += text;
  }

  /** Prints bytes that are not to be encoded again. */
  write(bytes: string): void {
    if (this.#text !== '') {
      this.#bytes.push(toBytes(this.#text));
      this.#text = '';
    }
    this.#bytes.push(bytes);
  }

  /** Takes what was printed so far away. */
  take(): string {
    this.write('');
    const all = this.#bytes.join('');
    this.#bytes = [];
    return all;
  }

  /** `NAME: text` on stderr, with a status that is not to be lowered again. */
  fail(text: string, status = 1): void {
    this.stderr += `${this.name}: ${text}\n`;
    this.status = Math.max(this.status, status);
  }

  /** A note on stderr that does not change the status. */
  warn(text: string): void {
    this.stderr += `${this.name}: ${text}\n`;
  }

  /** Reports a failed file operation as GNU does; what is no file error is a bug and goes on. */
  complain(what: string, error: unknown, status = 1): void {
    const text = strerror(error);
    if (text === undefined) throw error;
    this.fail(`${what}: ${text}`, status);
    if (error instanceof FsError && error.reason !== undefined) {
      this.stderr += `dirigent: ${error.reason}\n`;
    }
  }

  /** Runs a file operation; when it fails says so and gives undefined. */
  async attempt<T>(what: string, run: () => Promise<T>, status = 1): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      this.complain(what, error, status);
      return undefined;
    }
  }

  /** Reads the command line; `--help` is answered by {@link defineTool}. */
  options(spec: OptionSpec, args: readonly string[] = this.args): Options {
    return getopt(args, spec);
  }

  /** The absolute path of an operand. A trailing slash is dropped. */
  path(operand: string): string {
    return this.fs.resolvePath(this.ctx.cwd, operand);
  }

  /** Standard input as a byte string. */
  get stdin(): string {
    return latin1FromBytes(this.ctx.stdin);
  }

  /** Is what it prints shown as it comes, and not read by another command? */
  get isLive(): boolean {
    return this.ctx.env.get(IO_VARIABLE)?.includes('v') === true;
  }

  /** Is standard input a file, and not a pipe or a here-document? Its size is known then. */
  get isStdinFile(): boolean {
    return this.ctx.env.get(IO_VARIABLE)?.includes('f') === true;
  }

  /** An operand's content as a byte string; `-` is standard input. Fails with a file error. */
  async read(operand: string): Promise<string> {
    if (operand === '-' || operand === '/dev/stdin') return this.stdin;
    return (await this.readBytes(operand)).toString('latin1');
  }

  /** The same as bytes, for what needs only a part of a file that may be longer than a string can be. */
  async readBytes(operand: string): Promise<Buffer> {
    if (operand === '-' || operand === '/dev/stdin') return Buffer.from(this.stdin, 'latin1');
    if (operand === '') throw new FsError('ENOENT', { op: 'open', path: operand });
    const data = await this.fs.readFileBuffer(this.path(operand));
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  }

  /** Says that what was read was enough: of what never ends a command may use a part. */
  enough(): void {
    this.fs.enough();
  }

  /** An operand's content, or undefined after a message. */
  async tryRead(operand: string, status = 1, what = operand): Promise<string | undefined> {
    return this.attempt(what, () => this.read(operand), status);
  }

  /** Writes a byte string to a file. */
  async save(operand: string, bytes: string): Promise<void> {
    await this.fs.writeFile(this.path(operand), toBuffer(bytes));
  }

  /** Call in loops: every few thousand steps it lets timers run and stops after an abort. */
  pulse(): Promise<void> | undefined {
    return ++this.#steps % PULSE === 0 ? this.rest() : undefined;
  }

  /** Lets timers run, and stops after an abort: between stretches of work that take some ms. */
  async rest(): Promise<void> {
    this.ctx.signal?.throwIfAborted();
    await macrotask();
    this.ctx.signal?.throwIfAborted();
  }

  /** Runs a command with these arguments, past all parsing by the shell. */
  async spawn(
    words: readonly string[],
    stdin = '',
    cwd = this.ctx.cwd,
    signal = this.ctx.signal,
  ): Promise<Spawned> {
    const [command = '', ...args] = words;
    if (this.ctx.exec === undefined) throw new UsageError('cannot run commands here');
    const result = await this.ctx.exec(shellQuote(command), {
      cwd,
      stdin,
      stdinKind: 'bytes',
      args,
      ...(signal === undefined ? {} : { signal }),
    });
    // Text of this shell keeps bytes that are no UTF-8, which just-bash's own way back would lose.
    const isBytes = result.stdoutKind === 'bytes';
    const stdout = isBytes ? latin1FromBytes(stdoutAsBytes(result)) : bytesFromText(result.stdout);
    return { stdout, stderr: result.stderr, exitCode: result.exitCode };
  }

  /** Runs a line of shell on this command's stdin, with the variables that there are or with none. */
  async runLine(line: string, options: { cwd: string; isEmpty: boolean }): Promise<Spawned> {
    if (this.ctx.exec === undefined) throw new UsageError('cannot run commands here');
    const result = await this.ctx.exec(line, {
      cwd: options.cwd,
      stdin: this.stdin,
      stdinKind: 'bytes',
      ...(options.isEmpty ? { env: {}, replaceEnv: true } : {}),
      ...(this.ctx.signal === undefined ? {} : { signal: this.ctx.signal }),
    });
    // Text of this shell keeps bytes that are no UTF-8, which just-bash's own way back would lose.
    const isBytes = result.stdoutKind === 'bytes';
    const stdout = isBytes ? latin1FromBytes(stdoutAsBytes(result)) : bytesFromText(result.stdout);
    return { stdout, stderr: result.stderr, exitCode: result.exitCode };
  }

  /** The command that this one hides. */
  async original(args: readonly string[] = this.args): Promise<ExecResult> {
    if (this.ctx.origCommand === undefined)
      throw new UsageError('there is no built-in to fall back on');
    return this.ctx.origCommand([...args]);
  }

  /** What just-bash wants to have in the end. */
  result(): ExecResult {
    const stdout = this.take();
    return { stdout, stderr: this.stderr, exitCode: this.status, stdoutKind: 'bytes' };
  }
}

/** What a command that was run gave; stdout is a byte string. */
export interface Spawned {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** How a command presents itself. */
export interface ToolInfo {
  name: string;
  /** The name in its messages, where it is a script around another one. */
  speaks?: string;
  /** What `--help` prints. */
  usage: string;
  /** Exit status after a wrong command line. 1 unless told. */
  usageStatus?: number;
  /** diff and cmp say "NAME: Try". */
  prefixHint?: boolean;
}

/** Makes a command out of what it does. The body may give a result of its own. */
export function defineTool(
  host: ShimHost,
  info: ToolInfo,
  body: (tool: Tool) => Promise<ExecResult | undefined>,
): Command {
  return defineCommand(info.name, async (args, ctx) => {
    const tool = new Tool(info.speaks ?? info.name, args, host, ctx);
    if (args.length === 1 && args[0] === '--help') {
      tool.print(`${info.usage}\n`);
      return tool.result();
    }
    try {
      return (await body(tool)) ?? tool.result();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      tool.fail(error.message, error.status ?? info.usageStatus ?? 1);
      const prefix = info.prefixHint === true ? `${info.name}: ` : '';
      if (error.hint) {
        tool.stderr += `${prefix}Try '${tool.name} --help' for more information.\n`;
      }
      return tool.result();
    }
  });
}

/** Splits bytes into lines without their newlines; a last line need not end in one. */
export function splitLines(bytes: string, separator = '\n'): string[] {
  if (bytes === '') return [];
  const lines = bytes.split(separator);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A count as GNU reads it: 12, 4k, 1M, 2KB, 3MiB. undefined when it is none. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+)(?:([kKmMGTPE])(B|iB)?|(b)|(c|B))?$/.exec(text);
  if (match === null) return undefined;
  const base = match[3] === 'B' ? 1000 : 1024;
  const power = match[2] === undefined ? 0 : ' KMGTPE'.indexOf(match[2].toUpperCase());
  return Number(match[1]) * base ** power * (match[4] === undefined ? 1 : 512);
}
