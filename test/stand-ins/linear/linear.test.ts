/** The Linear stand-in holds to Linear's own schema, and says no where Linear would. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LinearClient } from '@linear/sdk';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LinearStandIn, startLinearStandIn } from './index.ts';
import { deriveSdl, sdkTypes } from './sdl.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let linear: LinearStandIn;
let sdk: LinearClient;
beforeAll(async () => {
  linear = await startLinearStandIn();
  sdk = new LinearClient({ apiKey: linear.token, apiUrl: linear.url });
});
afterAll(() => linear.close());

const ask = async (query: string, variables: Record<string, unknown> = {}) =>
  (await sdk.client.rawRequest<Record<string, unknown>, Record<string, unknown>>(query, variables))
    .data ?? {};

test('every document of the SDK is valid in the schema that is derived from its types', () => {
  const schema = buildSchema(deriveSdl(sdkTypes()));
  const source = readFileSync(fileURLToPath(import.meta.resolve('@linear/sdk')), 'utf8');
  const documents = [
    ...source.matchAll(/const (\w+Document) = new TypedDocumentString\(`([^`]*)`/g),
  ];
  const wrong = documents.flatMap(([, name = '', text = '']) =>
    validate(schema, parse(text)).map(({ message }) => `${name}: ${message}`),
  );
  expect(documents.length).toBeGreaterThan(600);
  expect(wrong).toEqual([]);
});

test('a field that Linear does not have, and a value of the wrong type, are refused', async () => {
  await expect(ask('{ issues { nodes { colour } } }')).rejects.toThrow(
    'Cannot query field "colour"',
  );
  const update =
    'mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }';
  const tries: Record<string, unknown>[] = [
    { estimate: 1.5 },
    { titel: 'x' },
    { dueDate: 'tomorrow' },
    { labelIds: [null] },
  ];
  for (const input of tries) {
    await expect(ask(update, { id: 'PLT-1', input }), JSON.stringify(input)).rejects.toThrow();
  }
  await expect(ask(update, { id: 'PLT-1', input: { priority: 5 } })).rejects.toThrow('priority');
  await expect(ask(update, { id: 'PLT-1', input: { stateId: 'nope' } })).rejects.toThrow(
    'WorkflowState',
  );
  await expect(ask('{ issue(id: "PLT-999") { id } }')).rejects.toThrow('Entity not found: Issue');
});

test('pages have 50 records by default and 250 at most, and follow one another', async () => {
  type Page = {
    nodes: { identifier: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
  const page = async (args: string) =>
    (await ask(`{ issues(${args}) { nodes { identifier } pageInfo { hasNextPage endCursor } } }`))[
      'issues'
    ] as Page;
  const seen: string[] = [];
  for (let after = '', more = true; more; ) {
    const { nodes, pageInfo } = await page(`first: 7${after}`);
    seen.push(...nodes.map(({ identifier }) => identifier));
    after = `, after: "${pageInfo.endCursor}"`;
    more = pageInfo.hasNextPage;
  }
  expect(new Set(seen).size).toBe((await linear.dump()).issues.length);
  expect((await page('orderBy: updatedAt')).nodes).toHaveLength(50);
  await expect(page('first: 251')).rejects.toThrow('between 1 and 250');
  await expect(page('first: 0')).rejects.toThrow('between 1 and 250');
});

test('a query of more than 10,000 points is refused, as is a key that is not known', async () => {
  const nested = '{ issues(first: 250) { nodes { comments(first: 50) { nodes { id } } } } }';
  await expect(ask(nested)).rejects.toThrow('Maximum allowed complexity: 10000');
  const stranger = new LinearClient({ apiKey: 'nobody', apiUrl: linear.url });
  await expect(stranger.client.rawRequest('{ viewer { id } }')).rejects.toMatchObject({
    type: 'AuthenticationError',
  });
});

test('a limit is HTTP 400 with RATELIMITED, and the SDK reads when it ends', async () => {
  await linear.fault({ kind: 'limited', retryAfter: 30, times: 1 });
  await expect(ask('{ viewer { id } }')).rejects.toMatchObject({
    type: 'Ratelimited',
    status: 400,
    retryAfter: 30,
    requestsRemaining: 0,
  });
});

test('the demo tells the story of the GitHub demo: each incident names its issue there', async () => {
  const { issues, teams } = await linear.dump();
  const incidents = teams.find(({ key }) => key === 'INC')?.id;
  const told = issues.filter(({ teamId }) => teamId === incidents);
  expect(told).toHaveLength(5);
  for (const { description } of told) {
    expect(description).toMatch(/^Reported as harbor\/quay#\d+; fixed by harbor\/quay#\d+\./);
  }
});
