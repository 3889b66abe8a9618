/** A mount is made of a description and of hints, or it is said why not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { names, failure as refusal, ServiceBench, text } from '../../test/services/testing.ts';
import { Checks } from './checking.ts';
import { Description, readDocument } from './description.ts';
import { createOpenapiMount, type OpenapiMountOptions } from './index.ts';
import { failureOf } from './testing.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-openapi-'));
afterAll(() => rmSync(directory, { recursive: true }));
let count = 0;
function file(content: object | string, ending = 'json'): string {
  const path = join(directory, `f${count++}.${ending}`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const json = (schema: object) => ({
  responses: { 200: { content: { 'application/json': { schema } } } },
});
const rows = {
  type: 'array',
  items: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
};
const described = (paths: object) => ({ openapi: '3.1.0', info: { title: 'Pets' }, paths });
type Own = Pick<OpenapiMountOptions, 'file' | 'hints' | 'baseUrl'>;
const made = (own: Own) => createOpenapiMount(own as OpenapiMountOptions);

describe('a description', () => {
  it('is read as JSON or YAML, and as nothing else', () => {
    expect(readDocument(file('\ufeff  {"a": 1}'))).toEqual({ a: 1 });
    expect(readDocument(file('a: 1\nb: [x]', 'yaml'))).toEqual({ a: 1, b: ['x'] });
    expect(failureOf(() => readDocument(file('{"a": ')))).toContain('is neither JSON nor YAML');
    expect(failureOf(() => readDocument(file('a: [', 'yaml')))).toContain(
      'is neither JSON nor YAML',
    );
  });

  it('without anything that can be mounted says what of it cannot', () => {
    expect(failureOf(() => made({}))).toContain('name the description: openapi:./FILE');
    const written = file(described({ '/a': { post: {} } }));
    expect(failureOf(() => made({ file: written, baseUrl: 'http://x' }))).toContain(
      'has nothing that can be mounted, such as /a: it is not read with GET',
    );
    const left = {
      file: file(described({ '/a': { get: json(rows) } })),
      hints: { collections: { '/a': false } },
    };
    expect(failureOf(() => made({ ...left, baseUrl: 'http://x' }))).toMatch(
      /has nothing that can be mounted$/,
    );
  });

  it('with wrong hints names each of them', () => {
    const own = file(described({ '/a': { get: json(rows) } }));
    const wrong = (hints: object) =>
      failureOf(() =>
        made({
          file: own,
          baseUrl: 'http://x',
          hints: hints as Record<string, unknown>,
        }),
      );
    expect(wrong({ only: 'x', other: 1 })).toMatch(/hints: .*only: .*other/);
    for (const page of [
      { by: 'x' },
      { by: 'page', size: 0 },
      { by: 'page', size: 10_001 },
      { by: 'page', first: 1.5 },
      { param: 'p' },
    ])
      expect([page, wrong({ collections: { '/a': { page } } })]).toEqual([
        page,
        expect.stringContaining('collections./a.page'),
      ]);
    expect(wrong({ collections: { '/a': { other: 1 } } })).toContain('"other"');
    expect(wrong({ collections: { '/a': true } })).toContain('collections./a: ');
    for (const own of [
      { as: 'a/b' },
      { as: '.a' },
      { most: 0 },
      { most: 100_001 },
      { update: 'patch' },
    ])
      expect([own, wrong({ collections: { '/a': own } })]).toEqual([
        own,
        expect.stringContaining(`collections./a.${Object.keys(own)}`),
      ]);
  });
});

describe('a mount', () => {
  function bench(options: Own, answers: Record<string, unknown>) {
    const asked: string[] = [];
    const fetch = async (url: string | URL | Request) => {
      const { pathname, search } = new URL(url instanceof Request ? url.url : url);
      asked.push(pathname + search);
      const answer = answers[pathname];
      return answer === undefined ? Response.json({}, { status: 404 }) : Response.json(answer);
    };
    const own = new ServiceBench<OpenapiMountOptions>('openapi', createOpenapiMount, {
      baseUrl: 'https://pets.example',
      fetch: fetch as typeof globalThis.fetch,
      ...options,
    });
    return Object.assign(own, { asked, [Symbol.dispose]: () => own.end() });
  }

  it('has its hints from a file', async () => {
    using own = bench(
      {
        file: file(described({ '/pets': { get: json(rows) } })),
        hints: file('collections:\n  /pets: { as: animals, query: { q: x } }\n', 'yaml'),
      },
      { '/pets': [{ id: 'a', name: 'A' }] },
    );
    expect(await names(own.mount(), '/animals')).toEqual(['a.json', 'index.tsv']);
    expect(own.asked).toEqual(['/pets?q=x']);
  });

  it('refuses rows of which two have one id, and an answer that has no list', async () => {
    const one = { file: file(described({ '/pets': { get: json(rows) } })) };
    using twice = bench(one, { '/pets': [{ id: 'a' }, { id: 'a' }] });
    expect((await refusal(twice.mount().readdir('/pets'))).reason).toContain('have the same `id`');
    using none = bench(one, { '/pets': { items: [] } });
    expect((await refusal(none.mount().readdir('/pets'))).reason).toContain('is no list');
    using within = bench(
      {
        file: file(
          described({ '/pets': { get: json({ type: 'object', properties: { data: rows } }) } }),
        ),
      },
      { '/pets': { data: 3 } },
    );
    expect((await refusal(within.mount().readdir('/pets'))).reason).toContain(
      'has no list at `data`',
    );
    using nothing = bench(
      {
        file: file(
          described({ '/pets': { get: json({ type: 'object', properties: { data: rows } }) } }),
        ),
      },
      { '/pets': { data: null } },
    );
    expect(await names(nothing.mount(), '/pets')).toEqual(['index.tsv']);
  });

  it('lists so many rows at most, and says so', async () => {
    using own = bench(
      {
        file: file(described({ '/pets': { get: json(rows) } })),
        hints: { collections: { '/pets': { most: 2 } } },
      },
      { '/pets': ['a', 'b', 'c'].map((id) => ({ id, name: id })) },
    );
    const mount = own.mount();
    expect(await names(mount, '/pets')).toEqual(['a.json', 'b.json', 'index.tsv']);
    expect(await text(mount, '/pets/index.tsv')).toContain('a\ta');
  });

  it('of what has no id is one file, whatever it is', async () => {
    using own = bench(
      {
        file: file(
          described({
            '/tags': { get: json({ type: 'array', items: { type: 'string' } }) },
            '/me': { get: json({ type: 'object' }) },
            '/motd': { get: json({ type: 'string' }) },
          }),
        ),
      },
      { '/tags': ['x', 'y'], '/me': { name: 'Ana' }, '/motd': 'hello' },
    );
    const mount = own.mount();
    expect(JSON.parse(await text(mount, '/tags.json'))).toEqual(['x', 'y']);
    expect(JSON.parse(await text(mount, '/me.json'))).toEqual({ name: 'Ana' });
    expect(JSON.parse(await text(mount, '/motd.json'))).toBe('hello');
  });

  it('asks for no id that would be a step up in its address', async () => {
    const paths = { '/pets/{id}': { get: json(rows.items) } };
    using own = bench(
      { file: file(described(paths)) },
      { '/pets/a%2Fb': { id: 'a/b', name: 'x' } },
    );
    const mount = own.mount();
    expect(JSON.parse(await text(mount, '/pets/a%2Fb.json'))).toMatchObject({ name: 'x' });
    own.asked.length = 0;
    for (const name of ['%2E%2E', '%2E'])
      await expect(mount.read(`/pets/${name}.json`)).rejects.toThrow();
    expect(own.asked).toEqual([]);
  });
});

it('a schema that is deeper than forty is checked down to there', () => {
  const checks = new Checks(new Description(described({ '/a': {} }), 'f'));
  const nested = (depth: number): object =>
    depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) };
  const value = (depth: number): unknown => (depth === 0 ? 3 : [value(depth - 1)]);
  const wrong = (depth: number) =>
    checks.problems(nested(depth), value(depth), (field) => field).length;
  expect([wrong(40), wrong(41)]).toEqual([1, 0]);
});
