/** The expression of find, read into a tree of tests. */
import { UsageError } from '../support/getopt.ts';
import type { WalkedEntry } from './entry.ts';

/** The answer of a test; only those that ask the file system make one wait. */
export type Answer = boolean | Promise<boolean>;
export type Test = (entry: WalkedEntry) => Answer;

/** Words of an expression, taken one by one. */
export class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  peek(): string | undefined {
    return this.#words[this.#at];
  }

  next(): string | undefined {
    return this.#words[this.#at++];
  }

  /** The argument of a test. */
  argument(test: string): string {
    const word = this.next();
    if (word === undefined) throw new UsageError(`missing argument to \`${test}'`, { hint: false });
    return word;
  }
}

function and(left: Test, right: Test): Test {
  return (entry) => {
    const first = left(entry);
    if (first === false) return false;
    return first === true ? right(entry) : first.then((yes) => yes && right(entry));
  };
}

function or(left: Test, right: Test): Test {
  return (entry) => {
    const first = left(entry);
    if (first === true) return true;
    return first === false ? right(entry) : first.then((yes) => yes || right(entry));
  };
}

function not(test: Test): Test {
  return (entry) => {
    const answer = test(entry);
    return typeof answer === 'boolean' ? !answer : answer.then((yes) => !yes);
  };
}

function comma(left: Test, right: Test): Test {
  return (entry) => {
    const first = left(entry);
    return typeof first === 'boolean' ? right(entry) : first.then(() => right(entry));
  };
}

/** Makes a test from its name, taking its arguments; undefined for an unknown one. */
export type Primary = (name: string, words: Words) => Test | undefined;

class Parser {
  readonly #words: Words;
  readonly #primary: Primary;

  constructor(words: Words, primary: Primary) {
    this.#words = words;
    this.#primary = primary;
  }

  list(): Test {
    let left = this.#or();
    while (this.#words.peek() === ',') {
      this.#words.next();
      left = comma(left, this.#or());
    }
    return left;
  }

  #or(): Test {
    let left = this.#and();
    while (this.#words.peek() === '-o' || this.#words.peek() === '-or') {
      this.#words.next();
      left = or(left, this.#and());
    }
    return left;
  }

  #and(): Test {
    let left = this.#not();
    for (;;) {
      const word = this.#words.peek();
      if (word === undefined || word === ')' || word === ',' || word === '-o' || word === '-or') {
        return left;
      }
      if (word === '-a' || word === '-and') this.#words.next();
      left = and(left, this.#not());
    }
  }

  #not(): Test {
    const word = this.#words.peek();
    if (word !== '!' && word !== '-not') return this.#single();
    this.#words.next();
    return not(this.#not());
  }

  #single(): Test {
    const word = this.#words.next();
    if (word === undefined) {
      throw new UsageError('invalid expression; an expression was expected at the end', {
        hint: false,
      });
    }
    if (word === '(') {
      if (this.#words.peek() === ')') {
        throw new UsageError('invalid expression; empty parentheses are not allowed.', {
          hint: false,
        });
      }
      const inner = this.list();
      if (this.#words.next() !== ')') {
        throw new UsageError(
          "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
          { hint: false },
        );
      }
      return inner;
    }
    if (!word.startsWith('-')) {
      throw new UsageError(
        word === ')'
          ? "invalid expression; you have too many ')'"
          : `paths must precede expression: \`${word}'`,
        { hint: false },
      );
    }
    const test = this.#primary(word, this.#words);
    if (test === undefined) throw new UsageError(`unknown predicate \`${word}'`, { hint: false });
    return test;
  }
}

/** Reads a whole expression; without words it is always true. */
export function parseExpression(words: Words, primary: Primary): Test {
  if (words.peek() === undefined) return () => true;
  const test = new Parser(words, primary).list();
  const extra = words.peek();
  if (extra !== undefined) {
    throw new UsageError(`invalid expression; you have too many '${extra}'`, { hint: false });
  }
  return test;
}
