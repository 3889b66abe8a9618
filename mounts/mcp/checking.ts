/** Arguments against the schema that a server gave: it may be hostile, and nothing of it is ever fetched. */
import { type Problem, SchemaFault, untrustedSchema } from '../../src/mount/index.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Of a schema, written out: so many parts, so deep. */
const PARTS = 20_000;
const DEPTH = 40;

/** Keywords that are not looked at: the server looks at them itself. */
const LEFT_OUT = new Set([
  ...['$schema', '$id', '$defs', 'definitions', '$anchor', '$dynamicAnchor', '$comment'],
  ...['patternProperties', 'format', 'contentEncoding', 'contentMediaType', 'examples', 'default'],
  ...['if', 'then', 'else', 'not', 'dependentSchemas', 'dependentRequired', 'dependencies'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'minContains', 'maxContains', 'contains'],
  ...['$dynamicRef', '$recursiveRef', 'uniqueItems', 'propertyNames', 'readOnly', 'writeOnly'],
]);

/** Keywords whose values are data, and no schemas. */
const DATA = new Set(['const', 'enum', 'required', 'type', 'title', 'description']);

/** What came of checking. `unchecked`: why the schema could not be used, in a sentence. */
export type Checked = { problems: readonly Problem[]; unchecked?: string };

/** Each wrong field, with what is allowed. */
export function check(schema: Schema, value: unknown): Checked {
  try {
    const result = understood(schema).safeParse(value);
    if (result.success) return { problems: [] };
    return {
      problems: result.error.issues.map(({ path, message }) => ({
        field: path.map(String).join('.'),
        message,
      })),
    };
  } catch (error) {
    if (error instanceof SchemaFault) return { problems: [], unchecked: error.message };
    // A schema that leads into itself, at a depth that no engine reaches.
    if (error instanceof RangeError) return { problems: [], unchecked: 'it leads into itself' };
    throw error;
  }
}

function understood(schema: Schema) {
  try {
    return untrustedSchema(writtenOut(schema, true));
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    // A pattern may be one that only a backtracking engine understands: the server has its own.
    return untrustedSchema(writtenOut(schema, false));
  }
}

/** The schema with what its references stand for in their place. @throws SchemaFault */
function writtenOut(root: Schema, withPatterns: boolean): Schema {
  let parts = 0;
  const copy = (value: unknown, within: readonly string[], isNames: boolean): unknown => {
    parts += 1;
    if (parts > PARTS || within.length > DEPTH) throw new SchemaFault('it multiplies itself');
    if (Array.isArray(value)) return value.map((each) => copy(each, [...within, ''], false));
    if (typeof value !== 'object' || value === null) return value;
    const schema = value as Schema;
    const { $ref } = schema;
    if (!isNames && typeof $ref === 'string') {
      // A circle: what is deeper may be anything, and the server will say.
      if (within.includes($ref)) return {};
      return copy(referred(root, $ref), [...within, $ref], false);
    }
    const kept = Object.entries(schema).filter(
      ([key]) => isNames || !(LEFT_OUT.has(key) || (key === 'pattern' && !withPatterns)),
    );
    return Object.fromEntries(
      kept.map(([key, each]) => {
        if (!isNames && DATA.has(key)) return [key, each];
        return [key, copy(each, [...within, ''], !isNames && key === 'properties')];
      }),
    );
  };
  return copy(root, [], false) as Schema;
}

/** What a reference within the schema stands for. @throws SchemaFault where it leads elsewhere */
function referred(root: Schema, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/'))
    throw new SchemaFault(
      `it refers to ${JSON.stringify(ref.slice(0, 100))}, which is not fetched`,
    );
  let at: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key))
      throw new SchemaFault(
        `it refers to ${JSON.stringify(ref.slice(0, 100))}, which is not there`,
      );
    at = (at as Schema)[key];
  }
  return at;
}
