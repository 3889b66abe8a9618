/** `Atomics`, which this build of the engine has not. One thread is all there is, so that every operation is one. */

type Integers = Int32Array;
type Change = (old: number, given: number) => number;

const changed =
  (change: Change) =>
  (array: Integers, index: number, given: number): number => {
    const old = array[index] ?? 0;
    array[index] = change(old, given);
    return old;
  };

const atomics = {
  load: (array: Integers, index: number): number => array[index] ?? 0,
  store(array: Integers, index: number, value: number): number {
    array[index] = value;
    return value;
  },
  add: changed((old, given) => old + given),
  sub: changed((old, given) => old - given),
  and: changed((old, given) => old & given),
  or: changed((old, given) => old | given),
  xor: changed((old, given) => old ^ given),
  exchange: changed((_, given) => given),
  compareExchange(array: Integers, index: number, expected: number, value: number): number {
    const old = array[index] ?? 0;
    if (old === expected) array[index] = value;
    return old;
  },
  isLockFree: (size: number): boolean => [1, 2, 4, 8].includes(size),
  notify: (): number => 0,
};

/** @param sleep stops the thread for so many ms */
export function atomicsWith(sleep: (ms: number) => unknown): object {
  return {
    ...atomics,
    wait(
      array: Integers,
      index: number,
      value: number,
      timeout = Number.POSITIVE_INFINITY,
    ): string {
      if (array[index] !== value) return 'not-equal';
      sleep(timeout);
      return 'timed-out';
    },
  };
}
