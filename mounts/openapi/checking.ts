/** What is sent is checked against the description before anything is sent. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { Problem } from '../../src/mount/index.ts';
import { type Description, isNode, type Node, oneLine } from './description.ts';

/** Deeper schemas are not checked below this. */
const DEEPEST = 40;

/** Keywords of JSON Schema, by what they hold. */
const PLAIN = [
  'const',
  'contentEncoding',
  'dependentRequired',
  'enum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'required',
  'type',
  'uniqueItems',
];
const SCHEMA = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['dependentSchemas', 'patternProperties', 'properties'];

/** Of these, what judges the same value. */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'dependentSchemas', 'else'],
  ...['if', 'not', 'oneOf', 'then'],
]);
const ROOT = 'root';

type Check = (value: unknown) => readonly ErrorObject[];

/** The checks of a description's schemas, made when they are first needed. */
export class Checks {
  readonly #from: Description;
  readonly #made = new Map<unknown, Check>();

  constructor(from: Description) {
    this.#from = from;
  }

  /** Every wrong field of a body, with what is allowed; '' is the body itself. */
  problems(schema: unknown, body: unknown, names: (field: string) => string): Problem[] {
    const errors = this.#check(schema)(body).filter(({ keyword }) => keyword !== 'if');
    const all = errors.map((error) => ({ ...fieldOf(error), message: sentenceOf(error) }));
    const byField = Map.groupBy(all, ({ field, below }) => `${names(field)}${below}`);
    return [...byField].map(([field, some]) => ({
      field,
      message: [...new Set(some.map(({ message }) => message))].slice(0, 5).join(', or '),
    }));
  }

  /** A field's schema as the core has it. */
  field(schema: unknown): z.ZodType {
    return z.unknown().superRefine((value, context) => {
      for (const error of this.#check(schema)(value).slice(0, 5)) {
        const where =
          error.instancePath === '' ? '' : `${error.instancePath.slice(1).replaceAll('/', '.')} `;
        context.addIssue({ code: 'custom', message: `${where}${sentenceOf(error)}` });
      }
    });
  }

  #check(schema: unknown): Check {
    const known = this.#made.get(schema);
    if (known !== undefined) return known;
    const ajv = new Ajv2020({
      allErrors: true,
      strict: false,
      validateSchema: false,
      validateFormats: true,
      logger: false,
      code: { regExp },
    });
    formats.default(ajv);
    const validate = ajv.compile(new Conversion(this.#from).whole(schema));
    const check: Check = (value) => (validate(value) ? [] : (validate.errors ?? []));
    this.#made.set(schema, check);
    return check;
  }
}

/** Patterns take the time of the text, whatever they are; one that RE2 does not know is the service's to check. */
const regExp = Object.assign(
  (pattern: string) => {
    const compiled = compiledPattern(pattern);
    // Ajv tells patterns apart by their text.
    return {
      test: (text: string) => compiled === null || compiled.matcher(text).find(),
      toString: () => pattern,
    };
  },
  { code: 'undefined' },
);

function compiledPattern(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    // Look-arounds and back references, which no such engine has.
    return null;
  }
}

/** Schemas of OpenAPI 3.0 and 3.1 as JSON Schema 2020-12; what they refer to comes along. */
class Conversion {
  readonly #from: Description;
  readonly #names = new Map<string, string>();
  readonly #definitions: Record<string, unknown> = {};
  /** What is part of what, by the names of definitions: a circle of these would never end. */
  readonly #parts = new Map<string, Set<string>>();

  constructor(from: Description) {
    this.#from = from;
  }

  whole(schema: unknown): Record<string, unknown> {
    const converted = this.#schema(schema, 0, ROOT);
    return { ...(isNode(converted) ? converted : {}), $defs: this.#definitions };
  }

  /** @param owner the definition that it is a part of; null where it is of a value further in */
  #schema(schema: unknown, depth: number, owner: string | null): unknown {
    if (typeof schema === 'boolean') return schema;
    if (!isNode(schema) || depth > DEEPEST) return {};
    if (typeof schema['$ref'] === 'string') return this.#reference(schema['$ref'], owner);
    const made: Record<string, unknown> = {};
    const part = (one: unknown, key: string): unknown =>
      this.#schema(one, depth + 1, IN_PLACE.has(key) ? owner : null);
    for (const key of PLAIN) if (schema[key] !== undefined) made[key] = schema[key];
    for (const key of SCHEMA) if (schema[key] !== undefined) made[key] = part(schema[key], key);
    for (const key of SCHEMAS) {
      const all = schema[key];
      if (Array.isArray(all) && all.length > 0) made[key] = all.map((one) => part(one, key));
    }
    for (const key of NAMED) {
      const all = schema[key];
      if (!isNode(all)) continue;
      made[key] = Object.fromEntries(
        Object.entries(all).map(([name, one]) => [name, part(one, key)]),
      );
    }
    this.#bounds(schema, made);
    this.#withoutReadOnly(schema, made);
    return schema['nullable'] === true ? orNull(made) : made;
  }

  /** In 3.0 a bound is exclusive by a flag beside it. */
  #bounds(schema: Node, made: Record<string, unknown>): void {
    for (const [flag, bound] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof schema[flag] === 'number') made[flag] = schema[flag];
      if (schema[flag] !== true) continue;
      made[flag] = schema[bound];
      delete made[bound];
    }
  }

  /** What only the service sets is not required of us. */
  #withoutReadOnly(schema: Node, made: Record<string, unknown>): void {
    const { properties } = schema;
    if (!Array.isArray(made['required'])) delete made['required'];
    if (!isNode(properties) || !Array.isArray(made['required'])) return;
    made['required'] = made['required'].filter((name) => {
      const one = isNode(properties[name]) ? this.#from.node(properties[name]) : {};
      return one['readOnly'] !== true;
    });
  }

  #reference(pointer: string, owner: string | null): unknown {
    const name = this.#nameOf(pointer);
    if (owner !== null) {
      // What is composed of itself says nothing more by that.
      if (name === owner || this.#reaches(name, owner)) return {};
      this.#parts.set(owner, (this.#parts.get(owner) ?? new Set()).add(name));
    }
    this.#define(name, pointer);
    return { $ref: `#/$defs/${name}` };
  }

  #reaches(from: string, to: string, seen = new Set<string>()): boolean {
    if (seen.has(from)) return false;
    seen.add(from);
    const parts = [...(this.#parts.get(from) ?? [])];
    return parts.includes(to) || parts.some((part) => this.#reaches(part, to, seen));
  }

  #nameOf(pointer: string): string {
    const name = this.#names.get(pointer) ?? `d${this.#names.size}`;
    this.#names.set(pointer, name);
    return name;
  }

  /** What it is a part of is known by then: of a circle, the last step is left out. */
  #define(name: string, pointer: string): void {
    if (Object.hasOwn(this.#definitions, name)) return;
    this.#definitions[name] = {};
    const { node } = this.#from.located({ $ref: pointer });
    this.#definitions[name] = this.#schema(node, 0, name);
  }
}

/** In 3.0 null is allowed by a flag. */
function orNull(schema: Record<string, unknown>): unknown {
  const { type, enum: values, ...others } = schema;
  if (typeof type !== 'string') return { anyOf: [{ type: 'null' }, schema] };
  const either = { ...others, type: [type, 'null'] };
  return Array.isArray(values) ? { ...either, enum: [...values, null] } : either;
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): { field: string; below: string } {
  const [, field = '', ...more] = instancePath
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing =
    keyword === 'required'
      ? String(params['missingProperty'])
      : keyword.endsWith('dditionalProperties')
        ? String(params['additionalProperty'])
        : '';
  if (field === '') return { field: missing, below: '' };
  const below = [...more, ...(missing === '' ? [] : [missing])].map((key) => `.${key}`).join('');
  return { field, below };
}

function sentenceOf({ keyword, message = 'is not allowed', params }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'no such field is taken';
    default:
      return message;
  }
}

const list = (values: unknown): string =>
  (Array.isArray(values) ? values : [])
    .slice(0, 40)
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(', ');

/** What a field takes, for templates and refusals: one line. */
export function aboutOf(from: Description, schema: unknown): string {
  const values = from.keyword(schema, 'enum');
  const format = from.keyword(schema, 'format');
  const description = from.keyword(schema, 'description');
  const most = from.keyword(schema, 'maxLength');
  const types = from.types(schema).join(' or ') || 'any value';
  const what = Array.isArray(values) ? list(values.filter((one) => one !== null)) : types;
  const notes = [
    typeof format === 'string' ? format : '',
    typeof most === 'number' ? `at most ${most} characters` : '',
    typeof description === 'string' ? oneLine(description, 80) : '',
  ];
  return [what, ...notes.filter((one) => one !== '')].join(', ');
}
