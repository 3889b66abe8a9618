/** Deterministic text for benchmarks: the same files on every run and every machine. */

/** A file of the corpus: its path under the root, and its text. */
export interface CorpusFile {
  path: string;
  text: string;
}

/** mulberry32, a small generator of good enough numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS =
  'queue worker retry timeout webhook token session cache index shard replica leader follower commit offset batch stream handler middleware router schema migration rollback deploy release metric trace span alert latency budget quota limit burst backoff jitter lease lock mutex channel buffer socket header cookie payload digest cursor page filter'.split(
    ' ',
  );

/** The word that is in three files only. */
export const RARE = 'zzyzx_needle';

/**
 * `count` files of about `bytes` bytes in directories of a hundred.
 * Every line holds the common word `the`; three files hold {@link RARE}.
 */
export function* makeCorpus(count: number, bytes: number): Generator<CorpusFile> {
  const random = createRandom(count * 31 + bytes);
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? 'queue';
  for (let index = 0; index < count; index++) {
    const lines: string[] = [];
    for (let size = 0; size < bytes; ) {
      const line = `${word()} ${word()} the ${word()} ${word()} ${word()} ${Math.floor(random() * 1e6)}`;
      lines.push(line);
      size += line.length + 1;
    }
    if (index % Math.ceil(count / 3) === 7)
      lines[Math.floor(lines.length / 2)] = `here is ${RARE} in a line`;
    const directory = `d${String(Math.floor(index / 100)).padStart(3, '0')}`;
    yield { path: `${directory}/file-${index}.txt`, text: `${lines.join('\n')}\n` };
  }
}
