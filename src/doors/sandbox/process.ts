/** A command of a sandbox that runs, and the streams that it has. */
import type { Visit, VisitExecOptions } from '../door.ts';
import { inWords } from './files.ts';

/** A command that runs, with its stdin whether or not that was asked for. */
export interface Process {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  wait(): Promise<{ exitCode: number }>;
  kill(): Promise<void>;
}

/**
 * A command that runs: what it prints, as it prints it.
 * @param reads it gets what is written to its stdin, and begins at the end of that
 */
export function startProcess(
  visit: Pick<Visit, 'exec'>,
  command: string,
  options: VisitExecOptions,
  reads: boolean,
): Process {
  const stop = new AbortController();
  const { signal } = options;
  const controllers = new Map<string, ReadableStreamDefaultController<Uint8Array>>();
  const streamOf = (name: 'stdout' | 'stderr'): ReadableStream<Uint8Array> =>
    new ReadableStream({ start: (controller) => void controllers.set(name, controller) });
  const printed = { stdout: 0, stderr: 0 };
  const print = (name: 'stdout' | 'stderr', bytes: Uint8Array): void => {
    printed[name] += bytes.length;
    if (bytes.length > 0) controllers.get(name)?.enqueue(new Uint8Array(bytes));
  };
  const streams = { stdout: streamOf('stdout'), stderr: streamOf('stderr') };
  const typed: Uint8Array[] = [];
  const given = Promise.withResolvers<void>();
  if (!reads) given.resolve();
  const stdin = new WritableStream<Uint8Array>({
    write: (bytes) => void typed.push(bytes),
    close: () => given.resolve(),
    abort: () => stop.abort(),
  });
  // Who ends it does not wait for the rest of what it was to read.
  stop.signal.addEventListener('abort', () => given.resolve());
  signal?.addEventListener('abort', () => given.resolve());
  const run = (): ReturnType<Visit['exec']> =>
    inWords(() =>
      visit.exec(command, {
        ...options,
        ...(reads ? { stdin: Buffer.concat(typed) } : {}),
        signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
        onOutput: print,
      }),
    );
  const done = given.promise
    .then(run)
    .then((result) => {
      print('stdout', result.stdoutBytes.subarray(printed.stdout));
      print('stderr', result.stderrBytes.subarray(printed.stderr));
      return { exitCode: result.exitCode };
    })
    .finally(() => {
      for (const controller of controllers.values()) controller.close();
    });
  // Whoever waits for it meets its failure; until then it is nobody's.
  done.catch(() => undefined);
  return {
    stdin,
    ...streams,
    wait: () => done,
    kill: async () => {
      stop.abort();
      await done.catch(() => undefined);
    },
  };
}
