/** `dirigent init`: what it makes runs, what it finds is tried out, what is there stays. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { schemes } from '../../mounts/schemes.ts';
import { ignoreText } from '../../src/cli/init-files.ts';
import { OfferedServices } from '../../src/cli/init-services.ts';
import { moduleAdvice } from '../../src/module-advice.ts';
import { credential } from '../credentials/tokens.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli, ROOT } from './run-cli.ts';

interface Running {
  url: string;
  token: string;
  close(): Promise<void>;
}

let github: Running;
let linear: Running;
let notion: Running;
beforeAll(async () => {
  github = await startGithubStandIn();
  linear = await startLinearStandIn();
  notion = await startNotionStandIn();
});
afterAll(() => Promise.all([github, linear, notion].map((each) => each.close())));

/** The environment of somebody who has tokens for services of this machine, and no other. */
const tokens = (): Record<string, string> => ({
  GITHUB_API_URL: github.url,
  GITHUB_TOKEN: '',
  GH_TOKEN: github.token,
  LINEAR_API_URL: linear.url,
  LINEAR_API_KEY: linear.token,
  NOTION_API_URL: notion.url,
  NOTION_TOKEN: notion.token,
  NOTION_API_KEY: '',
  SLACK_TOKEN: '',
  SLACK_BOT_TOKEN: '',
});

/** A directory in which every `.ts` and `.js` is CommonJS. */
function commonJs(): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'package.json'), '{"type": "commonjs"}\n');
  return directory;
}

test.each([['--yes'], ['--typescript']])(
  'with tokens in the environment it mounts and tries all services, beside a CommonJS package.json (%s)',
  async (option) => {
    const cwd = commonJs();
    const env = tokens();
    const made = await cli(['init', '--yes', ...(option === '--yes' ? [] : [option])], {
      cwd,
      env,
    });
    const said = made.stdout.toString();
    expect([made.stderr, made.status]).toEqual(['', 0]);
    for (const name of ['github', 'linear', 'notion'])
      expect(said).toMatch(new RegExp(`^ok {4}/mnt/${name}: ${name} as \\S`, 'm'));
    expect(said).toMatch(/^ok {4}model: builtin\/extract$/m);
    expect(said).toContain("\nTry next:\n  dirigent sh -c 'ls /mnt'\n");
    for (const secret of [github, linear, notion]) expect(said).not.toContain(secret.token);
    const name = option === '--yes' ? 'dirigent.config.mjs' : 'dirigent.config.mts';
    const config = readFileSync(join(cwd, name), 'utf8');
    expect(config).toContain('tokenEnv: "GH_TOKEN"');
    expect(config).not.toContain(github.token);
    const listed = await cli(
      [
        'sh',
        '-c',
        'ls /mnt; ls /mnt/github; outline --path /harness/AGENTS.md; cat /harness/.errors',
      ],
      { cwd, env },
    );
    expect([listed.stderr, listed.status]).toEqual(['', 0]);
    expect(listed.stdout.toString()).toMatch(
      /^github\nlinear\nnotion\n@me\nREADME\.md\n[\s\S]*1:# How to work here/,
    );
    expect((await cli(['harness', 'check'], { cwd, env })).stdout.toString()).toBe(
      'nothing is wrong\n',
    );
  },
);

test('it is told which services: one that refuses the token is said, and the rest is made', async () => {
  const parent = commonJs();
  const wrong = credential('lin_api_', 'refused_by_all');
  const env = { ...tokens(), LINEAR_API_KEY: wrong };
  const options = ['--service', 'linear=ENG', '--service', 'github'];
  const made = await cli(['init', ...options, 'my agent'], { cwd: parent, env });
  expect([made.stderr, made.status]).toEqual(['', 0]);
  const said = made.stdout.toString();
  expect(said).toMatch(/^fail {2}\/mnt\/linear: linear: /m);
  expect(said).toMatch(/^ok {4}\/mnt\/github: /m);
  expect(said).not.toContain('/mnt/notion');
  expect(said).not.toContain(wrong);
  expect(said).toContain("dirigent doctor --deployment 'my agent'");
  expect(readFileSync(join(parent, 'my agent', 'dirigent.config.mjs'), 'utf8')).toContain(
    'source: "linear:ENG"',
  );
});

test('a second time it says what is there and changes nothing; files that were there are kept', async () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'harness'));
  writeFileSync(join(cwd, 'harness', 'AGENTS.md'), '# Mine\n');
  writeFileSync(join(cwd, '.gitignore'), 'node_modules\n/.dirigent');
  const env = { ...tokens(), GH_TOKEN: '', LINEAR_API_KEY: '', NOTION_TOKEN: '' };
  const made = await cli(['init', '--yes'], { cwd, env });
  expect([made.stderr, made.status]).toEqual(['', 0]);
  expect(made.stdout.toString()).toMatch(/^kept {4}harness\/AGENTS\.md$/m);
  expect(readFileSync(join(cwd, 'harness', 'AGENTS.md'), 'utf8')).toBe('# Mine\n');
  expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe(
    'node_modules\n/.dirigent\nworkspace/\n',
  );
  const ran = await cli(['run', '--json', 'Who am I?'], { cwd, env });
  expect(JSON.parse(ran.stdout.toString())).toMatchObject({ status: 'done' });
  const config = join(cwd, 'dirigent.config.mjs');
  writeFileSync(config, 'export default { env: { MINE: "1" } };\n');
  const again = await cli(['init', '--yes'], { cwd, env });
  expect([again.stdout.toString(), again.status]).toEqual(['', 1]);
  expect(again.stderr).toContain(
    `${config}, with a harness of AGENTS.md, policy.yaml, skills, tools`,
  );
  expect(again.stderr).toContain('"dirigent doctor" looks at it');
  expect(readFileSync(config, 'utf8')).toContain('MINE');
});

test("GitHub's own tool is asked for its token, which is only tried out, and is to be exported", async () => {
  const cwd = temporaryDirectory();
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  const token = credential('ghp_', 'of_the_tool');
  writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho "$TOKEN_OF_GH"\n');
  chmodSync(join(bin, 'gh'), 0o755);
  // Nobody is reached: it is the words that matter, and that the token is in no file.
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    GITHUB_TOKEN: '',
    GH_TOKEN: '',
    TOKEN_OF_GH: token,
  };
  const blocked = { https_proxy: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
  const made = await cli(['init', '--service', 'github=octo/hello', 'new'], {
    cwd,
    env: { ...env, ...blocked },
  });
  expect(made.stdout.toString()).toContain('  export GITHUB_TOKEN="$(gh auth token)"\n');
  expect(made.stdout.toString()).toMatch(/^fail {2}\/mnt\/github: /m);
  expect(made.stdout.toString() + made.stderr).not.toContain(token);
  expect(readFileSync(join(cwd, 'new', 'dirigent.config.mjs'), 'utf8')).not.toContain(token);
  // An address of one's own is never sent the token of github.com.
  const own = await cli(['init', '--service', 'github', 'own'], {
    cwd,
    env: { ...env, GITHUB_API_URL: github.url },
  });
  expect(own.stdout.toString()).not.toContain('gh auth token');
});

test('without a terminal it asks nothing, and makes nothing before it knows what', async () => {
  const cwd = temporaryDirectory();
  const asked = await cli(['init', 'new'], { cwd });
  expect([asked.stderr, asked.status]).toEqual([expect.stringContaining('give --service'), 2]);
  expect(existsSync(join(cwd, 'new'))).toBe(false);
  const wrong = await cli(['init', '--service', 'githb'], { cwd });
  expect(wrong.stderr).toContain('(did you mean github?)');
  const twice = await cli(['init', '--service', 'github=a/b', '--service', 'github=a/c'], { cwd });
  expect(twice.stderr).toContain('given twice');
});

test.each([
  ['github', { name: 'github' }],
  ['github=a/b', { name: 'github', only: 'a/b' }],
  ['linear=ENG', { name: 'linear', only: 'ENG' }],
  ['notion', { name: 'notion' }],
  ['notion=x', null],
  ['github=a', null],
  ["github=a/b', evil: '", null],
  ['jira', null],
])('--service %s', (text, wanted) =>
  expect(new OfferedServices(schemes).parse(text)).toEqual(wanted),
);

test('.gitignore is added to once', () => {
  const made = ignoreText(null) ?? '';
  expect(made).toBe('.dirigent/\nworkspace/\n');
  expect(ignoreText(made)).toBeNull();
});

test('a config that Node cannot load says what to name it', async () => {
  const cwd = commonJs();
  writeFileSync(join(cwd, 'dirigent.config.ts'), 'export default { mounts: {} as object };\n');
  const refused = await cli(['sh', '-c', ':'], { cwd });
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(`name it ${join(cwd, 'dirigent.config.mts')}`);
  const enumeration = Object.assign(new SyntaxError('x'), {
    code: 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  });
  expect(moduleAdvice('/a/b.ts', enumeration)).toContain('without enums');
  expect(moduleAdvice('/a/b.mjs', new SyntaxError("Unexpected token 'export'"))).toBe('');
});

/** Answers the questions of `init` at a terminal, one after the other; gives what was shown, and the status. */
async function atTerminal(
  cwd: string,
  answers: readonly string[],
): Promise<{ said: string; status: number | null }> {
  const main = join(ROOT, 'entry', 'main.ts');
  const line = `${process.execPath} ${main} init asked`;
  const env = { ...process.env, ...tokens(), NOTION_TOKEN: '' };
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const left = [...answers];
  let said = '';
  let asked = 0;
  const ended = once(child, 'close') as Promise<[number | null]>;
  for await (const chunk of child.stdout) {
    said += String(chunk);
    const questions = said.match(/Mount \w+\? .*\] /g)?.length ?? 0;
    for (; asked < questions; asked++) child.stdin.write(left.shift() ?? '\u0004');
  }
  const [status] = await ended;
  return { said, status };
}

test.skipIf(spawnSync('script', ['--version']).status !== 0)(
  'at a terminal it asks about each service, and offers what it found (skipped where there is no script(1))',
  async () => {
    const cwd = temporaryDirectory();
    const asked = await atTerminal(cwd, ['no\r', 'ENG?\r', 'ENG\r', '\r', 'no\r']);
    expect(asked.status).toBe(0);
    expect(asked.said).toMatch(
      /Mount GitHub\? \(token in GH_TOKEN\) yes, no, OWNER\/REPO \[yes\] /,
    );
    expect(asked.said).toMatch(
      /Mount Notion\? \(no token in NOTION_TOKEN or NOTION_API_KEY\) yes, no \[no\] /,
    );
    const config = readFileSync(join(cwd, 'asked', 'dirigent.config.mjs'), 'utf8');
    expect(config.match(/source: "\S+"/g)).toEqual(['source: "linear:ENG"']);
    // Ctrl-D at a question leaves it, and nothing was made.
    const other = temporaryDirectory();
    const left = await atTerminal(other, ['yes\r', '\u0004']);
    expect(left.said).toContain('nothing was made');
    expect(left.status).toBe(2);
    expect(existsSync(join(other, 'asked'))).toBe(false);
  },
  120_000,
);
