/**
 * jq itself, compiled to WebAssembly. Only the binary of its package is used: the
 * script beside it gives jq a file system, an environment and trimmed output of
 * its own. What jq calls is named by letters there, in the order of this very
 * build, so the package's version is exact in package.json and looked at in a test.
 */
import { randomFillSync } from 'node:crypto';
import { createRequire } from 'node:module';
import { readVendored } from '../../src/vendored.ts';
import { ProgramClock, ZONE_NAMES } from './clock.ts';
import { type Address, ProgramMemory } from './memory.ts';
import { withMemory } from './memory-limit.ts';
import { Exited, ProgramSystem, type Surroundings } from './system.ts';

/** What is used of WebAssembly, which Node.js has and its types do not describe. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (module: object, imports: object) => { exports: unknown };
  RuntimeError: new () => Error;
};

/** What the binary exports, by the letters of this build. */
interface Exports {
  /** The memory. */
  F: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** The constructors, to be called once before `main`. */
  G(): void;
  /** `main`. */
  H(count: number, list: Address): number;
  /** Sets the stack's end. */
  J(to: Address): void;
  /** Takes room on the stack. */
  K(size: number): Address;
  /** The stack's end. */
  L(): Address;
}

/** What a run gave. */
export interface JqRun {
  stdout: Buffer;
  stderr: Buffer;
  status: number;
}

/** The most memory that jq may take. Bytes. */
const MEMORY_LIMIT = 512 * 1024 * 1024;
/** Memory that is not given back once a run took more than this. Bytes. */
const MEMORY_KEPT = 64 * 1024 * 1024;
/** Where its stack ends and its heap begins; below are some 400 KB of data, and the rest is stack. */
const STACK_END = 32 * 1024 * 1024;
const HEAP_AT_FIRST = 4 * 1024 * 1024;
const PAGE = 65_536;
/** As the shell says of a program that ended by SIGSEGV. */
const CRASHED = 139;
const NAME = 'jq';

/** The parts that change with each run. */
interface Running {
  system: ProgramSystem;
  clock: ProgramClock;
}

/** One instance of jq, put back to its first state before each run. */
class Instance {
  readonly #exports: Exports;
  readonly #memory: ProgramMemory;
  /** The memory as it was in the beginning; what follows it was zero. */
  readonly #image: Uint8Array;
  readonly #stack: Address;
  #running: Running | undefined;

  constructor(module: object) {
    this.#exports = new WebAssembly.Instance(module, { a: this.#imports() }).exports as Exports;
    this.#memory = new ProgramMemory(this.#exports.F);
    this.#stack = STACK_END;
    this.#widenStack(this.#exports.L());
    const { bytes } = this.#memory;
    this.#image = bytes.slice(0, 1 + bytes.findLastIndex((byte) => byte !== 0));
  }

  /**
   * The stack grows down from where the heap begins, and overflows into data
   * after 1 MiB; JSON of 10,000 levels, which jq takes, needs more. The heap's
   * beginning is the only word in the binary's data that says where that is.
   */
  #widenStack(end: Address): void {
    const { view } = this.#memory;
    const places: Address[] = [];
    for (let at = 0; at < end; at += 4) if (view.getUint32(at, true) === end) places.push(at);
    const [place, another] = places;
    if (place === undefined || another !== undefined)
      throw new Error('the memory of the binary of jq is not laid out as expected');
    this.#memory.putInt(place, STACK_END);
    this.#grow(STACK_END + HEAP_AT_FIRST);
  }

  /** Bytes of memory that it holds. */
  get size(): number {
    return this.#memory.bytes.length;
  }

  /** Runs jq to its end. Throws what the surroundings throw, {@link Exited} aside. */
  run(args: readonly string[], surroundings: Surroundings): JqRun {
    this.#memory.bytes.fill(0, this.#image.length);
    this.#memory.bytes.set(this.#image);
    this.#exports.J(this.#stack);
    const system = new ProgramSystem(this.#memory, surroundings);
    const clock = new ProgramClock(this.#memory, surroundings.environment.TZ);
    this.#running = { system, clock };
    try {
      const status = this.#statusOf(args);
      return { stdout: system.stdout, stderr: system.stderr, status };
    } catch (error) {
      if (!isCrash(error)) throw error; // The stack is used up, its own or the engine's; what came before is shown.
      const stderr = Buffer.from(
        'jq: error: ended: the program or the data is nested too deeply\n',
      );
      return { stdout: system.stdout, stderr, status: CRASHED };
    } finally {
      this.#running = undefined;
    }
  }

  #statusOf(args: readonly string[]): number {
    const { G: construct, H: main, K: take } = this.#exports;
    try {
      construct();
      this.#now.clock.names = take(ZONE_NAMES);
      const texts = [NAME, ...args].map((text) => {
        const at = take(Buffer.byteLength(text) + 1);
        this.#memory.putText(at, text);
        return at;
      });
      const list = take(4 * (texts.length + 1));
      for (const [index, at] of [...texts, 0].entries()) this.#memory.putInt(list + 4 * index, at);
      return main(texts.length, list);
    } catch (error) {
      if (error instanceof Exited) return error.status;
      throw error;
    }
  }

  get #now(): Running {
    if (this.#running === undefined) throw new Error('jq calls outside of a run');
    return this.#running;
  }

  /** Gives the program room for so many bytes in all; false when that is too much. */
  #grow(size: number): boolean {
    const wanted = size >>> 0;
    if (wanted > MEMORY_LIMIT) return false;
    const held = this.size;
    // More than was asked for, since each time may copy all of it.
    const target = Math.min(MEMORY_LIMIT, Math.max(wanted, held * 1.25));
    this.#exports.F.grow(Math.ceil((target - held) / PAGE));
    return true;
  }

  #imports(): object {
    type System = ProgramSystem['calls'];
    type Descriptors = ProgramSystem['descriptorCalls'];
    type Clock = ProgramClock['calls'];
    type Call = (...args: never[]) => unknown;
    const call = (of: (running: Running) => Call) => {
      return (...args: unknown[]): unknown => of(this.#now)(...(args as never[]));
    };
    const system = (name: keyof System) => call((running) => running.system.calls[name]);
    const descriptor = (name: keyof Descriptors) =>
      call((running) => running.system.descriptorCalls[name]);
    const clock = (name: keyof Clock) => call((running) => running.clock.calls[name]);
    return {
      a: system('assertFail'),
      b: system('exit'),
      c: descriptor('close'),
      d: descriptor('write'),
      e: system('fcntl'),
      f: system('openat'),
      g: clock('now'),
      h: descriptor('read'),
      i: system('ioctl'),
      j: system('environ'),
      k: (size: number): number => (this.#grow(size) ? 1 : 0),
      l: system('environSizes'),
      m: system('readlinkat'),
      n: system('getcwd'),
      // Signal handlers, and a runtime that goes on after main: jq has neither.
      o: () => undefined,
      p: system('exit'),
      q: () => undefined,
      r: clock('gmtime'),
      s: clock('localtime'),
      t: clock('mktime'),
      u: clock('timegm'),
      v: clock('tzset'),
      w: clock('strptime'),
      x: descriptor('seek'),
      y: descriptor('describe'),
      z: (at: Address, size: number): number => {
        randomFillSync(this.#memory.bytes, at, size);
        return 0;
      },
      A: system('stat'),
      B: system('newfstatat'),
      C: system('stat'),
      D: system('fstat'),
      E: system('abort'),
    };
  }
}

/** A trap of WebAssembly, or the engine's own stack at its end. */
const isCrash = (error: unknown): boolean =>
  error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

/** Runs jq, again and again. */
export class JqEngine {
  readonly #module: object;
  #instance: Instance | undefined;

  private constructor(module: object) {
    this.#module = module;
  }

  /** Reads and compiles it. */
  static async load(): Promise<JqEngine> {
    const path = createRequire(import.meta.url).resolve('jq-wasm/jq.wasm');
    return new JqEngine(await WebAssembly.compile(withMemory(readVendored(path), MEMORY_LIMIT)));
  }

  /** Runs jq with these arguments to its end; whatever it prints is in the answer. */
  run(args: readonly string[], surroundings: Surroundings): JqRun {
    const instance = this.#instance ?? new Instance(this.#module);
    try {
      return instance.run(args, surroundings);
    } finally {
      this.#instance = instance.size > MEMORY_KEPT ? undefined : instance;
    }
  }
}
