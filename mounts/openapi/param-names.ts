/** Names of parameters in the mount's patterns: small letters, each once. */
import type { ParamType } from '../../src/mount/index.ts';

export class ParamNames {
  /** What the core calls its own. */
  readonly #taken = new Set(['query', 'hit']);

  /** One for what a path calls its parameter. */
  of(name: string): string {
    const plain = name
      .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = plain === '' ? 'id' : plain;
    let free = base;
    for (let n = 0; this.#taken.has(free); n++) free = `${base}_${letters(n)}`;
    this.#taken.add(free);
    return free;
  }

  /** One that stands for a single name. */
  only(literal: string): string {
    return this.of(`the_${literal}`);
  }
}

/** 0, 1 … 26 as b, c … ab. */
function letters(n: number): string {
  const last = String.fromCharCode(97 + (n % 25) + 1);
  return n < 25 ? last : `${letters(Math.floor(n / 25) - 1)}${last}`;
}

/** Names of records, but for those that stand for something else beside them. */
export function namesBut(taken: ReadonlySet<string>): ParamType {
  const isTaken = [...taken].map(escaped).join('|');
  let example = '1';
  while (taken.has(example)) example += '1';
  return {
    matches: new RegExp(`^(?!(?:${isTaken})$)(?!\\.)(?!.*\\.(?:md|json|tsv)$)[^/\\0]+$`, 'su'),
    example,
  };
}

/** These names alone. */
export function namesOf(names: readonly string[]): ParamType {
  const [example = ''] = names;
  return { matches: new RegExp(`^(?:${names.map(escaped).join('|')})$`, 'u'), example };
}

/** One name alone, which README.md shows as it is. */
export const onlyName = (name: string): ParamType => ({ ...namesOf([name]), shown: name });

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
