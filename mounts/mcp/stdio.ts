/**
 * A server as a process of the host, spoken to over its stdin and stdout. Beside it stands a shell
 * that waits for the end of this process: whatever becomes of the world, the server and all that it
 * started are ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';

/** A longer message is not taken. Bytes. */
export const LONGEST_MESSAGE = 16 * 1024 * 1024;
/** Of stderr, and of lines that are no messages, so much is kept. Characters. */
const KEPT = 2_000;
/** So long may a server take to end when its stdin has ended. ms. */
const GRACE_MS = 1_000;

/**
 * `$@` is the server. Descriptor 3 is a pipe of which the world has the other end: it ends when the
 * world does, however that ends. The group is ended then, and is given two seconds for it.
 */
const GUARD = `
unset PWD OLDPWD SHLVL
exec 4<&0 </dev/null
"$@" <&4 3<&- 4<&- &
server=$!
exec 4<&- >&-
( trap '' TERM
  read -r line <&3
  kill -TERM -$$
  sleep 2
  kill -KILL -$$ ) >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait $server
status=$?
kill -KILL $guard 2>/dev/null
exit $status
`;

/** How a server is started. */
export interface ServerProcess {
  command: readonly string[];
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  /** Where it stands. */
  directory: string;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #server: ServerProcess;
  readonly #onBytes: (count: number) => void;
  #child: ChildProcess | null = null;
  #buffer: Buffer[] = [];
  #length = 0;
  #said = '';
  #end: string | null = null;

  /** @param onBytes told of what comes in and goes out */
  constructor(server: ServerProcess, onBytes: (count: number) => void) {
    this.#server = server;
    this.#onBytes = onBytes;
  }

  /** What is known of why it is of no use: how it ended, and what it said last; '' for nothing. */
  get trouble(): string {
    const said = this.#said.trim().split('\n').slice(-3).join(' / ').slice(-300);
    return [this.#end, said === '' ? null : `it said: ${said}`].filter(Boolean).join('; ');
  }

  async start(): Promise<void> {
    const { command, env, directory } = this.#server;
    const child = spawn('/bin/sh', ['-c', GUARD, 'sh', ...command], {
      cwd: directory,
      env,
      // A group of its own, which is ended as one; a key at the terminal does not reach it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdout?.on('data', (data: Buffer) => this.#take(data));
    child.stderr?.setEncoding('utf8');
    child.stderr?.on('data', (text: string) => this.#keep(text));
    // A pipe whose reader is gone: the end of the process tells.
    child.stdin?.on('error', () => undefined);
    child.on('exit', (code, signal) => {
      this.#end = `it ended with ${signal === null ? `status ${code}` : signal}`;
      this.onclose?.();
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin == null || this.#end !== null) throw new Error('the server has ended');
    const text = serializeMessage(message);
    this.#onBytes(Buffer.byteLength(text));
    await new Promise<void>((resolve, reject) => {
      stdin.write(text, (error) => {
        if (error == null) resolve();
        // Whoever reads no more is ending, or of no use: how it ended says more than the pipe does.
        else void this.close().then(() => reject(error));
      });
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || this.#end !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end();
    const late = setTimeout(() => (child.stdio[3] as Writable).destroy(), GRACE_MS);
    await ended;
    clearTimeout(late);
  }

  #take(data: Buffer): void {
    this.#onBytes(data.length);
    let rest = data;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#buffer, rest.subarray(0, end)]).toString();
      this.#buffer = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
      this.#line(line);
    }
    this.#length += rest.length;
    if (this.#length > LONGEST_MESSAGE) {
      this.#keep(`a message of more than ${LONGEST_MESSAGE / 1024 / 1024} MiB`);
      this.#buffer = [];
      (this.#child?.stdio[3] as Writable | undefined)?.destroy();
      return;
    }
    if (rest.length > 0) this.#buffer.push(rest);
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // Some print to stdout what belongs on stderr: it is kept for when nothing comes.
      this.#keep(`${line.slice(0, 200)}\n`);
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.onmessage?.(message);
  }

  #keep(text: string): void {
    this.#said = `${this.#said}${text}`.slice(-KEPT);
  }
}
