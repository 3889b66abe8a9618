/**
 * A stand-in's process, seen from its parent: it is told on its first line of input what to serve,
 * answers with one line of JSON when it listens, and ends when its input ends. What tests say to it
 * goes over HTTP, below a path that the service itself does not have.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { sharedCompileCache } from '../../src/world/spawn-worker.ts';

/** In the environment of tests: the address of the process that serves stand-ins (`host.ts`). */
export const HOST = 'DIRIGENT_TEST_STAND_INS';

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Everything below this path is the control surface. */
export const CONTROL = '/__control';

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));
const START_LIMIT_MS = 60_000;
const readySchema = z.object({ port: z.number().int(), token: z.string() });
const errorReplySchema = z.object({ error: z.string() });

/** What every running stand-in can be told. Every method but `close` is one request to its control surface. */
export interface StandIn<FaultInput, Row> extends AsyncDisposable {
  /** For the client's base URL; without a slash at the end. */
  readonly url: string;
  /** The first token of the seed. */
  readonly token: string;
  /** Of the process that is its own; undefined where others share it. */
  readonly pid?: number;
  /** Requests since the start or the last reset, oldest first. */
  requests(): Promise<Row[]>;
  resetRequests(): Promise<void>;
  /** Switches a fault on. Faults are asked in the order in which they were added. */
  fault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
  /** Ends it; resolves when it is gone, with its process where that was its own. */
  close(): Promise<void>;
}

/** Requests to the control surface of a stand-in. */
export interface Controls {
  run(method: string, path: string, body?: unknown): Promise<void>;
  get<Result>(path: string, schema: z.ZodType<Result>): Promise<Result>;
  post<Result>(path: string, body: unknown, schema: z.ZodType<Result>): Promise<Result>;
}

/** What is the same for every service, for a service to add its own to. `row`: a request of its log. */
export function standIn<FaultInput, Row>(
  { control, ...running }: StandInProcess,
  row: z.ZodType<Row>,
): { common: StandIn<FaultInput, Row>; controls: Controls } {
  const controls: Controls = {
    run: async (method, path, body) => {
      await control({ method, path, body }, z.object({}));
    },
    get: (path, schema) => control({ method: 'GET', path }, schema),
    post: (path, body, schema) => control({ method: 'POST', path, body }, schema),
  };
  const { get, run } = controls;
  const common: StandIn<FaultInput, Row> = {
    ...running,
    requests: () => get('/requests', row.array()),
    resetRequests: () => run('DELETE', '/requests'),
    fault: (fault) => run('POST', '/faults', fault),
    clearFaults: () => run('DELETE', '/faults'),
    [Symbol.asyncDispose]: running.close,
  };
  return { common, controls };
}

/** A stand-in's process. */
export interface StandInProcess {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Of the process that is its own; undefined where others share it. */
  readonly pid?: number;
  /** One request to the control surface; an answer of 400 and above is thrown with its sentence. */
  control<Result>(
    what: { method: string; path: string; body?: unknown },
    schema: z.ZodType<Result>,
  ): Promise<Result>;
  /** Ends it; resolves when it is gone, with its process where that was its own. */
  close(): Promise<void>;
}

/** What is common to the options of all services. */
interface Options {
  port: number;
  keep?: string | undefined;
}

/**
 * Starts a stand-in: in the tests' process for stand-ins, where there is one and this one is to leave
 * nothing behind, and else in a child process of its own.
 * @param name what sentences call it
 * @param file the module whose `serve` starts it
 * @throws Error with what the child wrote on stderr when it does not come up within 60 s
 */
export async function startProcess(
  name: string,
  file: URL,
  options: Options,
): Promise<StandInProcess> {
  const host = process.env[HOST];
  if (host !== undefined && options.port === 0 && options.keep === undefined)
    return startHosted({ name, host, file, options });
  return startChild(name, file, options);
}

/** The process that serves the stand-ins of a run of tests. */
export function startHost(): Promise<Pick<StandInProcess, 'url' | 'close'>> {
  const file = new URL('./host.ts', import.meta.url);
  return startChild('the host of stand-ins', file, { seed: null, port: 0 });
}

async function startHosted({
  name,
  host,
  file,
  options,
}: {
  name: string;
  host: string;
  file: URL;
  options: Options;
}): Promise<StandInProcess> {
  const start = { method: 'POST', path: '/stand-ins', body: { file: file.href, options } };
  const { port, token } = await control(name, host, start, readySchema);
  const url = `http://127.0.0.1:${port}`;
  let closed: Promise<unknown> | null = null;
  const close = async () => {
    const end = { method: 'DELETE', path: `/stand-ins/${port}` };
    closed ??= control(name, host, end, z.object({}));
    await closed;
  };
  return {
    url,
    token,
    control: (what, schema) => control(name, url, what, schema),
    close,
  };
}

async function startChild(
  name: string,
  file: URL,
  options: object,
): Promise<StandInProcess & { pid: number }> {
  const { child, errors } = spawnChild(file, options);
  try {
    const { port, token } = await readiness(name, child, errors);
    release(child);
    const url = `http://127.0.0.1:${port}`;
    return {
      url,
      token,
      pid: child.pid ?? -1,
      control: (what, schema) => control(name, url, what, schema),
      close: () => end(child),
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

function spawnChild(file: URL, options: object): { child: Child; errors: () => string } {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CHILD, fileURLToPath(file)],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...sharedCompileCache() } },
  );
  let tail = '';
  child.stderr.on('data', (data: Buffer) => {
    tail = (tail + data.toString()).slice(-4000);
  });
  child.stdin.write(`${JSON.stringify(options)}\n`);
  return { child, errors: () => tail.trim() };
}

async function readiness(name: string, child: Child, errors: () => string) {
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, 'line', { signal: AbortSignal.timeout(START_LIMIT_MS) });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${String(code)} before it listened: ${errors()}`);
  });
  const [text] = await Promise.race([line, ended]);
  return readySchema.parse(JSON.parse(String(text)));
}

/** Lets the parent end while the child still runs: the child then ends by itself. */
function release(child: Child): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}

async function control<Result>(
  name: string,
  url: string,
  what: { method: string; path: string; body?: unknown },
  schema: z.ZodType<Result>,
): Promise<Result> {
  const response = await fetch(`${url}${CONTROL}${what.path}`, {
    method: what.method,
    // A thread that was held up finds a kept connection ended by the other side.
    headers: { connection: 'close' },
    ...(what.body === undefined ? {} : { body: JSON.stringify(what.body) }),
  });
  const reply: unknown = await response.json();
  if (!response.ok) {
    const { error } = errorReplySchema.parse(reply);
    throw new Error(`${name} refused ${what.method} ${what.path}: ${error}`);
  }
  return schema.parse(reply);
}

async function end(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
