/** What the thread of a running program has in common with any other's: its start, its news, its end. */
import type { MessagePort } from 'node:worker_threads';
import { Bridge } from './bridge.ts';

/** What a run is started with. */
export interface GuestStart {
  port: MessagePort;
  /** A shared 32-bit number that is 1 when a call is answered. */
  awake: Int32Array;
  args: readonly string[];
  /** The working directory in the namespace. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin: Uint8Array;
  /** The WebAssembly.Module of an earlier run: compiling takes a while. */
  module: object | null;
}

/** What the thread tells. */
export type GuestNews =
  | { compiled: object }
  | { stream: 'stdout' | 'stderr'; bytes: Uint8Array }
  | { status: number };

/** The program's side of a run. */
export class Guest {
  readonly bridge: Bridge;
  readonly #port: MessagePort;

  constructor({ port, awake }: GuestStart) {
    this.#port = port;
    this.bridge = new Bridge(port, awake);
  }

  /** Tells the world. */
  say(news: GuestNews): void {
    this.#port.postMessage({ news });
  }

  /** The module of an earlier run, or a new one, which later runs get. */
  compiled(start: GuestStart, compile: () => object): object {
    if (start.module !== null) return start.module;
    const compiled = compile();
    this.say({ compiled });
    return compiled;
  }

  /** Ends the run. What was said is heard before the thread is gone: whoever hears the status ends it. */
  end(status: number): void {
    this.say({ status });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0);
  }
}
