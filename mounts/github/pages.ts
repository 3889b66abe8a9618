/** The pages of a listing in their order, some of them asked for ahead of their turn. */
import { ServiceFailure } from '../../src/mount/index.ts';
import type { Answer, GithubClient } from './client.ts';

/** So many pages are asked for before it is known that they are the next ones. */
const AHEAD = 8;

/**
 * Reads a listing from an address on to its end: where each page says that it goes on, to the
 * letter. Where the number of the last page is told, the addresses in between are guessed and asked
 * for side by side; a guess counts only where it turns out to be the address of the next page.
 *
 * @param options `first`: the answer of that address, where it is known; `guess`: false where it
 *   will hardly be read to its end
 * @throws ServiceFailure; the pages given before it are good
 */
export async function* pagesFrom(
  client: GithubClient,
  address: string,
  { first, guess = true }: { first?: Answer; guess?: boolean } = {},
): AsyncGenerator<Answer> {
  const asked = new Set([address]);
  const ahead = new Map<string, Promise<Answer>>();
  let answer = first ?? (await client.get(address));
  let last = answer.last;
  for (;;) {
    const { next } = answer;
    if (next !== null) {
      if (asked.has(next))
        throw new ServiceFailure('protocol', "GitHub's listing goes in a circle");
      asked.add(next);
      last = answer.last ?? last;
      for (const page of guess ? guesses(next, last) : []) {
        if (!ahead.has(page)) ahead.set(page, quiet(client.get(page)));
      }
    }
    yield answer;
    if (next === null) return;
    const found = ahead.get(next);
    // It goes on elsewhere than was guessed: no more of that.
    if (found === undefined) last = null;
    ahead.delete(next);
    answer = await (found ?? client.get(next));
  }
}

/** The next address, and those that differ from it in the number of the page alone. */
function guesses(next: string, last: number | null): string[] {
  const found = /^([^?]+\?(?:[^#]*&)?page=)(\d+)((?:&.*)?)$/.exec(next);
  if (found === null || last === null || /[?&](after|before)=/.test(next)) return [];
  const [, before = '', page = '', behind = ''] = found;
  const until = Math.min(last, Number(page) + AHEAD - 1);
  const count = Math.max(0, until - Number(page) + 1);
  return Array.from({ length: count }, (_, index) => `${before}${Number(page) + index}${behind}`);
}

/** Nobody may come to await it: its failure is then nobody's. */
function quiet(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => undefined);
  return answer;
}
