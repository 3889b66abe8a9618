/** Requests of whatever a description of an API allows, and of much that it does not; and what their answers should be. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import type { Client } from './support.ts';

/** What of a description is looked at here. */
interface Schema {
  type?: string | string[];
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  $ref?: string;
}
export interface Operation {
  method: string;
  path: string;
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
export interface Description {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components: { schemas: Record<string, Schema> };
}

/** A request for an operation. */
export interface Asked {
  path: string;
  body: unknown;
}

/** What is there that can be named: ids, digests, paths. It grows. */
export type Known = readonly string[];

const STRANGE = [
  '',
  ' ',
  '..',
  '%00',
  '../../etc/passwd',
  '\u202e',
  '-rf',
  '💥',
  'a'.repeat(5_000),
  '"',
  "'; DROP TABLE turns; --",
  '<script>alert(1)</script>',
  '0',
  '-1',
  '1e400',
  'null',
  '__proto__',
  'constructor',
];

/** A text, and as often as not one that something goes by. */
const named = (known: Known): fc.Arbitrary<string> => fc.constantFrom(...known);

/** Of what the description says of a value, and of what it does not. */
function valuesFor(schema: Schema, all: Description, known: Known): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type } = schema;
  if ($ref !== undefined)
    return valuesFor(all.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, all, known);
  if (schema.enum !== undefined)
    return fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...schema.enum) },
      { weight: 1, arbitrary: fc.constant('other') },
    );
  if ('const' in schema) return fc.constantFrom(schema.const, 'other');
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => valuesFor(each, all, known)));
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string': {
      const pattern = new RegExp(schema.pattern ?? '');
      const fitting = known.filter((each) => pattern.test(each));
      return fc.oneof(
        { weight: 1, arbitrary: fc.string() },
        { weight: 1, arbitrary: fc.constantFrom(...STRANGE) },
        { weight: 2, arbitrary: named(known) },
        { weight: 4, arbitrary: named(fitting.length === 0 ? STRANGE : fitting) },
        {
          weight: 1,
          arbitrary: schema.pattern === undefined ? fc.string() : fc.stringMatching(pattern),
        },
      );
    }
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -1, max: schema.maximum ?? 1_000 }),
        fc.double(),
        fc.constantFrom(...STRANGE),
      );
    case 'array':
      return fc.array(valuesFor(schema.items ?? {}, all, known), { maxLength: 4 });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([name, each]) => [name, valuesFor(each, all, known)] as const,
      );
      const requiredKeys = schema.required ?? [];
      return fc.oneof(
        { weight: 6, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys }) },
        { weight: 1, arbitrary: fc.jsonValue() },
      );
    }
    default:
      return fc.jsonValue();
  }
}

/** Fields that belong together, such as the id and the digest of one approval. */
export type Thing = Readonly<Record<string, unknown>>;

/**
 * Requests for an operation: their addresses and bodies.
 * @param things of those that it is about, most of the time one is named as it is
 */
export function requestOf(
  operation: Operation,
  all: Description,
  known: Known,
  things: readonly Thing[] = [],
): fc.Arbitrary<Asked> {
  const parts = (operation.parameters ?? []).map(
    ({ name, in: place, required = false, schema }) => {
      const value = valuesFor(schema, all, known).map(String);
      return fc.record({
        name: fc.constant(name),
        place: fc.constant(place),
        value: required ? value : fc.option(value),
      });
    },
  );
  const schema = operation.requestBody?.content['application/json'].schema;
  const body = schema === undefined ? fc.constant(undefined) : valuesFor(schema, all, known);
  const thing = fc.constantFrom<Thing | null>(null, ...things);
  return fc
    .record({ parts: fc.tuple(...parts), body, thing: fc.option(thing, { freq: 2 }) })
    .map(({ parts: given, body: sent, thing: about }) => {
      let { path } = operation;
      const query = new URLSearchParams();
      for (const { name, place, value: drawn } of given) {
        const value = about !== null && name in about ? String(about[name]) : drawn;
        if (place === 'path')
          path = path.replace(`{${name}}`, encodeURIComponent(value?.toWellFormed() ?? ''));
        // Of something that is there, nothing further is asked.
        else if (value !== null && about === null) query.set(name, value);
        else if (about !== null && name in about) query.set(name, String(about[name]));
      }
      return {
        path: query.size === 0 ? path : `${path}?${query}`,
        body: schema === undefined || about === null ? sent : withFields(sent, about, schema, all),
      };
    });
}

/** A body with those fields of a thing that it can have. */
function withFields(body: unknown, thing: Thing, schema: Schema, all: Description): unknown {
  const { properties = {}, required = [] } =
    schema.$ref === undefined
      ? schema
      : (all.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const given = Object.entries(thing).filter(([name]) => name in properties);
  const kept = Object.entries(body === null || typeof body !== 'object' ? {} : body).filter(
    ([name]) => required.includes(name),
  );
  return { ...Object.fromEntries(kept), ...Object.fromEntries(given) };
}

/** What a server says of itself. */
export async function describedBy(
  client: Client,
): Promise<{ description: Description; operations: Operation[] }> {
  const description = await client.get<Description>('/openapi.json');
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, rest]): Operation => ({ method: method.toUpperCase(), path, ...rest }),
    ),
  );
  return { description, operations };
}

/** A stream has no end of its own. */
export const isStream = ({ path }: Operation): boolean => path.endsWith('/events');

/** What is wrong with an answer by the description; null for what is as it says. */
export function answersOf({ components }: Description) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'api', components });
  const checks = new Map<Schema, ValidateFunction>();
  const checkOf = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
    const check = checks.get(schema) ?? ajv.compile(JSON.parse(text));
    checks.set(schema, check);
    return check;
  };
  return ({ responses }: Operation, status: number, text: string): string | null => {
    const content = responses[status]?.content;
    if (content?.['text/plain'] !== undefined) return null;
    const schema = content?.['application/json']?.schema;
    if (schema === undefined) return `${status} is not described`;
    const check = checkOf(schema);
    return check(JSON.parse(text)) ? null : ajv.errorsText(check.errors);
  };
}
