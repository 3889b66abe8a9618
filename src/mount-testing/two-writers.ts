/** Two processes that write one record at once. */
import { deepEqual, ok } from 'node:assert/strict';
import { runWriter } from './processes.ts';
import type { Subject } from './subject.ts';

/**
 * Both append lines to one file, each after reading it again: every line that a writer was told is
 * written is there, once, and no other.
 * @param texts all texts that the service holds, of which the written file's is one
 * @returns how many lines were written
 * @throws AssertionError with the lines that are lost, or there twice
 */
export async function twoWriters<Held>(
  subject: Subject<Held>,
  texts: (held: Held) => Iterable<string>,
  { path = subject.places.record, rounds = 3 }: { path?: string; rounds?: number } = {},
): Promise<number> {
  using bench = await subject.bench();
  const ended = await Promise.all(
    ['one', 'two'].map((name) =>
      runWriter(subject.opener, bench.directory, 'append', path, String(rounds), name),
    ),
  );
  deepEqual(
    ended.map(({ code }) => code),
    [0, 0],
  );
  const told = ended.flatMap(({ said }) => JSON.parse(said) as string[]);
  const lines = [...texts(await subject.held())].join('\n').split('\n');
  deepEqual(lines.filter((line) => /^(one|two)\d+$/.test(line)).sort(), told.sort());
  ok(told.length >= rounds, 'one of the two always gets its line in');
  return told.length;
}
