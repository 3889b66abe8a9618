/** What the package ships, carried out on a GitHub, a Linear and a Notion: tools, commands, skills. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { type Agent, openAgent } from '../../src/agent/open-agent.ts';
import { inspectHarness } from '../../src/harness/load.ts';
import { defaultHarness } from '../../src/world/plan.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import {
  calls,
  type ModelStandIn,
  type Reply,
  says,
  startModel,
  textOf,
} from '../stand-ins/model/index.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';

const QUAY = '/mnt/github/harbor/quay/issues';
const CLI = '/mnt/github/harbor/quay-cli/issues';
const PLT = '/mnt/linear/teams/PLT/issues';

const closing: (() => unknown)[] = [];
let world: World;
let agent: Agent;
let model: ModelStandIn;
let script: Reply[] = [];

beforeAll(async () => {
  const deployment = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  const services = await Promise.all([
    startGithubStandIn(),
    startLinearStandIn(),
    startNotionStandIn(),
  ]);
  const names = ['github', 'linear', 'notion'] as const;
  const mounts = names.map((source, index) => [
    `/mnt/${source}`,
    { source, mode: 'stage', baseUrl: services[index]?.url, tokenEnv: source },
  ]);
  const env = Object.fromEntries(names.map((name, index) => [name, services[index]?.token]));
  model = await startModel(() => script.shift() ?? says('done'));
  world = createWorld(
    { mounts: Object.fromEntries(mounts), search: { background: false } },
    { deployment, env },
  );
  agent = await openAgent(world, {
    base: deployment,
    env: { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' },
  });
  closing.push(
    () => rmSync(deployment, { recursive: true, force: true }),
    ...services.map((service) => () => service.close()),
    () => model.close(),
    () => world.close(),
    () => agent.close(),
  );
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function sh(command: string): Promise<string> {
  const { stdout, stderr, exitCode } = await world.exec(command);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

/** Rows of an index, without its header. */
const rowsOf = async (directory: string): Promise<string[][]> =>
  (await world.fs.readFile(`${directory}/index.tsv`))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));

/** What a turn is asked, and what it was offered. */
async function turn(prompt: string, ...replies: Reply[]) {
  const count = replies.flatMap(({ parts = [] }) => parts.filter((part) => 'call' in part)).length;
  script = replies;
  const before = model.requests.length;
  const result = await agent.run({ prompt });
  const [first] = model.requests.slice(before);
  const last = model.requests.at(-1);
  return {
    result,
    asked: first?.messages.map(textOf).at(-1) ?? '',
    system: first?.messages.map(textOf)[0] ?? '',
    tools: first?.tools?.map((tool) => tool.function.name) ?? [],
    results:
      last?.messages
        .filter(({ role }) => role === 'tool')
        .map(textOf)
        .slice(-count) ?? [],
  };
}

test('at least three skills, two tools and two commands are shipped, and nothing is wrong with them', async () => {
  const own = { own: null, defaults: defaultHarness() };
  expect(inspectHarness(own)).toEqual([]);
  const count = (kind: string) => readdirSync(join(defaultHarness(), kind)).length;
  expect(count('skills')).toBeGreaterThanOrEqual(3);
  expect(count('tools')).toBeGreaterThanOrEqual(2);
  expect(count('commands')).toBeGreaterThanOrEqual(2);
  const { skills, commands } = await agent.vocabulary();
  expect(skills).toHaveLength(count('skills'));
  expect(commands).toHaveLength(count('commands'));
  for (const { name, description } of [...skills, ...commands])
    expect(description, name).not.toBe('');
});

test.each([
  [QUAY, 5],
  [PLT, 6],
  ['/mnt/notion', 3],
])(
  'recent lists what changed in %s since a day, newest first, by paths that are there',
  async (directory, time) => {
    const rows = await rowsOf(directory);
    const times = rows.map((row) => row[time] ?? '').sort();
    const middle = times[Math.floor(times.length / 2)] ?? '';
    const days = Math.max(1, Math.ceil((Date.now() - Date.parse(middle)) / 86_400_000));
    const since = new Date(Date.now() - days * 86_400_000).toISOString();
    const shown = (await sh(`recent --path ${directory}/ --days ${days} --limit 1000`))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    // The tool began some ms after this was computed, and no record lies so near to the day.
    expect(shown.map(([at]) => at)).toEqual(times.filter((at) => at >= since).reverse());
    for (const [, path = ''] of shown.slice(0, 5))
      expect(await world.fs.exists(path), path).toBe(true);
    const few = await world.exec(`recent --path ${directory} --days ${days} --limit 1`);
    expect(few.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(few.stderr).toContain(`${shown.length - 1} more`);
  },
);

test('tally counts as the table does, each value of a list by itself', async () => {
  const rows = await rowsOf(CLI);
  const open = rows.filter(([, state]) => state === 'open');
  const labels = open.flatMap(([, , , each = '']) => (each === '' ? ['(none)'] : each.split(',')));
  const expected = [...new Set(labels)].map(
    (label) => `${labels.filter((each) => each === label).length}\t${label}`,
  );
  const shown = (await sh(`tally --path ${CLI} --by labels --where state=open`))
    .trimEnd()
    .split('\n');
  expect(shown.toSorted()).toEqual([...expected, `${open.length}\tin all`].toSorted());
  const nobody = rows.filter((row) => row[4] === '').length;
  expect(await sh(`tally --path ${CLI} --where assignees=`)).toContain(`${nobody}\tin all`);
  expect(await sh(`tool tally '{"path":"${PLT}","by":"priority"}'`)).toContain('\thigh\n');
});

test.each([
  ['recent --path /mnt/github/harbor', 'has an index.tsv', 1],
  ['recent --path /mnt/nosuch', 'has an index.tsv', 1],
  ['recent', 'path', 2],
  [`recent --path ${QUAY} --days 0`, 'days', 2],
  [`tally --path ${QUAY} --by nosuch`, 'there is no column "nosuch"; there are: number\tstate', 1],
  [`tally --path ${QUAY} --where nosuch=1`, 'there is no column "nosuch"', 1],
  [`tally --path '$(touch /workspace/x)'`, 'index.tsv', 1],
])('a tool that cannot do it says why: %s', async (command, message, status) => {
  const { stdout, stderr, exitCode } = await world.exec(command);
  expect([exitCode, stdout]).toEqual([status, '']);
  expect(stderr).toContain(message);
  expect(await world.fs.exists('/workspace/x')).toBe(false);
});

test('/standup shows what changed, labelled, by paths that are there, and its turn cannot write', async () => {
  const { asked, tools } = await turn(`/standup 500 ${QUAY} ${PLT}`);
  const [, ...blocks] = asked.split(/<untrusted from="/);
  expect(blocks[0]).toMatch(/^\/mnt\/github, \/mnt\/linear"/);
  expect(asked).toContain(`## ${QUAY}, 500 days\n`);
  const paths = [...asked.matchAll(/\t(\/mnt\/\S+)\t/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of [paths[0], paths.at(-1)]) expect(await world.fs.exists(path ?? '')).toBe(true);
  expect(tools).toContain('bash');
  expect(tools).not.toContain('write');
  expect((await turn('/standup')).asked).toContain('No directory was named. Mounted:\n/mnt/github');
  expect((await turn(`/standup ${QUAY}`)).asked).toContain(`## ${QUAY}, 1 days\n`);
});

test('/triage gives the counts; its skill leads to what is there, and verify holds what is cited', async () => {
  const [[number = ''] = []] = (await rowsOf(CLI)).filter(([, state]) => state === 'open');
  const thread = (await world.fs.readFile(`${CLI}/${number}/thread.md`)).split('\n');
  const line = thread.findIndex((each) => each.split(' ').length > 6);
  const cited = `It is open [${CLI}/${number}/thread.md:${line + 1} "${thread[line]?.split(' ').slice(0, 6).join(' ')}"].`;
  const { asked, results, tools, system } = await turn(
    `/triage ${CLI}`,
    calls(['skill', { name: 'triage-issues' }]),
    calls(
      ['tally', { path: CLI, by: 'assignees', where: 'state=open' }],
      ['bash', { command: `head -3 ${CLI}/../labels.tsv; head -c 200 /mnt/github/README.md` }],
    ),
    calls(['read', { path: `${CLI}/${number}/thread.md` }]),
    calls(['verify', { answer: cited }]),
    says(cited),
  );
  expect(asked).toContain(`for the issues of: ${CLI}`);
  expect(asked).toMatch(/\d+\topen\n[\s\S]*\d+\tin all\n[\s\S]*\tbug\n/);
  expect(system).toContain('- triage-issues: How new issues are triaged');
  expect(tools).toEqual(expect.arrayContaining(['recent', 'tally', 'verify', 'skill']));
  expect(results[0]).toContain('<skill name="triage-issues"');
  expect(results[1]).toContain('in all');
  expect(results[2]).toContain('name\tcolor\tdescription');
  expect(results[3]).toContain(thread[line] ?? '?');
  expect(results[4]).toContain('1 citation: 1 holds');
  // Linear's states are no "open".
  expect((await turn(`/triage ${PLT}`)).asked).toMatch(/\tBacklog\n[\s\S]*\tin all\n/);
});

test('/review shows what is staged; every file that its skill names is there', async () => {
  expect((await turn('/review')).asked).toContain('Nothing is staged');
  await sh(`sed -i 's/^state: open/state: closed/' ${QUAY}/200.md`);
  const { asked } = await turn('/review');
  expect(asked).toMatch(/^## \/session\/changes\/\w+$/m);
  expect(asked).toContain('+state: closed');
  const [id = ''] = (await world.fs.readdir('/session/changes')).filter((name) =>
    /^\w{26}$/.test(name),
  );
  const skill = readFileSync(join(defaultHarness(), 'skills/review-changes/SKILL.md'), 'utf8');
  const files = ['status', 'diff.patch', 'request.json', 'base.md', 'mine.md'];
  for (const file of files) {
    expect(skill).toContain(`\`${file}\``);
    expect(await world.fs.exists(`/session/changes/${id}/${file}`), file).toBe(true);
  }
  expect(await sh("grep -H '^state:' /session/changes/*/status")).toContain('state: pending');
});

test('the skill of research brings an answer whose citations hold, over two services', async () => {
  const found = async (path: string): Promise<string> => {
    const lines = (await world.fs.readFile(path)).split('\n');
    const line = lines.findIndex((each) => each.split(' ').length > 6 && !/^\W/.test(each));
    return `[${path}:${line + 1} "${lines[line]?.split(' ').slice(0, 5).join(' ')}"]`;
  };
  const answer = `It is so ${await found(`${QUAY}/12.md`)}, and so is this ${await found(`${PLT.replace('PLT', 'INC')}/INC-5.md`)}.`;
  const { results } = await turn(
    '$cited-research Why are deliveries late?',
    calls([
      'bash',
      { command: 'grep -rniF webhook /mnt/linear/teams/INC/issues | head -3; ls /mnt' },
    ]),
    calls(['verify', { answer }]),
    says(answer),
  );
  expect(results[0]).toContain('/mnt/linear/teams/INC/issues/');
  expect(results[1]).toContain('2 citations: 2 hold');
});
