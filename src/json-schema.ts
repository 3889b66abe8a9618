/**
 * JSON Schema as a check. Where an agent or a service wrote it, whatever it says
 * is decided quickly: its patterns run on an engine whose time grows with the
 * text alone, and what could multiply itself is refused.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { z } from 'zod';

/** Of those who have tools with patterns alone: the engine is large. */
const require = createRequire(import.meta.url);

type Schema = Readonly<Record<string, unknown>>;

/** Why a schema cannot be used, in a sentence. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
}

/**
 * The check by a schema that the deployer wrote.
 * @throws SchemaFault where the schema cannot be used
 */
export function trustedSchema(schema: Schema): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaFault(`it is no JSON Schema that is understood: ${reason}`);
  }
}

/**
 * The check by a schema that an agent, or a service, may have written.
 * @throws SchemaFault where the schema cannot be used
 */
export function untrustedSchema(schema: Schema): z.ZodType {
  const patterns = new Patterns();
  const type = trustedSchema(patterns.takenFrom(schema));
  patterns.putInto(type);
  return type;
}

/** Instructions of a pattern's program: `(a{1000}){1000}` is a short way to write a million. */
const LARGEST_PATTERN = 1_000;
/** Longer strings are held against no pattern. Characters. */
const LONGEST_TEXT = 100_000;

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
const ONE = [
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
const LISTS = ['items', 'prefixItems', 'allOf', 'anyOf', 'oneOf'];
const MAPS = ['properties', '$defs', 'definitions', 'dependentSchemas'];

/** Refused, with what to write in their place. */
const REFUSED: Readonly<Record<string, string>> = {
  $ref: 'write out what it stands for',
  $dynamicRef: 'write out what it stands for',
  $recursiveRef: 'write out what it stands for',
  patternProperties: 'name the properties, or use additionalProperties',
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Patterns on their way around zod, which makes a native regular expression of
 * each: it is given a stand-in for each, which is then replaced in what it made.
 * One that is not found there again stays its stand-in, which no string matches.
 */
class Patterns {
  readonly #linear: LinearPattern[] = [];

  /** The schema with stand-ins. */
  takenFrom(schema: unknown): Record<string, unknown> {
    return this.#copy(schema) as Record<string, unknown>;
  }

  putInto(type: z.ZodType): void {
    const left = new Set(this.#linear);
    const seen = new Set<object>();
    const todo: unknown[] = [type];
    while (todo.length > 0) {
      const value = todo.pop();
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      const def = '_zod' in value ? (value as z.ZodType)._zod.def : value;
      if (def instanceof RegExp) continue;
      for (const [name, part] of Object.entries(def)) {
        const linear = part instanceof RegExp ? this.#linear[indexOf(part)] : undefined;
        if (linear === undefined) todo.push(part);
        else {
          (def as Record<string, unknown>)[name] = linear;
          left.delete(linear);
        }
      }
    }
    const [first] = left;
    if (first !== undefined)
      throw new SchemaFault(`pattern: ${first} stands where no pattern is understood`);
  }

  #copy(schema: unknown): unknown {
    if (!isRecord(schema)) return schema;
    for (const [keyword, instead] of Object.entries(REFUSED))
      if (Object.hasOwn(schema, keyword))
        throw new SchemaFault(`${keyword} is not allowed: ${instead}`);
    const copy = { ...schema };
    for (const name of ONE) if (isRecord(copy[name])) copy[name] = this.#copy(copy[name]);
    for (const name of LISTS) {
      const list = copy[name];
      if (Array.isArray(list)) copy[name] = list.map((each) => this.#copy(each));
    }
    for (const name of MAPS) {
      const map = copy[name];
      if (!isRecord(map)) continue;
      const inner = Object.entries(map).map(([key, each]) => [key, this.#copy(each)]);
      copy[name] = Object.fromEntries(inner);
    }
    if (typeof copy['pattern'] === 'string') {
      this.#linear.push(new LinearPattern(copy['pattern']));
      copy['pattern'] = `${STAND_IN}${this.#linear.length - 1}$`;
    }
    return copy;
  }
}

/** No string has a character before its beginning. */
const STAND_IN = '[^\\s\\S]';

const indexOf = ({ source }: RegExp): number =>
  source.startsWith(STAND_IN) ? Number(source.slice(STAND_IN.length, -1)) : -1;

/** What zod asks of a regular expression. */
class LinearPattern {
  lastIndex = 0;
  readonly #text: string;
  readonly #pattern: RE2JS;

  constructor(text: string) {
    this.#text = text;
    try {
      const { RE2JS } = require('re2js') as typeof import('re2js');
      this.#pattern = RE2JS.compile(RE2JS.translateRegExp(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SchemaFault(`pattern: ${this} is not understood: ${reason}`);
    }
    if (this.#pattern.programSize() > LARGEST_PATTERN)
      throw new SchemaFault(`pattern: ${this} repeats too much`);
  }

  test(text: string): boolean {
    return text.length <= LONGEST_TEXT && this.#pattern.test(text);
  }

  toString(): string {
    return `/${this.#text}/`;
  }
}
