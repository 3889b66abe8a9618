/** The guest from within: Node.js's library over bindings of ours, and what the host calls. It is loaded once a world, and kept. */
import { atomicsWith } from './atomics.ts';
import { type Facts, plainBindings } from './bindings.ts';
import { consoleOf, standardStreams } from './console.ts';
import type { FileHost } from './file-host.ts';
import { Files } from './files.ts';
import { fsBinding } from './fs-binding.ts';
import { globals } from './globals.ts';
import { intl } from './intl.ts';
import { makeLoop } from './loop.ts';
import type { Bag, CallHost, Guest, Loose } from './loose.ts';
import { Modules } from './modules.ts';
import { makeProcess, type RunFacts } from './process.ts';
import { makeRealm } from './realm.ts';
import { replacedModules } from './replaced.ts';
import { installStack } from './stack.ts';
import { textBindings } from './text.ts';

/** How a run begins. */
interface Beginning extends RunFacts {
  argv: string[];
  execArgv: string[];
}

type Entry = (...args: never[]) => unknown;

/** What is called of the library while it is set up. */
interface Functions {
  initializeDebugEnv(names: string): void;
  setupTaskQueue(): { nextTick: Run; runNextTicks: Run };
  getTimerCallbacks(ticks: Run): { processImmediate: Run; processTimers: Run };
}
type Run = (...args: unknown[]) => unknown;

const scope = globalThis as unknown as Bag;

/** Takes what the host put into the global object, where scripts shall not find it. */
function takeHost(): Guest {
  const take = (name: string): ((...args: unknown[]) => unknown) => {
    const found = scope[name] as (...args: unknown[]) => unknown;
    delete scope[name];
    return found;
  };
  const call = take('__host');
  const raw = Object.fromEntries(
    ['promiseDetails', 'proxyDetails', 'runMicrotasks', 'evaluate', 'classOf'].map((name) => [
      name,
      take(`__host_${name}`),
    ]),
  ) as unknown as Guest['raw'] & { classOf: Guest['classOf'] };
  const host: CallHost = (name, ...args) => {
    const answer = call(name, ...args);
    if (typeof answer !== 'object' || answer === null) return answer;
    const { errno, error } = answer as { errno?: unknown; error?: unknown };
    if (typeof errno === 'string') throw Object.assign(new Error(errno), { errno });
    if (typeof error === 'string') throw new Error(error);
    return answer;
  };
  return { host, raw, classOf: raw.classOf };
}

const guest = takeHost();
const { host } = guest;
const facts = JSON.parse(host('facts') as string) as Facts;
const texts = JSON.parse(host('library') as string) as Record<string, string>;
const sources = new Map<string, string>();
installStack(guest, sources);
Object.defineProperty(scope, 'Atomics', {
  value: atomicsWith((ms) => host('sleep', ms)),
  configurable: true,
  enumerable: false,
  writable: true,
});

const parts = makeProcess(guest);
const { process } = parts;
const emitter = process as unknown as Loose;
parts.begin({
  env: {},
  cwd: '/',
  version: `v${facts.versions['node']}`,
  versions: facts.versions,
  startedAt: 0,
});

function fatal(error: unknown, fromPromise = false): void {
  const origin = fromPromise ? 'unhandledRejection' : 'uncaughtException';
  emitter['emit']?.('uncaughtExceptionMonitor', error, origin);
  if ((emitter['emit']?.('uncaughtException', error, origin) as unknown) === true) return;
  try {
    if (process._exiting !== true) {
      process._exiting = true;
      process.exitCode = 1;
      emitter['emit']?.('exit', 1);
    }
  } catch {
    // An error of whoever listens to the end changes nothing about the first.
  }
  host('print', 2, realm.library('internal/dirigent/fatal')(error, sources) as unknown);
  leave(process.exitCode ?? 1);
}
Object.assign(host, { fatal, lazy: (id: string) => realm.library(id) });

const loop = makeLoop(guest, fatal);
const errnos = new Map(facts.errors.map(([number, name, text]) => [name, [number, text] as const]));
const fileHost: FileHost = {
  guest,
  cwd: parts.cwd,
  errno(name) {
    const [number, text] = errnos.get(name) ?? [-1, 'unknown error'];
    return [number, text];
  },
  later: loop.later,
  print: (descriptor, bytes) => void host('print', descriptor, bytes),
  stdin: () => host('stdin') as Uint8Array,
  bufferOf: (bytes) => (scope['Buffer'] as { from(bytes: Uint8Array): Uint8Array }).from(bytes),
  realpath: (path) =>
    (realm.library('fs') as unknown as { realpathSync(path: string): string }).realpathSync(path),
};
const files = new Files(fileHost);
const realm = makeRealm(
  guest,
  texts,
  {
    ...plainBindings(guest, facts),
    ...textBindings(guest),
    ...loop.bindings,
    fs: () => fsBinding(files, fileHost),
  },
  replacedModules(guest, { files, process, later: loop.later, facts, sources }),
  process,
);
const modules = new Modules(guest, realm, files, sources);
modules.cwd = parts.cwd;

/** Ends the run. The host does not come back. */
function leave(code: number): void {
  const isWhole = files.finish();
  host('exit', isWhole ? code : code || 1);
}
process['reallyExit'] = leave;
process['exit'] = (code?: unknown): void => {
  if (code !== undefined) process.exitCode = code as number;
  if (process._exiting !== true) {
    process._exiting = true;
    emitter['emit']?.('exit', process.exitCode ?? 0);
  }
  leave(process.exitCode ?? 0);
};

// The library, in the order in which its parts need each other.
const { library } = realm;
const EventEmitter = library('events');
Object.setPrototypeOf(
  Object.getPrototypeOf(process),
  EventEmitter['prototype'] as unknown as object,
);
(EventEmitter as unknown as { call(self: unknown): void }).call(process);
Object.defineProperty(process, Symbol.toStringTag, {
  value: 'process',
  configurable: false,
  enumerable: false,
  writable: true,
});
globals(guest, realm, process);
(library('internal/util/debuglog') as unknown as Functions).initializeDebugEnv('');
const { nextTick, runNextTicks } = (
  library('internal/process/task_queues') as unknown as Functions
).setupTaskQueue();
Object.assign(process, {
  nextTick,
  _tickCallback: runNextTicks,
  emitWarning: library('internal/process/warning')['emitWarning'],
});
const { processImmediate, processTimers } = (
  library('internal/timers') as unknown as Functions
).getTimerCallbacks(runNextTicks);
loop.setupTimers(processImmediate, processTimers);
standardStreams(realm, process);
consoleOf(realm, process, scope);
intl(guest, () => (process['env'] as Record<string, string | undefined>)['TZ'] ?? 'UTC');
for (const id of [
  'fs',
  'fs/promises',
  'path',
  'util',
  'url',
  'stream',
  'readline',
  'os',
  'assert',
  'querystring',
  'string_decoder',
  'child_process',
  'timers/promises',
  'internal/fs/streams',
  'internal/fs/sync_write_stream',
  'internal/process/promises',
  'crypto',
])
  library(id);

const entries: Record<string, Entry> = {
  start(text: string) {
    const { argv, execArgv, ...run } = JSON.parse(text) as Beginning;
    parts.begin(run);
    Object.assign(process, { argv, execArgv });
  },
  /** Runs a file. */
  runFile(path: string) {
    loop.enter(() => {
      const [argv] = [process['argv'] as string[]];
      const found = modules.resolver.resolve(
        path.startsWith('/') ? path : `./${path}`,
        parts.cwd(),
        'require',
      );
      argv[1] = found;
      modules.mainUrl = `file://${found}`;
      modules.runMain(found);
      follow();
    });
  },
  /** Runs a text, and shows what it is where that is asked for. */
  runText(source: string, file: string, isShown: boolean, kind: string) {
    loop.enter(() => runText(source, file, isShown, kind));
  },
  round: () => loop.round(),
  /** The loop has nothing left: whoever listens may give it more. @returns whether somebody did */
  beforeExit() {
    loop.enter(() => emitter['emit']?.('beforeExit', process.exitCode ?? 0));
    const left = loop.round();
    if (left >= 0) return left;
    const [state] = modules.running === undefined ? [1] : guest.raw.promiseDetails(modules.running);
    if (state === 0 && process.exitCode === undefined) {
      host('print', 2, `Warning: Detected unsettled top-level await at ${modules.mainUrl}\n\n\n`);
      process.exitCode = 13;
    }
    return -1;
  },
  end() {
    loop.enter(() => (process['exit'] as () => void)());
  },
  rejected: (isHandled: boolean, promise: unknown, reason: unknown) =>
    loop.rejected(isHandled, promise, reason),
  resolveImport: (base: string, id: string) => modules.resolveImport(base, id),
  loadImport: (name: string) => modules.loadImport(name),
  ...modules.taken,
};
Object.defineProperty(globalThis, Symbol.for('dirigent.entries'), {
  value: Object.freeze(entries),
});

/** The process ends with its main module. */
function follow(): void {
  if (modules.running === undefined) return;
  (modules.running as Promise<unknown>).catch((error: unknown) => fatal(error));
}

function runText(source: string, file: string, isShown: boolean, kind: string): void {
  const cwd = parts.cwd();
  const asModule = (): void => {
    const url = `file://${cwd}/[eval1]`;
    modules.virtual.set(url, source);
    modules.mainUrl = url;
    modules.runModule(url);
    follow();
  };
  if (kind.startsWith('module')) return asModule();
  const Module = modules.Module as unknown as new (id: string) => Bag;
  const module = new Module(file);
  Object.assign(module, { filename: `${cwd}/${file}`, path: cwd });
  const required = modules.requireFrom(module as never);
  Object.assign(scope, {
    module,
    exports: module['exports'],
    require: required,
    __filename: file,
    __dirname: '.',
  });
  for (const id of realm.publicIds) {
    if (id.includes('/') || id in scope) continue;
    Object.defineProperty(scope, id, {
      configurable: true,
      enumerable: false,
      get: () => modules.builtin(id),
      set: (value: unknown) =>
        Object.defineProperty(scope, id, {
          value,
          configurable: true,
          enumerable: true,
          writable: true,
        }),
    });
  }
  sources.set(file, source);
  let value: unknown;
  try {
    value = modules.compile(source, file, () => source);
  } catch (error) {
    if (kind !== '' || !(error instanceof SyntaxError)) throw error;
    if (modules.looksLikeModule(source)) return asModule();
    const told = host('stripTypes', source) as { source?: string };
    if (told.source === undefined || told.source === source) throw error;
    return runText(told.source, file, isShown, 'commonjs');
  }
  if (isShown) (scope['console'] as Console).log(value);
}
