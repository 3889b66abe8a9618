/**
 * The one place that reads YAML. Whoever wrote it, reading takes some 50 ms at
 * most: the text is measured by its tokens before the parser, which needs the
 * square of some of them, gets it. What it says is plain data: no alias, no key
 * twice, no `__proto__`.
 */
import { CST, type Document, isAlias, isMap, isScalar, Lexer, parseDocument, visit } from 'yaml';

/** A text that is no YAML that is read here. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault';
  /** Where in the text, in characters. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** How much is read: characters; and words, signs, blanks and line ends together. */
export interface YamlLimits {
  characters: number;
  tokens: number;
}

/** Some 1,100 lines of `name: value`. */
const USUAL: YamlLimits = { characters: 64 * 1024, tokens: 8_000 };
const DEEPEST = 32;

/** A text as YAML has it, and what it says. */
export interface Yaml {
  document: Document.Parsed;
  value: unknown;
}

/**
 * Reads YAML 1.2.
 * @param schema `failsafe` leaves every scalar the text that it is
 * @param limits greater ones are for a file that the deployer names, never for what is written
 * @throws YamlFault
 */
export function readYaml(
  text: string,
  schema: 'core' | 'failsafe' = 'core',
  limits: YamlLimits = USUAL,
): Yaml {
  measure(text, limits);
  const document = parseDocument(text, { version: '1.2', schema, strict: true, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw new YamlFault(sentence(error.message), error.pos[0]);
  refuseKeys(document);
  return { document, value: document.toJS({ maxAliasCount: 0 }) };
}

/** The library's message without the place and the picture of it. */
function sentence(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/ at line \d+, column \d+:?$/, '').replace(/:$/, '');
}

/** Refuses by its tokens what would take long. */
function measure(text: string, { characters, tokens }: YamlLimits): void {
  if (text.length > characters)
    throw new YamlFault(
      `it is ${text.length.toLocaleString('en')} characters long; ${characters.toLocaleString('en')} are read`,
      0,
    );
  const structure = new Structure();
  let at = 0;
  let count = 0;
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    count++;
    if (count > tokens) throw new YamlFault('it has too many fields to be read', at);
    const type: CST.TokenType | null = isText ? 'scalar' : CST.tokenType(token);
    if (!isText) structure.add(type, at);
    // A marker, which is not in the text, says that a plain scalar follows.
    isText = !isText && type === 'scalar';
    if (!isText && !MARKERS.has(type)) at += token.length;
  }
}

/** Tokens that stand for no character of the text. */
const MARKERS: ReadonlySet<string | null> = new Set(['doc-mode', 'flow-error-end']);

/** What the signs of a text nest, and which of them are not taken. */
class Structure {
  #open = 0;
  /** `-` on one line: a list in a list. */
  #dashes = 0;
  #comma = false;

  add(type: CST.TokenType | null, at: number): void {
    switch (type) {
      case 'alias':
        throw new YamlFault('an alias (*name) is not allowed: write out what it stands for', at);
      case 'explicit-key-ind':
        throw new YamlFault('a key is written before its ":", without "?"', at);
      case 'flow-map-start':
      case 'flow-seq-start':
        this.#open++;
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        this.#open--;
        break;
      case 'seq-item-ind':
        this.#dashes++;
        break;
      case 'newline':
        this.#dashes = 0;
        break;
      default:
        break;
    }
    if (type === 'comma' && this.#comma)
      throw new YamlFault('nothing stands between two commas', at);
    if (type !== 'space' && type !== 'newline') this.#comma = type === 'comma';
    if (this.#open > DEEPEST || this.#dashes > DEEPEST)
      throw new YamlFault(`it nests more than ${DEEPEST} levels`, at);
  }
}

/** Keys that would be lost, or would be more than keys. */
function refuseKeys(document: Document.Parsed): void {
  visit(document, {
    Map: (_key, map) => {
      if (!isMap(map)) return;
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const at = (key as { range?: [number] } | null)?.range?.[0] ?? 0;
        if (key !== null && !isScalar(key))
          throw new YamlFault('a key must be a word, not a list or a map', at);
        const name = String(isScalar(key) ? key.value : key);
        if (name === '__proto__') throw new YamlFault('a key cannot be called __proto__', at);
        if (seen.has(name)) throw new YamlFault('Map keys must be unique', at);
        seen.add(name);
      }
    },
    Node: (_key, node) => {
      if (isAlias(node))
        throw new YamlFault('an alias (*name) is not allowed', node.range?.[0] ?? 0);
    },
  });
}
