/** Which paths of a description are mounted as what: directories, ids, writes, and why some are not. */
import { describe, expect, it } from 'vitest';
import { Description } from './description.ts';
import { type Hints, hintsOf } from './hints.ts';
import { planOf, type ResourcePlan } from './plan.ts';

const text = { type: 'string' };
const record = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const PET = record('id', 'name');
const rowsOf = (items: object = PET) => ({ type: 'array', items });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const answers = (schema: object, more: object = {}) => ({
  responses: { 200: json(schema) },
  ...more,
});
const takes = (schema: object = PET) => ({ requestBody: json(schema), responses: {} });
const GONE = { responses: { 204: {} } };
const asks = (name: string, where: string, more: object = {}) => ({
  parameters: [{ name, in: where, required: true, schema: text, ...more }],
});

const described = (paths: Record<string, object>, more: object = {}) =>
  new Description({ openapi: '3.1.0', paths, ...more }, 'a.json');
const plan = (paths: Record<string, object>, hints: Hints = {}) => planOf(described(paths), hints);
const brief = ({ kind, directory, param, create, update, remove, one }: ResourcePlan): string =>
  [
    kind,
    `${directory}/:${param}`,
    ...[one, create, update, remove].flatMap((each) => (each === null ? [] : each.method)),
  ].join(' ');
const mounted = (paths: Record<string, object>, hints?: Hints) =>
  plan(paths, hints).resources.map(brief);
const refused = (paths: Record<string, object>, hints?: Hints) =>
  Object.fromEntries(plan(paths, hints).refused.map(({ path, why }) => [path, why]));

const PETS = { '/pets': { get: answers(rowsOf()) } };
const ONE = { '/pets/{petId}': { get: answers(PET) } };

describe('a path', () => {
  it.each<[string, Record<string, object>, string[]]>([
    ['that lists what has an id', PETS, ['collection /pets/:pets_id']],
    ['of one is that of its list', { ...PETS, ...ONE }, ['collection /pets/:pet_id get']],
    ['of one alone is looked up', ONE, ['lookup /pets/:pet_id get']],
    [
      'below one is in its directory',
      { ...PETS, ...ONE, '/pets/{id}/toys': { get: answers(rowsOf()) } },
      ['collection /pets/:pet_id get', 'collection /pets/:pet_id/toys/:toys_id'],
    ],
    [
      'below one that is looked up is in its directory, too',
      { ...ONE, '/pets/{petId}/toys': { get: answers(rowsOf()) } },
      ['lookup /pets/:pet_id get', 'collection /pets/:pet_id/toys/:toys_id'],
    ],
    [
      'that lists what has none is one file',
      { '/tags': { get: answers(rowsOf(text)) } },
      ['single /:the_tags'],
    ],
    [
      'that gives an object is one file',
      { '/me': { get: answers(record('name')) } },
      ['single /:the_me'],
    ],
    [
      'below two names is below two directories',
      { '/api/v2/me': { get: answers(PET) } },
      ['single /api/v2/:the_me'],
    ],
    ['at the root is a file', { '/': { get: answers(record('x')) } }, ['single /:the_index']],
    [
      'has the writes that it has',
      {
        '/pets': { get: answers(rowsOf()), post: takes() },
        '/pets/{petId}': { get: answers(PET), put: takes(), patch: takes(), delete: GONE },
      },
      ['collection /pets/:pet_id get post patch delete'],
    ],
    [
      'is replaced where it cannot be changed in part',
      { '/pets': { get: answers(rowsOf()) }, '/pets/{petId}': { put: takes(), delete: GONE } },
      ['collection /pets/:pet_id put delete'],
    ],
    [
      'takes no writes that say nothing of what they take',
      {
        '/pets': { get: answers(rowsOf()), post: { responses: {} } },
        '/pets/{petId}': { get: answers(PET), patch: takes({ type: 'object' }), delete: GONE },
      },
      ['collection /pets/:pet_id get delete'],
    ],
    [
      'takes no writes that need what nobody gives',
      {
        '/pets': { get: answers(rowsOf()), post: { ...takes(), ...asks('tenant', 'query') } },
        '/pets/{petId}': { get: answers(PET), delete: { ...GONE, ...asks('reason', 'header') } },
      },
      ['collection /pets/:pet_id get'],
    ],
    [
      'of one that needs what nobody gives is not asked',
      { ...PETS, '/pets/{petId}': { get: answers(PET, asks('tenant', 'query')) } },
      ['collection /pets/:pet_id'],
    ],
    [
      'whose segment has a colon has it escaped',
      { '/a:b': { get: answers(PET) } },
      ['single /:the_a_ab'],
    ],
    [
      'as a file that stands beside all is escaped',
      { '/index': { get: answers(record('x')) } },
      ['single /:the_ndex'],
    ],
  ])('%s', (_what, paths, wanted) => {
    expect(mounted(paths)).toEqual(wanted);
  });

  it('of a file is named as its last segment; the names of the mount’s own files are escaped', () => {
    const names = plan({
      '/me': { get: answers(record('x')) },
      '/new': { get: answers(record('x')) },
      '/index': { get: answers(record('x')) },
      '/README': { get: answers(record('x')) },
    }).resources.map(({ oneParam }) => oneParam);
    expect(names.sort()).toEqual(['%52EADME', '%69ndex', '%6eew', 'me']);
  });

  it.each<[string, string, object, string]>([
    [
      'whose answer is a picture',
      '/a',
      { get: { responses: { 200: { content: { 'image/png': {} } } } } },
      'its answer is no JSON',
    ],
    [
      'of one whose answer is a picture',
      '/a/{id}',
      { get: { responses: { 200: {} } } },
      'its answer is no JSON',
    ],
    ['that is only written', '/a', { post: takes() }, 'it is not read with GET'],
    [
      'below what nothing lists',
      '/a/{id}/b',
      { get: answers(PET) },
      'nothing lists what `id` stands for: give it in `params`',
    ],
    [
      'with a query that must be given',
      '/a',
      { get: answers(PET, asks('port', 'query')) },
      'it needs the query parameter `port`: give it in `query`',
    ],
    [
      'with a header that must be given',
      '/a',
      { get: answers(PET, asks('X-Tenant', 'header')) },
      'it needs the header parameter `X-Tenant`: give it in `headers`',
    ],
    [
      'of another server',
      '/a',
      { get: answers(PET, { servers: [{ url: 'https://b.example' }] }) },
      'it is at a server of its own, https://b.example',
    ],
    [
      'all of another server',
      '/a',
      { servers: [{ url: 'https://c.example' }], get: answers(PET) },
      'it is at a server of its own, https://c.example',
    ],
    ['that steps up', '/../a', { get: answers(PET) }, '`..` cannot stand in a path'],
    ['that steps nowhere', '/./a', { get: answers(PET) }, '`.` cannot stand in a path'],
    ['with a question mark', '/a?b', { get: answers(PET) }, '`a?b` cannot stand in a path'],
    [
      'with two parameters in one',
      '/a/{b}.{c}',
      { get: answers(PET) },
      '`{b}.{c}` is more than one parameter',
    ],
    [
      'that refers to what is not there',
      '/a',
      { get: { $ref: '#/nowhere' } },
      'it refers to #/nowhere, which is not there',
    ],
  ])('%s is refused, and told why', (_what, path, item, why) => {
    expect(plan({ [path]: item })).toMatchObject({ resources: [], refused: [{ path, why }] });
  });

  it('needs no header that every client sends, and nothing that has a default', () => {
    for (const name of ['Accept', 'Authorization', 'If-Match', 'if-none-match', 'User-Agent'])
      expect([name, mounted({ '/a': { get: answers(PET, asks(name, 'header')) } })]).toEqual([
        name,
        ['single /:the_a'],
      ]);
    const preset = asks('port', 'query', { schema: { type: 'string', default: 'x' } });
    expect(mounted({ '/a': { get: answers(PET, preset) } })).toEqual(['single /:the_a']);
    const optional = asks('port', 'query', { required: false });
    expect(mounted({ '/a': { get: answers(PET, optional) } })).toEqual(['single /:the_a']);
  });

  it('where a record is written is told of once, with that record', () => {
    const paths = {
      '/pets': { get: answers(rowsOf()), post: takes() },
      '/pets/{petId}': { patch: takes() },
      '/pets/{petId}/close': { post: takes() },
    };
    expect(refused(paths)).toEqual({ '/pets/{petId}/close': 'it is not read with GET' });
  });

  it('that differs in the name of its parameter alone is the same one', () => {
    const paths = {
      ...PETS,
      '/pets/{a}': { get: answers(PET) },
      '/pets/{b}': { get: answers(PET) },
    };
    expect(plan(paths)).toMatchObject({ resources: [{ oneParam: 'a' }], refused: [] });
  });

  it('whose slug another has gets a number; of two that have one place the second is refused', () => {
    const two = plan({
      '/a-b': { get: answers(PET) },
      '/a/b': { get: answers(PET) },
      '/a.b': { get: answers(PET) },
    });
    expect(two.resources.map(({ id }) => id)).toEqual(['a-b', 'a-b-2', 'a-b-3']);
    const same = { '/a': { get: answers(rowsOf()) }, '/b': { get: answers(rowsOf()) } };
    expect(refused(same, hintsOf({ collections: { '/b': { as: 'a' } } }, 'h'))).toEqual({
      '/b': '/a has the same place',
    });
  });

  it('is not one of more than a thousand', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1_002 }, (_, n) => [
        `/a${String(n).padStart(4, '0')}`,
        { get: answers(PET) },
      ]),
    );
    const made = plan(paths);
    expect(made.resources).toHaveLength(1_000);
    expect(made.refused.map(({ path }) => path)).toEqual(['/a1000', '/a1001']);
    expect(made.refused[0]?.why).toContain('no more than 1000');
  });
});

describe('a record', () => {
  it('is partial where a row lacks what the answer for one has', () => {
    const whole = { ...PETS, '/pets/{petId}': { get: answers(record('id', 'name', 'notes')) } };
    expect(plan(whole).resources[0]).toMatchObject({ isPartial: true, isParent: false });
    expect([...(plan(whole).resources[0]?.fields.all.keys() ?? [])]).toEqual([
      'id',
      'name',
      'notes',
    ]);
    const hints = hintsOf({ collections: { '/pets': { whole: true } } }, 'h');
    expect(plan(whole, hints).resources[0]?.isPartial).toBe(false);
    expect(plan({ ...PETS, ...ONE }).resources[0]?.isPartial).toBe(false);
    // What a row alone has is known, too.
    const more = { '/pets': { get: answers(rowsOf(record('id', 'seen'))) }, ...ONE };
    expect([...(plan(more).resources[0]?.fields.all.keys() ?? [])]).toEqual(['id', 'name', 'seen']);
  });

  it('is in an envelope, or beside its links, or where a hint says', () => {
    const of = (schema: object, hint?: object) =>
      plan(
        { ...PETS, '/pets/{petId}': { get: answers(schema) } },
        hintsOf({ collections: { '/pets': hint ?? {} } }, 'h'),
      ).resources[0]?.record;
    const properties = (more: object) => ({ type: 'object', properties: more });
    expect(of(PET)).toEqual([]);
    expect(of(properties({ data: PET }))).toEqual(['data']);
    expect(
      of(properties({ data: PET, success: { type: 'boolean' }, meta: { type: 'object' } })),
    ).toEqual(['data']);
    expect(of(properties({ pet: PET, owner: PET }))).toEqual([]);
    expect(of(properties({ pet: PET, name: text }))).toEqual([]);
    expect(of(properties({ a: properties({ b: PET }) }), { record: 'a.b' })).toEqual(['a', 'b']);
    expect(of(properties({ data: PET }), { record: '' })).toEqual([]);
  });

  it('knows what it is below, and what is below it', () => {
    const { resources } = plan({
      ...PETS,
      ...ONE,
      '/pets/{petId}/toys': { get: answers(rowsOf()) },
      '/pets/{petId}/toys/{toyId}/parts': { get: answers(rowsOf()) },
    });
    expect(resources.map(({ isParent }) => isParent)).toEqual([true, true, false]);
    const [pets, toys, parts] = resources;
    expect([...(parts?.bindings ?? [])]).toEqual([
      ['petId', { of: pets }],
      ['toyId', { of: toys }],
    ]);
  });
});

describe('hints', () => {
  const TEAMS = {
    '/orgs/{org}/teams': { get: answers(rowsOf()) },
    '/orgs/{org}/teams/{teamId}': { get: answers(PET), patch: takes() },
  };

  it('fill in a parameter, or make directories of its values', () => {
    const one = plan(TEAMS, { params: { org: 'acme' } });
    expect(one.resources.map(brief)).toEqual(['collection /orgs/teams/:team_id get patch']);
    expect(one.levels).toEqual([]);
    expect(one.resources[0]?.bindings.get('org')).toEqual({ value: 'acme' });
    const several = plan(
      { ...TEAMS, '/orgs/{org}/people': { get: answers(rowsOf()) } },
      { params: { org: ['acme', 7] } },
    );
    expect(several.levels).toEqual([
      { directory: '/orgs/:org', param: 'org', values: ['acme', '7'] },
    ]);
    expect(several.resources.map(brief)).toEqual([
      'collection /orgs/:org/people/:people_id',
      'collection /orgs/:org/teams/:team_id get patch',
    ]);
    expect(several.resources[0]?.bindings.get('org')).toEqual({ param: 'org' });
  });

  it('make directories of the same values in two places two', () => {
    const { levels } = plan(
      { '/a/{x}/t': { get: answers(rowsOf()) }, '/b/{x}/t': { get: answers(rowsOf()) } },
      { params: { x: ['1', '2'] } },
    );
    expect(levels.map(({ directory }) => directory)).toEqual(['/a/:x', '/b/:x_b']);
  });

  it('make what ends with a given parameter one file, in each of its directories', () => {
    const paths = { '/towns/{town}': { get: answers(record('x')) } };
    expect(mounted(paths, { params: { town: 'bonn' } })).toEqual(['single /:the_towns']);
    expect(mounted(paths, { params: { town: ['bonn', 'ulm'] } })).toEqual([
      'single /towns/:town/:the_town',
    ]);
  });

  it('rename, restrict and leave out', () => {
    const hint = (own: object) => hintsOf({ collections: { '/pets': own } }, 'h');
    const paths = {
      '/pets': { get: answers(rowsOf()), post: takes() },
      '/pets/{petId}': {
        get: answers(PET),
        put: takes(),
        patch: takes(),
        post: takes(),
        delete: GONE,
      },
      '/me': { get: answers(record('x')) },
    };
    expect(mounted(paths, hint({ as: 'animals:all' }))).toContain(
      'collection /animals%3Aall/:pet_id get post patch delete',
    );
    expect(mounted(paths, hint({ readOnly: true }))).toContain('collection /pets/:pet_id get');
    expect(mounted(paths, hint({ update: 'PUT' }))).toContain(
      'collection /pets/:pet_id get post put delete',
    );
    expect(mounted(paths, hint({ update: 'POST' }))).toContain(
      'collection /pets/:pet_id get post post delete',
    );
    expect(mounted(paths, { collections: { '/pets': false } })).toEqual([
      'single /:the_me',
      'lookup /pets/:pet_id get patch delete',
    ]);
    expect(mounted(paths, { only: ['/me'] })).toEqual(['single /:the_me']);
    expect(mounted(paths, { only: ['/pets/'] })).toEqual(['lookup /pets/:pet_id get patch delete']);
    expect(
      mounted({ ...paths, '/petshop': { get: answers(PET) } }, { only: ['/pets'] }),
    ).toHaveLength(1);
  });

  it('say where rows and one are, and which fields they are known by', () => {
    const paths = {
      '/find': {
        get: answers({
          type: 'object',
          properties: { a: { type: 'object', properties: { b: rowsOf(record('no', 'call')) } } },
        }),
      },
      '/things/{no}': { get: answers(record('no', 'call')) },
    };
    const hints = hintsOf(
      { collections: { '/find': { rows: 'a.b', one: '/things/{no}', id: 'no', title: 'call' } } },
      'h',
    );
    const { resources } = plan(paths, hints);
    expect(resources.map(brief)).toEqual(['collection /find/:no get']);
    expect(resources[0]).toMatchObject({
      rows: { at: ['a', 'b'] },
      fields: { id: 'no', title: 'call' },
    });
    const wrong = hintsOf({ collections: { '/find': { one: '/nowhere/{x}' } } }, 'h');
    expect(refused(paths, wrong)).toMatchObject({ '/find': '/nowhere/{x} is not read with GET' });
  });

  it('give what a path needs, by its query or its headers', () => {
    const paths = { '/a': { get: answers(PET, asks('port', 'query')) } };
    expect(
      mounted(paths, hintsOf({ collections: { '/a': { query: { port: 'x' } } } }, 'h')),
    ).toEqual(['single /:the_a']);
    const header = { '/a': { get: answers(PET, asks('X-Tenant', 'header')) } };
    expect(mounted(header, { headers: { 'x-TENANT': '1' } })).toEqual(['single /:the_a']);
  });

  it('of a path that the description has not are told of', () => {
    expect(refused(PETS, { collections: { '/dogs': {} } })).toEqual({
      '/dogs': 'the description has no such path, only hints do',
    });
  });
});
