/** Options the way getopt_long(3) reads them: bundled, attached, abbreviated, permuted. */

/** A command line that cannot be understood; the message is what GNU prints. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly status: number | undefined;
  /** Whether "Try '… --help'" follows. */
  readonly hint: boolean;

  constructor(message: string, options: { status?: number; hint?: boolean } = {}) {
    super(message);
    this.status = options.status;
    this.hint = options.hint ?? true;
  }
}

/** The words that an option takes; those that mean the same stand together. */
export type Words = ReadonlyArray<string | readonly string[]>;

type Meaning<W> = W extends readonly [infer First extends string, ...string[]] ? First : W & string;

const groupOf = (words: Words[number]): readonly string[] =>
  typeof words === 'string' ? [words] : words;

/** As argmatch of GNU's tools says it, with its status. @param what `--total` */
export function wrongWord(
  what: string,
  given: string,
  known: Words,
  why: 'invalid' | 'ambiguous' = 'invalid',
): UsageError {
  const list = known.map(
    (words) =>
      `  - ${groupOf(words)
        .map((one) => `'${one}'`)
        .join(', ')}`,
  );
  const valid = `Valid arguments are:\n${list.join('\n')}`;
  return new UsageError(`${why} argument '${given}' for '${what}'\n${valid}`, { status: 1 });
}

/** The first of the words that mean what was given, which is enough if only they begin so. Fails with {@link wrongWord}. */
export function wordOf<const K extends Words>(
  what: string,
  given: string,
  known: K,
): Meaning<K[number]> {
  const groups = known.map(groupOf);
  const near = groups.filter((words) => words.some((word) => word.startsWith(given)));
  const meant = groups.find((words) => words.includes(given)) ?? (near.length === 1 ? near[0] : []);
  if (meant?.[0] !== undefined) return meant[0] as Meaning<K[number]>;
  throw wrongWord(what, given, known, near.length > 1 ? 'ambiguous' : 'invalid');
}

/** Which options there are. */
export interface OptionSpec {
  /** As getopt(3): `ab:c::` is -a, -b ARG and -c[ARG]. */
  short: string;
  /**
   * Long names and the key each is reported as, with `:` for an argument and
   * `::` for an optional one, e.g. `{ all: 'a', color: 'color::' }`.
   */
  long?: Readonly<Record<string, string>>;
  /** Stop at the first operand, as commands that run commands do. */
  stopAtOperand?: boolean;
  /** Read -5 as an option of the key `digits`, as head and tail do. */
  digits?: boolean;
}

/** What was given: options in their order, and the rest. */
export interface Options {
  seen: ReadonlyArray<readonly [key: string, value: string]>;
  operands: string[];
  has(key: string): boolean;
  /** The last value of an option. */
  get(key: string): string | undefined;
  all(key: string): string[];
}

type Need = 'none' | 'required' | 'optional';

function needOf(suffix: string): Need {
  if (suffix === '') return 'none';
  return suffix === ':' ? 'required' : 'optional';
}

function shortTable(short: string): Map<string, Need> {
  const table = new Map<string, Need>();
  for (const match of short.matchAll(/([^:])(:{0,2})/g)) {
    table.set(match[1] ?? '', needOf(match[2] ?? ''));
  }
  return table;
}

function findLong(
  text: string,
  long: Readonly<Record<string, string>>,
): { full: string; to: string } {
  const [name = ''] = text.split('=', 1);
  const exact = Object.hasOwn(long, name) ? long[name] : undefined;
  if (exact !== undefined) return { full: name, to: exact };
  const near = Object.keys(long).filter((key) => key.startsWith(name));
  const targets = new Set(near.map((key) => long[key]));
  const full = near[0];
  if (full === undefined) throw new UsageError(`unrecognized option '--${text}'`);
  if (targets.size > 1) {
    const list = near.map((key) => ` '--${key}'`).join('');
    throw new UsageError(`option '--${text}' is ambiguous; possibilities:${list}`);
  }
  return { full, to: long[full] ?? '' };
}

class Reader {
  readonly seen: Array<readonly [string, string]> = [];
  readonly operands: string[] = [];
  #at = 0;
  readonly #args: readonly string[];
  readonly #spec: OptionSpec;
  readonly #short: Map<string, Need>;

  constructor(args: readonly string[], spec: OptionSpec) {
    this.#args = args;
    this.#spec = spec;
    this.#short = shortTable(spec.short);
  }

  read(): void {
    while (this.#at < this.#args.length) {
      const arg = this.#args[this.#at++] ?? '';
      if (arg === '--') break;
      if (arg.startsWith('--')) this.#long(arg.slice(2));
      else if (arg.length > 1 && arg.startsWith('-')) this.#bundle(arg);
      else {
        this.operands.push(arg);
        if (this.#spec.stopAtOperand === true) break;
      }
    }
    this.operands.push(...this.#args.slice(this.#at));
  }

  #long(text: string): void {
    const equals = text.indexOf('=');
    const { full, to } = findLong(text, this.#spec.long ?? {});
    const key = to.replace(/:+$/, '');
    const need = needOf(to.slice(key.length));
    if (equals >= 0) {
      if (need === 'none') throw new UsageError(`option '--${full}' doesn't allow an argument`);
      this.seen.push([key, text.slice(equals + 1)]);
      return;
    }
    if (need !== 'required') {
      this.seen.push([key, '']);
      return;
    }
    const value = this.#args[this.#at++];
    if (value === undefined) throw new UsageError(`option '--${full}' requires an argument`);
    this.seen.push([key, value]);
  }

  #bundle(arg: string): void {
    this.#letters(arg.slice(1));
  }

  #letters(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const letter = text[i] ?? '';
      const [digits = ''] = (this.#spec.digits === true && /^\d+/.exec(text.slice(i))) || [];
      if (digits !== '') {
        this.seen.push(['digits', digits]);
        i += digits.length - 1;
        continue;
      }
      const need = letter === ':' ? undefined : this.#short.get(letter);
      if (need === undefined) throw new UsageError(`invalid option -- '${letter}'`);
      if (need === 'none') {
        this.seen.push([letter, '']);
        continue;
      }
      const attached = text.slice(i + 1);
      if (attached !== '' || need === 'optional') {
        this.seen.push([letter, attached]);
        return;
      }
      const value = this.#args[this.#at++];
      if (value === undefined) throw new UsageError(`option requires an argument -- '${letter}'`);
      this.seen.push([letter, value]);
      return;
    }
  }
}

/** Reads a command line. Fails with {@link UsageError} in getopt's words. */
export function getopt(args: readonly string[], spec: OptionSpec): Options {
  const reader = new Reader(args, spec);
  reader.read();
  const { seen, operands } = reader;
  const all = (key: string) => seen.filter(([k]) => k === key).map(([, value]) => value);
  return { seen, operands, all, has: (key) => all(key).length > 0, get: (key) => all(key).at(-1) };
}
