/** The event loop: timers, what the host has answered, immediates, and the microtasks between them. */
import type { Bag, Guest } from './loose.ts';
import type { Bindings } from './realm.ts';

type Callback = (...args: unknown[]) => unknown;

export interface Loop {
  bindings: Bindings;
  /** Takes what the library runs for timers and immediates. */
  setupTimers(immediate: Callback, timers: Callback): void;
  /** Runs something when the loop comes around. */
  later(run: () => void): void;
  /** Runs something as the loop does: its error is nobody's but the process's, and ticks follow it. */
  enter(run: () => void): void;
  /** One round. @returns how long nothing is to do, in ms; -1 where nothing is left */
  round(): number;
  /** A promise was rejected without a handler, or was given one afterwards. */
  rejected(isHandled: boolean, promise: unknown, reason: unknown): void;
}

/** @param fatal what is done with an error that nobody caught; true where somebody did after all */
export function makeLoop({ raw, host }: Guest, fatal: (error: unknown) => void): Loop {
  const now = (): number => Math.trunc(host('now') as number);
  const tickInfo = new Int32Array(2);
  const immediateInfo = new Uint32Array(3);
  const timeoutInfo = new Int32Array(1);
  let runTicks: Callback = () => undefined;
  let onRejection: Callback = () => undefined;
  let processImmediate: Callback = () => undefined;
  let processTimers: Callback = () => undefined;
  let due: number | null = null;
  let isHolding = true;
  let waiting: (() => void)[] = [];

  const settle = (): void => {
    if (tickInfo[0] === 0 && tickInfo[1] === 0) raw.runMicrotasks();
    if (tickInfo[0] !== 0 || tickInfo[1] !== 0) runTicks();
  };
  const enter = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      fatal(error);
    }
    for (;;) {
      try {
        settle();
        return;
      } catch (error) {
        fatal(error);
      }
    }
  };
  const runTimers = (): void => {
    if (due === null || now() < due) return;
    due = null;
    let next = 0;
    enter(() => {
      next = Number(processTimers(now()));
    });
    // Negative where no timer that is left keeps the process alive.
    if (next !== 0) {
      due = Math.abs(next);
      isHolding = next > 0;
    }
  };
  return {
    bindings: {
      timers: () => ({
        scheduleTimer(ms: number) {
          due = now() + Math.max(1, ms);
        },
        toggleTimerRef(isOn: boolean) {
          isHolding = isOn;
        },
        toggleImmediateRef: () => undefined,
        getLibuvNow: now,
        immediateInfo,
        timeoutInfo,
      }),
      task_queue: () =>
        ({
          tickInfo,
          runMicrotasks: raw.runMicrotasks,
          setTickCallback(callback: Callback) {
            runTicks = callback;
          },
          enqueueMicrotask: globalThis.queueMicrotask,
          setPromiseRejectCallback(callback: Callback) {
            onRejection = callback;
          },
          promiseRejectEvents: {
            kPromiseRejectWithNoHandler: 0,
            kPromiseHandlerAddedAfterReject: 1,
            kPromiseResolveAfterResolved: 2,
            kPromiseRejectAfterResolved: 3,
          },
        }) satisfies Bag,
    },
    later: (run) => {
      waiting.push(run);
    },
    enter,
    setupTimers(immediate, timers) {
      processImmediate = immediate;
      processTimers = timers;
    },
    round() {
      runTimers();
      const ready = waiting;
      waiting = [];
      for (const run of ready) enter(run);
      if ((immediateInfo[0] ?? 0) > 0) enter(() => processImmediate());
      if (waiting.length > 0 || (immediateInfo[1] ?? 0) > 0) return 0;
      if (due === null || !isHolding) return -1;
      return Math.max(0, due - now());
    },
    rejected: (isHandled, promise, reason) => onRejection(isHandled ? 1 : 0, promise, reason),
  };
}
