/** The words of a call, as arguments by a schema: `--key value`, `--key=value`, or JSON on stdin. */
import { type ProgramInput, unknownName } from '../../src/mount/index.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What the words of a call say. */
export interface Words {
  arguments: Record<string, unknown>;
  help: boolean;
  /** `-j`: the whole answer as JSON. */
  whole: boolean;
  /** `-o FILE`: where the answer is written; null for stdout. */
  file: string | null;
  tookStdin: boolean;
}

/** Words that cannot be understood: a sentence. */
export class WordFault extends Error {
  override readonly name = 'WordFault';
}

/**
 * Reads the words. stdin is read where they give no argument, or give `-`.
 * @param schema of the arguments
 * @throws WordFault
 */
export function wordsOf({ args, stdin }: ProgramInput, schema: Schema): Words {
  const words: Words = { arguments: {}, help: false, whole: false, file: null, tookStdin: false };
  const given = new Map<string, unknown>();
  const rest = [...args];
  let isAsked = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-h' || word === '--help') words.help = true;
    else if (word === '-j') words.whole = true;
    else if (word === '-o') words.file = rest.shift() ?? missing('-o', 'the name of a file');
    else if (word === '-') isAsked = true;
    else if (word.startsWith('--') && word !== '--') take(word, rest, schema, given);
    else
      throw new WordFault(
        `${JSON.stringify(word)} is no option: arguments are given as --NAME VALUE`,
      );
  }
  if (words.help) return words;
  if (isAsked || given.size === 0) {
    words.tookStdin = stdin.length > 0;
    Object.assign(words.arguments, objectIn(stdin));
  }
  Object.assign(words.arguments, Object.fromEntries(given));
  return words;
}

/** One option, and its value. */
function take(word: string, rest: string[], schema: Schema, given: Map<string, unknown>): void {
  const cut = word.indexOf('=');
  const flag = word.slice(2, cut < 0 ? undefined : cut);
  const written = cut < 0 ? null : word.slice(cut + 1);
  const properties = recordOf(schema['properties']);
  const name = propertyOf(flag, properties);
  if (name === null) {
    const negated = flag.startsWith('no-') ? propertyOf(flag.slice(3), properties) : null;
    if (negated === null || written !== null || !typesOf(properties[negated]).has('boolean')) {
      // What a schema does not name it may allow all the same.
      if (allowsMore(schema)) return set(given, flag, looseValue(value(word, written, rest)));
      throw new WordFault(`--${flag}: ${unknownName('argument', flag, Object.keys(properties))}`);
    }
    return set(given, negated, false);
  }
  const types = typesOf(properties[name]);
  if (types.has('boolean') && written === null && !/^(?:true|false)$/.test(rest[0] ?? ''))
    return set(given, name, true);
  const text = value(word, written, rest);
  if (types.has('array') && !text.trimStart().startsWith('[')) {
    const items = typesOf(recordOf(properties[name])['items']);
    const before = given.get(name);
    given.set(name, [...(Array.isArray(before) ? before : []), typedValue(flag, text, items)]);
    return;
  }
  set(given, name, typedValue(flag, text, types));
}

function set(given: Map<string, unknown>, name: string, value: unknown): void {
  if (given.has(name)) throw new WordFault(`--${name} is given twice`);
  given.set(name, value);
}

const value = (word: string, written: string | null, rest: string[]): string =>
  written ?? rest.shift() ?? missing(word, 'a value');

function missing(word: string, what: string): never {
  throw new WordFault(`${word} needs ${what}`);
}

/** The property that a flag means: by its name, or with hyphens for what stands between its words. */
function propertyOf(flag: string, properties: Schema): string | null {
  if (Object.hasOwn(properties, flag)) return flag;
  const plain = (name: string) => name.replace(/[-_]/g, '').toLowerCase();
  const [found, ...others] = Object.keys(properties).filter((name) => plain(name) === plain(flag));
  return found === undefined || others.length > 0 ? null : found;
}

/** The types that a schema names; none where it names none. */
function typesOf(schema: unknown): ReadonlySet<string> {
  const { type, anyOf, oneOf, enum: values } = recordOf(schema);
  const named = [type].flat().filter((each) => typeof each === 'string');
  const nested = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const ofValues =
    Array.isArray(values) && named.length === 0 ? values.map((one) => typeof one) : [];
  return new Set([...named, ...ofValues, ...nested.flatMap((each) => [...typesOf(each)])]);
}

/** A word as what a schema wants: text where it may be text, else JSON. */
function typedValue(flag: string, text: string, types: ReadonlySet<string>): unknown {
  if (types.has('null') && text === 'null') return null;
  if (types.has('string') && types.size <= 2 && !types.has('object') && !types.has('array'))
    return types.has('number') || types.has('integer') ? numberOr(text) : text;
  if (types.size === 0 || types.has('string')) return looseValue(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new WordFault(
      `--${flag}: ${JSON.stringify(text)} should be ${[...types].join(' or ')}, as JSON`,
    );
  }
}

/** JSON where it is, else the text itself. */
function looseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

const numberOr = (text: string): unknown => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);

const allowsMore = ({ additionalProperties, properties }: Schema): boolean =>
  additionalProperties !== false && Object.keys(recordOf(properties)).length === 0;

/** The object in JSON; of nothing an empty one. @throws WordFault */
function objectIn(bytes: Uint8Array): Record<string, unknown> {
  const text = Buffer.from(bytes).toString().trim();
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new WordFault(
    'stdin is no JSON object: give the arguments as --NAME VALUE, or < /dev/null',
  );
}

const recordOf = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};

/** One line an argument: its option, its type, whether it must be given, what is said of it. */
export function optionLines(schema: Schema): string[] {
  const required = new Set([schema['required']].flat());
  return Object.entries(recordOf(schema['properties'])).flatMap(([name, property]) => {
    const { description, enum: values, default: preset } = recordOf(property);
    const types = [...typesOf(property)].join('|') || 'any';
    const isFlag = types === 'boolean';
    const allowed = Array.isArray(values)
      ? ` (${values.map((one) => JSON.stringify(one)).join(', ')})`
      : '';
    const said = preset === undefined ? '' : ` [${JSON.stringify(preset)}]`;
    const option = isFlag ? `--${name}, --no-${name}` : `--${name} ${types.toUpperCase()}`;
    const head = `  ${option}${required.has(name) ? ', required' : ''}${allowed}${said}`;
    return [
      head,
      ...lines(typeof description === 'string' ? description : '').map((line) => `      ${line}`),
    ];
  });
}

/** A text line by line, none of which ends elsewhere, or moves a terminal. */
export function lines(text: string): string[] {
  return text === ''
    ? []
    : text.split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/).map((line) => escapeControls(line).trimEnd());
}

/** A text without what a terminal acts on. */
export const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) =>
    one === '\t' ? ' ' : `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
