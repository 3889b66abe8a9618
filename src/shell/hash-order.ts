/**
 * The elements of an associative array in the order in which bash lists them: by a hash of their
 * keys. just-bash sorts them; so a list of keys or values is made from an array of its own.
 */
import type { InterpreterState, ShellArray } from './interpreter-types.ts';

const FIRST_BUCKETS = 1024;
const FNV_OFFSET = 2166136261;
const FNV_PRIME = 16777619;
const PREFIX = '__dirigent_list_';

/** The keys as bash lists them. */
export function hashedKeys({ elements }: ShellArray): string[] {
  let buckets = FIRST_BUCKETS;
  while (elements.size >= buckets * 2) buckets *= 4;
  const keys = [...elements.keys()].map((key, index) => ({
    key,
    index,
    bucket: hashOf(key) % buckets,
  }));
  // In a bucket the newest comes first.
  keys.sort((a, b) => a.bucket - b.bucket || b.index - a.index);
  return keys.map(({ key }) => key);
}

/** The name of an array with the values of an associative one, in bash's order; null for other arrays. */
export function listedValues(name: string, state: InterpreterState): string | null {
  const array = associative(name, state);
  if (array === null) return null;
  return listed(`${PREFIX}values_${name}`, state, () =>
    hashedKeys(array).map((key) => array.elements.get(key) ?? ''),
  );
}

/** The same for its keys. */
export function listedKeys(name: string, state: InterpreterState): string | null {
  const array = associative(name, state);
  return array === null ? null : listed(`${PREFIX}keys_${name}`, state, () => hashedKeys(array));
}

/** Drops the arrays that were made for a command. */
export function forgetLists(state: InterpreterState): void {
  if ((state.associativeArrays?.size ?? 0) === 0) return;
  for (const name of state.arrays.keys()) if (name.startsWith(PREFIX)) state.arrays.delete(name);
}

function associative(name: string, state: InterpreterState): ShellArray | null {
  if (state.associativeArrays?.has(name) !== true) return null;
  const array = state.arrays.get(name);
  return array === undefined || array.elements.size < 2 ? null : array;
}

function listed(name: string, state: InterpreterState, values: () => string[]): string {
  if (!state.arrays.has(name)) {
    const elements = new Map(values().map((value, index) => [String(index), value]));
    state.arrays.set(name, { kind: 'indexed', elements });
  }
  return name;
}

function hashOf(key: string): number {
  let hash = FNV_OFFSET;
  // As signed characters.
  for (const byte of Buffer.from(key)) hash = Math.imul(hash, FNV_PRIME) ^ ((byte << 24) >> 24);
  return hash >>> 0;
}
