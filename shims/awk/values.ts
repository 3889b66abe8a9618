/** awk's values: numbers, strings, text from outside that may be a number ("strnum"), and nothing yet. */
/** Text that came from outside (a field, a line, an argument): a number, too, if it looks like one. */
export class Input {
  readonly text: string;
  private value: number | null | undefined;

  constructor(text: string) {
    this.text = text;
    this.value = undefined;
  }

  /** The number that all of the text is, or null. */
  get number(): number | null {
    if (this.value === undefined) this.value = wholeNumber(this.text);
    return this.value;
  }
}

/** A field beyond the last one. */
export const NO_FIELD = new Input('');

/** undefined is a variable that has no value yet: both 0 and the empty string. */
export type Value = number | string | Input | undefined;

const BLANK = ' \t\n\r\f\v';
const LEADING = /^[ \t\n\r\f\v]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
const WHOLE = /^[ \t\n\r\f\v]*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\r\f\v]*$/;
/** With a sign these count as numbers; without one they are words. */
const MAGIC = /^[ \t\n\r\f\v]*([-+])(?:(inf)|nan)(?![\w.])/i;

/** The value of short digits, without the cost of a pattern; -1 for anything else. */
function plainDigits(text: string): number {
  const { length } = text;
  if (length === 0 || length > 15) return -1;
  let value = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function magic(text: string): number | null {
  const found = MAGIC.exec(text);
  if (found === null) return null;
  if (found[2] === undefined) return Number.NaN;
  return found[1] === '-' ? -Infinity : Infinity;
}

function wholeNumber(text: string): number | null {
  const plain = plainDigits(text);
  if (plain >= 0) return plain;
  const first = text.charCodeAt(0);
  // Most words are told from numbers by their first letter.
  if (!(first <= 57 && (first >= 43 || BLANK.includes(text.charAt(0))))) return null;
  if (WHOLE.test(text)) return Number(text);
  return /^\s*[-+][a-z]{3}\s*$/i.test(text) ? magic(text) : null;
}

/** The number that a string begins with; 0 if with none. */
export function leadingNumber(text: string): number {
  const plain = plainDigits(text);
  if (plain >= 0) return plain;
  const found = LEADING.exec(text);
  return found === null ? (magic(text) ?? 0) : Number(found[1]);
}

export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (value === undefined) return 0;
  return typeof value === 'string'
    ? leadingNumber(value)
    : (value.number ?? leadingNumber(value.text));
}

export function isTrue(value: Value): boolean {
  if (typeof value === 'number') return value !== 0;
  if (value === undefined) return false;
  if (typeof value === 'string') return value !== '';
  return value.number === null ? value.text !== '' : value.number !== 0;
}

/** The number that a value counts as in a comparison, or null if it is a string. */
export function comparable(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (value === undefined) return 0;
  return typeof value === 'string' ? null : value.number;
}

/** An array. With gawk's arrays of arrays an element may be one itself. */
export class AwkArray {
  readonly elements = new Map<string, Value | AwkArray>();
}
