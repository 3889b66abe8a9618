/** Modules of Node.js that stand on something of ours, in place of its own. */
import type { Facts } from './bindings.ts';
import { childProcess } from './child-process.ts';
import { cryptoModule } from './crypto.ts';
import type { Files } from './files.ts';
import { refusedModule } from './globals.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import { osModule } from './os.ts';
import type { Replaced } from './realm.ts';
import { callAt } from './stack.ts';
import { zlibModule } from './zlib.ts';

export interface ReplacedParts {
  files: Files;
  process: Bag;
  later(run: () => void): void;
  facts: Facts;
  /** Sources of scripts, by their files. */
  sources: ReadonlyMap<string, string>;
}

export function replacedModules(guest: Guest, parts: ReplacedParts): Replaced {
  const refused: Record<string, string> = {
    http: 'request get createServer Server Agent ClientRequest',
    https: 'request get createServer Server Agent',
    http2: 'connect createServer createSecureServer',
    net: 'connect createConnection createServer Server Socket',
    tls: 'connect createServer createSecureContext TLSSocket Server',
    dns: 'lookup resolve resolve4 resolve6 reverse Resolver',
    'dns/promises': 'lookup resolve resolve4 resolve6 reverse Resolver',
    dgram: 'createSocket Socket',
  };
  return {
    ...Object.fromEntries(
      Object.entries(refused).map(([id, names]) => [id, () => refusedModule(names.split(' '))]),
    ),
    'internal/dirigent/fatal': (library) => describeFatal(library) as unknown as Loose,
    'internal/v8/startup_snapshot': () => ({
      namespace: {
        addDeserializeCallback: () => undefined,
        addSerializeCallback: () => undefined,
        isBuildingSnapshot: () => false,
      },
      addAfterUserSerializeDeserializeSnapshot: () => undefined,
      isBuildingSnapshot: () => false,
    }),
    'internal/errors/error_source': () => ({
      getErrorSourceExpression: (error: Bag) => callAt(error, parts.sources),
      getErrorSourceLocation: () => undefined,
    }),
    // What is read of these when all of `fs` or `buffer` is: names for nothing.
    'internal/streams/fast-utf8-stream': () => ({}),
    'internal/file': () => ({}),
    'internal/blob': () => ({ createBlobFromFilePath: noBlobs, isBlob: () => false }),
    'internal/fs/watchers': () => watchers(),
    'internal/fs/recursive_watch': () => watchers(),
    'internal/repl/history': () => ({
      ReplHistory: class {
        initialize(): void {
          return undefined;
        }
      },
    }),
    'internal/process/per_thread': () => ({ toggleTraceCategoryState: () => undefined }),
    'internal/process/permission': () => ({ isEnabled: () => false, has: () => true }),
    'internal/source_map/source_map_cache': () => ({
      findSourceMap: () => undefined,
      getSourceMapsSupport: () => ({ enabled: false }),
    }),
    'internal/worker/io': () => ({
      structuredClone: globalThis.structuredClone,
      messageTypes: {},
      MessageChannel: class {},
    }),
    worker_threads: () => ({
      isMainThread: true,
      parentPort: null,
      workerData: null,
      threadId: 0,
      resourceLimits: {},
      Worker: class {
        constructor() {
          throw new Error('there are no worker threads here');
        }
      },
    }),
    perf_hooks: () => ({ performance: globalThis.performance }),
    crypto: (library) => cryptoModule(guest, library, parts.later),
    'internal/dirigent/webcrypto': (library) => ({
      crypto: (library('crypto') as unknown as Bag)['webcrypto'],
    }),
    zlib: (library) => zlibModule(guest, library, parts.facts.zlibConstants, parts.later),
    os: () => osModule(parts.process, parts.facts.osConstants),
    child_process: (library) => childProcess(guest, parts, library),
    tty: () => ({ isatty: () => false, ReadStream: class {}, WriteStream: class {} }),
    process: () => parts.process,
    vm: () => vmModule(guest),
  };
}

const noBlobs = (): never => {
  throw new Error('there are no blobs here: use a Buffer');
};

/** Files are not watched here. */
function watchers(): Bag {
  const refuse = (): never => {
    throw new Error('files cannot be watched here: read them again');
  };
  class Watcher {
    constructor() {
      refuse();
    }
  }
  return {
    FSWatcher: Watcher,
    StatWatcher: Watcher,
    watch: refuse,
    kFSWatchStart: Symbol('kFSWatchStart'),
  };
}

/** `vm`, as far as one realm goes: what is run in this context. */
function vmModule({ raw }: Guest): Bag {
  const run = (code: string, file?: unknown): unknown =>
    raw.evaluate(String(code), typeof file === 'string' ? file : 'evalmachine.<anonymous>');
  const refuse = (): never => {
    throw new Error('scripts have no contexts of their own here: run them in this one');
  };
  class Script {
    readonly #code: string;
    constructor(code: string) {
      raw.evaluate(`(function () {${code}\n})`, 'evalmachine.<anonymous>');
      this.#code = code;
    }
    runInThisContext(): unknown {
      return run(this.#code);
    }
    runInNewContext = refuse;
    runInContext = refuse;
  }
  return {
    Script,
    runInThisContext: run,
    createContext: refuse,
    runInContext: refuse,
    runInNewContext: refuse,
    isContext: () => false,
  };
}

type Describe = (error: unknown, sources: ReadonlyMap<string, string>) => string;

/** What is printed of an error that nobody caught. */
function describeFatal(library: (id: string) => Loose): Describe {
  const { inspect } = library('internal/util/inspect') as unknown as {
    inspect(value: unknown): string;
  };
  return (error, sources) => {
    const { version } = (globalThis as unknown as { process: { version: string } }).process;
    const isError = error instanceof Error;
    const text = isError ? inspect(error) : `Uncaught:\n${inspect(error)}`;
    const hint = isError
      ? ''
      : '\n(Use `node --trace-uncaught ...` to show where the exception was thrown)';
    const place = isError ? placeOf(error, sources) : '';
    return `${place}${text}${hint}\n\nNode.js ${version}\n`;
  };
}

/** The line of the source where an error came from, with a mark below. */
function placeOf(error: Error, sources: ReadonlyMap<string, string>): string {
  const match = /\n\s+at (?:.*\()?((?:\/|file:|\[).*?):(\d+):(\d+)\)?/.exec(String(error.stack));
  if (match === null) return '';
  const [, file = '', line = '1', column = '1'] = match;
  const source = sources.get(file)?.split('\n')[Number(line) - 1];
  if (source === undefined) return '';
  return `${file}:${line}\n${source}\n${' '.repeat(Math.max(0, Number(column) - 1))}^\n\n`;
}
