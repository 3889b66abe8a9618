/** The OpenAPI mount on a small description of our own: what is mounted, read, written, refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { failure, names, ServiceBench, text, write } from '../../test/services/testing.ts';
import { createOpenapiMount, type OpenapiMountOptions } from './index.ts';
import { HARBOUR, KEY, type Ship, startHarbour } from './testing.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-openapi-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
function described(description: unknown): string {
  const file = join(directory, `description-${files++}.json`);
  writeFileSync(file, typeof description === 'string' ? description : JSON.stringify(description));
  return file;
}
const file = described(HARBOUR);

async function opened(more: Partial<OpenapiMountOptions> = {}, ships?: readonly Ship[]) {
  const harbour = await startHarbour(ships);
  const own = { file, baseUrl: harbour.url, token: KEY, point: '/mnt/harbour', ...more };
  const bench = new ServiceBench<OpenapiMountOptions>('openapi', createOpenapiMount, own);
  const end = () => {
    bench.end();
    harbour.close();
  };
  return { bench, harbour, mount: bench.mount(), [Symbol.dispose]: end };
}

describe('reading', () => {
  it('what is listed are directories, its records files, what belongs to one is beside its file', async () => {
    using at = await opened();
    expect(await names(at.mount, '/')).toEqual(['README.md', 'ships', 'tide.json']);
    expect(await names(at.mount, '/ships')).toEqual(
      ['1', '2', '3', '4', '5', '6', '7']
        .flatMap((id) => [id, `${id}.md`])
        .concat('index.tsv', 'search.json')
        .sort(),
    );
    expect(await text(at.mount, '/ships/1.md')).toBe(
      '---\nid: 1\nname: First\nstate: moored\nupdated_at: 2026-01-31T10:01:00.000Z\nextra: [1]\n---\n\nBody of 1\n',
    );
    expect((await text(at.mount, '/ships/index.tsv')).split('\n').slice(0, 2)).toEqual([
      'id\tname\tstate\tupdated_at',
      '1\tFirst\tmoored\t2026-01-31T10:01:00.000Z',
    ]);
    expect(JSON.parse(await text(at.mount, '/tide.json'))).toEqual({ cm: 120 });
    expect((await failure(at.mount.read('/ships/99.md'))).code).toBe('ENOENT');
  });

  it('a listing is complete over its pages, and a walk through what it brought asks nothing', async () => {
    using at = await opened();
    await names(at.mount, '/ships');
    expect(at.harbour.asked.map(({ url }) => url)).toEqual([
      '/v1/ships?per_page=3',
      '/v1/ships?per_page=3&page=2',
      '/v1/ships?per_page=3&page=3',
    ]);
    for (const id of [1, 2, 3, 4, 5, 6, 7]) await text(at.mount, `/ships/${id}.md`);
    expect(at.harbour.asked).toHaveLength(3);
  });

  it('what a listing gives a part of is asked for when it is read; ids stay in their directory', async () => {
    using at = await opened();
    expect(await names(at.mount, '/ships/1/crew')).toEqual([
      '%2E..json',
      'ada@sea.example.json',
      'bo%2Fc@sea.example.json',
      'dee@sea.example.json',
      'eve@sea.example.json',
      'index.tsv',
    ]);
    at.harbour.asked.length = 0;
    const sailor = JSON.parse(await text(at.mount, '/ships/1/crew/bo%2Fc@sea.example.json'));
    expect(sailor).toEqual({
      email: 'bo/c@sea.example',
      rank: 'mate',
      papers: { of: 'bo/c@sea.example' },
    });
    expect(at.harbour.asked.map(({ url }) => url)).toEqual([
      '/v1/ships/1/crew/bo%2Fc%40sea.example',
    ]);
    expect((await failure(at.mount.read('/ships/1/crew/%2E..json'))).code).toBe('ENOENT');
    expect((await failure(at.mount.readdir('/ships/99/crew'))).code).toBe('ENOENT');
    expect(
      at.harbour.asked.map(({ url }) => url).filter((url) => url.includes('crew')),
    ).toHaveLength(1);
  });

  it('walks pass over what belongs to a record until it was listed', async () => {
    using at = await opened();
    await names(at.mount, '/ships');
    expect(at.mount.costly('/ships/1/crew')).toBe(true);
    await names(at.mount, '/ships/1/crew');
    expect(at.mount.costly('/ships/1/crew')).toBe(false);
    expect(at.mount.costly('/ships/3/crew')).toBe(true);
    expect(at.mount.costly('/tide.json')).toBe(true);
  });

  it('README.md says what is mounted as what, and what is not, and why', async () => {
    using at = await opened();
    const page = await text(at.mount, '/README.md');
    expect(page).toContain('- `tide.json`: ');
    expect(page).toContain('List ships (`GET /ships`, by page page)');
    expect(page).toContain(
      'since it needs the query parameter `port`: give it in `query`: `/pilots`',
    );
    expect(page).toContain(
      'since nothing lists what `chart` stands for: give it in `params`: `/charts/{chart}/sheets`',
    );
    expect(page).toContain(
      'since it is at a server of its own, https://elsewhere.example: `/elsewhere`',
    );
    expect(page).toContain('since it is not read with GET: `/signals`');
    expect(page).toContain('since its answer is no JSON: `/flags`');
  });

  it('what nothing lists is found when it is named, in the directory of its path', async () => {
    const { get } = HARBOUR.paths['/ships/{shipId}'];
    using at = await opened({
      file: described({ ...HARBOUR, paths: { '/ships/{shipId}': { get } } }),
    });
    expect(await names(at.mount, '/')).toEqual(['README.md', 'ships']);
    expect(await text(at.mount, '/ships/7.md')).toContain('name: Ship 7\n');
    expect((await failure(at.mount.read('/7.md'))).code).toBe('ENOENT');
    expect((await failure(at.mount.read('/ships/99.md'))).code).toBe('ENOENT');
  });

  it('hints: a parameter’s values, a name, a query, a field, and what is left out', async () => {
    using at = await opened({
      hints: {
        params: { chart: ['north', 'south'] },
        only: ['/ships', '/charts', '/pilots'],
        collections: {
          '/ships': {
            as: 'vessels',
            text: '',
            title: 'name',
            most: 4,
            page: { by: 'page', param: 'page', size: 2 },
          },
          '/pilots': { query: { port: 'x' }, id: 'licence' },
          '/ships/search': false,
        },
      },
    });
    expect(await names(at.mount, '/')).toEqual(['README.md', 'charts', 'pilots', 'vessels']);
    expect(await names(at.mount, '/charts')).toEqual(['north', 'south']);
    expect(await names(at.mount, '/charts/north')).toEqual(['sheets.json']);
    expect(
      (await names(at.mount, '/vessels')).filter((name) => name.endsWith('.json')),
    ).toHaveLength(4);
    expect(at.bench.notices.join()).toContain('only the first 4');
    expect(JSON.parse(await text(at.mount, '/vessels/7.json'))).toMatchObject({ name: 'Ship 7' });
    at.harbour.answer = (_request, response) => response.end('[{"licence": "L/1"}]');
    expect(await names(at.mount, '/pilots')).toEqual(['L%2F1.json', 'index.tsv']);
  });

  it.each([
    ['{"error": "none"}', 'is no list'],
    ['[{"name": "no id"}]', 'came without its `id`'],
    ['[{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]', 'have the same `id`'],
    ['not json', 'no JSON'],
  ])(
    'an answer of which no listing can be made is an error and never an empty directory: %s',
    async (answer, words) => {
      using at = await opened();
      at.harbour.answer = (_request, response) => response.end(answer);
      const failed = await failure(at.mount.readdir('/ships'));
      expect([failed.code, failed.reason]).toEqual(['EIO', expect.stringContaining(words)]);
    },
  );

  it('a field that differs from the description is kept', async () => {
    const odd = { id: 1, name: 'First', state: 'sunk', call_sign: 7, deck: { of: ['oak'] } };
    using at = await opened({}, [odd]);
    expect(await text(at.mount, '/ships/1.md')).toBe(
      '---\nid: 1\nname: First\nstate: sunk\ncall_sign: 7\ndeck:\n  of: [oak]\n---\n',
    );
  });
});

describe('writing', () => {
  it('new.md makes, a field that differs is changed, rm removes', async () => {
    using at = await opened();
    expect(await text(at.mount, '/ships/new.md')).toBe(
      '---\nname: null # required, string, at most 200 characters\nstate: moored # moored, at sea\ncall_sign: null # string\nbuilt: null # string, date\ntags: null # array\nsister: null # object\n---\n',
    );
    await write(at.mount, '/ships/new.md', '---\nname: New\ntags: [fast]\n---\n\nBody\n');
    expect(await text(at.mount, '/ships/.last')).toBe('/mnt/harbour/ships/8.md\n');
    const before = await text(at.mount, '/ships/8.md');
    expect(before).toContain('tags: [fast]');
    await write(
      at.mount,
      '/ships/8.md',
      before.replace('name: New', 'name: Newer').replace('Body', 'My text'),
    );
    await at.mount.unlink?.('/ships/2.md');
    const changes = at.harbour.asked.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v1/ships', { name: 'New', tags: ['fast'], description: 'Body' }],
      ['PATCH', '/v1/ships/8', { name: 'Newer', description: 'My text' }],
      ['DELETE', '/v1/ships/2', null],
    ]);
    expect((await failure(at.mount.read('/ships/2.md'))).code).toBe('ENOENT');
  });

  it('PUT sends all that may be sent, read again before', async () => {
    using at = await opened();
    const path = '/ships/1/crew/ada@sea.example.json';
    const before = await text(at.mount, path);
    await write(at.mount, path, before.replace('mate', 'captain'));
    const [put] = at.harbour.asked.filter(({ method }) => method === 'PUT');
    expect(put?.body).toEqual({
      email: 'ada@sea.example',
      rank: 'captain',
      papers: { of: 'ada@sea.example' },
    });
  });

  /** The description with `If-Match` as a header of its changes. */
  const withIfMatch = () => {
    const one = structuredClone(HARBOUR);
    const operations = one.paths['/ships/{shipId}'] as Record<string, object>;
    const parameters = [
      { name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } },
    ];
    for (const method of ['patch', 'delete'])
      operations[method] = { ...operations[method], parameters };
    return { file: described(one) };
  };

  it.each([
    ['strong', 'is not described', {}, ['PATCH']],
    ['weak', 'is not described', {}, []],
    ['weak', 'is described', withIfMatch(), ['PATCH', 'DELETE', 'DELETE']],
    ['none', 'is described', withIfMatch(), []],
  ] as const)(
    'with %s ETags, where If-Match %s, what is written names the version that it is made for',
    async (etags, _, more, matched) => {
      using at = await opened(more);
      at.harbour.etags = etags;
      const before = await text(at.mount, '/ships/1.md');
      await write(at.mount, '/ships/1.md', before.replace('First', 'Newer'));
      expect(at.harbour.ships[0]?.name).toBe('Newer');
      await at.mount.unlink?.('/ships/2.md');
      // The version from before our own change is that of nothing any more.
      await at.mount.unlink?.('/ships/1.md');
      expect(at.harbour.ships[0]?.id).toBe(3);
      expect(at.harbour.matched).toEqual(matched);
    },
  );

  it('what somebody else changed in the moment before the request is read, merged and sent; where both touched a field nothing is', async () => {
    using at = await opened();
    at.harbour.etags = 'strong';
    const [ship] = at.harbour.ships;
    if (ship === undefined) throw new Error('no ship');
    const before = await text(at.mount, '/ships/1.md');
    at.harbour.meanwhile = () => Object.assign(ship, { state: 'at sea' });
    await write(at.mount, '/ships/1.md', before.replace('First', 'Mine'));
    expect([ship.name, ship.state]).toEqual(['Mine', 'at sea']);
    const again = await text(at.mount, '/ships/1.md');
    at.harbour.meanwhile = () => Object.assign(ship, { name: 'Theirs' });
    const failed = await failure(
      at.mount.write?.('/ships/1.md', Buffer.from(again.replace('Mine', 'Ours'))),
    );
    expect([failed.code, failed.reason]).toEqual([
      'ESTALE',
      expect.stringContaining('name changed'),
    ]);
    expect(ship.name).toBe('Theirs');
    const [last] = at.mount.journal.list({ state: 'conflict' });
    expect(last?.theirs).toContain('name: Theirs');
  });

  it.each(['before it was asked for again', 'in the moment before the request'])(
    'what somebody else changed %s is not removed, and is what is read next',
    async (when) => {
      using at = await opened(withIfMatch());
      at.harbour.etags = 'weak';
      await text(at.mount, '/ships/1.md');
      const change = () => Object.assign(at.harbour.ships[0] ?? {}, { name: 'Theirs' });
      if (when.startsWith('before')) change();
      else at.harbour.meanwhile = change;
      const failed = await failure(at.mount.unlink?.('/ships/1.md'));
      expect([failed.code, failed.reason]).toEqual([
        'ESTALE',
        expect.stringContaining('read it again'),
      ]);
      expect(await text(at.mount, '/ships/1.md')).toContain('name: Theirs');
      await at.mount.unlink?.('/ships/1.md');
      expect(at.harbour.ships.map(({ id }) => id)).not.toContain(1);
    },
  );

  it.each([
    ['name: First', 'name: ""', 'name: must NOT have fewer than 1 characters'],
    ['state: moored', 'state: sunk', 'state: must be one of moored, at sea'],
    ['state: moored', 'state: moored\ncall_sign: low', 'call_sign: must match pattern'],
    ['state: moored', 'state: moored\ntags: [1]', 'tags: 0 must be string'],
    ['id: 1', 'id: 2', 'id: cannot be changed'],
    ['state: moored', 'sate: moored', 'nearest: state'],
    ['state: moored', 'built: 2020-01-01', 'it is set once, when the record is made'],
  ])(
    'what the description does not take is refused by its field, and nothing is sent: %s -> %s',
    async (old, now, words) => {
      using at = await opened();
      const before = await text(at.mount, '/ships/1.md');
      const failed = await failure(
        at.mount.write?.('/ships/1.md', Buffer.from(before.replace(old, now))),
      );
      expect([failed.code, failed.reason]).toEqual(['EINVAL', expect.stringContaining(words)]);
      expect(at.harbour.asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );

  it('a new record without what it needs, or with the service’s own, is refused', async () => {
    using at = await opened();
    const refused = async (content: string) =>
      (await failure(at.mount.write?.('/ships/new.md', Buffer.from(content)))).reason;
    expect(await refused('---\nstate: moored\n---\n')).toContain('name: is required');
    expect(await refused('---\nname: A\nid: 5\n---\n')).toContain('id: is set by the service');
    expect(await refused('---\nname: A\nbuilt: today\n---\n')).toContain(
      'must match format "date"',
    );
    expect(await refused('---\nname: A\nsister: {name: 5}\n---\n')).toContain(
      'name must be string',
    );
    expect(at.harbour.asked).toEqual([]);
  });

  it('a dry run sends nothing that changes something', async () => {
    using at = await opened();
    const mount = at.bench.mount({ stage: true });
    await write(
      mount,
      '/ships/1.md',
      (await text(mount, '/ships/1.md')).replace('First', 'Staged'),
    );
    await mount.unlink?.('/ships/2.md');
    expect(await text(mount, '/ships/1.md')).toContain('name: Staged');
    expect(at.harbour.asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(mount.journal.list({ state: 'pending' })).toHaveLength(2);
  });
});

describe('what a description may not do', () => {
  const at =
    (description: unknown, more: Partial<OpenapiMountOptions> = {}) =>
    () =>
      new ServiceBench<OpenapiMountOptions>('openapi', createOpenapiMount, {
        file: described(description),
        ...more,
      }).mount();

  it('a credential goes nowhere that only the description names', () => {
    expect(at(HARBOUR, { token: KEY })).toThrow(/name it in `baseUrl`/);
    expect(at({ ...HARBOUR, servers: [{ url: '/v1' }] })).toThrow(/no whole address/);
    expect(at({ ...HARBOUR, servers: [] })).toThrow(/names no server/);
  });

  it.each([
    [
      'a redirect',
      (response: import('node:http').ServerResponse, url: string) =>
        response.writeHead(302, { location: `${url}/steal` }).end(),
    ],
    [
      'a next page',
      (response: import('node:http').ServerResponse, url: string) =>
        response.setHeader('link', `<${url}/steal>; rel="next"`).end('[{"id": 1, "name": "a"}]'),
    ],
  ])('%s to another origin is refused, and nothing gets there', async (_what, answer) => {
    using own = await opened();
    using other = await opened();
    own.harbour.answer = (_request, response) => answer(response, other.harbour.url);
    expect((await failure(own.mount.readdir('/ships'))).code).toBe('EIO');
    expect(other.harbour.asked).toEqual([]);
  });

  it.each([
    ['{"swagger": "2.0"}', /OpenAPI 2.0: 3.0 and 3.1 are read/],
    ['{"openapi": "3.0.0"', /neither JSON nor YAML/],
    ['[]', /no OpenAPI description/],
    ['openapi: 3.1.0\npaths: &a\n  /x: *a\n', /alias/],
    ['{"openapi": "3.0.0", "paths": {}}', /describes no paths/],
    [
      JSON.stringify({
        openapi: '3.0.0',
        paths: { '/a': { $ref: 'https://elsewhere.example/a.json' } },
      }),
      /outside of the file/,
    ],
    [
      JSON.stringify({
        openapi: '3.0.0',
        paths: { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } },
      }),
      /refers to itself/,
    ],
    [
      `openapi: 3.0.0\npaths: {${'/a: {get: {x: y}}, '.repeat(40_000)}}`,
      /neither JSON nor YAML: it has too many fields/,
    ],
    [
      JSON.stringify({ openapi: '3.0.0', paths: { '/a/../b': { get: {} } } }),
      /cannot stand in a path/,
    ],
  ])('is said in a sentence: %.60s', (text, words) => {
    expect(at(text, { baseUrl: 'http://127.0.0.1:9/' })).toThrow(words);
  });

  it('circles, depth and patterns that explode cost nothing', async () => {
    const circle = {
      allOf: [{ $ref: '#/components/schemas/A' }],
      properties: { id: { type: 'string' }, name: { type: 'string', pattern: '^(a+)+$' } },
    };
    const listed = {
      responses: {
        200: {
          content: {
            'application/json': {
              schema: { type: 'array', items: { $ref: '#/components/schemas/A' } },
            },
          },
        },
      },
    };
    const sent = {
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
      },
      responses: {},
    };
    const levels = 5_000;
    const deep = `${'{"allOf": ['.repeat(levels)}{}${']}'.repeat(levels)}`;
    const description = JSON.stringify({
      openapi: '3.1.0',
      components: { schemas: { A: circle } },
      paths: { '/as': { get: listed, post: sent } },
    });
    using own = await opened({
      file: described(description.replace('"id":', `"deep": ${deep}, "id":`)),
    });
    // Where it is not soon, it is never.
    const failed = await failure(
      own.mount.write?.(
        '/as/new.json',
        Buffer.from(JSON.stringify({ name: `${'a'.repeat(50_000)}!` })),
      ),
    );
    expect(failed.reason).toContain('must match pattern');
  });

  it('a wrong hint is named, and what is allowed', () => {
    expect(at(HARBOUR, { hints: { collections: { '/ships': { idd: 'x' } } } })).toThrow(
      /collections.\/ships/,
    );
    const page = at(HARBOUR, {
      hints: { auth: 'none' },
      token: KEY,
      baseUrl: 'http://127.0.0.1:9',
    });
    expect(page).toThrow(/no scheme none; it has key/);
  });
});
