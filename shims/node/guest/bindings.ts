/** The bindings on which Node.js's library stands, but for those of files, of text and of programs. */
import type { Bag, Guest } from './loose.ts';
import { type Bindings, REST } from './realm.ts';

/** What the host tells the guest before anything else. */
export interface Facts {
  /** `os.constants` and `fs.constants` of Node.js. */
  osConstants: Bag;
  fsConstants: Bag;
  zlibConstants: Bag;
  /** `[number, name, message]` of all errors of libuv. */
  errors: [number, string, string][];
  versions: Record<string, string>;
}

/** Makes a symbol of every name that is asked for. */
const symbols = (): object => {
  const made = new Map<string | symbol, symbol>();
  return new Proxy(
    {},
    {
      get: (_, name) => {
        const symbol = made.get(name) ?? Symbol(String(name));
        made.set(name, symbol);
        return symbol;
      },
    },
  );
};

/** Has a function for every name that is asked for, which does nothing. */
const idle = (present: Bag): object =>
  new Proxy(present, {
    get: (target, name) => (name in target ? target[name] : () => undefined),
  });

const DIGITS = /^(?:0|[1-9]\d*)$/;
const MAX_INDEX = 2 ** 32 - 2;

function utilBinding(guest: Guest): object {
  const { raw, host, classOf } = guest;
  const isIndex = (key: string | symbol): boolean =>
    typeof key === 'string' && DIGITS.test(key) && Number(key) <= MAX_INDEX;
  return {
    constants: {
      kPending: 0,
      kFulfilled: 1,
      kRejected: 2,
      kExiting: 0,
      kExitCode: 1,
      kHasExitCode: 2,
      ALL_PROPERTIES: 0,
      ONLY_WRITABLE: 1,
      ONLY_ENUMERABLE: 2,
      ONLY_CONFIGURABLE: 4,
      SKIP_STRINGS: 8,
      SKIP_SYMBOLS: 16,
      kDisallowCloneAndTransfer: 0,
      kTransferable: 1,
      kCloneable: 2,
    },
    privateSymbols: symbols(),
    perIsolateSymbols: symbols(),
    shouldAbortOnUncaughtToggle: new Uint32Array(1),
    isInsideNodeModules: () => false,
    getCallSites: () => [],
    getCallerLocation: () => undefined,
    getSystemErrorName: (errno: number) => host('errorName', errno),
    guessHandleType: (fd: number) => (fd >= 0 && fd <= 2 ? 'FILE' : 'UNKNOWN'),
    isConstructor: (value: unknown) => {
      try {
        Reflect.construct(Object, [], value as () => void);
        return true;
      } catch {
        return false;
      }
    },
    toUSVString: (text: string) => String(text).toWellFormed(),
    sleep: (ms: number) => host('sleep', ms),
    arrayBufferViewHasBuffer: () => true,
    constructSharedArrayBuffer: (length: number) => new SharedArrayBuffer(length),
    parseEnv: (text: string) => host('parseEnv', text),
    getConstructorName: (value: object) => {
      for (let proto: object | null = value; proto !== null; proto = Object.getPrototypeOf(proto)) {
        const own = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value;
        if (typeof own === 'function' && own.name !== '') return own.name;
      }
      return classOf(value) || 'Object';
    },
    getExternalValue: () => 0n,
    getOwnNonIndexProperties: (value: object, filter: number) =>
      Reflect.ownKeys(value).filter(
        (key) =>
          !isIndex(key) &&
          (filter !== 2 || Object.getOwnPropertyDescriptor(value, key)?.enumerable === true),
      ),
    getPromiseDetails: (promise: unknown) => raw.promiseDetails(promise),
    getProxyDetails: (value: unknown, both = true) => {
      if (classOf(value) !== 'Proxy') return undefined;
      const details = raw.proxyDetails(value);
      return both ? details : details[0];
    },
    previewEntries,
    defineLazyProperties(target: object, id: string, keys: string[], isEnumerable = true) {
      for (const key of keys) {
        let set: { value: unknown } | null = null;
        Object.defineProperty(target, key, {
          configurable: true,
          enumerable: isEnumerable,
          get: () => set?.value ?? (host as never as { lazy(id: string): Bag }).lazy(id)[key],
          set: (value: unknown) => {
            set = { value };
          },
        });
      }
    },
    WeakReference: class {
      readonly #target: unknown;
      constructor(target: unknown) {
        this.#target = target;
      }
      get(): unknown {
        return this.#target;
      }
      incRef(): void {
        return undefined;
      }
      decRef(): void {
        return undefined;
      }
    },
  };
}

/**
 * What an iterator of a map or a set will still give. The engine shows nobody
 * where it stands, so that it is run to its end, and gives what was seen afterwards.
 */
function previewEntries(value: object, isIterator?: boolean): unknown {
  if (isIterator !== true)
    return value instanceof Map ? [...value].flat(1) : [...(value as Set<unknown>)];
  const iterator = value as Iterator<unknown>;
  const items: unknown[] = [];
  for (let step = iterator.next(); step.done !== true; step = iterator.next())
    items.push(step.value);
  let next = 0;
  Object.defineProperty(value, 'next', {
    configurable: true,
    enumerable: false,
    writable: true,
    value: () =>
      next < items.length
        ? { value: items[next++], done: false }
        : { value: undefined, done: true },
  });
  const isPairs =
    items.length > 0 && items.every((item) => Array.isArray(item) && item.length === 2);
  return [isPairs ? items.flat(1) : items, isPairs];
}

function typesBinding({ classOf }: Guest): object {
  const is =
    (...names: string[]) =>
    (value: unknown): boolean =>
      typeof value === 'object' && value !== null && names.includes(classOf(value));
  const tagOf = (value: unknown): string => Object.prototype.toString.call(value);
  const isFunction = (...tags: string[]) => {
    const all = tags.map((tag) => `[object ${tag}]`);
    return (value: unknown): boolean => typeof value === 'function' && all.includes(tagOf(value));
  };
  return {
    isExternal: () => false,
    isDate: is('Date'),
    isArgumentsObject: is('Arguments'),
    isBigIntObject: is('BigInt'),
    isBooleanObject: is('Boolean'),
    isNumberObject: is('Number'),
    isStringObject: is('String'),
    isSymbolObject: is('Symbol'),
    isBoxedPrimitive: is('BigInt', 'Boolean', 'Number', 'String', 'Symbol'),
    isNativeError: is('Error'),
    isRegExp: is('RegExp'),
    isAsyncFunction: isFunction('AsyncFunction', 'AsyncGeneratorFunction'),
    isGeneratorFunction: isFunction('GeneratorFunction', 'AsyncGeneratorFunction'),
    isGeneratorObject: is('Generator', 'AsyncGenerator'),
    isPromise: is('Promise'),
    isMap: is('Map'),
    isSet: is('Set'),
    isMapIterator: is('Map Iterator'),
    isSetIterator: is('Set Iterator'),
    isWeakMap: is('WeakMap'),
    isWeakSet: is('WeakSet'),
    isArrayBuffer: is('ArrayBuffer'),
    isDataView: is('DataView'),
    isSharedArrayBuffer: is('SharedArrayBuffer'),
    isProxy: (value: unknown) =>
      (typeof value === 'object' || typeof value === 'function') && classOf(value) === 'Proxy',
    isModuleNamespaceObject: is('Module'),
    isAnyArrayBuffer: is('ArrayBuffer', 'SharedArrayBuffer'),
    isCryptoKey: () => false,
    isKeyObject: () => false,
    isEventTarget: () => false,
  };
}

/** What counts nested asynchronous calls: nobody listens, but the library counts. */
function asyncWrapBinding(): object {
  const names =
    'kInit kBefore kAfter kDestroy kPromiseResolve kTotals kCheck kStackLength kUsesExecutionAsyncResource';
  const fields = 'kExecutionAsyncId kTriggerAsyncId kAsyncIdCounter kDefaultTriggerAsyncId';
  const numbered = (text: string) => text.split(' ').map((name, index) => [name, index]);
  const idFields = new Float64Array(4);
  idFields[0] = 1;
  idFields[2] = 1;
  idFields[3] = -1;
  return idle({
    constants: Object.fromEntries([...numbered(names), ...numbered(fields)]),
    async_hook_fields: new Uint32Array(9),
    async_id_fields: idFields,
    async_ids_stack: new Float64Array(32),
    execution_async_resources: [],
    Providers: {},
    clearAsyncIdStack() {
      idFields[0] = 0;
      idFields[1] = 0;
    },
    executionAsyncResource: () => undefined,
  });
}

/** All of them, by their names. */
export function plainBindings(guest: Guest, facts: Facts): Bindings {
  const { host } = guest;
  const errorNames = new Map(facts.errors.map(([code, name, text]) => [code, [name, text]]));
  const uv: Bag = {
    getErrorMap: () => errorNames,
    getErrorMessage: (code: number) => errorNames.get(code)?.[1] ?? `Unknown system error ${code}`,
    errname: (code: number) => errorNames.get(code)?.[0] ?? `Unknown system error ${code}`,
  };
  for (const [code, name] of facts.errors) uv[`UV_${name}`] = code;
  return {
    util: () => utilBinding(guest),
    types: () => typesBinding(guest),
    uv: () => uv,
    symbols,
    config: (id) => ({
      // The tables of ICU are the host's: only what decodes text asks it.
      hasIntl: id === 'internal/encoding' || id === 'internal/encoding/util',
      hasInspector: false,
      hasOpenSSL: true,
      fipsMode: false,
      hasTracing: false,
      hasNodeOptions: false,
      noBrowserGlobals: false,
      isDebugBuild: false,
      bits: 64,
    }),
    constants: () => ({
      os: facts.osConstants,
      fs: facts.fsConstants,
      zlib: facts.zlibConstants,
      crypto: {},
      trace: { TRACE_EVENT_PHASE_BEGIN: 66, TRACE_EVENT_PHASE_END: 69 },
      internal: { EXTENSIONLESS_FORMAT_JAVASCRIPT: 0, EXTENSIONLESS_FORMAT_WASM: 1 },
    }),
    errors: () =>
      idle({
        exitCodes: { kNoFailure: 0, kGenericUserError: 1 },
        noSideEffectsToString: (value: unknown) => {
          if (typeof value !== 'object' || value === null) return String(value);
          return value instanceof Error ? `${value.name}: ${value.message}` : '#<Object>';
        },
        triggerUncaughtException: (error: unknown, fromPromise: boolean) =>
          (host as never as { fatal(error: unknown, fromPromise: boolean): void }).fatal(
            error,
            fromPromise,
          ),
      }),
    options: () => ({
      getCLIOptionsValues: () => ({
        '--warnings': true,
        '--stack-trace-limit': 10,
        '--unhandled-rejections': 'throw',
        '--disable-warning': [],
        '--require': [],
        '--import': [],
        '--conditions': [],
        '--no-experimental-websocket': true,
        '--input-type': '',
      }),
      getCLIOptionsInfo: () => ({ options: new Map(), aliases: new Map() }),
      getOptionsAsFlags: () => [],
      getEmbedderOptions: () => ({}),
      envSettings: {},
      types: {},
    }),
    async_wrap: asyncWrapBinding,
    trace_events: () => ({
      trace: () => undefined,
      isTraceCategoryEnabled: () => false,
      setTraceCategoryStateUpdateHandler: () => undefined,
      getCategoryEnabledBuffer: () => new Uint8Array(1),
      available: false,
    }),
    mksnapshot: () =>
      idle({
        isBuildingSnapshotBuffer: new Uint8Array(1),
        anonymousMainPath: '__node_anonymous_main',
      }),
    credentials: () => ({
      safeGetenv: () => undefined,
      implementsPosixCredentials: true,
      getTempDir: () => '/tmp',
    }),
    builtins: () => ({
      natives: {},
      builtinIds: [],
      builtinCategories: {},
      hasCachedBuiltins: () => true,
    }),
    messaging: () =>
      idle({
        MessageChannel: class {},
        MessagePort: class {},
        exposeLazyDOMExceptionProperty: () => undefined,
        structuredClone: undefined,
        DOMException: globalThis.DOMException,
      }),
    permission: () => ({ has: () => true }),
    async_context_frame: () => {
      let data: unknown;
      return {
        getContinuationPreservedEmbedderData: () => data,
        setContinuationPreservedEmbedderData: (value: unknown) => {
          data = value;
        },
      };
    },
    performance: () =>
      idle({ constants: {}, now: () => performance.now(), observerCounts: [], milestones: [] }),
    worker: () =>
      idle({ isMainThread: true, isInternalThread: false, ownsProcessState: true, threadId: 0 }),
    url_pattern: () => ({ URLPattern: class {} }),
    contextify: () => idle({ constants: { measureMemory: {} } }),
    // Of all others the library only asks that they are there.
    [REST]: () => idle({}),
  };
}
