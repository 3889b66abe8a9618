/** A turn that was killed: the next one goes on, and does nothing twice. The long test kills it between any two entries. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCli } from '../cli/run-cli.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { killedBetweenEntries, lines } from './resuming.ts';
import { testModel } from './support.ts';

test('killed between two entries, a turn is resumed without a side effect done twice', async () => {
  expect(await killedBetweenEntries(4)).toBeGreaterThan(0);
});

test('kill -9 in the middle of a command: it is shown as interrupted, and not run again by itself', async () => {
  const home = temporaryDirectory();
  const out = temporaryDirectory();
  const model = await testModel((request) =>
    request.messages.at(-1)?.content === 'x'
      ? calls(['bash', { command: 'echo once >> /memory/log; sleep 60' }])
      : says('gone on'),
  );
  const env = { XDG_STATE_HOME: home, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: '' };
  const args = ['--model', 'openai/scripted', '--mount', `/memory=${out}`];
  const child = startCli(['run', ...args, 'x'], { env });
  await expect.poll(() => lines(join(out, 'log')), { timeout: 50_000 }).toEqual(['once']);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const { readdirSync } = await import('node:fs');
  const [session = ''] = readdirSync(join(home, 'dirigent', 'sessions'));
  const next = startCli(['run', ...args, '--session', session, '--json', 'go on'], { env });
  let stdout = '';
  next.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  await new Promise((resolve) => next.once('close', resolve));
  expect(JSON.parse(stdout)).toMatchObject({ status: 'done', session, text: 'gone on' });
  expect(lines(join(out, 'log'))).toEqual(['once']);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('[interrupted');
});
