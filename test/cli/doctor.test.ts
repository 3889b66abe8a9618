/** `dirigent doctor`, on services that run on this machine. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Check } from '../../src/cli/doctor-check.ts';
import { credential } from '../credentials/tokens.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { type ProviderStandIn, startProvider } from '../stand-ins/model/providers.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

interface Running {
  url: string;
  token: string;
  close(): Promise<void>;
}

let services: Record<'github' | 'linear' | 'notion', Running>;
let model: ProviderStandIn;
beforeAll(async () => {
  services = {
    github: await startGithubStandIn(),
    linear: await startLinearStandIn(),
    notion: await startNotionStandIn(),
  };
  model = await startProvider({ '/v1/models': { data: [] } });
});
afterAll(async () => {
  await Promise.all([...Object.values(services), model].map((each) => each.close()));
});

function deployment(): string {
  const directory = temporaryDirectory();
  const mounts = Object.fromEntries(
    Object.entries(services).map(([source, { url }]) => [
      `/mnt/${source}`,
      { source, baseUrl: url, tokenEnv: `TOKEN_${source}` },
    ]),
  );
  const config = JSON.stringify({ mounts: { ...mounts, '/mnt/docs': '.:ro' } });
  writeFileSync(join(directory, 'dirigent.config.mjs'), `export default ${config};\n`);
  return directory;
}

const tokens = (): Record<string, string> =>
  Object.fromEntries(Object.entries(services).map(([name, { token }]) => [`TOKEN_${name}`, token]));

async function doctor(cwd: string, env: Record<string, string>) {
  const { stdout, stderr, status } = await cli(['doctor', '--json'], { cwd, env });
  const { ok, checks } = JSON.parse(stdout.toString()) as { ok: boolean; checks: Check[] };
  const of = (what: string): Check | undefined => checks.find((each) => each.what === what);
  return { ok, status, checks, of, text: stdout.toString() + stderr };
}

test('where all is well each service says who we are, and nothing secret is printed', async () => {
  const directory = deployment();
  const key = credential('sk-', 'of_the_model');
  const env = { ...tokens(), ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url };
  const report = await doctor(directory, env);
  expect([report.ok, report.status]).toEqual([true, 0]);
  expect(report.checks.filter(({ state }) => state === 'fail')).toEqual([]);
  expect(report.of('config')?.text).toBe(join(directory, 'dirigent.config.mjs'));
  expect(report.of('/mnt/github')).toMatchObject({
    state: 'ok',
    text: expect.stringMatching(/^github as \S+, \d+ of \d+ requests left until 2/),
  });
  expect(report.of('/mnt/linear')?.text).toMatch(/^linear as \S+/);
  expect(report.of('/mnt/notion')?.text).toMatch(/^notion as \S+/);
  expect(report.of('/mnt/docs')?.text).toBe('disk');
  expect(report.of('model')).toEqual({
    what: 'model',
    state: 'ok',
    text: `anthropic/claude-sonnet-5-5 at ${new URL(model.url).host}, with the key in ANTHROPIC_API_KEY`,
  });
  expect(model.requests).toContain(`GET /v1/models ${key}`);
  for (const secret of [key, ...Object.values(tokens())]) expect(report.text).not.toContain(secret);
  const shown = await cli(['doctor'], { cwd: directory, env });
  expect(shown.stdout.toString()).toMatch(/^ok {4}\/mnt\/github: github as /m);
});

test('a token that is refused or missing fails its mount alone, with the variable to set', async () => {
  const directory = deployment();
  const wrong = credential('lin_api_', 'nobody_has_it');
  const { TOKEN_notion: _, ...rest }: Record<string, string> = { ...tokens(), TOKEN_linear: wrong };
  const report = await doctor(directory, { ...rest, OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' });
  expect([report.ok, report.status]).toEqual([false, 1]);
  expect(report.of('/mnt/github')?.state).toBe('ok');
  expect(report.of('/mnt/linear')).toMatchObject({
    state: 'fail',
    advice: expect.stringContaining('TOKEN_linear'),
  });
  expect(report.of('/mnt/notion')).toMatchObject({
    state: 'fail',
    advice: 'set TOKEN_notion where dirigent is started',
  });
  expect(report.text).not.toContain(wrong);
  expect(report.of('model')?.text).toBe('builtin/extract');
});

test('a config that is wrong is a line, and the rest is looked at all the same', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'dirigent.config.mjs'), 'export default { mounts: { x: 1 } };\n');
  const report = await doctor(directory, {});
  expect(report.status).toBe(1);
  expect(report.of('config')).toMatchObject({
    state: 'fail',
    text: expect.stringMatching(/mounts/),
  });
  expect(report.of('model')?.state).toBe('ok');
});

test('a state directory that others can write, and a model that nobody serves, are told', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'dirigent.config.mjs'), 'export default {};\n');
  mkdirSync(join(directory, '.dirigent'));
  chmodSync(join(directory, '.dirigent'), 0o777);
  const env = { OPENAI_BASE_URL: 'http://user:hunter2@127.0.0.1:1/v1', DIRIGENT_MODEL: 'openai/m' };
  const report = await doctor(directory, env);
  expect(report.of('state')).toMatchObject({
    state: 'warn',
    advice: expect.stringContaining('chmod'),
  });
  expect(report.of('model')).toMatchObject({ state: 'fail' });
  expect(report.text).not.toContain('hunter2');
});
