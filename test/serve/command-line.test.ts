/** The server from a terminal: tokens, a turn over it, its end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseInvocation } from '../../src/cli/options.ts';
import { ServerClient } from '../../src/cli/server-client.ts';
import { serveHttp } from '../../src/serve/http/server.ts';
import { cli } from '../cli/run-cli.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { deployed, scripted, serve } from './support.ts';

test('a token is shown once, lets its owner run a turn on the server, and can be taken back', async () => {
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const model = await scripted(({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return says('done');
    return messages.at(-1)?.content === 'ask'
      ? calls(['bash', { command: 'echo x > /workspace/asked' }])
      : says('an answer from the server');
  });
  const { service } = serve(deployment, model, { parkAfterMs: 10 });
  const server = await serveHttp({ service, host: '127.0.0.1', port: 0, onFault: () => undefined });
  onTestFinished(() => server.close());
  const there = ['--deployment', deployment];
  const added = await cli(['serve', 'token', 'add', 'ana', ...there]);
  expect(added).toMatchObject({ status: 0, stderr: '' });
  const env = { DIRIGENT_TOKEN: added.stdout.toString().trim() };
  const run = (...args: string[]) => cli(['run', '--server', server.url, ...args], { env });

  const answered = await run('hello');
  expect([answered.status, answered.stderr]).toEqual([0, '']);
  expect(answered.stdout.toString()).toBe('an answer from the server\n');
  const told = await run('--json', 'hello');
  const report = JSON.parse(told.stdout.toString()) as { session: string };
  expect(report).toMatchObject({ status: 'done', text: 'an answer from the server' });
  expect((await run('--session', report.session, 'and again')).status).toBe(0);
  const parked = await run('ask');
  expect(parked.status).toBe(1);
  expect(parked.stderr).toContain('goes on by itself once it is answered');

  const listed = await cli(['serve', 'token', 'list', '--json', ...there]);
  expect(JSON.parse(listed.stdout.toString())).toMatchObject([
    { actor: 'ana', role: 'user', agent: null },
  ]);
  expect(listed.stdout.toString()).not.toContain(env.DIRIGENT_TOKEN);
  expect((await cli(['serve', 'token', 'remove', 'ana', ...there])).status).toBe(0);
  const refused = await run('hello');
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('this server wants a token');
  const second = await cli(['serve', '--port', '0', ...there]);
  expect(second.status).toBe(1);
  expect(second.stderr).toContain('the deployment is being served by process');
});

test.each([
  [['serve', '--port', 'x'], '--port "x" is no port'],
  [['serve', '--stdio', '--port', '1'], 'with --stdio nothing listens'],
  [['serve', '--role', 'owner'], '--role and --agent are for "token add"'],
  [['serve', 'token', 'add'], 'token add takes the NAME of somebody'],
  [['serve', 'token', 'add', 'a', 'b'], 'takes one NAME'],
  [['serve', '--origin', 'desk'], 'is no origin'],
  [['serve', '--turns', '0'], '--turns takes a whole number'],
  [['serve', 'tokens'], '"tokens" is not allowed'],
  [['run', '--server', 'x', '--mount', '/a=mem', 'p'], 'the server has a world of its own'],
])('%j says what is wrong', (args, message) => {
  expect(() => parseInvocation(args, [])).toThrow(message);
});

test('a server that cannot be, or without a token, is told before anything is sent', () => {
  expect(() => new ServerClient('desk', {})).toThrow('is no address');
  expect(() => new ServerClient('http://127.0.0.1:7070', {})).toThrow(
    'put yours into DIRIGENT_TOKEN',
  );
});
