/**
 * The order in which gawk lists an array. It is that of its tables: numbers from 1 on ascend, behind
 * everything else, where the first key was a number; the other keys stand in a table by their hash.
 */
import { bytesFromText } from '../../src/shell/bytes.ts';

/** The sizes that the table grows through. */
const SIZES = [13, 127, 1021, 8191, 131071, 1048573, 8388593];
/** How full it may be, on the average of a place. */
const CHAIN = 2;
const INTEGER = /^(?:0|-?[1-9]\d{0,17})$/;

/** Keys in the order of their making, as gawk lists them. */
export function listedKeys(keys: readonly string[]): string[] {
  const [first] = keys;
  if (first === undefined) return [];
  if (!INTEGER.test(first)) return hashed(keys);
  const counted: string[] = [];
  const others: string[] = [];
  const texts: string[] = [];
  for (const key of keys) {
    if (!INTEGER.test(key)) texts.push(key);
    else if (key === '0' || key.startsWith('-')) others.push(key);
    else counted.push(key);
  }
  counted.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return [...hashed(texts), ...others, ...counted];
}

/** In each place the newest comes first; as the table grows, the places are gone through in turn. */
function hashed(keys: readonly string[]): string[] {
  const codes = new Map(keys.map((key) => [key, hashOf(key)]));
  let grown = 0;
  let size = SIZES[0] ?? 1;
  let table: string[][] = [];
  const put = (key: string): void => {
    const place = (codes.get(key) ?? 0) % size;
    const chain = table[place];
    if (chain === undefined) table[place] = [key];
    else chain.push(key);
  };
  for (const [index, key] of keys.entries()) {
    const next = SIZES[grown + 1];
    if (next !== undefined && Math.floor((index + 1) / size) > CHAIN) {
      const before = table;
      size = next;
      grown++;
      table = [];
      for (const chain of before) for (const one of chain?.toReversed() ?? []) put(one);
    }
    put(key);
  }
  return table.flatMap((chain) => chain?.toReversed() ?? []);
}

/** gawk's hash of the bytes of a text, as signed characters. */
function hashOf(text: string): number {
  const bytes = bytesFromText(text);
  let hash = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    hash = (Math.imul(hash, 65599) + (byte > 127 ? byte - 256 : byte)) | 0;
  }
  return hash >>> 0;
}
