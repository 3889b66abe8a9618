/** Command-line options the GNU way: bundled, attached, abbreviated, in any order. */
import { UsageError } from './errors.ts';

/** What follows an option: nothing, a word, or a word only if attached with `=`. */
export type Arity = 'none' | 'required' | 'optional';

export interface OptionSpec {
  /** The letter, if it has one. */
  short?: string;
  long: readonly string[];
  arity: Arity;
  /** One that is not the tool's own: it is written whole, and stands in no abbreviation's way. */
  whole?: true;
}

export interface GivenOption<Name extends string> {
  name: Name;
  /** '' for an option without a value. */
  value: string;
  /** Was a value given at all? */
  given: boolean;
  /** Which word of the command line it stood in. */
  word: number;
  /** As it was written: `-n`, `--number`. */
  written: string;
}

/** Complaints, in the words of the tool. */
export interface Wording {
  unknownShort(letter: string): string;
  unknownLong(word: string): string;
  ambiguous(word: string, possible: string[]): string;
  missing(option: string, long: boolean): string;
  unwanted(option: string): string;
  /** May long options be abbreviated? */
  abbreviations: boolean;
}

type Table<Name extends string> = Readonly<Record<Name, OptionSpec>>;

class Reader<Name extends string> {
  readonly options: GivenOption<Name>[] = [];
  readonly operands: string[] = [];
  private at = 0;
  private readonly args: readonly string[];
  private readonly byLetter = new Map<string, Name>();
  private readonly byName = new Map<string, Name>();
  private readonly table: Table<Name>;
  private readonly say: Wording;
  private readonly each: (option: GivenOption<Name>) => void;

  constructor(
    args: readonly string[],
    table: Table<Name>,
    say: Wording,
    each: (option: GivenOption<Name>) => void,
  ) {
    this.args = args;
    this.table = table;
    this.say = say;
    this.each = each;
    for (const name of Object.keys(table) as Name[]) {
      const spec = table[name];
      if (spec.short !== undefined) for (const c of spec.short) this.byLetter.set(c, name);
      for (const long of spec.long) this.byName.set(long, name);
    }
  }

  read(): void {
    while (this.at < this.args.length) {
      const word = this.args[this.at++] as string;
      if (word === '--') {
        this.operands.push(...this.args.slice(this.at));
        return;
      }
      if (word.startsWith('--')) this.long(word.slice(2));
      else if (word.startsWith('-') && word.length > 1) this.shorts(word.slice(1));
      else this.operands.push(word);
    }
  }

  private push(name: Name, written: string, value: string | undefined): void {
    const given = value !== undefined;
    const option = { name, value: value ?? '', given, word: this.at, written };
    this.options.push(option);
    this.each(option);
  }

  private long(word: string): void {
    const equals = word.indexOf('=');
    const typed = equals === -1 ? word : word.slice(0, equals);
    const value = equals === -1 ? undefined : word.slice(equals + 1);
    const { name, full } = this.lookUp(typed, word);
    const { arity } = this.table[name];
    if (arity === 'none' && value !== undefined) throw new UsageError(this.say.unwanted(full));
    if (arity !== 'required' || value !== undefined) {
      this.push(name, `--${full}`, value);
      return;
    }
    const next = this.args[this.at];
    if (next === undefined) throw new UsageError(this.say.missing(full, true));
    this.at++;
    this.push(name, `--${full}`, next);
  }

  private lookUp(typed: string, word: string): { name: Name; full: string } {
    const exact = this.byName.get(typed);
    if (exact !== undefined) return { name: exact, full: typed };
    const possible = this.say.abbreviations
      ? [...this.byName].flatMap(([long, of]) =>
          long.startsWith(typed) && this.table[of].whole !== true ? [long] : [],
        )
      : [];
    const first = possible[0];
    const name = first === undefined ? undefined : this.byName.get(first);
    if (first === undefined || name === undefined) {
      throw new UsageError(this.say.unknownLong(word));
    }
    const others = possible.filter((long) => this.byName.get(long) !== name);
    if (others.length > 0) throw new UsageError(this.say.ambiguous(typed, [first, ...others]));
    return { name, full: first };
  }

  private shorts(letters: string): void {
    const chars = Array.from(letters);
    for (let i = 0; i < chars.length; i++) {
      const letter = chars[i] as string;
      const name = this.byLetter.get(letter);
      if (name === undefined) throw new UsageError(this.say.unknownShort(letter));
      if (this.table[name].arity === 'none') {
        this.push(name, `-${letter}`, /[0-9]/.test(letter) ? letter : undefined);
        continue;
      }
      const rest = chars.slice(i + 1).join('');
      if (rest !== '' || this.table[name].arity === 'optional') {
        this.push(name, `-${letter}`, rest === '' ? undefined : rest);
        return;
      }
      const next = this.args[this.at];
      if (next === undefined) throw new UsageError(this.say.missing(letter, false));
      this.at++;
      this.push(name, `-${letter}`, next);
      return;
    }
  }
}

/**
 * Splits a command line into options, in the order given, and operands.
 * @param each told of every option as it is read, so that complaints come in their order
 * @throws UsageError with the tool's complaint, without its name and usage text
 */
export function getopt<Name extends string>(
  args: readonly string[],
  table: Table<Name>,
  say: Wording,
  each: (option: GivenOption<Name>) => void = () => undefined,
): { options: GivenOption<Name>[]; operands: string[] } {
  const reader = new Reader(args, table, say, each);
  reader.read();
  return { options: reader.options, operands: reader.operands };
}
