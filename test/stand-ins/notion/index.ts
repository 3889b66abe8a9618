/**
 * A Notion on loopback, for tests and the demo: start it, point the client's `baseUrl` at it, break
 * it as the real service breaks, and read what was asked of it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  type ChildOptions,
  CONTROL,
  type DumpedPage,
  dumpSchema,
  type EditInput,
  editReplySchema,
  errorReplySchema,
  type FaultInput,
  type LoggedRequest,
  readySchema,
  requestSchema,
} from './control.ts';
import type { SeedInput } from './model.ts';

export type { DumpedPage, EditInput, FaultInput, LoggedRequest } from './control.ts';
export type { PageSeed, SeedInput } from './model.ts';
export { DEMO_TOKEN, demoSeed } from './seed.ts';

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How to start: `demo` is the workspace of the demo world. */
export interface NotionStandInOptions {
  seed?: 'demo' | SeedInput;
  /** 0, the default, takes any free port. */
  port?: number;
}

/** A running stand-in. Every method but `close` is one request to its control surface. */
export interface NotionStandIn extends AsyncDisposable {
  /** For the client's `baseUrl`; without a slash at the end. */
  readonly url: string;
  /** The first token of the seed. */
  readonly token: string;
  readonly pid: number;
  /** Requests since the start or the last reset, oldest first. */
  requests(): Promise<LoggedRequest[]>;
  resetRequests(): Promise<void>;
  /** Switches a fault on. Faults are asked in the order in which they were added. */
  fault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
  /** A write by someone else. @returns the id of the page or comment */
  edit(edit: EditInput): Promise<string>;
  /** Every page with its text. */
  dump(): Promise<DumpedPage[]>;
  /** Begins again with a seed, without faults and with an empty log: cheaper than a new process. */
  reseed(seed: 'demo' | SeedInput): Promise<void>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

const START_LIMIT_MS = 15_000;

function spawnChild(options: ChildOptions): { child: Child; errors: () => string } {
  const file = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let tail = '';
  child.stderr.on('data', (data: Buffer) => {
    tail = (tail + data.toString()).slice(-4000);
  });
  child.stdin.write(`${JSON.stringify(options)}\n`);
  return { child, errors: () => tail.trim() };
}

async function readiness(child: Child, errors: () => string) {
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, 'line', { signal: AbortSignal.timeout(START_LIMIT_MS) });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(
      `the Notion stand-in ended with ${String(code)} before it listened: ${errors()}`,
    );
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
  url: string,
  what: { method: string; path: string; body?: unknown },
  schema: z.ZodType<Result>,
): Promise<Result> {
  const response = await fetch(`${url}${CONTROL}${what.path}`, {
    method: what.method,
    ...(what.body === undefined ? {} : { body: JSON.stringify(what.body) }),
  });
  const reply: unknown = await response.json();
  if (!response.ok) {
    const { error } = errorReplySchema.parse(reply);
    throw new Error(`the Notion stand-in refused ${what.method} ${what.path}: ${error}`);
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

function handle(child: Child, url: string, token: string): NotionStandIn {
  const nothing = z.object({});
  const run = async (method: string, path: string, body?: unknown): Promise<void> => {
    await control(url, { method, path, body }, nothing);
  };
  const get = <Result>(path: string, schema: z.ZodType<Result>): Promise<Result> =>
    control(url, { method: 'GET', path }, schema);
  const close = () => end(child);
  return {
    url,
    token,
    pid: child.pid ?? -1,
    requests: () => get('/requests', z.array(requestSchema)),
    resetRequests: () => run('DELETE', '/requests'),
    fault: (fault) => run('POST', '/faults', fault),
    clearFaults: () => run('DELETE', '/faults'),
    edit: async (edit) =>
      (await control(url, { method: 'POST', path: '/edits', body: edit }, editReplySchema)).id,
    dump: () => get('/dump', dumpSchema),
    reseed: (seed) => run('PUT', '/seed', { seed }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 15 s
 */
export async function startNotionStandIn(
  options: NotionStandInOptions = {},
): Promise<NotionStandIn> {
  const { child, errors } = spawnChild({ seed: options.seed ?? 'demo', port: options.port ?? 0 });
  try {
    const { port, token } = await readiness(child, errors);
    release(child);
    return handle(child, `http://127.0.0.1:${port}`, token);
  } catch (error) {
    await end(child);
    throw error;
  }
}
