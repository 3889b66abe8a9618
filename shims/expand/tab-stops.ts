/** Tab stops as `expand -t` and `unexpand -t` name them. */
import { UsageError } from '../support/getopt.ts';

const misuse = (text: string): UsageError => new UsageError(text, { hint: false });

/** Where tabs end, for columns from 0. */
export class TabStops {
  readonly #list: number[] = [];
  /** Every so many columns behind the list: counted from 0 (`/N`), or from the last stop (`+N`). */
  #every: { size: number; from: 'start' | 'last' } | undefined;

  /** @param lists what was given, as `4`, `2,5 9` or `1,/8`; none means every 8 columns. */
  constructor(lists: readonly string[]) {
    for (const list of lists)
      for (const word of list.split(/[\s,]+/)) if (word !== '') this.#add(word);
    const only = this.#list[0];
    if (this.#list.length === 0) this.#every ??= { size: 8, from: 'start' };
    else if (this.#list.length === 1 && only !== undefined && this.#every === undefined) {
      this.#list.pop();
      this.#every = { size: only, from: 'start' };
    }
  }

  #add(word: string): void {
    const [, sign = '', digits = '', rest = ''] = /^([/+]?)(\d*)(.*)$/.exec(word) ?? [];
    if (rest !== '') {
      if (/^[/+]/.test(rest))
        throw misuse(`'${rest[0]}' specifier not at start of number: '${rest}'`);
      throw misuse(`tab size contains invalid character(s): '${rest}'`);
    }
    const size = Number(digits);
    if (digits !== '' && !Number.isSafeInteger(size))
      throw misuse(`tab stop is too large '${digits}'`);
    if (sign !== '') {
      if (this.#every !== undefined && size > 0)
        throw misuse(`'${sign}' specifier only allowed with the last value`);
      if (size > 0) this.#every = { size, from: sign === '/' ? 'start' : 'last' };
      return;
    }
    if (this.#every !== undefined)
      throw misuse(
        `'${this.#every.from === 'start' ? '/' : '+'}' specifier only allowed with the last value`,
      );
    if (size === 0) throw misuse('tab size cannot be 0');
    if (size <= (this.#list.at(-1) ?? 0)) throw misuse('tab sizes must be ascending');
    this.#list.push(size);
  }

  /** The first stop behind a column; undefined behind the last one. */
  after(column: number): number | undefined {
    const stop = this.#list.find((each) => column < each);
    if (stop !== undefined) return stop;
    if (this.#every === undefined) return undefined;
    const { size, from } = this.#every;
    const origin = from === 'last' ? (this.#list.at(-1) ?? 0) : 0;
    return column + (size - ((column - origin) % size));
  }
}

/** Tells `-4,8` from other options: the old way to give stops. */
export function withOldTabs(args: readonly string[]): string[] {
  return args.flatMap((arg) => (/^-\d[\d,]*$/.test(arg) ? ['-t', arg.slice(1)] : [arg]));
}
