/**
 * A stand-in for any service that is described: its data are made of the description's schemas by
 * json-schema-faker, its requests are checked against it by openapi-backend; both are others' work,
 * and come from the directory that they are handed in from. It pages as a {@link Truth} says.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Stranger, Truth } from './testing-strangers.ts';

type Json = Record<string, unknown>;

interface Faker {
  generate(schema: unknown, options: Json): Promise<unknown>;
}
interface Backend {
  init(): Promise<unknown>;
  validator: { validateRequest(request: Json, operation: unknown): { errors?: unknown[] | null } };
  router: { matchOperation(request: Json): unknown };
}

/** Rows of a listing, and the whole records, by their ids in the listing's order. */
export interface Data {
  truth: Truth;
  rows: Json[];
  whole: Map<string, Json>;
}

export interface Mock {
  url: string;
  data: readonly Data[];
  /** Requests that the description does not allow, or that nothing was known of. */
  wrong: string[];
  requests: number;
  close(): void;
}

/** So many records of each listing. */
const RECORDS = 230;
const FAKING = {
  seed: 7,
  maxDepth: 4,
  maxDefaultItems: 2,
  minItems: 1,
  alwaysFakeOptionals: true,
  fillProperties: false,
};

/** @param modules node_modules with json-schema-faker and openapi-backend */
export async function startMock(
  description: Json,
  stranger: Stranger,
  modules: string,
): Promise<Mock> {
  const at = (file: string) => pathToFileURL(join(modules, file)).href;
  const faker = (await import(at('json-schema-faker/dist/index.js'))) as Faker;
  const { OpenAPIBackend } = (await import(at('openapi-backend/index.js'))) as {
    OpenAPIBackend: new (options: Json) => Backend;
  };
  const backend = new OpenAPIBackend({
    definition: withoutOthers(description, stranger.truths),
    quick: true,
    strict: false,
    coerceTypes: true,
    ajvOpts: { strict: false, validateFormats: false },
  });
  await backend.init();
  const data: Data[] = [];
  for (const truth of stranger.truths) data.push(await made(description, truth, faker));
  const mock: Mock = { url: '', data, wrong: [], requests: 0, close: () => stop(server) };
  const server = createServer((request, response) => {
    mock.requests += 1;
    const url = new URL(request.url ?? '', mock.url);
    const path = url.pathname.slice(stranger.base.length);
    // The parameter of our own addresses is in no description.
    const { from_row: _ours, ...query } = Object.fromEntries(url.searchParams);
    const asked = { method: request.method, path, query, headers: request.headers };
    const operation = backend.router.matchOperation(asked);
    const errors =
      operation === undefined
        ? ['unknown']
        : (backend.validator.validateRequest(asked, operation).errors ?? []);
    const answer = answered(mock, path, url);
    if (errors.length > 0 || answer === null)
      mock.wrong.push(`${request.url}: ${JSON.stringify(errors)}`);
    response.writeHead(answer === null ? 404 : 200, {
      'content-type': 'application/json',
      ...answer?.headers,
    });
    response.end(JSON.stringify(answer?.body ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  mock.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${stranger.base}`;
  return mock;
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** The validator looks at every path: those that no request is meant for are left out. */
function withoutOthers(description: Json, truths: readonly Truth[]): Json {
  const meant = new Set(truths.flatMap(({ list, one }) => [list, one ?? list]));
  const paths = Object.entries(description['paths'] as Json).filter(([path]) => meant.has(path));
  const reading = paths.map(([path, item]) => {
    const { get, parameters } = item as Json;
    const named = { operationId: path, ...(get as Json) };
    return [path, { get: named, ...(parameters === undefined ? {} : { parameters }) }];
  });
  // Credentials are the test's own, and so is the address.
  const { security: _security, servers: _servers, ...others } = description;
  return readable(structuredClone({ ...others, paths: Object.fromEntries(reading) })) as Json;
}

/** The validator stops at `nullable` beside no type, and reads no number where `explode` is false. */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, explode: _explode, ...others } = value as Json;
  const kept =
    typeof others['type'] === 'string'
      ? { ...others, ...(nullable === true && { nullable }) }
      : others;
  return Object.fromEntries(Object.entries(kept).map(([name, one]) => [name, readable(one)]));
}

// --- data

async function made(description: Json, truth: Truth, faker: Faker): Promise<Data> {
  const listed = answerSchema(description, truth.list);
  const single = truth.one === undefined ? null : answerSchema(description, truth.one);
  const fake = async (schema: unknown, seed: number): Promise<Json> =>
    (await faker.generate(
      { ...(schema as Json), components: description['components'] },
      { ...FAKING, seed },
    )) as Json;
  const rows: Json[] = [];
  const whole = new Map<string, Json>();
  const [row, one] = [
    await samples(listed, truth.rows, fake, true),
    single === null ? null : await samples(single, truth.record ?? [], fake, false),
  ];
  for (let n = 0; n < RECORDS; n++) {
    const like = structuredClone(row[n % row.length] ?? {});
    const id = idLike(like[truth.id], n, truth.ids);
    const own = { ...like, [truth.id]: id };
    rows.push(own);
    const more = one?.[n % one.length];
    whole.set(String(id), more === undefined ? own : { ...structuredClone(more), ...own });
  }
  return { truth, rows, whole };
}

/** Different ones, since making them takes long. */
const SAMPLES = 12;

async function samples(
  schema: unknown,
  keys: readonly string[],
  fake: (schema: unknown, seed: number) => Promise<Json>,
  isList: boolean,
): Promise<Json[]> {
  const all: Json[] = [];
  for (let seed = 1; seed <= SAMPLES; seed++) {
    const found = keys.reduce<unknown>(
      (one, key) => (one as Json | undefined)?.[key],
      await fake(schema, seed),
    );
    const record = isList ? (found as unknown[] | undefined)?.[0] : found;
    if (typeof record === 'object' && record !== null) all.push(record as Json);
  }
  if (all.length === 0) throw new Error(`nothing was made for ${keys.join('.')}`);
  return all;
}

/** Ids as services have them, hostile ones among them where they are text. */
function idLike(sample: unknown, n: number, ids: Truth['ids']): string | number {
  if (typeof sample === 'number') return 1_000 + n * 7;
  if (ids !== undefined) return `${ids}${1_000 + n * 7}`;
  const odd = ['a/b', 'c d', '%41', 'ü-ß', '.hidden', 'new', 'index.tsv', 'x.json', 'a,b', '~t'];
  return n < odd.length ? `${odd[n]}` : `id-${n.toString(36)}-x`;
}

/** The schema of the answer of a GET, by hand. */
function answerSchema(description: Json, path: string): unknown {
  const get = z
    .looseObject({ responses: z.record(z.string(), z.unknown()) })
    .parse(((description['paths'] as Json)[path] as Json)['get']);
  const response = followed(description, get.responses['200']);
  const content = response['content'] as Json;
  const type = Object.keys(content).find((one) => /json/.test(one)) ?? '';
  return (content[type] as Json)['schema'];
}

function followed(description: Json, value: unknown): Json {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as Json;
  return $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((one, key) => (one as Json)[key], description) as Json;
}

// --- answers

interface Answer {
  body: unknown;
  headers?: Record<string, string>;
}

function answered({ data, url: base }: Mock, path: string, url: URL): Answer | null {
  for (const { truth, rows } of data) {
    if (matches(truth.list, path) !== null) return listed(truth, rows, url, base);
  }
  for (const { truth, whole } of data) {
    const id = truth.one === undefined ? null : matches(truth.one, path);
    const found = id === null ? undefined : whole.get(id);
    if (found !== undefined) return { body: below(truth.record ?? [], found) };
  }
  return null;
}

/** The value of the last parameter; null where the path is no such one. */
function matches(template: string, path: string): string | null {
  const [wanted, parts] = [template.split('/'), path.split('/')];
  if (wanted.length !== parts.length) return null;
  const fits = wanted.every((one, index) => one.startsWith('{') || one === parts[index]);
  return fits ? decodeURIComponent(parts.at(-1) ?? '') : null;
}

function listed(
  { pages, rows: keys, id }: Truth,
  rows: readonly Json[],
  url: URL,
  base: string,
): Answer {
  const query = url.searchParams;
  const size = 'size' in pages && pages.size !== undefined ? pages.size : null;
  const asked = size === null ? null : Number(query.get(size[0]) ?? 20);
  const count = pages.by === 'none' ? rows.length : Math.min(asked ?? 50, size?.[1] ?? 50);
  const from = (): number => {
    if (pages.by === 'page') return (Number(query.get(pages.param) ?? 1) - 1) * count;
    if (pages.by === 'offset') return Number(query.get(pages.param) ?? 0);
    if (pages.by === 'cursor') return Number((query.get(pages.param) ?? 'at-0').slice(3));
    if (pages.by === 'after') {
      const after = query.get(pages.param);
      return after === null ? 0 : rows.findIndex((one) => String(one[id]) === after) + 1;
    }
    return Number(query.get('from_row') ?? 0);
  };
  const start = from();
  const body = below(keys, rows.slice(start, start + count));
  const end = start + count;
  if (end >= rows.length) return { body };
  const address = new URL(url);
  address.searchParams.set('from_row', String(end));
  if (pages.by === 'link') return { body, headers: { link: `<${address.href}>; rel="next"` } };
  if (pages.by === 'address')
    return {
      body: merged(
        body as Json,
        below(pages.next, address.href.replace(new URL(base).hostname, '127.0.0.1')) as Json,
      ),
    };
  if (pages.by === 'cursor')
    return { body: merged(body as Json, below(pages.next, `at-${end}`) as Json) };
  return { body };
}

const below = (keys: readonly string[], value: unknown): unknown =>
  keys.reduceRight((one, key) => ({ [key]: one }), value);
const merged = (a: Json, b: Json): Json => ({ ...a, ...b });
