/** Tokens of an authorization server, and a file of clients that changes while the door is open. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { fileClients } from '../../src/doors/http/admission.ts';
import { issuerAt } from '../../src/doors/http/oauth.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { call, connectMcp, INITIALIZE, openMcp, postTo, testDoorway } from './support.ts';

/** An authorization server, as far as whoever takes its tokens sees it. */
async function authorizationServer() {
  const keys = await generateKeyPair('ES256');
  const others = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    const bodies: Record<string, unknown> = {
      '/.well-known/oauth-authorization-server': { issuer: url, jwks_uri: `${url}/keys` },
      '/keys': { keys: [jwk] },
    };
    const body = bodies[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign = (claims: JWTPayload, expires: string | number = '5m', key = keys.privateKey) =>
    new SignJWT({ iss: url, sub: 'ana@example.org', scope: 'dirigent.write', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(key);
  return { url, sign, otherKey: others.privateKey };
}

const digest = (token: string): string => createHash('sha256').update(token).digest('hex');

test('a token of the authorization server lets its subject in, with the agent that its scope gives', async () => {
  const { url: issuer, sign } = await authorizationServer();
  const file = join(temporaryDirectory(), 'clients.yaml');
  writeFileSync(
    file,
    'ana: {subject: ana@example.org, scopes: {dirigent.write: assistant, dirigent.read: assistant}}\n',
  );
  const clients = fileClients(file, issuerAt(issuer), () => undefined);
  const { doorway } = testDoorway();
  const url = await openMcp(doorway, { clients });
  const metadata = `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`;
  expect(await (await fetch(metadata)).json()).toEqual({
    resource: url,
    resource_name: 'Dirigent',
    bearer_methods_supported: ['header'],
    authorization_servers: [issuer],
    scopes_supported: ['dirigent.write', 'dirigent.read'],
  });
  const client = await connectMcp(url, '2026', { token: await sign({ aud: url }) });
  const told = await call(client, 'bash', {
    command: 'grep -o \'"actor":"ana"\' /session/log.jsonl | head -n 1',
  });
  expect(told).toEqual({ text: '"actor":"ana"', failed: false });
});

test('a token that is not for this address, is over, is somebody’s, or is signed by another key is refused, and says where to ask', async () => {
  const { url: issuer, sign, otherKey } = await authorizationServer();
  const file = join(temporaryDirectory(), 'clients.yaml');
  writeFileSync(file, 'ana: {subject: ana@example.org, scopes: {dirigent.write: assistant}}\n');
  const { doorway, worlds } = testDoorway();
  const url = await openMcp(doorway, {
    clients: fileClients(file, issuerAt(issuer), () => undefined),
  });
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  const claims = Buffer.from(
    JSON.stringify({
      iss: issuer,
      sub: 'ana@example.org',
      aud: url,
      exp: 4e9,
      scope: 'dirigent.write',
    }),
  ).toString('base64url');
  const bad: readonly [name: string, token: string, status: number, error: string][] = [
    ['another audience', await sign({ aud: 'https://example.org/mcp' }), 401, 'invalid_token'],
    ['no audience', await sign({}), 401, 'invalid_token'],
    ['over', await sign({ aud: url }, 1), 401, 'invalid_token'],
    ['another key', await sign({ aud: url }, '5m', otherKey), 401, 'invalid_token'],
    ['another issuer', await sign({ aud: url, iss: 'https://example.org' }), 401, 'invalid_token'],
    ['no signature', `${none}.${claims}.`, 401, 'invalid_token'],
    ['no token at all', 'x', 401, 'invalid_token'],
    ['another subject', await sign({ aud: url, sub: 'eve@example.org' }), 401, 'invalid_token'],
    ['another scope', await sign({ aud: url, scope: 'profile' }), 403, 'insufficient_scope'],
  ];
  for (const [name, token, status, error] of bad) {
    const answer = await postTo(url, token, INITIALIZE);
    const challenge = answer.headers.get('www-authenticate') ?? '';
    expect([name, answer.status]).toEqual([name, status]);
    expect(challenge).toContain(`error="${error}"`);
    expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp"');
    expect(await answer.text()).not.toContain(token.slice(0, 40).padEnd(40, '?'));
  }
  expect((await postTo(url, await sign({ aud: url }), INITIALIZE)).status).toBe(200);
  expect(worlds).toHaveLength(1);
});

test('an authorization server that cannot be asked is a sentence, and is asked again', async () => {
  const file = join(temporaryDirectory(), 'clients.yaml');
  writeFileSync(
    file,
    `ana: {subject: a, scopes: {s: assistant}}\nci: {sha256: ${digest('known')}, agent: assistant}\n`,
  );
  const { doorway } = testDoorway();
  const clients = fileClients(file, issuerAt('http://127.0.0.1:9'), () => undefined);
  const url = await openMcp(doorway, { clients });
  const answer = await postTo(url, 'a.b.c', INITIALIZE);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('http://127.0.0.1:9 cannot be asked for its keys');
  expect((await postTo(url, 'known', INITIALIZE)).status).toBe(200);
});

test('who is taken out of the file of clients is let in no more, streams that are open end, and who is added comes in', async () => {
  const file = join(temporaryDirectory(), 'clients.yaml');
  const write = (...names: string[]) =>
    writeFileSync(
      file,
      names.map((name) => `${name}: {sha256: ${digest(name)}, agent: assistant}\n`).join(''),
    );
  write('alice', 'bob');
  const notices: string[] = [];
  const { doorway } = testDoorway();
  const url = await openMcp(doorway, {
    clients: fileClients(file, null, (line) => void notices.push(line)),
  });
  const begun = await postTo(url, 'alice', INITIALIZE);
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const stream = await fetch(url, {
    headers: { authorization: 'Bearer alice', accept: 'text/event-stream', ...session },
  });
  expect(stream.status).toBe(200);
  write('bob', 'carol');
  expect((await postTo(url, 'alice', INITIALIZE)).status).toBe(401);
  expect((await postTo(url, 'carol', INITIALIZE)).status).toBe(200);
  await expect(stream.text()).rejects.toThrow();
  writeFileSync(file, 'bob: {sha256: 12}\n');
  expect((await postTo(url, 'carol', INITIALIZE)).status).toBe(200);
  expect((await postTo(url, 'alice', INITIALIZE)).status).toBe(401);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatch(/bob\.sha256 should be 64 hexadecimal digits.*let in still/);
});
