/** The API, asked whatever its own description allows, and much that it does not. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csrfOf } from '../../src/serve/principals.ts';
import { says } from '../stand-ins/model/index.ts';
import { begun, deployed, said, scripted, serve, settled } from './support.ts';

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
interface Operation {
  method: string;
  path: string;
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Description {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  components: { schemas: Record<string, Schema> };
}

/** Requests of each operation. */
const RUNS = 10;
const SECRET = 'what-olga-alone-has-said';
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
];

/** Of what the description says of a value, and of what it does not. */
function valuesFor(
  schema: Schema,
  all: Description,
  known: readonly string[],
): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type } = schema;
  if ($ref !== undefined)
    return valuesFor(all.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, all, known);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, 'other');
  if ('const' in schema) return fc.constantFrom(schema.const, 'other');
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => valuesFor(each, all, known)));
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string': {
      const plain = fc.oneof(fc.string(), fc.constantFrom(...STRANGE), fc.constantFrom(...known));
      const { pattern } = schema;
      return pattern === undefined
        ? plain
        : fc.oneof(plain, fc.stringMatching(new RegExp(pattern)));
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
      return fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] }),
        },
        { weight: 1, arbitrary: fc.jsonValue() },
      );
    }
    default:
      return fc.jsonValue();
  }
}

/** A request for an operation: its address and its body. */
function requestOf(operation: Operation, all: Description, known: readonly string[]) {
  const parts = (operation.parameters ?? []).map(
    ({ name, in: place, required = false, schema }) => {
      const fitting = known.filter((each) => new RegExp(schema.pattern ?? '').test(each));
      const value = fc.oneof(
        valuesFor(schema, all, known).map(String),
        fc.constantFrom(...(fitting.length === 0 ? STRANGE : fitting)),
      );
      return fc.record({
        name: fc.constant(name),
        place: fc.constant(place),
        value: required ? value : fc.option(value),
      });
    },
  );
  const schema = operation.requestBody?.content['application/json'].schema;
  const body = schema === undefined ? fc.constant(undefined) : valuesFor(schema, all, known);
  return fc.record({ parts: fc.tuple(...parts), body }).map(({ parts: given, body: sent }) => {
    let { path } = operation;
    const query = new URLSearchParams();
    for (const { name, place, value } of given) {
      if (place === 'path')
        path = path.replace(`{${name}}`, encodeURIComponent(value?.toWellFormed() ?? ''));
      else if (value !== null) query.set(name, value);
    }
    return { path: query.size === 0 ? path : `${path}?${query}`, body: sent };
  });
}

/** A server, to which olga has said something, and what its description says. */
async function described() {
  const model = await scripted(() => says('an answer'));
  const deployment = deployed();
  mkdirSync(join(deployment, 'harness', 'agents'));
  const looker = '---\ndescription: looks\nfilesystem: read-only\n---\nYou look.\n';
  writeFileSync(join(deployment, 'harness/agents/looker.md'), looker);
  const served = serve(deployment, model);
  const olga = served.client('olga', 'owner');
  const uwe = served.client('uwe', 'user');
  const known = ['/workspace', '/', '/session/past', 'soon.md'];
  for (const client of [olga, uwe]) {
    const { id } = await begun(client);
    const message = await settled(
      client,
      await said(client, id, client === olga ? SECRET : 'hello'),
    );
    const entries = await client.get<{ id: string }[]>(`/v1/sessions/${id}/entries`);
    known.push(id, message.id, entries[0]?.id ?? '', `/session/past/${id}/log.jsonl`);
  }
  const description = await olga.get<Description>('/openapi.json');
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, rest]): Operation => ({ method: method.toUpperCase(), path, ...rest }),
    ),
  );
  return { served, olga, uwe, known, description, operations };
}

/** A stream has no end of its own. */
const isStream = ({ path }: Operation): boolean => path.endsWith('/events');

/** What an answer should be, by the description: what is wrong with it, or null. */
function answersOf({ components }: Description) {
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

test('whatever is asked, the server does not fail, answers as described, and tells nobody what is not theirs', async () => {
  const { served, olga, uwe, known, description, operations } = await described();
  const faultOf = answersOf(description);
  const leo = served.client('leo', 'user', 'looker');
  const clients = [
    olga,
    uwe,
    leo,
    served.client('vera', 'viewer'),
    served.client('ada', 'approver'),
  ];
  const wrong: string[] = [];
  for (const operation of operations.filter((each) => !isStream(each))) {
    const asking = fc.asyncProperty(
      requestOf(operation, description, known),
      fc.constantFrom(...clients),
      async ({ path, body }, client) => {
        const { status, text } = await answerOf(await client.send(operation.method, path, body));
        const place = `${operation.method} ${path} ${JSON.stringify(body)}: ${status} ${text}`;
        // Where too much waits, that is said.
        if (status >= 500 && status !== 503) wrong.push(place);
        const fault = faultOf(operation, status, text);
        if (fault !== null) wrong.push(`${fault}: ${place}`);
        if ((client === uwe || client === leo) && text.includes(SECRET)) wrong.push(place);
      },
    );
    await fc.assert(asking, { numRuns: RUNS });
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(served.faults).toEqual([]);
});

test('nobody who is not known is answered, and who may not do something has not done it', async () => {
  const { served, olga, uwe, known, description, operations } = await described();
  const { app } = served;
  const vera = served.client('vera', 'viewer');
  const [session = ''] = known.filter((each) => /^[0-9A-Z]{26}$/.test(each));
  const secured = operations.filter(({ security }) => security.length > 0);
  expect(operations.filter((each) => !secured.includes(each)).map(({ path }) => path)).toEqual([
    '/health',
    '/v1/login',
  ]);
  const { cookie } = served.service.principals.newCookie({
    actor: 'olga',
    role: 'owner',
    agent: null,
  });
  const strangers: Record<string, string>[] = [
    {},
    { authorization: 'Bearer no-token' },
    { authorization: `Basic ${olga.token}` },
    { cookie: 'dirigent=no-cookie' },
    { authorization: 'Bearer no-token', cookie: `dirigent=${cookie}` },
  ];
  for (const { method, path } of secured)
    for (const headers of strangers) {
      const { status } = await app.request(`http://localhost${path}`, {
        method,
        headers: { host: 'localhost', ...headers },
      });
      expect([method, path, headers, status]).toEqual([method, path, headers, 401]);
    }
  // A cookie without what only our own page knows, a page of somebody else's, another name of this machine.
  const asPage = async (headers: Record<string, string>, method = 'POST') => {
    const body = method === 'POST' ? { body: '{}' } : {};
    const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
    return (await app.request('http://localhost/v1/sessions', { method, headers: all, ...body }))
      .status;
  };
  const own = { cookie: `dirigent=${cookie}` };
  expect(await asPage(own)).toBe(403);
  expect(await asPage({ ...own, 'x-csrf-token': csrfOf(cookie) })).toBe(201);
  expect(await asPage({ ...own, origin: 'http://localhost' }, 'GET')).toBe(200);
  expect(await asPage({ ...own, origin: 'https://evil.example' }, 'GET')).toBe(403);
  expect(await asPage({ ...own, host: 'evil.example' }, 'GET')).toBe(403);

  const before = JSON.stringify(await olga.get('/v1/sessions'));
  for (const operation of secured.filter(({ method }) => method !== 'GET')) {
    if (operation.path === '/v1/logout') continue;
    const asking = fc.asyncProperty(
      requestOf(operation, description, known),
      async ({ path, body }) => {
        const { status } = await answerOf(await vera.send(operation.method, path, body));
        expect([400, 403, 404, 409]).toContain(status);
      },
    );
    await fc.assert(asking, { numRuns: RUNS });
  }
  expect(JSON.stringify(await olga.get('/v1/sessions'))).toBe(before);
  const theirs = await uwe.send('POST', `/v1/sessions/${session}/messages`, { text: 'hello' });
  expect(theirs.status).toBe(404);
  expect(
    (await vera.send('POST', `/v1/sessions/${session}/messages`, { text: 'hello' })).status,
  ).toBe(403);
  expect((await uwe.send('GET', `/v1/sessions/${session}/events`)).status).toBe(404);
});

const answerOf = async (response: Response): Promise<{ status: number; text: string }> => ({
  status: response.status,
  text: await response.text(),
});
