/** One line (one `exec`) while it runs: what all interpreters that it starts share. */
import { setImmediate } from 'node:timers/promises';
import { DefenseInDepthBox, type ScriptNode } from 'just-bash';
import type { FsError } from '../errors.ts';
import { runsCommand } from './background.ts';
import type { PausableClock } from './clock.ts';
import type { ShellState } from './interpreter-types.ts';
import { LiveOutput, type OnOutput } from './live-output.ts';
import type { LineOptions } from './state.ts';
import type { ShellTerminal } from './terminal.ts';

/** How long a busy script may keep the event loop to itself. Milliseconds. */
const YIELD_EVERY_MS = 25;
/** Statements between two looks at the clock. */
const CLOCK_EVERY = 32;

/** What ended a line early. */
export type StopReason = 'deadline' | 'abort' | 'output';

export interface LineInit {
  carried: ShellState;
  options: LineOptions;
  /** Was stdin given? Then even the first command reads something. */
  stdin: boolean;
  clock: PausableClock;
  /** By that clock. */
  deadline: number;
  onOutput: OnOutput | undefined;
  /** Null where nobody sits at one. */
  terminal: ShellTerminal | null;
  /** Do its jobs end with it, whatever it runs? */
  keepsJobs: boolean;
  /** Bytes, both streams together. */
  maxOutput: number;
}

export class Line {
  readonly live: LiveOutput;
  readonly init: LineInit;
  /** Errors of the file system that stderr already tells. */
  readonly told = new WeakSet<FsError>();
  /** What it runs, once that is known. */
  script: ScriptNode | null = null;
  #keepsJobs: boolean | null = null;
  /** The state at the end, once the script has ended. */
  after: ShellState | null = null;
  /** Did it end with `exit`, or by `set -e`? Then a session at a terminal ends, too. */
  exited = false;
  stopped: StopReason | null = null;
  /** What never ends, of which a pipe holds a part: see endless.ts. */
  endless: string | null = null;
  readonly #stop = new AbortController();
  #statements = 0;
  #yielded = Date.now();

  constructor(init: LineInit) {
    this.init = init;
    this.live = new LiveOutput(init.onOutput, init.maxOutput, () => this.stop('output'));
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Do its jobs end with it? One that waits for jobs has its own in it, and what they print. */
  get keepsJobs(): boolean {
    this.#keepsJobs ??= this.init.keepsJobs || runsCommand(this.script, 'wait');
    return this.#keepsJobs;
  }

  /** Ends the line at its next statement. The first reason counts. */
  stop(reason: StopReason): void {
    this.stopped ??= reason;
    // May be called from inside the script's sandbox; those who listen are the host's.
    DefenseInDepthBox.runTrusted(() => this.#stop.abort());
  }

  /**
   * Called before each statement. A loop of commands that wait for nothing
   * never lets a timer fire, so the deadline is looked at here, and the event
   * loop gets a turn now and then, for abort signals and for output.
   */
  tick(): Promise<void> | undefined {
    if (++this.#statements % CLOCK_EVERY !== 0) return undefined;
    const now = Date.now();
    if (this.init.clock.now() >= this.init.deadline) this.stop('deadline');
    if (now - this.#yielded < YIELD_EVERY_MS) return undefined;
    return setImmediate().then(() => {
      this.#yielded = Date.now();
    });
  }
}
