/** Services that refuse with status 200 and a word of their own in the answer: what the word comes to. */
import { type FailureKind, kindOfCode, ServiceFailure } from './failure.ts';
import type { HttpOptions, Refusal } from './http.ts';

/** An answer, as far as refusals are in it. */
type Answered = Readonly<Record<string, unknown>>;

/** How a service says in an answer that it did not do what was asked. */
export interface RefusalWords {
  /** What sentences call the service. */
  service: string;
  /** The word of a refusal; null where it did what was asked. */
  word(answer: Answered): string | null;
  /** What its words are; any other is `invalid`. */
  kinds: Partial<Record<FailureKind, readonly string[]>>;
  /** Words that only say that nothing was to be done: it is as it was wanted. */
  done?: readonly string[];
  /** What else it says of a refusal, in words; '' for nothing. */
  more?(answer: Answered): string;
}

/** For the `refusal` of an `HttpClient`. */
export function refusalByWord(words: RefusalWords): NonNullable<HttpOptions['refusal']> {
  const { service, kinds, done = [] } = words;
  return (data, path): Refusal | null => {
    if (typeof data !== 'object' || data === null) {
      throw new ServiceFailure('protocol', `${service}'s answer for ${path} is no object`);
    }
    const answer = data as Answered;
    const word = words.word(answer);
    if (word === null || done.includes(word)) return null;
    const more = words.more?.(answer) || '';
    const message = `${service} refused ${path}: ${word}${more === '' ? '' : `: ${more}`}`;
    return { kind: kindOfCode(kinds, word) ?? 'invalid', message };
  };
}
