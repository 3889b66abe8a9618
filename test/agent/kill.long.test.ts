/**
 * A turn that writes to a service, killed by SIGKILL after every single entry of
 * its log, and while its requests are under way: going on never does a side
 * effect twice, and what was interrupted is told and not run again by itself.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { cli, ROOT } from '../cli/run-cli.ts';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import { calls, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { testModel } from './support.ts';

const MAIN = join(ROOT, 'entry', 'main.ts');
const KILLER = join(ROOT, 'test', 'agent', 'killer.mjs');
const ISSUES = '/mnt/github/harbor/quay/issues';

const create = (title: string): string =>
  `printf -- '---\\ntitle: %s\\n---\\nbody\\n' '${title}' > ${ISSUES}/new.md; cat ${ISSUES}/.last`;

/** Two issues, one after the other, with a local effect in between. */
const turn = (name: string) => [
  calls(['bash', { command: `${create(`${name} first`)}; echo ${name} >> /workspace/log` }]),
  calls(['bash', { command: create(`${name} second`) }]),
  says('done'),
];

function deployed(github: GithubStandIn): string {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    `export default { mounts: { '/mnt/github': { source: 'github', mode: 'rw', baseUrl: '${github.url}', tokenEnv: 'T', freshMs: 0 } } };\n`,
  );
  writeFileSync(
    join(deployment, 'harness', 'policy.yaml'),
    'rules: [{decision: allow, service: true}]\n',
  );
  return deployment;
}

async function titles(github: GithubStandIn): Promise<string[]> {
  const all: string[] = [];
  for (let page = 1; ; page++) {
    const url = `${github.url}/repos/harbor/quay/issues?state=all&per_page=100&page=${page}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${github.token}` } });
    const issues = (await answer.json()) as { title: string }[];
    all.push(...issues.map(({ title }) => title));
    if (issues.length < 100) return all;
  }
}

test('kill -9 after any entry, and around a request: a side effect of a service happens once', async () => {
  const github = await startGithubStandIn();
  const deployment = deployed(github);
  const state = join(deployment, '.dirigent');
  const run = async (args: string[], model: string, killAt?: string) => {
    const command = ['run', '--deployment', deployment, ...args];
    const options = {
      env: {
        T: github.token,
        OPENAI_BASE_URL: model,
        OPENAI_API_KEY: '',
        DIRIGENT_MODEL: 'openai/m',
      },
    };
    if (killAt === undefined) return cli(command, options);
    const at = `--import=${pathToFileURL(KILLER).href}?at=${killAt.replace(' ', '+')}`;
    return cli([MAIN, ...command], { ...options, main: at });
  };
  const sessions = (): Set<string> => new Set(readdirSync(join(state, 'sessions')));
  const whole = await testModel(turn('whole'));
  expect((await run(['x'], whole.url)).status).toBe(0);
  const [first = ''] = sessions();
  const log = join(state, 'sessions', first, 'log.jsonl');
  const entries = readFileSync(log, 'utf8').trimEnd().split('\n').length;
  expect(entries).toBeGreaterThan(14);
  const moments = [
    'sent',
    'answered',
    ...Array.from({ length: entries - 1 }, (_, index) => `entry ${index + 2}`),
  ];
  let interrupted = 0;
  for (const moment of moments) {
    const name = moment.replace(' ', '');
    const before = sessions();
    const model = await testModel(turn(name));
    const killed = await run(['x'], model.url, moment);
    if (moment !== `entry ${entries}`)
      expect(killed.status, `${moment}: ${killed.stderr}`).toBe(null);
    const [session = ''] = [...sessions()].filter((id) => !before.has(id));
    const effects = async () =>
      (await titles(github)).filter((title) => title.startsWith(`${name} `)).sort();
    const left = await effects();
    expect(left.length, `${moment}: ${left}`).toBeLessThanOrEqual(2);
    // It looks, and makes what is not there.
    const resumed = await testModel(({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(textOf);
      if (messages.at(-1)?.role === 'user') {
        if (results.some((text) => text.includes('[interrupted'))) interrupted += 1;
        return calls(['bash', { command: `cut -f 3 ${ISSUES}/index.tsv` }]);
      }
      const seen = results.findLast((text) => text.includes('title')) ?? '';
      const missing = ['first', 'second'].find((each) => !seen.includes(`${name} ${each}`));
      const last = messages.at(-2)?.tool_calls?.[0]?.function.arguments ?? '';
      if (missing === undefined) return says('done');
      return last.includes('new.md')
        ? calls(['bash', { command: `cut -f 3 ${ISSUES}/index.tsv` }])
        : calls(['bash', { command: create(`${name} ${missing}`) }]);
    });
    const next = await run(['--session', session, 'go on'], resumed.url);
    expect(next.status, `${moment}: ${next.stderr}`).toBe(0);
    expect(await effects(), moment).toEqual([`${name} first`, `${name} second`]);
    // The local effect was not repeated either.
    const local = readFileSync(join(deployment, 'workspace', 'log'), {
      encoding: 'utf8',
      flag: 'a+',
    });
    expect(local.split('\n').filter((line) => line === name).length).toBeLessThanOrEqual(1);
    const [sent] = resumed.requests;
    const called = sent?.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    expect(sent?.messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(called);
    expect(verifySession(sessionPlace(state), session).faults, moment).toEqual([]);
    rmSync(join(state, 'sessions', session), { recursive: true });
  }
  expect(interrupted).toBeGreaterThan(3);
  await github.close();
}, 600_000);
