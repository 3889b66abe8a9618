/** What a program reads and writes beside its main input: files through the namespace, commands through the shell. */

import { latin1FromBytes, stdoutAsBytes } from 'just-bash';
import { FsError } from '../../src/errors.ts';
import { bytesFromText } from '../../src/shell/bytes.ts';
import { dirOf } from '../basename/index.ts';
import { strerror, type Tool, toBuffer } from '../support/tool.ts';
import { FatalError } from './errors.ts';
import { RecordReader } from './reader.ts';
import type { Redirect } from './syntax.ts';
import { type Codec, UTF8 } from './text.ts';

interface Output {
  kind: Redirect['kind'];
  name: string;
  chunks: string[];
  /** Was something of it written already? The rest is then appended. */
  begun: boolean;
}

interface CommandInput {
  reader: RecordReader;
  status: number;
}

/** A stage of a pipeline runs to its end before the next begins, so what is endless must end somewhere. Characters. */
const MOST_OUTPUT = 48 * 1024 * 1024;
const CHUNK = 64 * 1024;

export class Streams {
  readonly #tool: Tool;
  readonly #codec: Codec;
  /** Variables that the program set in ENVIRON, for commands. */
  readonly #environment: () => Record<string, string>;
  readonly #outputs = new Map<string, Output>();
  readonly #files = new Map<string, RecordReader>();
  readonly #commands = new Map<string, CommandInput>();
  #out = '';
  #written = 0;
  #stdin: RecordReader | null = null;
  /** Why a file could not be read: ERRNO. */
  trouble = '';

  constructor(tool: Tool, codec: Codec, environment: () => Record<string, string>) {
    this.#tool = tool;
    this.#codec = codec;
    this.#environment = environment;
  }

  /** Standard output. */
  print(text: string): void {
    this.#out += text;
    if (this.#out.length > CHUNK) this.flushOut();
  }

  /** WorldAccess on what was printed, before a command prints. */
  flushOut(): void {
    if (this.#out === '') return;
    this.#written += this.#out.length;
    this.#tool.write(this.#codec.encode(this.#out));
    this.#out = '';
    if (this.#written <= MOST_OUTPUT) return;
    throw new FatalError(
      `stopped after ${MOST_OUTPUT / 1024 / 1024} MiB of output: end the loop yourself, or print to a file (> "name")`,
    );
  }

  /** The one reader of standard input, shared by all who read it. */
  stdin(): RecordReader {
    this.#stdin ??= new RecordReader(this.#codec.decode(this.#tool.stdin));
    return this.#stdin;
  }

  /** Reads an operand; fails with a file error. */
  async open(operand: string): Promise<RecordReader> {
    if (operand === '-' || operand === '/dev/stdin') return this.stdin();
    return new RecordReader(this.#codec.decode(await this.#tool.read(operand)));
  }

  /** `print > to` and its like. */
  async send({ kind }: Redirect, name: string, text: string): Promise<void> {
    if (name === '') {
      throw new FatalError(`expression for \`${kind}' redirection has null string value`);
    }
    if (kind !== '|') {
      if (name === '/dev/stdout' || name === '-' || name === '/dev/fd/1') return this.print(text);
      if (name === '/dev/stderr' || name === '/dev/fd/2') {
        this.#tool.stderr += text;
        return;
      }
    }
    const key = kind === '|' ? `|${name}` : name;
    let output = this.#outputs.get(key);
    if (output === undefined) {
      output = { kind, name, chunks: [], begun: false };
      if (kind === '|') this.flushOut();
      else await this.#check(name);
      this.#outputs.set(key, output);
    }
    output.chunks.push(text);
    const pause = this.#tool.pulse();
    if (pause !== undefined) await pause;
  }

  /** Says at the first `print` what would only fail at the end. */
  async #check(name: string): Promise<void> {
    if (name.startsWith('/inet')) {
      throw new FatalError(`cannot redirect to \`${name}': there is no network here`);
    }
    const path = this.#tool.path(name);
    try {
      const stat = await this.#tool.fs.stat(path).catch((error: unknown) => {
        if (error instanceof FsError && error.code === 'ENOENT') return null;
        throw error;
      });
      if (stat?.isDirectory === true) throw new FsError('EISDIR', { op: 'open', path });
      if (stat === null && !(await this.#tool.fs.stat(dirOf(path))).isDirectory) {
        throw new FsError('ENOTDIR', { op: 'open', path });
      }
    } catch (error) {
      throw this.#refused(name, error);
    }
  }

  #refused(name: string, error: unknown): Error {
    const text = strerror(error);
    if (text === undefined) throw error;
    const reason =
      error instanceof FsError && error.reason !== undefined ? `\ndirigent: ${error.reason}` : '';
    return new FatalError(`cannot redirect to \`${name}': ${text}${reason}`);
  }

  /** `getline < name`: null if the file cannot be read. */
  async file(name: string): Promise<RecordReader | null> {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    try {
      // What this program wrote there is to be seen only after close, as with any awk.
      const reader = await this.open(name);
      this.#files.set(name, reader);
      return reader;
    } catch (error) {
      const text = strerror(error);
      if (text === undefined) throw error;
      this.trouble = text;
      return null;
    }
  }

  /** `name | getline`. */
  async command(name: string): Promise<RecordReader> {
    let input = this.#commands.get(name);
    if (input === undefined) {
      const { stdout, status } = await this.#run(name, null);
      input = { reader: new RecordReader(this.#codec.decode(stdout)), status };
      this.#commands.set(name, input);
    }
    return input.reader;
  }

  async system(command: string): Promise<number> {
    const { stdout, status } = await this.#run(command, null);
    this.#tool.write(stdout);
    return status;
  }

  /** Runs a line of shell. What was written so far is there for it to see. */
  async #run(command: string, stdin: string | null): Promise<{ stdout: string; status: number }> {
    const { ctx } = this.#tool;
    if (ctx.exec === undefined) throw new FatalError('cannot run commands here');
    if (stdin === null) await this.flush();
    const result = await ctx.exec(UTF8.decode(this.#codec.encode(command)), {
      cwd: ctx.cwd,
      // A command may read what awk has not.
      stdin: stdin ?? (this.#stdin === null ? this.#tool.stdin : ''),
      stdinKind: 'bytes',
      env: this.#environment(),
      ...(ctx.signal === undefined ? {} : { signal: ctx.signal }),
    });
    this.#tool.stderr += result.stderr;
    // Text of this shell keeps bytes that are no UTF-8, which just-bash's own way back would lose.
    const isBytes = result.stdoutKind === 'bytes';
    const stdout = isBytes ? latin1FromBytes(stdoutAsBytes(result)) : bytesFromText(result.stdout);
    return { stdout, status: result.exitCode };
  }

  async #finish(output: Output): Promise<number> {
    const bytes = this.#codec.encode(output.chunks.join(''));
    output.chunks = [];
    if (output.kind === '|') {
      const { stdout, status } = await this.#run(output.name, bytes);
      this.#tool.write(stdout);
      return status;
    }
    await this.#save(output, bytes);
    return 0;
  }

  async #save(output: Output, bytes: string): Promise<void> {
    const appends = output.begun || output.kind === '>>';
    if (output.begun && bytes === '') return;
    output.begun = true;
    try {
      const path = this.#tool.path(output.name);
      if (appends) await this.#tool.fs.appendFile(path, toBuffer(bytes));
      else await this.#tool.fs.writeFile(path, toBuffer(bytes));
    } catch (error) {
      throw this.#refused(output.name, error);
    }
  }

  /** Writes what files are still to get; pipes wait for their end. */
  async flush(name?: string): Promise<number> {
    this.flushOut();
    for (const output of this.#outputs.values()) {
      if (output.kind === '|' || (name !== undefined && output.name !== name)) continue;
      await this.#save(output, this.#codec.encode(output.chunks.splice(0).join('')));
    }
    const known = name === undefined || this.#outputs.has(name) || this.#outputs.has(`|${name}`);
    return known || name === '/dev/stdout' || name === '/dev/stderr' ? 0 : -1;
  }

  /** close: the status of a command, 0 for a file, null for what is not open. */
  async close(name: string): Promise<number | null> {
    let status: number | null = null;
    for (const key of [name, `|${name}`]) {
      const output = this.#outputs.get(key);
      if (output === undefined) continue;
      this.#outputs.delete(key);
      status = await this.#finish(output);
    }
    if (this.#files.delete(name)) status = 0;
    const command = this.#commands.get(name);
    if (command !== undefined) {
      this.#commands.delete(name);
      status = command.status;
    }
    return status;
  }

  /** The end of the program: commands print before what is still to be printed, as gawk has it. */
  async closeAll(): Promise<void> {
    for (const [key, output] of [...this.#outputs]) {
      this.#outputs.delete(key);
      await this.#finish(output);
    }
    this.flushOut();
  }
}
