/** Two processes that write one record at once: for the short and the long test. */
import { expect } from 'vitest';
import type { RunningService } from './each-service.ts';
import { runWriter } from './writers.ts';

/**
 * Both append lines to one file, each after reading it again. Every line that a writer was told is
 * written is there, once; and no other.
 */
export async function expectNothingLost(
  service: RunningService,
  path: string,
  rounds: number,
): Promise<void> {
  using bench = await service.bench();
  const writers = ['one', 'two'];
  const ended = await Promise.all(
    writers.map((name) =>
      runWriter(service, bench.directory, 'append', path, String(rounds), name),
    ),
  );
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const told = ended.flatMap(({ said }) => JSON.parse(said) as string[]);
  const { records, files } = await service.held();
  const texts = [...records.map((one) => one.text), ...Object.values(files)].join('\n');
  const lines = texts.split('\n').filter((line) => /^(one|two)\d+$/.test(line));
  expect(lines.sort()).toEqual(told.sort());
  // Somebody always wins.
  expect(told.length).toBeGreaterThanOrEqual(rounds);
}
