/** A small service and its description, as the tests of the mount have them. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The description of the harbour's service, in OpenAPI 3.0. */
export const HARBOUR = {
  openapi: '3.0.3',
  info: { title: 'Harbour', description: 'Ships and their crews. All of them.' },
  servers: [{ url: 'https://harbour.example/{stage}', variables: { stage: { default: 'v1' } } }],
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Harbour-Key' } },
    parameters: {
      page: { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1 } },
      size: { name: 'per_page', in: 'query', schema: { type: 'integer', maximum: 3 } },
    },
    schemas: {
      Ship: {
        type: 'object',
        properties: {
          id: { type: 'integer', readOnly: true },
          name: { type: 'string', minLength: 1, maxLength: 200 },
          state: { type: 'string', enum: ['moored', 'at sea'], default: 'moored' },
          call_sign: { type: 'string', nullable: true, pattern: '^[A-Z]{2,6}$' },
          built: { type: 'string', format: 'date' },
          tags: { type: 'array', items: { type: 'string' } },
          sister: { $ref: '#/components/schemas/Ship' },
          description: { type: 'string' },
          updated_at: { type: 'string', format: 'date-time', readOnly: true },
        },
        required: ['id', 'name'],
      },
      Sailor: {
        type: 'object',
        properties: { email: { type: 'string' }, rank: { type: 'string' } },
      },
      SailorWhole: {
        allOf: [
          { $ref: '#/components/schemas/Sailor' },
          { type: 'object', properties: { papers: { type: 'object' } } },
        ],
      },
    },
  },
  security: [{ key: [] }],
  paths: {
    '/ships': {
      get: {
        summary: 'List ships',
        parameters: [
          { $ref: '#/components/parameters/page' },
          { $ref: '#/components/parameters/size' },
        ],
        responses: {
          200: json({ type: 'array', items: { $ref: '#/components/schemas/Ship' } }),
        },
      },
      post: { requestBody: body('Ship'), responses: { 201: json(ref('Ship')) } },
    },
    '/ships/{shipId}': {
      get: { responses: { 200: json(ref('Ship')) } },
      patch: {
        requestBody: { content: content({ ...HARMLESS(), properties: shipChanges() }) },
        responses: { 200: json(ref('Ship')) },
      },
      delete: { responses: { 204: { description: 'gone' } } },
    },
    '/ships/search': { get: { responses: { 200: json({ type: 'object' }) } } },
    '/ships/{shipId}/crew': {
      get: {
        parameters: [
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 2 } },
        ],
        responses: {
          200: json({
            type: 'object',
            properties: {
              sailors: { type: 'array', items: ref('Sailor') },
              next_cursor: { type: 'string' },
            },
          }),
        },
      },
    },
    '/ships/{shipId}/crew/{email}': {
      get: { responses: { 200: json(ref('SailorWhole')) } },
      put: { requestBody: body('SailorWhole'), responses: { 204: { description: 'done' } } },
    },
    '/tide': {
      get: {
        responses: { 200: json({ type: 'object', properties: { cm: { type: 'integer' } } }) },
      },
    },
    '/charts/{chart}/sheets': { get: { responses: { 200: json({ type: 'array' }) } } },
    '/pilots': {
      get: {
        parameters: [{ name: 'port', in: 'query', required: true, schema: { type: 'string' } }],
        responses: { 200: json({ type: 'array' }) },
      },
    },
    '/elsewhere': {
      get: {
        servers: [{ url: 'https://elsewhere.example' }],
        responses: { 200: json({ type: 'object' }) },
      },
    },
    '/signals': { post: { requestBody: body('Ship'), responses: {} } },
    '/flags': { get: { responses: { 200: { content: { 'image/png': {} } } } } },
  },
};

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

function content(schema: unknown) {
  return { 'application/json': { schema } };
}

function json(schema: unknown) {
  return { description: 'ok', content: content(schema) };
}

function body(name: string) {
  return { content: content(ref(name)) };
}

function HARMLESS() {
  return { type: 'object', additionalProperties: false };
}

function shipChanges() {
  const properties = {
    name: { type: 'string', minLength: 1 },
    state: { type: 'string', enum: ['moored', 'at sea'] },
    call_sign: { type: 'string', nullable: true, pattern: '^[A-Z]{2,6}$' },
    tags: { type: 'array', items: { type: 'string' } },
    description: { type: 'string' },
  };
  return properties;
}

export interface Ship {
  id: number;
  name: string;
  state?: string;
  description?: string;
  updated_at?: string;
  [more: string]: unknown;
}

/** The service, holding what it was told. */
export interface Harbour {
  url: string;
  ships: Ship[];
  /** The methods of what came with `If-Match`. */
  matched: string[];
  /** Requests as they came: method, address, body. */
  asked: { method: string; url: string; body: unknown; key: string | undefined }[];
  /** Does it tell versions of ships by ETags, and refuse what is made for another one? */
  etags: 'none' | 'strong' | 'weak';
  /** What somebody else does once, before the next request that changes something. */
  meanwhile: (() => void) | null;
  /** Instead of an answer, once. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  close(): void;
}

export const KEY = 'harbour-test-key-1';
const CREW = ['ada@sea.example', 'bo/c@sea.example', '..', 'dee@sea.example', 'eve@sea.example'];

/** Starts it on loopback. */
export async function startHarbour(ships: readonly Ship[] = SHIPS): Promise<Harbour> {
  const service = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '' } = request;
    const key = request.headers['x-harbour-key'];
    harbour.asked.push({
      method,
      url,
      body: text === '' ? null : JSON.parse(text),
      key: String(key),
    });
    const { answer } = harbour;
    harbour.answer = null;
    if (answer !== null) return answer(request, response);
    if (key !== KEY) return send(response, 401, { message: 'no such key' });
    if (method !== 'GET') harbour.meanwhile?.();
    if (method !== 'GET') harbour.meanwhile = null;
    const etag = etagOf(harbour, url);
    const wanted = request.headers['if-match'];
    if (wanted !== undefined) harbour.matched.push(method);
    if (wanted !== undefined && wanted !== etag)
      return send(response, 412, { message: 'another version' });
    if (etag !== null) response.setHeader('etag', etag);
    const found = answered(
      harbour,
      method,
      new URL(url, 'http://x'),
      text === '' ? {} : JSON.parse(text),
    );
    send(
      response,
      found === undefined ? 404 : found === null ? 204 : 200,
      found ?? { message: 'no such thing' },
    );
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
  const harbour: Harbour = {
    url: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
    ships: structuredClone([...ships]),
    asked: [],
    matched: [],
    etags: 'none',
    meanwhile: null,
    answer: null,
    close: () => {
      service.closeAllConnections();
      service.close();
    },
  };
  return harbour;
}

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 31, 10, minute)).toISOString();

const SHIPS: readonly Ship[] = [
  {
    id: 1,
    name: 'First',
    state: 'moored',
    description: 'Body of 1',
    updated_at: at(1),
    extra: [1],
  },
  { id: 2, name: 'Second', state: 'moored', description: '', updated_at: at(2) },
  ...[3, 4, 5, 6, 7].map((id) => ({ id, name: `Ship ${id}`, updated_at: at(id) })),
];

function send(response: ServerResponse, status: number, data: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(status === 204 ? '' : JSON.stringify(data));
}

/** Of the one ship of an address, where it tells. */
function etagOf({ etags, ships }: Harbour, url: string): string | null {
  const id = /\/ships\/(\d+)$/.exec(url)?.[1];
  const found = ships.find((one) => String(one.id) === id);
  if (etags === 'none' || found === undefined) return null;
  const digest = createHash('sha256').update(JSON.stringify(found)).digest('hex').slice(0, 8);
  return `${etags === 'weak' ? 'W/' : ''}"${digest}"`;
}

/** undefined: no such thing; null: done, and nothing to show. */
function answered(harbour: Harbour, method: string, url: URL, given: Partial<Ship>): unknown {
  const [, , what = '', id, below, email] = url.pathname.split('/').map(decodeURIComponent);
  const ship = harbour.ships.find((one) => String(one.id) === id);
  if (what === 'tide') return { cm: 120 };
  if (what !== 'ships') return undefined;
  if (id === undefined && method === 'POST') {
    const made = {
      ...given,
      id: Math.max(0, ...harbour.ships.map((one) => one.id)) + 1,
      name: given.name ?? '',
      updated_at: new Date().toISOString(),
    };
    harbour.ships.push(made);
    return made;
  }
  if (id === undefined) {
    const page = Number(url.searchParams.get('page') ?? 1);
    const size = Number(url.searchParams.get('per_page') ?? 30);
    return harbour.ships.slice((page - 1) * size, page * size);
  }
  if (id === 'search') return { found: [] };
  if (ship === undefined) return undefined;
  if (below === 'crew') {
    if (email !== undefined)
      return method === 'PUT' ? null : { email, rank: 'mate', papers: { of: email } };
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const next = from + 2 < CREW.length ? String(from + 2) : '';
    return {
      sailors: CREW.slice(from, from + 2).map((one) => ({ email: one, rank: 'mate' })),
      next_cursor: next,
    };
  }
  if (method === 'DELETE') {
    harbour.ships = harbour.ships.filter((one) => one !== ship);
    return null;
  }
  if (method === 'PATCH') Object.assign(ship, given, { updated_at: new Date().toISOString() });
  return ship;
}

/** The message of what was thrown; `none` where nothing was. */
export function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}
