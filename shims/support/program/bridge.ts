/**
 * How the thread of a running program asks the world for files and commands. It
 * computes in one go and cannot await, so that it sleeps until the answer is there.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Errno } from '../../../src/errors.ts';

/** What `stat` gives of a file. */
export interface GuestStat {
  /** With the bits of the type, as POSIX has them. */
  mode: number;
  size: number;
  mtimeMs: number;
}

/** A command that the program starts. */
export interface GuestCommand {
  /** A script, or a program with its arguments. */
  run: string | readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>> | null;
  stdin: Uint8Array;
}

/** What it gave. */
export interface GuestRan {
  status: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
}

/** The calls, with what each gives. Paths are absolute, in the namespace; links are followed by `stat` alone. */
export interface WorldCalls {
  stat(path: string): GuestStat;
  lstat(path: string): GuestStat;
  list(path: string): string[];
  read(path: string): Uint8Array;
  /** The program has come to the end of what was read; fails where that is no end, but as much as there is. */
  atEnd(path: string): null;
  write(path: string, data: Uint8Array): null;
  append(path: string, data: Uint8Array): null;
  mkdir(path: string): null;
  remove(path: string): null;
  rename(from: string, to: string): null;
  link(from: string, to: string): null;
  symlink(target: string, path: string): null;
  readlink(path: string): string;
  chmod(path: string, mode: number): null;
  utimes(path: string, atimeMs: number, mtimeMs: number): null;
  exec(command: GuestCommand): GuestRan;
}

export type CallName = keyof WorldCalls;

/** A call on its way. */
export interface Call {
  name: CallName;
  args: readonly unknown[];
}

/** Its answer. A fault is an errno; the world has said on stderr what there is to say besides. */
export type Answer = { value: unknown } | { errno: Errno };

/** The world's side of the bridge, which answers by {@link answer}. */
export interface WorldSide {
  port: MessagePort;
  awake: Int32Array;
}

/** Wakes the thread with the answer to its call. */
export function answer({ port, awake }: WorldSide, reply: Answer): void {
  port.postMessage(reply);
  Atomics.store(awake, 0, 1);
  Atomics.notify(awake, 0);
}

/** A call that failed. */
export class CallFailed extends Error {
  override name = 'CallFailed';
  readonly errno: Errno;

  constructor(errno: Errno) {
    super(errno);
    this.errno = errno;
  }
}

/** The thread's side. */
export class Bridge {
  readonly #port: MessagePort;
  readonly #awake: Int32Array;

  constructor(port: MessagePort, awake: Int32Array) {
    this.#port = port;
    this.#awake = awake;
  }

  /** Asks and waits. @throws CallFailed */
  call<Name extends CallName>(
    name: Name,
    ...args: Parameters<WorldCalls[Name]>
  ): ReturnType<WorldCalls[Name]> {
    Atomics.store(this.#awake, 0, 0);
    this.#port.postMessage({ name, args } satisfies Call);
    // The call before may still be waking us: only what is stored says that the answer is there.
    while (Atomics.load(this.#awake, 0) === 0) Atomics.wait(this.#awake, 0, 0);
    const reply = receiveMessageOnPort(this.#port)?.message as Answer | undefined;
    if (reply === undefined) throw new Error(`the call ${name} was not answered`);
    if ('errno' in reply) throw new CallFailed(reply.errno);
    return reply.value as ReturnType<WorldCalls[Name]>;
  }
}
