/**
 * Every document that the mount sends, with its variables, against Linear's schema: the one that is
 * derived from the SDK's types, and the published one where it is at hand.
 */
import { readdirSync, readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  NoDeprecatedCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deriveSdl, sdkTypes } from '../../test/stand-ins/linear/sdl.ts';
import { ACCOUNT, NEWEST } from './account.ts';
import { LinearClient } from './client.ts';
import {
  type Bench,
  commentPath,
  IDS,
  ISSUES,
  Server,
  TEAM,
  TOKEN,
  text,
  uuid,
  write,
} from './testing.ts';

/** One request that was sent. */
type Sent = Pick<Awaited<ReturnType<Bench['log']>>[number], 'query' | 'variables'>;

let server: Server;
let sent: Sent[];
beforeAll(async () => {
  server = await Server.start();
  using bench = await server.bench({ issues: 4, commentsEach: 1 });
  sent = await everyRequest(bench);
});
afterAll(() => server.close());

/** Reads and writes all that there is, in every way that makes another request. */
async function everyRequest(bench: Bench): Promise<Sent[]> {
  const { linear } = bench;
  await linear.edit({
    op: 'add',
    table: 'notifications',
    fields: {
      id: uuid(700),
      userId: uuid(IDS.user),
      type: 'issueMention',
      title: 'Named',
      issueId: uuid(IDS.issue + 1),
    },
  });
  const mount = bench.mount({ freshMs: 1_000, reconcileMs: 600_000 });
  const change = async (path: string, ...edits: [from: string | RegExp, to: string][]) => {
    const before = await text(mount, path);
    await write(
      mount,
      path,
      edits.reduce((content, [from, to]) => content.replace(from, to), before),
    );
  };
  await mount.probe?.();
  // Asked by a world: whose key it is, and what changed last.
  const client = new LinearClient({ token: TOKEN, baseUrl: linear.url, now: () => new Date() });
  for (const query of [ACCOUNT, NEWEST.query]) await client.ask(query, {});
  await text(mount, `${ISSUES}/ENG-1/thread.md`);
  for (const path of ['/', '/documents', '/inbox', '/me/assigned', '/search/word', '/teams']) {
    await mount.readdir(path);
  }
  await mount.prefetch('/');
  // Deltas.
  bench.move(60_000);
  await mount.prefetch('/');
  await change(
    `${ISSUES}/ENG-1.md`,
    [/^title: .*$/m, 'title: Another'],
    [/^state: .*$/m, 'state: Done'],
    [/^priority: .*$/m, 'priority: high'],
    [/^labels: .*$/m, 'labels: [docs]'],
    [/^assignee: .*$/m, 'assignee: mara'],
    [/^project: .*$/m, 'project: Launch'],
    [/^cycle: .*$/m, 'cycle: Polish'],
    [/^parent: .*$/m, 'parent: ENG-4'],
    [/^estimate: .*$/m, 'estimate: 3'],
    [/^due_date: .*$/m, 'due_date: 2026-03-31'],
    [/^blocks: .*$/m, 'blocks: [ENG-2, ENG-3]'],
    [/^archived: .*$/m, 'archived: true'],
  );
  await change(`${ISSUES}/ENG-1.md`, [/^archived: .*$/m, 'archived: false']);
  await change(`${ISSUES}/ENG-2.md`, [/^blocked_by: .*$/m, 'blocked_by: []']);
  await change(`${ISSUES}/ENG-3.md`, [/^team: .*$/m, 'team: OPS']);
  await write(mount, `${ISSUES}/new.md`, '---\ntitle: Made\n---\n');
  await write(mount, `${ISSUES}/ENG-2/comments/new.md`, 'Said\n');
  await change(commentPath(2, 0), ['squeaks', 'sings']);
  await mount.unlink?.(commentPath(2, 0));
  await linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
  await write(mount, '/documents/new.md', '---\ntitle: Plan\nproject: Launch\n---\n\nText\n');
  const made = (await text(mount, '/documents/.last')).trim();
  await change(`/documents/${made}`, ['Text', 'More text'], [/^issue: .*$/m, 'issue: ENG-2']);
  const updates = `${TEAM}/projects/abc0def/updates`;
  await write(mount, `${updates}/new.md`, '---\nhealth: at risk\n---\n\nSlow\n');
  const update = (await text(mount, `${updates}/.last`)).trim();
  await change(`${updates}/${update}`, ['Slow', 'Slower'], ['at risk', 'off track']);
  await change(
    `/inbox/${uuid(700)}.md`,
    ['read: false', 'read: true'],
    ['snoozed_until: null', 'snoozed_until: 2030-01-01T09:00:00.000Z'],
  );
  return (await bench.log()).filter(({ query }) => query !== '');
}

/** What is wrong with the requests by a schema. */
function wrong(schema: GraphQLSchema): string[] {
  const rules = [...specifiedRules, NoDeprecatedCustomRule];
  return sent.flatMap(({ query, variables }) => {
    const document = parse(query);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) return [`no operation: ${query}`];
    const errors = validate(schema, document, rules);
    const defined = operation.variableDefinitions ?? [];
    const coerced = getVariableValues(schema, defined, variables);
    return [...errors, ...(coerced.errors ?? [])].map(
      ({ message }) => `${operation.name?.value}: ${message}`,
    );
  });
}

const typeOf = (field: string): string => `${field[0]?.toUpperCase()}${field.slice(1)}`;

/** What a module names as a pattern finds it. */
function named(source: string, pattern: RegExp): string[] {
  return [...source.matchAll(pattern)].map(([, name = '']) => name);
}

/** The documents of each kind that is asked for and changed as all are: those that its module makes use of. */
function ofKinds(source: string): string[] {
  const kinds = [...source.matchAll(/const (\w+) = graph\.kind(?:<\w+>)?\('(\w+)'/g)];
  return kinds.flatMap(([, variable = '', field = '']) => {
    const ways = { LookUp: 'ways', Create: 'create(', Update: 'update(', Delete: 'remove(' };
    const type = typeOf(field);
    return Object.entries(ways)
      .filter(([, way]) => source.includes(`${variable}.${way}`))
      .map(([name]) => `${name}${type}`);
  });
}

test('every document that the mount has was sent', () => {
  const here = new URL('.', import.meta.url);
  const sources = readdirSync(here).filter((name) => /^(?!testing)[a-z-]+\.ts$/.test(name));
  const documents = sources
    .map((name) => readFileSync(new URL(name, here), 'utf8'))
    .flatMap((source) => [
      ...named(source, /[`'](?:query|mutation) (\w+)(?![\w$])/g),
      ...named(source, /graph\.(?:collections|changes)\(\s*'(\w+)'/g),
      ...named(source, /graph\.list\('(\w+)'/g).map(typeOf),
      ...(source.includes('graph.latest(') ? ['Newest'] : []),
      ...ofKinds(source),
    ]);
  const names = sent.map(({ query }) => /^(?:query|mutation) (\w+)/.exec(query)?.[1]);
  expect([...new Set(names)].sort()).toEqual([...new Set(documents)].sort());
  expect(documents.length).toBeGreaterThan(20);
});

test('every document and its variables are right by the types of the SDK, and nothing in them is deprecated', () => {
  expect(wrong(buildSchema(deriveSdl(sdkTypes())))).toEqual([]);
});

/** A copy of packages/sdk/src/schema.graphql of github.com/linear/linear, which is not kept here. */
const PUBLISHED = process.env['LINEAR_SCHEMA'];

test.runIf(PUBLISHED)('and by the schema that Linear publishes', () => {
  expect(wrong(buildSchema(readFileSync(PUBLISHED ?? '', 'utf8')))).toEqual([]);
});
