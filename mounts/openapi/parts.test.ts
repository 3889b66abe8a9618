/** What a description says, piece by piece: references, fields, operations, servers, credentials, names. */
import { describe, expect, it } from 'vitest';
import { aboutOf, Checks } from './checking.ts';
import { Description, oneLine } from './description.ts';
import { fieldsOf, timeOf } from './fields.ts';
import { hintsOf } from './hints.ts';
import {
  answerOf,
  at,
  bodyOf,
  keysOf,
  namesLink,
  operationOf,
  plain,
  rowsIn,
} from './operations.ts';
import { namesBut, namesOf, onlyName, ParamNames } from './param-names.ts';
import { addressOf, credentialOf } from './server.ts';
import { failureOf } from './testing.ts';

const described = (more: object = {}) =>
  new Description({ openapi: '3.1.0', paths: { '/a': {} }, ...more }, 'a.json');
const EMPTY = described();
const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });
const array = (items: object = text) => ({ type: 'array', items });

describe('a description', () => {
  it.each([
    [{}, 'no field `openapi`'],
    [null, 'no field `openapi`'],
    [{ openapi: 3 }, 'no field `openapi`'],
    [{ swagger: '2.0', paths: { '/a': {} } }, 'is of OpenAPI 2.0'],
    [{ openapi: '2.9', paths: { '/a': {} } }, 'is of OpenAPI 2.9'],
    [{ openapi: '3.3.0', paths: { '/a': {} } }, 'is of OpenAPI 3.3.0'],
    [{ openapi: '3.10', paths: { '/a': {} } }, 'is of OpenAPI 3.10'],
    [{ openapi: '3.1.0' }, 'describes no paths'],
    [{ openapi: '3.1.0', paths: {} }, 'describes no paths'],
  ])('that is none of OpenAPI 3 is refused: %j', (data, message) => {
    expect(failureOf(() => new Description(data, 'a.json'))).toContain(message);
  });

  it.each(['3.0', '3.0.3', '3.1.0', '3.2.0'])('of OpenAPI %s is read', (openapi) => {
    expect(new Description({ openapi, paths: { '/a': {} } }, 'a.json').paths.size).toBe(1);
  });

  it('has a title, a sentence, and the paths that are some', () => {
    const from = new Description(
      {
        openapi: '3.1.0',
        info: { title: 'Har\nbour.', description: 'Ships. And more.' },
        paths: { '/a': {}, 'x-note': {}, '/b': [], '/c': 'd' },
      },
      'a.json',
    );
    expect([from.title, from.about, [...from.paths.keys()]]).toEqual(['Har bour', 'Ships', ['/a']]);
    expect([EMPTY.title, EMPTY.about]).toEqual(['the service', '']);
  });

  it('has up to 20,000 paths', () => {
    const of = (count: number) => () =>
      described({
        paths: Object.fromEntries(Array.from({ length: count }, (_, n) => [`/${n}`, {}])),
      });
    expect(failureOf(of(20_000))).toBe('none');
    expect(failureOf(of(20_001))).toContain('describes 20001 paths; 20000 are looked at');
  });

  const parts = {
    components: {
      schemas: {
        A: text,
        B: { $ref: '#/components/schemas/A' },
        'C/D': { title: 'slash' },
        'E~F': { title: 'tilde' },
        'G%': { title: 'percent' },
        'H I': { title: 'blank' },
        Loop: { $ref: '#/components/schemas/Loop' },
        Seven: 7,
      },
    },
  };
  it.each([
    ['A', text],
    ['B', text],
    ['C~1D', { title: 'slash' }],
    ['E~0F', { title: 'tilde' }],
    ['G%', { title: 'percent' }],
    ['G%25', { title: 'percent' }],
    ['H%20I', { title: 'blank' }],
    ['Seven', {}],
  ])('refers to %s', (name, wanted) => {
    const from = described(parts);
    const pointer = `#/components/schemas/${name}`;
    expect(from.node({ $ref: pointer })).toEqual(wanted);
  });

  it.each([
    ['#/components/schemas/None', 'which is not there'],
    ['#/components/schemas/constructor', 'which is not there'],
    ['#/components/schemas/%zz%41', 'which is not there'],
    ['other.json#/A', 'outside of the file'],
    ['#/components/schemas/Loop', 'refers to itself'],
  ])('does not refer to %s', (pointer, message) => {
    expect(failureOf(() => described(parts).node({ $ref: pointer }))).toContain(message);
  });

  it('tells what led to a node, and what is in a list', () => {
    const from = described(parts);
    expect(from.located(text)).toEqual({ node: text, pointer: null });
    expect(from.located({ $ref: '#/components/schemas/B' })).toEqual({
      node: text,
      pointer: '#/components/schemas/A',
    });
    expect(from.list([{ $ref: '#/components/schemas/A' }, 3])).toEqual([text, {}]);
    expect(from.list({})).toEqual([]);
    expect(from.root('components', 'schemas', 'A')).toEqual(text);
    expect(from.root('components', 'nothing', 'A')).toBeUndefined();
  });

  it('has the properties, keywords and items of all that a schema is composed of', () => {
    const schema = {
      properties: { a: { title: 'first' } },
      allOf: [
        { properties: { a: { title: 'second' }, b: text } },
        { anyOf: [{ properties: { c: text }, maximum: 3 }] },
      ],
      oneOf: [{ items: text }, { items: { title: 'x' } }, { maximum: 4 }],
    };
    expect([...EMPTY.properties(schema)]).toEqual([
      ['a', { allOf: [{ title: 'first' }, { title: 'second' }] }],
      ['b', text],
      ['c', text],
    ]);
    expect(EMPTY.keyword(schema, 'maximum')).toBe(3);
    expect(EMPTY.keyword(schema, 'minimum')).toBeUndefined();
    expect(EMPTY.items(schema)).toEqual({ allOf: [text, { title: 'x' }] });
    expect(EMPTY.items({ allOf: [array()] })).toEqual(text);
    expect(EMPTY.items({ allOf: [{ type: 'array' }] })).toBeUndefined();
    expect([...EMPTY.properties({ properties: [] })]).toEqual([]);
  });

  it('that is composed in a circle has what each part says', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const from = described({
      components: {
        schemas: {
          A: { allOf: [ref('B')], properties: { a: text } },
          B: { allOf: [ref('A')], properties: { b: text }, items: text },
        },
      },
    });
    expect([...from.properties(ref('A')).keys()]).toEqual(['a', 'b']);
    expect(from.items(ref('A'))).toEqual(text);
    expect(from.keyword(ref('A'), 'maximum')).toBeUndefined();
    expect(from.types(ref('A'))).toEqual(['array']);
  });

  it.each([
    [text, ['string']],
    [{ type: ['string', 'null', 3] }, ['string']],
    [{ items: text }, ['array']],
    [{ properties: {} }, ['object']],
    [{ allOf: [{ items: {} }] }, ['array']],
    [{}, []],
  ])('says which types %j takes', (schema, wanted) => {
    expect(EMPTY.types(schema)).toEqual(wanted);
  });

  it('in one line is a sentence, cut where it is long', () => {
    expect(oneLine(' One  line.\n Two. ')).toBe('One line');
    expect(oneLine('1.5 of it! More')).toBe('1.5 of it!');
    expect(oneLine('x'.repeat(120))).toBe('x'.repeat(120));
    expect(oneLine('x'.repeat(121))).toBe(`${'x'.repeat(120)}…`);
    expect(oneLine('abcdef', 5)).toBe('abcde…');
    expect(oneLine('a\u0007b')).toBe('a b');
  });
});

describe('an operation', () => {
  const of = (item: object) => {
    const from = described({ paths: { '/a': item } });
    const found = operationOf(from, '/a', 'get');
    if (found === null) throw new Error('there is none');
    return { from, found };
  };

  it('has the parameters of its path and its own, of which its own count', () => {
    const { found } = of({
      parameters: [
        { name: 'a', in: 'query', schema: text },
        { name: 'b', in: 'query', schema: text },
        { name: 'b', in: 'header', schema: text },
        { name: 'c' },
        { in: 'query' },
      ],
      get: {
        summary: 'short',
        description: 'long',
        parameters: [
          { name: 'b', in: 'query', required: true, schema: { type: 'integer' } },
          { name: 'd', in: 'path' },
          { name: 'e', in: 'query', content: { 'application/json': { schema: array() } } },
          { name: 'f', in: 'query', content: { 'text/plain': { schema: array() } } },
        ],
      },
    });
    expect(
      found.parameters.map(({ name, in: where, isRequired, schema }) => [
        name,
        where,
        isRequired,
        schema,
      ]),
    ).toEqual([
      ['a', 'query', false, text],
      ['b', 'query', true, { type: 'integer' }],
      ['b', 'header', false, text],
      ['d', 'path', true, {}],
      ['e', 'query', false, array()],
      ['f', 'query', false, {}],
    ]);
    expect(found.about).toBe('short');
    expect(of({ get: { description: 'long' } }).found.about).toBe('long');
    expect(of({ get: { summary: 3 } }).found.about).toBe('');
    expect(operationOf(EMPTY, '/a', 'get')).toBeNull();
  });

  it.each([
    [{ 200: text, 201: array() }, text],
    [{ 201: array(), default: text }, array()],
    [{ '2XX': text }, text],
    [{ '2xx': text }, text],
    [{ 203: text }, text],
    [{ default: text }, text],
    [{ 404: text }, null],
    [{ 204: text }, null],
  ])('answers by the first status that tells of success: %j', (statuses, wanted) => {
    const responses = Object.fromEntries(
      Object.entries(statuses).map(([status, schema]) => [
        status,
        { content: { 'application/json': { schema } } },
      ]),
    );
    const { from, found } = of({ get: { responses } });
    expect(answerOf(from, found)).toEqual(wanted);
  });

  it.each([
    ['application/json', true, true],
    ['application/json; charset=utf-8', true, true],
    ['Application/JSON', true, true],
    ['application/hal+json', true, false],
    ['application/vnd.x.v2+json', true, false],
    ['text/json', true, false],
    ['*/*', true, true],
    ['application/jsonl', false, false],
    ['application/xml', false, false],
  ])('of %s: is it read, is it sent', (type, isRead, isSent) => {
    const content = { [type]: { schema: text } };
    const { from, found } = of({
      get: { requestBody: { content }, responses: { 200: { content } } },
    });
    expect([answerOf(from, found) !== null, bodyOf(from, found) !== null]).toEqual([
      isRead,
      isSent,
    ]);
  });

  it('says by a header where its listing goes on, or does not', () => {
    const says = (headers: object) => {
      const { from, found } = of({ get: { responses: { 200: { headers } } } });
      return namesLink(from, found);
    };
    expect([says({ Link: {} }), says({ link: {} }), says({ 'X-Link': {} }), says({})]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the rows of an answer', () => {
  const beside = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, text]));
  it.each<[string, object, readonly string[] | null]>([
    ['are the answer', array(), []],
    ['are in a usual list', object({ tags: array(), items: array() }), ['items']],
    [
      'are in the list of their own name',
      object({ tags: array(), 'big-pets': array() }),
      ['big-pets'],
    ],
    ['are in the only list', object({ xs: array(), total: text }), ['xs']],
    [
      'are in the only list with eleven things beside it',
      object({ xs: array(), ...beside(11) }),
      ['xs'],
    ],
    ['are in no list with twelve things beside it', object({ xs: array(), ...beside(12) }), null],
    ['are in none of two lists', object({ xs: array(), ys: array() }), null],
    ['are in no list of a record', object({ ID: text, items: array() }), null],
    [
      'are in an envelope',
      object({ data: object({ items: array() }), status: text }),
      ['data', 'items'],
    ],
    [
      'are in no envelope beside others',
      object({ data: object({ items: array() }), other: text }),
      null,
    ],
    ['are nowhere', object({ a: text }), null],
  ])('%s', (_what, schema, wanted) => {
    expect(rowsIn(EMPTY, schema, 'bigPets')?.at ?? null).toEqual(wanted);
  });

  it('are told with what they are', () => {
    expect(rowsIn(EMPTY, array({ title: 'x' }), 'a')?.schema).toEqual({ title: 'x' });
    expect(rowsIn(EMPTY, object({ data: array({ title: 'x' }) }), 'a')?.schema).toEqual({
      title: 'x',
    });
    expect(rowsIn(EMPTY, null, 'a')).toBeNull();
  });

  it('are found by keys', () => {
    expect(at({ a: { b: 3 } }, keysOf('a.b'))).toBe(3);
    expect(at({ a: 3 }, keysOf(''))).toEqual({ a: 3 });
    expect(at({ a: [3] }, ['a', '0'])).toBeUndefined();
    expect(at({}, ['toString'])).toBeUndefined();
    expect(plain('Big-Pet_ID 2é')).toBe('bigpetid2é');
  });
});

describe('the fields of a record', () => {
  const fields = (properties: object, param: string | null = null, segment = 'pets', hints = {}) =>
    fieldsOf(EMPTY, object(properties), param, segment, hints);
  const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, text]));

  it.each<[string[], string | null, string, string | null]>([
    [['name', 'id'], null, 'pets', 'id'],
    [['id', 'pet_id'], null, 'pets', 'pet_id'],
    [['uuid'], null, 'pets', 'uuid'],
    [['name'], null, 'pets', null],
    [['name'], 'petName', 'pets', 'name'],
    [['id', 'petId'], 'petId', 'pets', 'petId'],
    [['number', 'id'], 'issue_number', 'issues', 'number'],
    [['no', 'category_id'], 'x', 'categories', 'category_id'],
    [['box_id'], null, 'boxes', 'box_id'],
    [['slug', 'title'], 'repoSlug', 'repos', 'slug'],
    [['login', 'id'], 'user_login', 'members', 'login'],
    [['code', 'id'], 'x', 'pets', 'id'],
    [['email'], 'x', 'pets', 'email'],
    [['pet'], 'x', 'pets', 'pet'],
    [['ID', 'id'], null, 'pets', 'ID'],
  ])('%j by the parameter %j of %s: the id is %j', (names, param, segment, id) => {
    expect(fields(named(...names), param, segment).id).toBe(id);
  });

  it('are what they are called, where they are of a type that fits', () => {
    const numbers = {
      id: { type: 'object' },
      key: { type: 'integer' },
      updated_at: { type: 'number' },
    };
    expect(
      fields({
        ...numbers,
        createdAt: text,
        name: { type: 'integer' },
        subject: text,
        status: text,
      }),
    ).toMatchObject({
      id: 'key',
      title: 'subject',
      updated: 'updated_at',
      made: 'createdAt',
      state: 'status',
      text: null,
    });
    expect(fields({ id: {}, title: {}, modified: { type: 'boolean' } })).toMatchObject({
      id: 'id',
      title: 'title',
      updated: null,
    });
  });

  it.each<[object, string | null]>([
    [{ body: text }, 'body'],
    [{ description: text }, 'description'],
    [{ description: text, content: text }, 'content'],
    [{ notes: { type: 'string', format: 'markdown' } }, 'notes'],
    [{ notes: { type: 'string', format: 'html' } }, 'notes'],
    [{ notes: { type: 'string', format: 'date' } }, null],
    [{ message: { type: 'string', enum: ['a'] } }, null],
    [{ text: {} }, null],
    // A field called `body` that is no text leaves no name for a text.
    [{ body: { type: 'object' }, content: text }, null],
  ])('%j stand above the text %j', (properties, wanted) => {
    expect(fields(properties).text).toBe(wanted);
  });

  it('are what a hint says', () => {
    const hints = { id: 'a', title: 'b', updated: 'c', text: 'd' };
    expect(fields(named('id', 'title', 'body'), null, 'pets', hints)).toMatchObject({
      id: 'a',
      title: 'b',
      updated: 'c',
      text: null,
    });
    expect(fields(named('id', 'd'), null, 'pets', hints).text).toBe('d');
    expect(fields(named('body'), null, 'pets', { text: '' }).text).toBeNull();
  });

  it.each([
    ['2025-01-02T03:04:05+01:00', '2025-01-02T02:04:05.000Z'],
    ['2025-01-02', '2025-01-02T00:00:00.000Z'],
    [1_735_787_045, '2025-01-02T03:04:05.000Z'],
    [1_735_787_045_000, '2025-01-02T03:04:05.000Z'],
    [1e11, '1973-03-03T09:46:40.000Z'],
    ['soon', ''],
    [Number.NaN, ''],
    [1e300, ''],
    [null, ''],
    [true, ''],
  ])('%j is the time %j', (value, wanted) => {
    expect(timeOf(value)).toBe(wanted);
  });
});

describe('names of parameters', () => {
  it('are small letters, and each is there once', () => {
    const names = new ParamNames();
    expect(
      ['petId', 'pet_id', 'pet-id', '123', 'ID', '--', 'query', 'hit'].map((one) => names.of(one)),
    ).toEqual(['pet_id', 'pet_id_b', 'pet_id_c', 'id', 'id_b', 'id_c', 'query_b', 'hit_b']);
    expect(names.only('tide.now')).toBe('the_tide_now');
  });

  it('of many that are alike are many', () => {
    const names = new ParamNames();
    const made = Array.from({ length: 702 }, () => names.of('a'));
    expect(new Set(made).size).toBe(702);
    expect([made[1], made[25], made[26], made[51]]).toEqual(['a_b', 'a_z', 'a_bb', 'a_cb']);
    expect(made.every((one) => /^[a-z_]+$/.test(one))).toBe(true);
  });

  it('take what a file can be called, but for those of other files', () => {
    const { matches, example } = namesBut(new Set(['new', '1', 'a.b']));
    const taken = ['x', 'newer', '11', 'a-b', 'aXb', 'näme', 'x.mdx', 'a\nb'];
    const left = ['new', '1', 'a.b', '.x', 'x.md', 'x.json', 'x.tsv', 'a/b', '', 'a\0'];
    expect(taken.filter((one) => !matches.test(one))).toEqual([]);
    expect(left.filter((one) => matches.test(one))).toEqual([]);
    expect(example).toBe('11');
    expect(namesBut(new Set()).example).toBe('1');
  });

  it('take some names alone', () => {
    const { matches, example } = namesOf(['a+b', 'c']);
    expect(['a+b', 'c', 'aab', 'ac', 'cc'].map((one) => matches.test(one))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(example).toBe('a+b');
    expect(onlyName('a.b')).toMatchObject({ shown: 'a.b', example: 'a.b' });
    expect(onlyName('a.b').matches.test('axb')).toBe(false);
  });
});

describe('the address of a service', () => {
  const from = (...servers: object[]) => described({ servers });
  it('is what the config says; of a description only where no credential goes along', () => {
    const one = from({ url: 'https://a.example/v1' });
    expect(addressOf(one, {}, 'http://b.example', true)).toBe('http://b.example');
    expect(addressOf(one, {}, undefined, false)).toBe('https://a.example/v1');
    expect(failureOf(() => addressOf(one, {}, undefined, true))).toContain(
      'a credential goes only where the config says: if https://a.example/v1',
    );
  });

  it('has its variables filled in', () => {
    const server = {
      url: 'https://{region}.example/{v}/{x}',
      variables: { region: { default: 'eu' }, v: { default: 2 } },
    };
    const hints = hintsOf({ server: { v: 'v3' } }, 'h');
    expect(addressOf(from(server), hints, undefined, false)).toBe('https://eu.example/v3/{x}');
  });

  it.each([
    [[], 'names no server'],
    [[{}], 'names no server'],
    [[{ url: '/v1' }], 'names the server /v1, which is no whole address'],
    [[{ url: 'ftp://a.example' }], 'which is no whole address'],
    [[{ url: 'https://' }], 'which is no whole address'],
  ])('that is none is refused: %j', (servers, message) => {
    expect(failureOf(() => addressOf(from(...servers), {}, undefined, false))).toContain(message);
  });
});

describe('a credential', () => {
  const schemes = {
    bearer: { type: 'http', scheme: 'Bearer' },
    basic: { type: 'http', scheme: 'Basic' },
    digest: { type: 'http', scheme: 'digest' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    inQuery: { type: 'apiKey', in: 'query', name: 'token' },
    inCookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
    oauth: { type: 'oauth2' },
  };
  const way = (auth?: unknown, security?: unknown, all: object = schemes) => {
    const from = described({ components: { securitySchemes: all }, security });
    const found = credentialOf(from, hintsOf(auth === undefined ? {} : { auth }, 'h'));
    return {
      ...found.authorization?.('T'),
      ...(found.parameters && { in: found.parameters('T') }),
    };
  };

  it.each([
    ['bearer', {}],
    ['oauth', {}],
    ['basic', { authorization: `Basic ${Buffer.from('T').toString('base64')}` }],
    ['key', { 'x-key': 'T' }],
    ['inQuery', { in: { token: 'T' } }],
    ['inCookie', { cookie: 'sid=T' }],
    [{ header: 'X-A', prefix: 'Key ' }, { 'x-a': 'Key T' }],
    [{ header: 'X-A' }, { 'x-a': 'T' }],
  ])('by %j goes along as %j', (auth, wanted) => {
    expect(way(auth)).toEqual(wanted);
  });

  it('is for the first scheme that suffices alone, or else for the first', () => {
    expect(
      way(undefined, [{ key: [], basic: [] }, { nothing: [] }, { inCookie: [] }, { key: [] }]),
    ).toEqual({ cookie: 'sid=T' });
    expect(way(undefined, undefined, { key: schemes.key, bearer: schemes.bearer })).toEqual({
      'x-key': 'T',
    });
    expect(way(undefined, {}, {})).toEqual({});
  });

  it('for a scheme that is not there, or not spoken, is refused', () => {
    expect(failureOf(() => way('none', undefined, { key: schemes.key }))).toContain(
      'has no scheme none; it has key',
    );
    expect(failureOf(() => way('none', undefined, {}))).toContain('it has none');
    expect(failureOf(() => way('digest'))).toContain(
      'digest is HTTP digest, which is not spoken here',
    );
  });
});

describe('what is sent', () => {
  const checks = new Checks(EMPTY);
  const says = (schema: object, body: unknown) =>
    checks
      .problems(schema, body, (field) => `<${field}>`)
      .map(({ field, message }) => `${field} ${message}`);

  it('is told of field by field, with what is allowed', () => {
    const schema = {
      type: 'object',
      required: ['name', 'a/b'],
      additionalProperties: false,
      properties: {
        name: text,
        'a/b': text,
        kind: { enum: ['a', 3, null] },
        one: { const: 'x' },
        deep: {
          type: 'object',
          required: ['in'],
          additionalProperties: false,
          properties: { in: text },
        },
        either: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
      },
    };
    expect(
      says(schema, {
        'a/b': 3,
        kind: 'b',
        one: 'y',
        deep: { out: 1 },
        either: 'x',
        more: 1,
      }).sort(),
    ).toEqual([
      '<a/b> must be string',
      '<deep>.in is required',
      '<deep>.out no such field is taken',
      '<either> must be integer, or must be boolean, or must match a schema in anyOf',
      '<kind> must be one of a, 3, null',
      '<more> no such field is taken',
      '<name> is required',
      '<one> must be "x"',
    ]);
    expect(says(schema, [])).toEqual(['<> must be object']);
    expect(says({ unevaluatedProperties: false }, { x: 1 })).toEqual(['<> no such field is taken']);
    expect(says(JSON.parse('{"if":{},"then":{"type":"string"}}'), 3)).toEqual([
      '<> must be string',
    ]);
  });

  it.each([
    ['format', { format: 'date' }, 'soon', '2025-01-02'],
    ['items', { items: { type: 'integer' } }, ['x'], [1]],
    ['prefixItems', { prefixItems: [{ type: 'integer' }] }, ['x'], [1]],
    ['not', { not: { type: 'string' } }, 'x', 1],
    [
      'patternProperties',
      { patternProperties: { '^a': { type: 'integer' } } },
      { ab: 'x' },
      { b: 'x' },
    ],
    [
      'dependentSchemas',
      { dependentSchemas: { a: { required: ['b'] } } },
      { a: 1 },
      { a: 1, b: 1 },
    ],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }, { a: 1, b: 1 }],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, { ab: 1 }, { a: 1 }],
    ['contains', { contains: { const: 1 } }, [2], [1]],
    ['uniqueItems', { uniqueItems: true }, [1, 1], [1, 2]],
    ['multipleOf', { multipleOf: 3 }, 4, 6],
    ['minProperties', { minProperties: 1 }, {}, { a: 1 }],
    ['maxItems', { maxItems: 1 }, [1, 2], [1]],
    ['minItems', { minItems: 1 }, [], [1]],
    ['maxLength', { maxLength: 1 }, 'ab', 'a'],
    ['minLength', { minLength: 2 }, 'a', 'ab'],
    ['maxProperties', { maxProperties: 1 }, { a: 1, b: 2 }, { a: 1 }],
    ['maximum', { maximum: 3 }, 4, 3],
    ['minimum', { minimum: 3 }, 2, 3],
    ['maxContains', { contains: { const: 1 }, maxContains: 1 }, [1, 1], [1]],
    ['minContains', { contains: { const: 1 }, minContains: 2 }, [1], [1, 1]],
    ['required', { required: ['a'] }, {}, { a: 1 }],
    ['oneOf', { oneOf: [{ minimum: 3 }, { maximum: 5 }] }, 4, 2],
    ['a schema that is false', { properties: { a: false } }, { a: 1 }, {}],
    ['else', { if: { type: 'string' }, else: { minimum: 3 } }, 2, 'x'],
    ['no empty list of schemas', { anyOf: [], type: 'string' }, 1, 'x'],
  ])('is checked by %s', (_what, schema, wrong, right) => {
    expect([says(schema, wrong).length > 0, says(schema, right)]).toEqual([true, []]);
  });

  it('says five things of one field at most, each once', () => {
    const types = ['integer', 'boolean', 'object', 'array', 'null', 'number'];
    const [said = ''] = says(
      { properties: { a: { anyOf: types.map((type) => ({ type })) } } },
      { a: 'x' },
    );
    expect(said.split(', or ')).toHaveLength(5);
    expect(says({ properties: { a: { allOf: [text, text] } } }, { a: 1 })).toEqual([
      '<a> must be string',
    ]);
  });

  it('is described in a line', () => {
    expect(
      aboutOf(EMPTY, {
        type: 'string',
        format: 'date',
        maxLength: 10,
        description: 'When. And so on.',
      }),
    ).toBe('string, date, at most 10 characters, When');
    expect(aboutOf(EMPTY, { enum: ['a', null, 3] })).toBe('a, 3');
    expect(aboutOf(EMPTY, { type: ['string', 'integer'] })).toBe('string or integer');
    expect(aboutOf(EMPTY, {})).toBe('any value');
    expect(aboutOf(EMPTY, { description: 'x'.repeat(90) })).toBe(`any value, ${'x'.repeat(80)}…`);
  });
});
