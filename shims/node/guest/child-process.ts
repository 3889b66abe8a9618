/** `child_process`: commands of the world. One is run to its end when it is started, or when its input has ended. */
import {
  argumentsOf,
  byShell,
  type ChildParts,
  commandRunner,
  type Options,
  type Runner,
  shownAs,
  targetsOf,
} from './child-runner.ts';
import { waitingCalls } from './child-waiting.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import { joined } from './text.ts';

type Emitter = Bag & {
  emit(event: string, ...args: unknown[]): boolean;
  on(event: string, run: (...args: never[]) => void): Emitter;
  once(event: string, run: (...args: never[]) => void): Emitter;
};
type Stream = Emitter & { push(chunk: unknown): void; write(chunk: unknown): void };
type Made = Record<string, unknown>;
type Callback = (error: unknown, stdout: unknown, stderr: unknown) => void;
type Streams = Record<'Readable' | 'Writable', new (options: Bag) => Stream>;
type Spawn = (file: string, given?: unknown, more?: unknown) => Emitter;

/** @param library of the library */
export function childProcess(
  guest: Guest,
  parts: ChildParts,
  library: (id: string) => Loose,
): Made {
  const { promisify } = library('util') as unknown as { promisify: { custom: symbol } };
  const ChildProcess = library('events') as unknown as new () => Emitter;
  const runner = commandRunner(guest, parts, library);
  const spawn = spawner(runner, ChildProcess, library('stream') as unknown as Streams);
  const { exec, execFile } = collectingCalls(runner, spawn);
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
  return { ChildProcess, exec, execFile, fork, spawn, ...waitingCalls(runner) };
}

function spawner(
  runner: Runner,
  EventEmitter: new () => Emitter,
  { Readable, Writable }: Streams,
): Spawn {
  const { Buffer, files, later, bytesFrom, run, wordsOf, failure, notFound, nextPid } = runner;
  return (file, given, more) => {
    const { args, options } = argumentsOf(given, more);
    const targets = targetsOf(options.stdio);
    const child = new EventEmitter();
    const input: Uint8Array[] = [];
    let isFed = false;
    let hasStarted = false;
    const readable = (target: unknown): Stream | null =>
      target === 'pipe' ? new Readable({ read: () => undefined }) : null;
    const stdout = readable(targets[1]);
    const stderr = readable(targets[2]);
    Object.assign(child, {
      pid: nextPid(),
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
      const ran = run(wordsOf(file, args, options), options, joined(input));
      if (notFound(ran, byShell(options))) {
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
}

/** The calls that hand what a command printed to a callback. */
function collectingCalls({ Buffer }: Runner, spawn: Spawn) {
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
  return { exec, execFile };
}
