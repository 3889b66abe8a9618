/** Five servers of others, as they are published: each is a directory, and its tools do what they say. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { type NotionStandIn, startNotionStandIn } from '../../test/stand-ins/notion/index.ts';

/** What is taken from the registry, each at a version that is not too new for this test. */
const PACKAGES = [
  '@modelcontextprotocol/server-filesystem',
  '@modelcontextprotocol/server-memory',
  '@modelcontextprotocol/server-everything',
  '@modelcontextprotocol/server-sequential-thinking',
  '@notionhq/notion-mcp-server',
];

let directory: string;
let notion: NotionStandIn;
let world: World;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-mcp-servers-'));
  writeFileSync(join(directory, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error', ...PACKAGES], {
    cwd: directory,
    timeout: 240_000,
    stdio: 'pipe',
  });
  mkdirSync(join(directory, 'files'));
  writeFileSync(join(directory, 'files', 'a.txt'), 'alpha\nbeta\n');
  notion = await startNotionStandIn();
  const bin = (name: string) => join(directory, 'node_modules', '.bin', name);
  const path = `PATH=${env['PATH']}`;
  const server = (name: string, command: string[], own: string[] = [], more: object = {}) => ({
    source: `mcp:${name}`,
    command,
    env: [path, ...own],
    mode: 'rw' as const,
    ...more,
  });
  world = createWorld({
    state: join(directory, 'state'),
    mounts: {
      '/mnt/files': server('files', [bin('mcp-server-filesystem'), join(directory, 'files')]),
      '/mnt/memory': server(
        'memory',
        [bin('mcp-server-memory')],
        [`MEMORY_FILE_PATH=${join(directory, 'memory.jsonl')}`],
      ),
      '/mnt/every': server('every', [bin('mcp-server-everything')]),
      '/mnt/think': server('think', [bin('mcp-server-sequential-thinking')]),
      '/mnt/notion': server(
        'notion',
        [bin('notion-mcp-server')],
        [`NOTION_TOKEN=${notion.token}`, `BASE_URL=${notion.url}`],
      ),
    },
  });
}, 300_000);

afterAll(async () => {
  await world?.close();
  await notion?.close();
  rmSync(directory, { recursive: true, force: true });
});

const exec = async (script: string) => {
  const { stdout, stderr, exitCode } = await world.exec(script);
  return { stdout, stderr, exitCode };
};

test('files: read, written, and refused outside of the directory', async () => {
  const at = join(directory, 'files');
  expect(
    (await exec('ls /mnt/files/tools | grep -v json$')).stdout.split('\n').length,
  ).toBeGreaterThan(8);
  expect(
    await exec(`/mnt/files/tools/read_text_file --path ${at}/a.txt --head 1 | jq -r .content`),
  ).toEqual({
    stdout: 'alpha\n',
    stderr: '',
    exitCode: 0,
  });
  await exec(`/mnt/files/tools/write_file --path ${at}/b.txt --content "it's new"`);
  expect(readFileSync(join(at, 'b.txt'), 'utf8')).toBe("it's new");
  await exec(
    `echo '{"path":"${at}/a.txt","edits":[{"oldText":"beta","newText":"gamma"}]}' | /mnt/files/tools/edit_file`,
  );
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('alpha\ngamma\n');
  const refused = await exec('/mnt/files/tools/read_text_file --path /etc/passwd');
  expect(refused).toMatchObject({
    stdout: '',
    exitCode: 1,
    stderr: expect.stringContaining('denied'),
  });
  expect(
    await exec(`/mnt/files/tools/read_text_file --path ${at}/a.txt --head many`),
  ).toMatchObject({ exitCode: 2 });
}, 60_000);

test('memory: what is put in is found', async () => {
  const entities = '[{"name":"Ada","entityType":"person","observations":["counts"]}]';
  expect(await exec(`/mnt/memory/tools/create_entities --entities '${entities}'`)).toMatchObject({
    exitCode: 0,
  });
  expect((await exec('/mnt/memory/tools/search_nodes --query Ada')).stdout).toContain('counts');
  expect((await exec('ls /session/changes | wc -l')).stdout.trim()).not.toBe('0');
}, 60_000);

test('every: tools of all kinds, resources as text and bytes, prompts, an image', async () => {
  expect(await exec('/mnt/every/tools/echo --message hi')).toEqual({
    stdout: 'Echo: hi\n',
    stderr: '',
    exitCode: 0,
  });
  expect((await exec('/mnt/every/tools/get-sum --a 2 --b 3')).stdout).toContain('5');
  expect((await exec('/mnt/every/tools/get-sum --a two --b 3')).exitCode).toBe(2);
  const image = await exec(
    'cd /workspace; /mnt/every/tools/get-tiny-image -o tiny.png; head -c 4 tiny.png | xxd -p',
  );
  expect(image.stdout).toContain('89504e47');
  const listed = await exec(
    'cd /mnt/every/resources; cat index.tsv | wc -l; cat templates.json | jq -r ".[].uriTemplate" | head -1',
  );
  expect(listed.stdout).toMatch(/^\s*\d+\n\S+:\/\//);
  const file = (
    await exec('cd /mnt/every/resources; ls | grep -v "^index\\|^templates" | head -1')
  ).stdout.trim();
  expect((await exec(`cat '/mnt/every/resources/${file}' | wc -c`)).stdout.trim()).not.toBe('0');
  const dynamic = await exec("cat '/mnt/every/resources/demo:%2F%2Fresource%2Fdynamic%2Ftext%2F7'");
  expect(dynamic.stdout).toContain('7');
  const prompts = (await exec('ls /mnt/every/prompts | grep -v json$')).stdout.trim().split('\n');
  expect(prompts.length).toBeGreaterThan(1);
  expect((await exec('/mnt/every/prompts/simple-prompt')).stdout).not.toBe('');
}, 60_000);

test('think: its one tool takes numbers and flags', async () => {
  const { stdout, exitCode } = await exec(
    '/mnt/think/tools/sequentialthinking --thought one --thoughtNumber 1 --totalThoughts 2 --nextThoughtNeeded',
  );
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ thoughtNumber: 1, totalThoughts: 2 });
}, 60_000);

test('notion: its tools reach the service, and its token is nowhere to be seen', async () => {
  const { stdout, stderr } = await exec('ls /mnt/notion/tools | grep -v json$');
  expect(stdout, stderr).toContain('search');
  const me = await exec('/mnt/notion/tools/API-get-self');
  expect(me.stdout + me.stderr).toContain('bot');
  const seen = await exec(
    'cat /mnt/notion/server.json /mnt/notion/tools/* /mnt/notion/README.md; env; cat /session/log.jsonl',
  );
  expect(seen.stdout + seen.stderr).not.toContain(notion.token);
}, 60_000);

test('the servers end with the world', async () => {
  await world.close();
  await expect
    .poll(() => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(directory), {
      timeout: 20_000,
    })
    .toBe(false);
}, 40_000);
