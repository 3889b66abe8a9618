/** The record at hand: $0, its fields and NF, each put together again only when it is asked for. */
import { FatalError } from './errors.ts';
import { toText } from './numbers.ts';
import type { Splitter } from './split.ts';
import { Input, NO_FIELD, type Value } from './values.ts';

/** No record has so many fields, but a slip of the pen asks for them. */
const MAX_FIELDS = 10_000_000;

export interface RecordSettings {
  /** How the next record is split. */
  splitter: () => Splitter;
  /** OFS. */
  separator: () => string;
  /** CONVFMT. */
  format: () => string;
}

export class AwkRecord {
  readonly #settings: RecordSettings;
  #text = '';
  #whole: Value = undefined;
  /** $1 is fields[0]. */
  #fields: Value[] = [];
  /** How this record is split, once a field is asked for; null when it is split. */
  #splitter: Splitter | null = null;
  /** Was a field changed since $0 was put together? */
  #changed = false;

  constructor(settings: RecordSettings) {
    this.#settings = settings;
  }

  /** A new record. */
  set(text: string): void {
    this.#text = text;
    this.#whole = undefined;
    this.#splitter = this.#settings.splitter();
    this.#changed = false;
  }

  get text(): string {
    if (this.#changed) this.rebuild();
    return this.#text;
  }

  get count(): number {
    if (this.#splitter !== null) this.split();
    return this.#fields.length;
  }

  /** Splits now, before what decides about splitting changes. */
  split(): void {
    if (this.#splitter === null) return;
    const { parts } = this.#splitter(this.#text, false);
    this.#splitter = null;
    const fields: Value[] = new Array(parts.length);
    for (let i = 0; i < parts.length; i++) fields[i] = new Input(parts[i] ?? '');
    this.#fields = fields;
  }

  /** Puts $0 together, before OFS changes. */
  rebuild(): void {
    if (!this.#changed) return;
    this.#changed = false;
    const format = this.#settings.format();
    this.#text = this.#fields
      .map((field) => toText(field, format))
      .join(this.#settings.separator());
    this.#whole = undefined;
  }

  get(index: number): Value {
    if (index === 0) {
      if (this.#changed) this.rebuild();
      this.#whole ??= new Input(this.#text);
      return this.#whole;
    }
    if (this.#splitter !== null) this.split();
    if (index < 0) throw new FatalError(`attempt to access field ${index}`);
    return index > this.#fields.length ? NO_FIELD : this.#fields[index - 1];
  }

  assign(index: number, value: Value): void {
    if (index === 0) {
      this.set(toText(value, this.#settings.format()));
      // A string stays one, though its fields may be numbers.
      if (typeof value === 'string') this.#whole = value;
      return;
    }
    this.split();
    if (index < 0) throw new FatalError(`attempt to access field ${index}`);
    this.#extend(index);
    this.#fields[index - 1] = value;
    this.#changed = true;
  }

  /** Assigns NF. */
  resize(count: number): void {
    if (count < 0) throw new FatalError('NF set to negative value');
    this.split();
    if (count < this.#fields.length) this.#fields.length = count;
    else this.#extend(count);
    this.#changed = true;
  }

  #extend(count: number): void {
    if (count > MAX_FIELDS) {
      throw new FatalError(`field ${count} is too far: a record has at most ${MAX_FIELDS} fields`);
    }
    while (this.#fields.length < count) this.#fields.push(NO_FIELD);
  }
}
