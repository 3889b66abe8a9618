/** The Linear stand-in holds to Linear's own schema, and says no where Linear would. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LinearClient } from '@linear/sdk';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LinearStandIn, startLinearStandIn } from './index.ts';
import { deriveSdl, sdkTypes } from './sdl.ts';

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

test('what Linear has deprecated is refused, unless it is told to answer', async () => {
  await expect(ask('{ teams { nodes { private } } }')).rejects.toThrow('deprecated');
  await expect(ask('{ projects { nodes { state } } }')).rejects.toThrow('deprecated');
  await linear.answerDeprecated(true);
  expect(await ask('{ teams(first: 1) { nodes { private } } }')).toMatchObject({
    teams: { nodes: [{ private: false }] },
  });
  await linear.answerDeprecated(false);
});

test('of a notification the fields of every kind count, since it may be any of them', async () => {
  await linear.resetRequests();
  await ask(`{ notifications(first: 10) { nodes {
    id ... on IssueNotification { issue { id } } ... on ProjectNotification { project { id } }
  } } }`);
  // 10 × (1 for the record + 0.1 + 1.1 for each kind)
  expect((await linear.requests()).map(({ complexity }) => complexity)).toEqual([33]);
});

test('an issue that moves is found by its former identifier, and takes nothing of the old team along', async () => {
  const { teams, issues } = await linear.dump();
  const [from, to] = [
    teams.find(({ key }) => key === 'PLT'),
    teams.find(({ key }) => key === 'INC'),
  ];
  const issue = issues.find((one) => one.teamId === from?.id && one.cycleId !== null);
  const update = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) {
    issue { identifier previousIdentifiers cycle { id } team { key } state { name } } } }`;
  const data = await ask(update, { id: issue?.id, input: { teamId: to?.id } });
  const former = `PLT-${issue?.number}`;
  expect(data['issueUpdate']).toMatchObject({
    issue: { previousIdentifiers: [former], cycle: null, team: { key: 'INC' } },
  });
  expect(await ask(`{ issue(id: "${former}") { id } }`)).toEqual({ issue: { id: issue?.id } });
  await linear.reseed('demo');
});

test('more than 30 searches a minute are refused', async () => {
  const search = () => ask('{ searchIssues(term: "disk", first: 1) { totalCount } }');
  for (let n = 0; n < 30; n++) await search();
  await expect(search()).rejects.toMatchObject({ type: 'Ratelimited', status: 400 });
  await expect(ask('{ viewer { id } }')).resolves.toBeDefined();
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
