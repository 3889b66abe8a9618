/**
 * QuickJS as WebAssembly, with Node.js's own library on top: what a script runs
 * in. It is a boundary: a script reaches the calls that it is given, whose
 * arguments and answers are copies. The library is loaded once a world; later
 * runs begin with a copy of the memory of that.
 */
import { EvalFlags, JSException, JSValueHandle, QuickJS, type Snapshot } from 'quickjs-wasi';
import type { Crossing } from './guest/loose.ts';

/** What is kept of the engine between runs. Can be cloned; the memory is shared. */
export interface EngineImage {
  module: object;
  memory: SharedArrayBuffer;
  state: Omit<Snapshot, 'memory'>;
}

/** What is used of it of the types of the web, which Node.js has and its types do not describe. */
type Settings = Exclude<Parameters<typeof QuickJS.restore>[1], undefined | BufferSource>;
type BufferSource = ArrayBuffer | ArrayBufferView;

/** What a call of the guest is answered with; an errno becomes an error of the guest. */
export type HostCalls = Readonly<Record<string, (...args: Crossing[]) => Crossing>>;

export interface EngineOptions {
  /** The most that the guest may take. Bytes. */
  memoryLimit: number;
  calls: HostCalls;
  /** What the guest shall see of what a call threw. */
  refusal(error: unknown): { errno: string } | { error: string };
  /** Minutes west of UTC at a time in seconds. */
  timezoneOffset(seconds: number): number;
  modules: { normalize(base: string, specifier: string): string; load(name: string): string };
}

/** The engine's stack. Its own would end a recursion after some 2,000 calls. Bytes. */
const STACK = 4 * 1024 * 1024;
/** What of it is left to what runs when it is used up. Bytes. */
const STACK_RESERVE = 512 * 1024;

/** So many bytes of what the engine keeps of itself are looked at. */
const RUNTIME_SIZE = 2048;

/** The names under which the guest finds the host before its first line runs. */
const HOST = '__host';
/** The symbol under which the host finds what it may call of the guest. */
const ENTRIES = 'dirigent.entries';
const RAW = ['promiseDetails', 'proxyDetails', 'runMicrotasks', 'evaluate', 'classOf'] as const;

/** A value of the guest that is handed on within one call. */
type Handles = JSValueHandle[];

export class Engine {
  readonly #vm: QuickJS;
  readonly #options: EngineOptions;
  /** What the call before was answered with: the engine has its own hold on it by the next one. */
  #answered: Handles = [];
  #isLoading = false;

  private constructor(vm: QuickJS, options: EngineOptions) {
    this.#vm = vm;
    this.#options = options;
    for (const [name, call] of this.#functions()) vm.registerHostCallback(name, call);
    const newError = vm.newError.bind(vm);
    // What the guest threw stays what it is on its way through the host; of an error of the host
    // it is told the words alone, since its stack tells where files are.
    vm.newError = (error) => {
      if (error instanceof JSException) return error.handle.dup();
      return newError(typeof error === 'string' ? error : error.message);
    };
  }

  /** Loads the library by a script that says what it is, and keeps what came of it. */
  static async prepare(
    module: object,
    options: EngineOptions,
    load: (engine: Engine) => void,
  ): Promise<EngineImage> {
    let engine: Engine | null = null;
    const vm = await QuickJS.create(settingsOf(module, options, () => engine));
    const names = [HOST, ...RAW.map((name) => `${HOST}_${name}`)];
    for (const name of names) {
      vm.setProp(
        vm.global,
        name,
        vm.newFunction(name, () => vm.undefined),
      );
    }
    engine = new Engine(vm, options);
    engine.#isLoading = true;
    load(engine);
    const exports = vm._getExports();
    const stack = exports.wasm_malloc(STACK);
    if (stack === 0) throw new Error('no memory for the stack');
    exports.qjs_run_gc();
    const limitAt = addressOfLimit(vm);
    const { memory, ...state } = vm.snapshot();
    const shared = new SharedArrayBuffer(memory.byteLength);
    new Uint8Array(shared).set(memory);
    vm.dispose();
    new DataView(shared).setUint32(limitAt, stack + STACK_RESERVE, true);
    const top = Math.floor((stack + STACK) / 16) * 16;
    return { module, memory: shared, state: { ...state, stackPointer: top } };
  }

  /** A run of its own, as the image was. */
  static async start(image: EngineImage, options: EngineOptions): Promise<Engine> {
    const memory = new Uint8Array(image.memory);
    let engine: Engine | null = null;
    const settings = settingsOf(image.module, options, () => engine);
    const vm = await QuickJS.restore({ ...image.state, memory }, settings);
    engine = new Engine(vm, options);
    return engine;
  }

  /** Evaluates a module of ours, with all that it imports. */
  load(source: string, file: string): void {
    const vm = this.#vm;
    try {
      const promise = vm.evalCode(source, file, EvalFlags.TYPE_MODULE);
      vm.executePendingJobs();
      if (promise.promiseState === 1) return;
      throw new JSException(this.#own(vm._getExports().qjs_promise_result(promise.ptr)));
    } catch (error) {
      if (!(error instanceof JSException)) throw error;
      // The engine and its values end with this thread: their words alone go on.
      throw new Error(`${file}: ${error.message}\n${error.handle.getProp('stack').toString()}`);
    }
  }

  /** Calls one of the guest's entries, by its name. */
  call(name: string, ...args: Crossing[]): Crossing {
    const given = args.map((arg) => this.#vm.hostToHandle(arg));
    const result = this.#enter(name, given);
    const value = this.#cross(result);
    for (const handle of [result, ...given]) handle.dispose();
    return value;
  }

  /** A promise was rejected without a handler, or was given one afterwards. */
  tellRejection(promise: JSValueHandle, reason: JSValueHandle, isHandled: boolean): void {
    // Its own fault is told by whoever loads it.
    if (this.#isLoading) return;
    const vm = this.#vm;
    this.#enter('rejected', [isHandled ? vm.true : vm.false, promise, reason]).dispose();
  }

  #enter(name: string, args: Handles): JSValueHandle {
    const vm = this.#vm;
    const symbol = vm.newSymbolFor(ENTRIES);
    const entries = vm.getProp(vm.global, symbol);
    const entry = entries.getProp(name);
    const result = vm.callFunction(entry, entries, ...args);
    for (const handle of [symbol, entries, entry]) handle.dispose();
    return result;
  }

  runJobs(): void {
    this.#vm.executePendingJobs();
  }

  *#functions(): Iterable<[string, (...args: Handles) => JSValueHandle]> {
    const held =
      (run: (...args: Handles) => JSValueHandle) =>
      (...args: Handles): JSValueHandle => {
        for (const handle of this.#answered) handle.dispose();
        this.#answered = [];
        const result = run(...args);
        this.#answered.push(result);
        return result;
      };
    yield [HOST, held((name, ...args) => this.#answer(name, args))];
    for (const name of RAW) yield [`${HOST}_${name}`, held((...args) => this.#raw(name, args))];
  }

  #answer(name: JSValueHandle | undefined, args: Handles): JSValueHandle {
    const vm = this.#vm;
    const which = name?.toString() ?? '';
    const { calls } = this.#options;
    const call = Object.hasOwn(calls, which) ? calls[which] : undefined;
    if (call === undefined) throw new Error(`there is no call ${which}`);
    try {
      return vm.hostToHandle(call(...args.map((arg) => this.#cross(arg))));
    } catch (error) {
      return vm.hostToHandle(this.#options.refusal(error));
    }
  }

  #cross(handle: JSValueHandle): Crossing {
    if (handle.isString) return handle.toString();
    if (handle.isNumber) return handle.toNumber();
    if (handle.isUndefined) return undefined;
    if (handle.isNull) return null;
    if (handle.isBool) return handle.toBoolean();
    if (handle.isArrayBuffer || handle.className === 'Uint8Array') return handle.toUint8Array();
    return this.#vm.dump(handle) as Crossing;
  }

  #raw(name: (typeof RAW)[number], [first, second]: Handles): JSValueHandle {
    const vm = this.#vm;
    const exports = vm._getExports();
    if (name === 'runMicrotasks') {
      vm.executePendingJobs();
      return vm.undefined;
    }
    if (first === undefined) throw new Error('nothing given');
    switch (name) {
      case 'classOf':
        if (!first.isObject) return vm.newString('');
        return vm.newString(first.isProxy ? 'Proxy' : (first.className ?? ''));
      case 'promiseDetails': {
        const state = exports.qjs_promise_state(first.ptr);
        const shown = vm.newNumber(state);
        if (state === 0) return this.#list(shown);
        return this.#list(shown, this.#own(exports.qjs_promise_result(first.ptr)));
      }
      case 'proxyDetails':
        return this.#list(
          this.#own(exports.qjs_get_proxy_target(first.ptr)),
          this.#own(exports.qjs_get_proxy_handler(first.ptr)),
        );
      case 'evaluate':
        return vm.evalCode(first.toString(), second?.toString());
    }
  }

  #own(pointer: number): JSValueHandle {
    return new JSValueHandle(this.#vm, pointer);
  }

  #list(...items: Handles): JSValueHandle {
    const list = this.#vm.newArray();
    for (const [index, item] of items.entries()) {
      list.setProp(String(index), item);
      item.dispose();
    }
    return list;
  }
}

/**
 * Where the engine keeps the address below which its stack may not grow. It counts
 * that from where it first stood, and nothing else sets it, so that it is found by
 * what two sizes make of it.
 */
function addressOfLimit(vm: QuickJS): number {
  const exports = vm._getExports();
  const runtime = exports.qjs_get_runtime_ptr();
  const [one, two] = [64 * 1024, 128 * 1024].map((size) => {
    exports.qjs_set_max_stack_size(size);
    return new Uint32Array(exports.memory.buffer.slice(runtime, runtime + RUNTIME_SIZE));
  });
  const index = one?.findIndex((word, at) => word - (two?.[at] ?? 0) === 64 * 1024) ?? -1;
  if (index < 0) throw new Error('the engine has no limit of its stack');
  return runtime + index * Uint32Array.BYTES_PER_ELEMENT;
}

function settingsOf(wasm: object, options: EngineOptions, engine: () => Engine | null): Settings {
  return {
    wasm: wasm as Settings['wasm'],
    memoryLimit: options.memoryLimit,
    timezoneOffset: options.timezoneOffset,
    moduleLoader: options.modules,
    onUnhandledRejection: (promise: JSValueHandle, reason: JSValueHandle, isHandled: boolean) =>
      engine()?.tellRejection(promise, reason, isHandled),
  };
}
