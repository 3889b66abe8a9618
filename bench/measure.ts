/** Timing that can be compared within one run: both sides in turn, medians. */

/** One thing to time, on one side. */
export type Task = () => Promise<unknown>;

/** Medians in ms, and how many times as fast the second is. */
export interface Comparison {
  name: string;
  baseline: number;
  ours: number;
  ratio: number;
}

/** What a run took, in ms: of the clock, and of the processor by all threads. */
export interface Cost {
  wall: number;
  cpu: number;
}

/** What this process has taken of the processor until now, in ms: other work on the machine does not count. */
export const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Numbers from a fixed seed, 0 to below 1: the same ones in every run. */
export function seeded(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Runs a task of this process and says what it cost. */
export async function cost(task: Task): Promise<Cost> {
  const before = cpu();
  const wall = await time(task);
  return { wall, cpu: cpu() - before };
}

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Runs a task and says how long it took, in ms. */
export async function time(task: Task): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

/**
 * Times two tasks in turn, A B A B …, after one turn that is not counted. A
 * baseline that takes minutes is timed once (`baselineOnce`), cold.
 */
export async function compare(
  name: string,
  baseline: Task,
  ours: Task,
  runs: number,
  baselineOnce = false,
): Promise<Comparison> {
  const times = { baseline: [] as number[], ours: [] as number[] };
  if (baselineOnce) times.baseline.push(await time(baseline));
  else await baseline();
  await ours();
  for (let run = 0; run < runs; run++) {
    if (!baselineOnce) times.baseline.push(await time(baseline));
    times.ours.push(await time(ours));
  }
  const medians = { baseline: median(times.baseline), ours: median(times.ours) };
  return { name, ...medians, ratio: medians.baseline / medians.ours };
}

/** A line of the table. */
export function row({ name, baseline, ours, ratio }: Comparison): string {
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`.padStart(11);
  return `${name.padEnd(44)}${ms(baseline)}${ms(ours)}   ${ratio.toFixed(ratio < 10 ? 2 : 0)}×`;
}
