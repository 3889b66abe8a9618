/** The API, asked whatever its own description allows, and much that it does not. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { ServedFiles } from '../../src/serve/files.ts';
import { csrfOf } from '../../src/serve/principals.ts';
import type { Caller } from '../../src/serve/rights.ts';
import { answersOf, describedBy, requestOf } from './fuzzing.ts';
import { society } from './society.ts';
import { begun, type Client, deployed, serve } from './support.ts';

/** Requests of each operation. */
const RUNS = 10;

test('whatever is asked, in any order, the server does not fail, answers as described, and tells and lets nobody what is not theirs', async () => {
  const { ask, served } = await society({ speakers: ['olga', 'uwe'] });
  expect(await ask(120)).toEqual([]);
  await expect.poll(() => served.service.feeds.size, { timeout: 50_000 }).toBe(0);
});

test('a message that only stops a turn is answered as described: there is none', async () => {
  const olga = serve(deployed(), { url: 'http://127.0.0.1:1/v1' }).client('olga', 'owner');
  const { id } = await begun(olga);
  const { description, operations } = await describedBy(olga);
  const path = '/v1/sessions/{session}/messages';
  const say = operations.find((each) => each.method === 'POST' && each.path === path);
  if (say === undefined) throw new Error(`${path} is not described`);
  const response = await olga.send('POST', path.replace('{session}', id), { text: '/stop' });
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ message: null });
  expect(answersOf(description)(say, response.status, text)).toBeNull();
});

test('nobody who is not known is answered, and who may not do something has not done it', async () => {
  const served = serve(deployed(), { url: 'http://127.0.0.1:1/v1' });
  const { app, client } = served;
  const [olga, uwe, vera] = [
    client('olga', 'owner'),
    client('uwe', 'user'),
    client('vera', 'viewer'),
  ];
  const { id: session } = await begun(olga);
  const known = [session, (await begun(uwe)).id];
  const { description, operations } = await describedBy(olga);
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

test('what is proposed to the harness is listed to who may look, and accepted as it was shown or rejected by an owner alone', async () => {
  const deployment = deployed();
  const proposed = join(deployment, '.dirigent/proposals/prompts');
  mkdirSync(proposed, { recursive: true });
  for (const name of ['yes', 'no']) writeFileSync(join(proposed, `${name}.md`), `Say ${name}.`);
  const { client } = serve(deployed(), { url: 'http://127.0.0.1:1/v1' });
  expect(await client('olga', 'owner').get('/v1/proposals')).toEqual({ proposals: [], errors: [] });
  const served = serve(deployment, { url: 'http://127.0.0.1:1/v1' });
  const [olga, uwe, vera] = [
    served.client('olga', 'owner'),
    served.client('uwe', 'user'),
    served.client('vera', 'viewer'),
  ];
  const listed = async (who: Client) =>
    (await who.get<{ proposals: { path: string; digest: string }[] }>('/v1/proposals')).proposals;
  const shown = await listed(vera);
  expect(shown.map(({ path }) => path)).toEqual(['prompts/no.md', 'prompts/yes.md']);
  expect((await uwe.send('GET', '/v1/proposals')).status).toBe(403);
  const yes = { path: 'prompts/yes.md', digest: shown[1]?.digest };
  const no = { path: 'prompts/no.md' };
  for (const who of [uwe, vera]) {
    expect((await who.send('POST', '/v1/proposals/accept', yes)).status).toBe(403);
    expect((await who.send('POST', '/v1/proposals/reject', no)).status).toBe(403);
  }
  const other = { ...yes, digest: shown[0]?.digest };
  expect((await olga.send('POST', '/v1/proposals/accept', other)).ok).toBe(false);
  expect(await olga.post('/v1/proposals/accept', yes)).toEqual({ done: true });
  expect(await olga.post('/v1/proposals/reject', no)).toEqual({ done: true });
  expect(await listed(olga)).toEqual([]);
  const prompts = join(deployment, 'harness/prompts');
  expect(readdirSync(prompts)).toEqual(['yes.md']);
  expect(readFileSync(join(prompts, 'yes.md'), 'utf8')).toBe('Say yes.');
});

test('what commands changed is shown to nobody of whom it is not known that they may read it', async () => {
  const deployment = deployed(
    'sandbox: full\napproval: never\nrules:\n  - { name: keys, decision: deny, actor: ana, op: read, path: /workspace/key }\n',
  );
  const { doorway } = serve(deployment, { url: 'http://127.0.0.1:1/v1' });
  const ana: Caller = { actor: 'ana', role: 'approver', agent: null };
  const nobody = (): void => undefined;
  const files = new ServedFiles(doorway, nobody);
  onTestFinished(() => files.close());
  // Of what is there no more the rules hold, too.
  expect(await files.mayRead(ana, '/workspace/key')).toBe(false);
  expect(await files.mayRead(ana, '/workspace/gone')).toBe(true);
  const full = new FsError('EAGAIN', { path: '/', op: 'enter', reason: 'too many worlds' });
  const crowded = new ServedFiles({ enter: () => Promise.reject(full) }, nobody);
  await expect(crowded.mayRead(ana, '/workspace/key')).rejects.toMatchObject({ code: 'EAGAIN' });
});
