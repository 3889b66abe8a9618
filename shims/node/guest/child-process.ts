/** `child_process`: commands of the world. One is run to its end when it is started, or when its input has ended. */
import type { Files } from './files.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import { bytesOf, coder } from './text.ts';

export interface ChildParts {
  files: Files;
  process: Bag;
  later(run: () => void): void;
}

interface Options extends Bag {
  cwd?: unknown;
  env?: Record<string, unknown>;
  input?: unknown;
  encoding?: string;
  shell?: unknown;
  stdio?: unknown;
  timeout?: number;
}

interface Ran {
  status: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
}

type Emitter = Bag & {
  emit(event: string, ...args: unknown[]): boolean;
  on(event: string, run: (...args: never[]) => void): Emitter;
  once(event: string, run: (...args: never[]) => void): Emitter;
};
type Stream = Emitter & { push(chunk: unknown): void; write(chunk: unknown): void };
type Made = Record<string, unknown>;
type Callback = (error: unknown, stdout: unknown, stderr: unknown) => void;

/** As `timeout` tells that it ended a command. */
const TIMED_OUT = 124;
const NOT_FOUND = 127;

/** @param library of the library */
export function childProcess(
  { host }: Guest,
  { files, process, later }: ChildParts,
  library: (id: string) => Loose,
): Made {
  const { Buffer } = library('buffer') as unknown as { Buffer: { from(bytes: Uint8Array): Bag } };
  const { promisify } = library('util') as unknown as { promisify: { custom: symbol } };
  const EventEmitter = library('events') as unknown as new () => Emitter;
  const { Readable, Writable } = library('stream') as unknown as Record<
    'Readable' | 'Writable',
    new (
      options: Bag,
    ) => Stream
  >;
  let pid = 100;

  const bytesFrom = (input: unknown): Uint8Array => {
    if (input === undefined || input === null) return new Uint8Array();
    return typeof input === 'string'
      ? coder(host).encode(input, 'utf8')
      : bytesOf(input as Uint8Array);
  };
  const run = (words: readonly string[] | string, options: Options, stdin: Uint8Array): Ran => {
    files.flushAll();
    const environment = options.env ?? (process['env'] as Record<string, unknown>);
    const shown = Object.entries(environment).filter(([, value]) => value !== undefined);
    const env = Object.fromEntries(shown.map(([name, value]) => [name, String(value)]));
    const given =
      options.cwd instanceof Object && 'pathname' in options.cwd
        ? options.cwd.pathname
        : options.cwd;
    const cwd = files.resolve(given ?? (process['cwd'] as () => string)());
    if (!files.isDirectory(cwd))
      return { status: -1, stdout: new Uint8Array(), stderr: new Uint8Array() };
    const timeout = Number(options.timeout ?? 0);
    const limited =
      timeout > 0
        ? [
            'timeout',
            `${timeout / 1000}`,
            ...(typeof words === 'string' ? ['sh', '-c', words] : words),
          ]
        : words;
    return host('exec', limited, cwd, env, stdin) as Ran;
  };
  const wordsOf = (file: string, args: readonly unknown[], options: Options): string[] | string => {
    if (options.shell === undefined || options.shell === false) return [file, ...args.map(String)];
    return [file, ...args.map(String)].join(' ');
  };
  const failure = (
    syscall: string,
    code: string,
    errno: number,
    file: string,
    args: readonly unknown[],
  ): Error =>
    Object.assign(new Error(`${syscall} ${code}`), {
      errno,
      code,
      syscall,
      path: file,
      spawnargs: [...args],
    });
  const notFound = (ran: Ran, isShell: boolean): boolean =>
    !isShell &&
    (ran.status === -1 ||
      (ran.status === NOT_FOUND &&
        coder(host).decode(ran.stderr, 'utf8').includes('command not found')));

  const spawnSync = (file: string, given?: unknown, more?: unknown): Bag => {
    const args = Array.isArray(given) ? (given as unknown[]) : [];
    const options = ((Array.isArray(given) || given === undefined ? more : given) ?? {}) as Options;
    const targets = targetsOf(options.stdio);
    const input = targets[0] === 'inherit' ? files.read('/dev/stdin') : bytesFrom(options.input);
    const ran = run(wordsOf(file, args, options), options, input);
    const isShell = options.shell !== undefined && options.shell !== false;
    pid += 1;
    const result: Bag = {
      pid,
      output: null,
      stdout: null,
      stderr: null,
      status: null,
      signal: null,
    };
    if (notFound(ran, isShell)) {
      return { error: failure(`spawnSync ${file}`, 'ENOENT', -2, file, args), ...result, pid: 0 };
    }
    const isLate = Number(options.timeout ?? 0) > 0 && ran.status === TIMED_OUT;
    const deliver = (bytes: Uint8Array, target: unknown, descriptor: 1 | 2): unknown => {
      if (target === 'inherit' || typeof target === 'number') {
        files.writeAt(typeof target === 'number' ? target : descriptor, bytes, null);
        return null;
      }
      if (target === 'ignore') return null;
      return shownAs(Buffer.from(bytes), options.encoding);
    };
    const stdout = deliver(ran.stdout, targets[1], 1);
    const stderr = deliver(ran.stderr, targets[2], 2);
    const ended = isLate
      ? { status: null, signal: 'SIGTERM' }
      : { status: ran.status, signal: null };
    const full = { ...ended, output: [null, stdout, stderr], pid, stdout, stderr };
    if (!isLate) return full;
    return { error: failure(`spawnSync ${file}`, 'ETIMEDOUT', -110, file, args), ...full };
  };
  const checked = (ran: Bag, command: string): unknown => {
    if (ran['error'] !== undefined)
      throw Object.assign(ran['error'] as Error, without(ran, 'error'));
    if (ran['status'] === 0) return ran['stdout'];
    const stderr = ran['stderr'] as { length: number } | null;
    const tail = stderr !== null && stderr.length > 0 ? `\n${String(stderr)}` : '';
    throw Object.assign(new Error(`Command failed: ${command}${tail}`), ran);
  };
  const relayed = (ran: Bag, options: Options): Bag => {
    const { stderr } = ran;
    if (options.stdio === undefined && stderr !== null && (stderr as { length: number }).length > 0)
      files.writeAt(2, bytesFrom(stderr), null);
    return ran;
  };
  const execSync = (command: string, options: Options = {}): unknown =>
    checked(
      relayed(spawnSync(command, [], { ...options, shell: options.shell ?? true }), options),
      command,
    );
  const execFileSync = (file: string, given?: unknown, more?: unknown): unknown => {
    const args = Array.isArray(given) ? (given as unknown[]) : [];
    const options = ((Array.isArray(given) || given === undefined ? more : given) ?? {}) as Options;
    const command = [file, ...args.map(String)].join(' ');
    return checked(relayed(spawnSync(file, args, options), options), command);
  };

  const spawn = (file: string, given?: unknown, more?: unknown): Emitter => {
    const args = Array.isArray(given) ? (given as unknown[]) : [];
    const options = ((Array.isArray(given) || given === undefined ? more : given) ?? {}) as Options;
    const targets = targetsOf(options.stdio);
    const child = new EventEmitter();
    const input: Uint8Array[] = [];
    let isFed = false;
    let hasStarted = false;
    const readable = (target: unknown): Stream | null =>
      target === 'pipe' ? new Readable({ read: () => undefined }) : null;
    const stdout = readable(targets[1]);
    const stderr = readable(targets[2]);
    pid += 1;
    Object.assign(child, {
      pid,
      exitCode: null,
      signalCode: null,
      killed: false,
      spawnfile: file,
      spawnargs: [file, ...args.map(String)],
      connected: false,
    });
    const finish = (): void => {
      if (hasStarted) return;
      hasStarted = true;
      const all = input.reduce((sum, { length }) => sum + length, 0);
      const bytes = new Uint8Array(all);
      let at = 0;
      for (const part of input) {
        bytes.set(part, at);
        at += part.length;
      }
      const ran = run(wordsOf(file, args, options), options, bytes);
      const isShell = options.shell !== undefined && options.shell !== false;
      if (notFound(ran, isShell)) {
        child['pid'] = undefined;
        child.emit('error', failure(`spawn ${file}`, 'ENOENT', -2, file, args));
        stdout?.push(null);
        stderr?.push(null);
        later(() => child.emit('close', -2, null));
        return;
      }
      child.emit('spawn');
      const feed = (stream: Stream | null, part: Uint8Array, target: unknown, fd: 1 | 2): void => {
        if (stream !== null) {
          if (part.length > 0) stream.push(Buffer.from(part));
          stream.push(null);
        } else if (target === 'inherit') files.writeAt(fd, part, null);
        else if (typeof target === 'number') files.writeAt(target, part, null);
      };
      feed(stdout, ran.stdout, targets[1], 1);
      feed(stderr, ran.stderr, targets[2], 2);
      child['exitCode'] = ran.status;
      later(() => {
        child.emit('exit', ran.status, null);
        const open = [stdout, stderr].filter(
          (stream) =>
            stream !== null &&
            stream['readableEnded'] !== true &&
            stream['readableFlowing'] !== null,
        );
        let left = open.length;
        const close = (): void => {
          left -= 1;
          if (left <= 0) child.emit('close', ran.status, null);
        };
        if (left === 0) close();
        for (const stream of open) stream?.once('close', close);
      });
    };
    const stdin =
      targets[0] === 'pipe'
        ? new Writable({
            write(chunk: Uint8Array, _encoding: unknown, done: () => void) {
              isFed = true;
              input.push(bytesFrom(chunk));
              done();
            },
            final(done: () => void) {
              done();
              later(finish);
            },
          })
        : null;
    stdin?.on('pipe', () => {
      isFed = true;
    });
    Object.assign(child, {
      stdin,
      stdout,
      stderr,
      stdio: [stdin, stdout, stderr],
      kill() {
        child['killed'] = true;
        hasStarted ||= child['exitCode'] === null;
        later(() => {
          child.emit('exit', null, 'SIGTERM');
          child.emit('close', null, 'SIGTERM');
        });
        return true;
      },
      ref: () => child,
      unref: () => child,
      disconnect: () => undefined,
    });
    later(() => {
      // Whoever wants to feed it has begun by now; it starts when that has ended.
      later(() => (isFed ? undefined : finish()));
    });
    return child;
  };
  const collect = (child: Emitter, options: Options, command: string, done?: Callback): Emitter => {
    const parts: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr'] as const)
      (child[name] as Emitter | null)?.on('data', (chunk: Uint8Array) => parts[name].push(chunk));
    const text = (name: 'stdout' | 'stderr'): unknown => {
      const { concat } = Buffer as unknown as { concat(all: Uint8Array[]): Uint8Array };
      const encoding = options.encoding === undefined ? 'utf8' : options.encoding;
      return shownAs(concat.call(Buffer, parts[name]) as unknown as Bag, encoding);
    };
    let hasFailed = false;
    child.on('error', (error: unknown) => {
      hasFailed = true;
      done?.(Object.assign(error as object, { cmd: command }), '', '');
    });
    child.on('close', (code: number | null, signal: string | null) => {
      if (hasFailed) return;
      const [stdout, stderr] = [text('stdout'), text('stderr')];
      if (code === 0) return done?.(null, stdout, stderr);
      const error = new Error(`Command failed: ${command}\n${String(stderr)}`);
      Object.assign(error, { code, killed: child['killed'], signal, cmd: command });
      done?.(error, stdout, stderr);
    });
    return child;
  };
  const split = (
    all: unknown[],
  ): { options: Options; done: Callback | undefined; args: unknown[] } => ({
    args: Array.isArray(all[0]) ? (all[0] as unknown[]) : [],
    options: (all.find(
      (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
    ) ?? {}) as Options,
    done: all.find((each) => typeof each === 'function') as Callback | undefined,
  });
  const exec = (command: string, ...rest: unknown[]): Emitter => {
    const { options, done } = split(rest);
    const child = spawn(command, [], { ...options, shell: options.shell ?? true });
    return collect(child, options, command, done);
  };
  const execFile = (file: string, ...rest: unknown[]): Emitter => {
    const { options, done, args } = split(rest);
    return collect(
      spawn(file, args, options),
      options,
      [file, ...args.map(String)].join(' '),
      done,
    );
  };
  const promised = (start: (...args: never[]) => Emitter) => {
    const call = (...args: unknown[]): Promise<unknown> => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const done: Callback = (error, stdout, stderr) =>
        error === null
          ? resolve({ stdout, stderr })
          : reject(Object.assign(error as object, { stdout, stderr }));
      const child = (start as (...all: unknown[]) => Emitter)(...args, done);
      return Object.assign(promise, { child });
    };
    Object.defineProperty(start, promisify.custom, { value: call, enumerable: false });
  };
  promised(exec);
  promised(execFile);
  const fork = (): never => {
    throw new Error(
      'fork needs a channel between processes, which is not here: run the script by spawn',
    );
  };
  const ChildProcess = EventEmitter;
  return { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
}

function shownAs(bytes: Bag, encoding: unknown): unknown {
  if (encoding === undefined || encoding === null || encoding === 'buffer') return bytes;
  return (bytes as unknown as { toString(encoding: unknown): string }).toString(encoding);
}

/** What is done with the three streams. */
function targetsOf(stdio: unknown): unknown[] {
  if (!Array.isArray(stdio)) return Array.from({ length: 3 }, () => stdio ?? 'pipe');
  return Array.from({ length: 3 }, (_, index) => stdio[index] ?? 'pipe').map((each: unknown) =>
    typeof each === 'object' && each !== null && 'fd' in each ? each.fd : each,
  );
}

function without(bag: Bag, name: string): Bag {
  return Object.fromEntries(Object.entries(bag).filter(([key]) => key !== name));
}
