/**
 * The operating system for one run of jq: descriptors over files that were
 * fetched, two outputs, an environment. There is nothing else that it can reach.
 */
import { numberOf } from '../support/wasi-errno.ts';
import type { Content, FetchedFiles } from './files.ts';
import { type Address, type ProgramMemory, textSize } from './memory.ts';
import { Output } from './output.ts';

/** The program ended, with this status. */
export class Exited extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`ended with ${status}`);
    this.status = status;
  }
}

/** What one run is given. */
export interface Surroundings {
  files: FetchedFiles;
  /** The variables that are exported. */
  environment: Readonly<Record<string, string>>;
  /** May it print colours without being told? */
  colours: boolean;
  /** The most that it may print. Bytes. */
  outputLimit: number;
}

/** An open descriptor that is read from. */
interface Reading {
  content(): Content;
  /** Of the next byte. */
  at: number;
}

const STDOUT = 1;
const STDERR = 2;
const AT_FDCWD = -100;
const IS_DIRECTORY = 0o40755;
const IS_FILE = 0o100644;
const IS_TERMINAL = 0o20620;
/** Kinds of descriptors, as WASI counts them. */
const CHARACTER_DEVICE = 2;
const REGULAR_FILE = 4;
const OPENED_FOR_READING = 0;
const ACCESS_MODE = 3;
/** As the shell says of a program that was aborted, by SIGABRT. */
const ABORTED = 134;
/** As the shell says of a writer whose reader has gone. */
const BROKEN_PIPE = 141;

/** Descriptors and outputs of one run. */
export class ProgramSystem {
  readonly #memory: ProgramMemory;
  readonly #given: Surroundings;
  readonly #open = new Map<number, Reading>();
  readonly #environment: string[];
  readonly #printed = new Map<number, Output>([
    [STDOUT, new Output()],
    [STDERR, new Output()],
  ]);

  constructor(memory: ProgramMemory, given: Surroundings) {
    this.#memory = memory;
    this.#given = given;
    this.#environment = Object.entries(given.environment).map((pair) => pair.join('='));
    this.#open.set(0, { content: () => given.files.stdin, at: 0 });
  }

  get stdout(): Buffer {
    return this.#printed.get(STDOUT)?.bytes ?? Buffer.alloc(0);
  }

  get stderr(): Buffer {
    return this.#printed.get(STDERR)?.bytes ?? Buffer.alloc(0);
  }

  /** The calls, by their names in C. Those that fail give an error number below 0. */
  readonly calls = {
    openat: (directory: number, path: Address, flags: number): number =>
      directory === AT_FDCWD && (flags & ACCESS_MODE) === OPENED_FOR_READING
        ? this.#openFile(this.#memory.text(path))
        : -numberOf('EROFS'),
    stat: (path: Address, to: Address): number => this.#stat(this.#memory.text(path), to),
    newfstatat: (directory: number, path: Address, to: Address): number =>
      directory === AT_FDCWD ? this.#stat(this.#memory.text(path), to) : -numberOf('EBADF'),
    fstat: (descriptor: number, to: Address): number => this.#fstat(descriptor, to),
    // The namespace follows links itself.
    readlinkat: (): number => -numberOf('EINVAL'),
    getcwd: (to: Address, size: number): number => {
      const { cwd } = this.#given.files;
      return textSize(cwd) > size ? -numberOf('ERANGE') : this.#memory.putText(to, cwd);
    },
    fcntl: (): number => 0,
    ioctl: (): number => -numberOf('ENOTTY'),
    environSizes: (count: Address, size: Address): number => {
      this.#memory.putInt(count, this.#environment.length);
      const sizes = this.#environment.map(textSize);
      this.#memory.putInt(
        size,
        sizes.reduce((sum, each) => sum + each, 0),
      );
      return 0;
    },
    environ: (list: Address, texts: Address): number => {
      let at = texts;
      for (const [index, text] of this.#environment.entries()) {
        this.#memory.putInt(list + 4 * index, at);
        at += this.#memory.putText(at, text);
      }
      return 0;
    },
    exit: (status: number): never => {
      throw new Exited(status);
    },
    abort: (): never => {
      // Memory that is used up is said by jq itself.
      if (this.#printed.get(STDERR)?.length === 0) this.#complain('jq: error: aborted');
      throw new Exited(ABORTED);
    },
    assertFail: (condition: Address, file: Address, line: number): never => {
      const [what, where] = [this.#memory.text(condition), this.#memory.text(file)];
      this.#complain(`jq: ${where}:${line}: assertion '${what}' failed`);
      throw new Exited(ABORTED);
    },
  };

  /** Those of WASI, which give an error number above 0 when they fail. */
  readonly descriptorCalls = {
    read: (descriptor: number, vectors: Address, count: number, done: Address): number => {
      const reading = this.#open.get(descriptor);
      if (reading === undefined) return numberOf('EBADF');
      const content = reading.content();
      if ('errno' in content) return content.errno;
      const from = reading.at;
      for (const into of this.#memory.vectors(vectors, count)) {
        reading.at += content.copy(into, 0, reading.at);
      }
      this.#memory.putInt(done, reading.at - from);
      return 0;
    },
    write: (descriptor: number, vectors: Address, count: number, done: Address): number => {
      const printed = this.#printed.get(descriptor);
      if (printed === undefined) return numberOf('EBADF');
      const before = printed.length;
      for (const part of this.#memory.vectors(vectors, count)) {
        if (printed.length + part.length > this.#given.outputLimit) this.#endOutput();
        printed.add(part);
      }
      this.#memory.putInt(done, printed.length - before);
      return 0;
    },
    seek: (descriptor: number, offset: bigint, whence: number, to: Address): number => {
      const reading = this.#open.get(descriptor);
      if (reading === undefined || descriptor === 0) return numberOf('ESPIPE');
      const content = reading.content();
      if ('errno' in content) return content.errno;
      const [start, current, end] = [0, reading.at, content.length];
      const at = Number(offset) + ([start, current, end][whence] ?? 0);
      if (at < 0) return numberOf('EINVAL');
      reading.at = Math.min(at, end);
      this.#memory.putLong(to, BigInt(reading.at));
      return 0;
    },
    close: (descriptor: number): number => {
      this.#open.delete(descriptor);
      return 0;
    },
    describe: (descriptor: number, to: Address): number => {
      const isTerminal = descriptor === STDOUT && this.#given.colours;
      this.#memory.bytes.fill(0, to, to + 24);
      this.#memory.bytes[to] = isTerminal ? CHARACTER_DEVICE : REGULAR_FILE;
      return 0;
    },
  };

  #complain(text: string): void {
    this.#printed.get(STDERR)?.add(Buffer.from(`${text}\n`));
  }

  #endOutput(): never {
    const limit = Math.floor(this.#given.outputLimit / 1024 / 1024);
    this.#complain(`jq: error: ended: more than ${limit} MiB of output`);
    throw new Exited(BROKEN_PIPE);
  }

  #openFile(path: string): number {
    const { files } = this.#given;
    const content = path === '/dev/stdin' ? files.stdin : files.content(path);
    // A directory can be opened; it is reading that fails.
    if ('errno' in content && content.errno !== numberOf('EISDIR')) return -content.errno;
    let descriptor = STDERR + 1;
    while (this.#open.has(descriptor)) descriptor++;
    this.#open.set(descriptor, { content: () => content, at: 0 });
    return descriptor;
  }

  #stat(path: string, to: Address): number {
    const kind = this.#given.files.kind(path);
    if (typeof kind === 'object') return -kind.errno;
    this.#putStat(to, kind === 'directory' ? IS_DIRECTORY : IS_FILE, 0, 1 + hash(path));
    return 0;
  }

  #fstat(descriptor: number, to: Address): number {
    const content = this.#open.get(descriptor)?.content();
    if (content === undefined) this.#putStat(to, IS_TERMINAL, 0, descriptor);
    else if ('errno' in content) this.#putStat(to, IS_DIRECTORY, 0, descriptor);
    else this.#putStat(to, IS_FILE, content.length, descriptor);
    return 0;
  }

  /** A `struct stat`: mode, links, size, block size and inode; the rest is 0. */
  #putStat(to: Address, mode: number, size: number, inode: number): void {
    this.#memory.bytes.fill(0, to, to + 96);
    this.#memory.putInt(to + 4, mode);
    this.#memory.putInt(to + 8, 1);
    this.#memory.putLong(to + 24, BigInt(size));
    this.#memory.putInt(to + 32, 4096);
    this.#memory.putLong(to + 88, BigInt(inode));
  }
}

/** A number for a path, so that two files are not taken for one. */
function hash(path: string): number {
  let value = 0;
  for (let i = 0; i < path.length; i++) value = (Math.imul(value, 31) + path.charCodeAt(i)) >>> 0;
  return value;
}
