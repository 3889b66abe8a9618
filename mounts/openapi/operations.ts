/** Operations of a description: their parameters, what they are sent, what they answer. */
import { type Description, isNode, type Node } from './description.ts';

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** One operation. */
export interface Operation {
  method: Method;
  /** Its path's template. */
  path: string;
  node: Node;
  parameters: readonly Parameter[];
  about: string;
}

export interface Parameter {
  name: string;
  in: string;
  isRequired: boolean;
  schema: unknown;
  node: Node;
}

/** Where the rows of an answer are, and what they are. */
export interface Place {
  /** Keys from the answer down; none for the answer itself. */
  at: readonly string[];
  schema: unknown;
}

const JSON_TYPE = /^application\/(?:[\w.+-]*\+)?json\b|^\*\/\*|^text\/json\b/i;
/** What bodies of ours are sent as. */
const SENT_TYPE = /^application\/json\b|^\*\/\*/i;

/** The operation of a path and a method; null where there is none. Throws DescriptionFault. */
export function operationOf(from: Description, path: string, method: Method): Operation | null {
  const item = from.node(from.paths.get(path));
  if (!isNode(item[method])) return null;
  const node = from.node(item[method]);
  const byName = new Map<string, Parameter>();
  for (const one of [...from.list(item['parameters']), ...from.list(node['parameters'])]) {
    const { name, in: where } = one;
    if (typeof name !== 'string' || typeof where !== 'string') continue;
    const schema = one['schema'] ?? contentOf(from, one['content'], JSON_TYPE) ?? {};
    const isRequired = one['required'] === true || where === 'path';
    byName.set(`${where} ${name}`, { name, in: where, isRequired, schema, node: one });
  }
  const text = node['summary'] ?? node['description'];
  const about = typeof text === 'string' ? text : '';
  return { method, path, node, parameters: [...byName.values()], about };
}

/** The schema of what an operation answers when all is well; null where that is no JSON. */
export function answerOf(from: Description, { node }: Operation): unknown {
  const responses = from.node(node['responses']);
  const status = ['200', '201', '2XX', '2xx', '203', 'default'].find((one) => one in responses);
  if (status === undefined) return null;
  return contentOf(from, from.node(responses[status])['content'], JSON_TYPE);
}

/** Does an answer say by a header where the listing goes on? */
export function namesLink(from: Description, { node }: Operation): boolean {
  const ok = from.node(from.node(node['responses'])['200']);
  return Object.keys(from.node(ok['headers'])).some((name) => name.toLowerCase() === 'link');
}

/** The schema of what is sent; null where no JSON is taken. */
export function bodyOf(from: Description, { node }: Operation): unknown {
  return contentOf(from, from.node(node['requestBody'])['content'], SENT_TYPE);
}

function contentOf(from: Description, content: unknown, types: RegExp): unknown {
  const all = Object.entries(from.node(content));
  const found = all.find(([type]) => types.test(type));
  return found === undefined ? null : (from.node(found[1])['schema'] ?? {});
}

/** Names of lists, where an answer has several. */
const USUAL_LISTS = [
  'data',
  'items',
  'results',
  'values',
  'records',
  'entries',
  'rows',
  'content',
  'value',
  'list',
];

/** What stands beside a record, or beside rows, in an envelope. */
const ENVELOPE = new Set([
  ...[
    'code',
    'err',
    'error',
    'errors',
    'links',
    'message',
    'meta',
    'ok',
    'requestid',
    'status',
    'success',
  ],
]);

/** The one object of an envelope, `{data: {…}}`; null where it is none. */
export function enveloped(from: Description, schema: unknown): readonly [string, Node] | null {
  const properties = [...from.properties(schema)];
  const [only, ...more] = properties.filter(
    ([name, one]) => from.types(one).includes('object') && !ENVELOPE.has(plain(name)),
  );
  if (only === undefined || more.length > 0) return null;
  return properties.every(([name]) => name === only[0] || ENVELOPE.has(plain(name))) ? only : null;
}

/** Where the rows are in a listing's answer; null where it is no listing. */
export function rowsIn(from: Description, schema: unknown, last: string): Place | null {
  if (schema === null) return null;
  if (from.types(schema).includes('array')) return { at: [], schema: from.items(schema) };
  const listed = listIn(from, schema, last);
  if (listed !== null) return { at: [listed[0]], schema: from.items(listed[1]) };
  const inner = enveloped(from, schema);
  const below = inner === null ? null : listIn(from, inner[1], last);
  if (inner === null || below === null) return null;
  return { at: [inner[0], below[0]], schema: from.items(below[1]) };
}

/** The list that an object is there for. What has an id is a record that has lists. */
function listIn(from: Description, schema: unknown, last: string): readonly [string, Node] | null {
  const properties = from.properties(schema);
  if ([...properties.keys()].some((name) => plain(name) === 'id')) return null;
  const lists = [...properties].filter(([, one]) => from.types(one).includes('array'));
  const usual = preferred(lists, last);
  if (usual !== undefined) return usual;
  return lists.length === 1 && properties.size <= MOST_BESIDE ? (lists[0] ?? null) : null;
}

/** A list with more beside it is part of a record. */
const MOST_BESIDE = 12;

function preferred(lists: readonly [string, Node][], last: string): [string, Node] | undefined {
  const names = [...USUAL_LISTS, last, plain(last)];
  return lists.find(([name]) => names.includes(name) || plain(name) === plain(last));
}

/** A name without its writing: `petId`, `pet_id` and `pet-id` are one. */
export const plain = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** What is at a place in an answer; undefined where there is nothing. */
export function at(data: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (one, key) => (isNode(one) && Object.hasOwn(one, key) ? one[key] : undefined),
    data,
  );
}

/** `a.b` as keys. */
export const keysOf = (path: string): string[] => (path === '' ? [] : path.split('.'));
