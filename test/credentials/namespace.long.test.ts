/** Every file of a world over all three services, and everything that goes wrong in it: no credential anywhere. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { World } from '../../entry/index.ts';
import { VISITOR_TOKEN } from '../stand-ins/github/seed.ts';
import { closeServices, mountsOf, type Services, startServices } from '../tasks/services.ts';
import { testWorld } from '../world/harness.ts';
import { findIn } from './search.ts';
import { credential } from './tokens.ts';

let services: Services;
beforeAll(async () => {
  services = await startServices();
});
afterAll(() => closeServices(services));

/** More of the same: the other repository has every kind of file, too. */
const BIG = '/mnt/github/harbor/quay';
const ISSUE = '/mnt/github/harbor/quay/issues/2.md';

/** What was looked at: how much, and where a credential was. */
class Looked {
  readonly paths: string[] = [];
  readonly found: string[] = [];

  at(path: string, content: string | Uint8Array): void {
    this.paths.push(path);
    const hit = findIn(typeof content === 'string' ? Buffer.from(content) : content);
    if (hit !== null) this.found.push(`${path}: ${hit.around}`);
  }

  below(directory: string): number {
    return this.paths.filter((path) => path.startsWith(`${directory}/`)).length;
  }
}

/** Reads every file below a directory that is not costly, and up to ten that are. */
async function walk(world: World, directory: string, looked: Looked): Promise<void> {
  for (const { name, isDirectory, isFile } of await world.fs.readdirWithFileTypes(directory)) {
    const path = `${directory === '/' ? '' : directory}/${name}`;
    if (path === BIG) continue;
    if (isDirectory) await walk(world, path, looked);
    else if (isFile && !(path.endsWith('.diff') && looked.below(directory) > 10)) {
      looked.at(path, await world.fs.readFileBuffer(path));
    }
  }
}

/** Runs a line and looks at all that it says; its status may be anything. */
async function say(world: World, looked: Looked, line: string): Promise<string> {
  const { stdout, stderr } = await world.exec(line);
  looked.at(`stdout of ${line}`, stdout);
  looked.at(`stderr of ${line}`, stderr);
  return stderr;
}

it('in no file of the namespace, and in nothing that outages and refusals say', async () => {
  const { mounts, env } = mountsOf(services, 'rw');
  const world = testWorld({ mounts }, { env });
  const looked = new Looked();
  await say(world, looked, 'env; set; declare -p; printenv; cat /proc/self/environ');
  for (const line of [
    'grep -rn timeout /mnt/github/harbor/quay/issues | head -3',
    'cat /mnt/linear/users.tsv /mnt/notion/index.tsv',
    'for p in github linear notion; do cat /mnt/$p/README.md; done',
  ]) {
    await say(world, looked, line);
  }
  await walk(world, '/', looked);
  const faults: [says: RegExp, begin: () => Promise<void>][] = [
    [/502/, () => services.github.fault({ kind: 'server-error' })],
    [/broke off/, () => services.github.fault({ kind: 'lost-answer' })],
    [/broke off|JSON/, () => services.github.fault({ kind: 'cut-body' })],
  ];
  for (const [says, begin] of faults) {
    await begin();
    const line = `sed -i 's/^title: .*/title: "${String(says).replace(/\W/g, '')}"/' ${ISSUE}; cat ${ISSUE.replace('/2.md', '/.error')}`;
    expect(await say(world, looked, line)).toMatch(says);
    await services.github.clearFaults();
  }
  await services.linear.fault({ kind: 'limited' });
  const linear = await say(
    world,
    looked,
    'echo "no such field" > /mnt/linear/teams/PLT/issues/new.md; printf -- "---\\ntitle: x\\n---\\n" > /mnt/linear/teams/PLT/issues/new.md',
  );
  expect(linear).toMatch(/RATELIMITED/);
  await services.linear.clearFaults();
  await services.notion.fault({ kind: 'server-error', times: 20 });
  const page = (await world.exec("cut -f1 /mnt/notion/index.tsv | grep '\\.md$' | head -1")).stdout;
  const notion = await say(world, looked, `echo more >> "/mnt/notion/${page.trim()}"`);
  expect(notion).toMatch(/Notion answered 500/);
  await services.notion.clearFaults();
  await walk(world, '/session', looked);
  expect(looked.found).toEqual([]);
  for (const [directory, least] of [
    ['/mnt/github', 300],
    ['/mnt/linear', 30],
    ['/mnt/notion', 20],
    ['/session', 10],
  ] as const) {
    expect(looked.below(directory), directory).toBeGreaterThanOrEqual(least);
  }
});

it.each([
  ['github', 'GITHUB_TOKEN', 'ls /mnt/github/harbor/quay/issues'],
  ['linear', 'LINEAR_API_KEY', 'ls /mnt/linear/teams/PLT/issues'],
  ['notion', 'NOTION_TOKEN', 'ls /mnt/notion'],
] as const)('not in what %s says to a wrong one', async (name, variable, line) => {
  const { mounts, env } = mountsOf(services, 'rw');
  const wrong = { ...env, [`TASK_${name.toUpperCase()}`]: credential('', 'wrong') };
  const world = testWorld({ mounts }, { env: wrong });
  const looked = new Looked();
  expect(await say(world, looked, line)).toContain(variable);
  await walk(world, '/session', looked);
  expect(looked.below('/session')).toBeGreaterThan(0);
  expect(looked.found).toEqual([]);
});

/** A page of the workspace. */
const PAGE = '"/mnt/notion/$(cut -f1 /mnt/notion/index.tsv | grep "\\.md$" | head -1)"';

it.each([
  ['github', `echo Hm >> ${ISSUE}`, 'read'],
  ['linear', 'ls /mnt/linear/teams/PLT/issues', ''],
  [
    'linear',
    'printf -- "---\\ntitle: x\\n---\\n" > /mnt/linear/teams/PLT/issues/new.md',
    'mutation',
  ],
  ['notion', `cat ${PAGE}`, ''],
  ['notion', `echo more >> ${PAGE}`, 'PATCH'],
] as const)('not in what %s says to one that may not: %s', async (name, line, what) => {
  const { mounts, env } = mountsOf(services, 'rw');
  // The visitor of GitHub's world may read, and write nothing that is not theirs.
  const world = testWorld({ mounts }, { env: { ...env, TASK_GITHUB: VISITOR_TOKEN } });
  const looked = new Looked();
  if (name === 'linear') {
    await services.linear.fault({
      kind: 'forbidden',
      ...(what === 'mutation' ? { operation: what } : {}),
    });
  }
  if (name === 'notion') {
    const only = what === 'PATCH' ? { method: what } : { path: 'markdown' };
    await services.notion.fault({ kind: 'forbidden', ...only });
  }
  try {
    const said = await say(world, looked, line);
    expect(said).toMatch(/Permission denied\n.*(403|Forbidden)/s);
    if (what !== '') await walk(world, '/session', looked);
    expect(looked.found).toEqual([]);
  } finally {
    await Promise.all([services.linear.clearFaults(), services.notion.clearFaults()]);
  }
});
