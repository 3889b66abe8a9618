/**
 * docs/deploy.md, followed from the packed package: its commands are run as they stand there, the
 * command line of its unit, nginx with its file, the lines of its container file. What only whoever
 * rules a machine can do (`sudo`) has a stand-in, each by its line.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../src/policy/approval.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import { freePort } from '../free-port.ts';
import { calls, lastText, type ModelStandIn, says, startModel } from '../stand-ins/model/index.ts';
import {
  environmentOf,
  instructionsOf,
  Running,
  type Step,
  settingsOf,
  stepsOf,
} from './deployed.ts';
import { out, pack, run } from './pack.ts';

const hasProgram = (name: string, flag = '--version'): boolean =>
  spawnSync(name, [flag], { stdio: 'ignore' }).status === 0;
const HAS_NGINX = hasProgram('nginx', '-v') && hasProgram('openssl', 'version');

const base = mkdtempSync(join(tmpdir(), 'dirigent-deploy-'));
const site = join(base, 'srv', 'dirigent');
const restored = join(base, 'srv', 'restored');
const held = Promise.withResolvers<void>();
const running: Running[] = [];
let model: ModelStandIn;
let steps: Step[];
let ports: { http: number; tls: number; plain: number; again: number };
/** As a person's own terminal has it. */
let env: NodeJS.ProcessEnv;
let ana = '';

beforeAll(async () => {
  const tarball = pack(base);
  model = await startModel(({ messages }) => {
    const text = lastText(messages);
    if (messages.at(-1)?.role === 'tool') return says(`result: ${text}`);
    if (text === 'stream')
      return { parts: [{ text: 'first ' }, { wait: held.promise }, { text: 'second' }] };
    if (text === 'ask' || text.includes('do it again'))
      return calls(['bash', { command: 'echo x > /memory/asked.md' }]);
    return says(`heard: ${text}`);
  });
  const [http, tls, plain, again] = await Promise.all([1, 2, 3, 4].map(freePort));
  ports = { http: http ?? 0, tls: tls ?? 0, plain: plain ?? 0, again: again ?? 0 };
  mkdirSync(site, { recursive: true });
  steps = stepsOf([
    ['/srv/', `${join(base, 'srv')}/`],
    ['/var/backups/', `${join(base, 'backups')}/`],
    ['/etc/', `${join(base, 'etc')}/`],
    ['/usr/bin/node ', `${process.execPath} `],
    ['7070', String(ports.http)],
    ['7071', String(ports.again)],
    ['listen 443', `listen 127.0.0.1:${ports.tls}`],
    ['listen 80;', `listen 127.0.0.1:${ports.plain};`],
    ['ANTHROPIC_API_KEY=sk-ant-...', `OPENAI_API_KEY=none\nOPENAI_BASE_URL=${model.url}`],
    ['npm install dirigent@latest', `npm install --prefer-offline --no-audit ${tarball}`],
    ['npm install dirigent', `npm install --prefer-offline --no-audit ${tarball}`],
    ['npm ci', 'npm ci --prefer-offline'],
  ]);
  const own = dirname(process.execPath);
  env = { PATH: `${own}:${process.env['PATH']}`, XDG_CACHE_HOME: join(base, 'cache') };
});

afterAll(async () => {
  held.resolve();
  for (const each of running) await each.end();
  await model?.close();
  rmSync(base, { recursive: true, force: true });
});

/** The text of a file of the page. */
const file = (name: string): string =>
  steps.find((step) => step.file?.endsWith(name))?.text ?? expect.fail(`the page has no ${name}`);

/** Runs the command line of the unit as systemd would. */
let served: Running | null = null;
function start(): void {
  const unit = file('dirigent.service');
  const [command = ''] = settingsOf(unit, 'ExecStart');
  const [cwd = ''] = settingsOf(unit, 'WorkingDirectory');
  const [environment = ''] = settingsOf(unit, 'EnvironmentFile');
  const given = environmentOf(readFileSync(environment, 'utf8'));
  served = new Running(command.split(' '), { cwd, env: { PATH: env['PATH'], ...given } });
  running.push(served);
}
async function stop(): Promise<void> {
  expect([await served?.end(), served?.said]).toEqual([0, expect.stringContaining('serving http')]);
}

/** nginx, as a machine has it, with the file of the page. */
const machine = (): string => {
  const own = join(base, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(base, `nginx-${name}`)};`,
  );
  writeFileSync(
    own,
    `daemon off; pid ${join(base, 'nginx.pid')}; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include ${join(base, 'etc/nginx/conf.d/*.conf')}; }`,
  );
  return own;
};
function makeCertificate(): void {
  const place = join(base, 'etc/ssl/desk');
  mkdirSync(place, { recursive: true });
  const names = ['-subj', '/CN=desk.example.com', '-addext', 'subjectAltName=DNS:desk.example.com'];
  const files = ['-keyout', join(place, 'privkey.pem'), '-out', join(place, 'fullchain.pem')];
  out('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names, ...files], base);
}

/** What whoever rules the machine does, here. */
const RULED: Readonly<Record<string, () => void | Promise<void>>> = {
  'sudo useradd --system --create-home': () => undefined,
  'sudo --login --user dirigent': () => undefined,
  'sudo systemctl daemon-reload': () => {
    if (!hasProgram('systemd-analyze')) return;
    const unit = join(base, 'etc/systemd/system/dirigent.service');
    const { stderr, stdout } = run('systemd-analyze', ['verify', '--man=no', unit], base);
    // Of other units of this machine it says things, too.
    const said = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes('dirigent.service'));
    expect(said.filter((line) => !line.includes('User'))).toEqual([]);
  },
  'sudo systemctl enable --now dirigent': start,
  'sudo systemctl start dirigent': start,
  'sudo systemctl stop dirigent': stop,
  'sudo systemctl restart dirigent': async () => {
    await stop();
    start();
  },
  'sudo nginx -t': () => {
    if (!HAS_NGINX) return;
    makeCertificate();
    const { status, stderr } = run('nginx', ['-t', '-c', machine()], base);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('[warn]')]);
  },
  'sudo systemctl reload nginx': () => {
    if (HAS_NGINX) running.push(new Running(['nginx', '-c', machine()], { cwd: base, env }));
  },
};

/** Does the commands of the blocks that have such a line, and gives what each of them printed. */
async function follow(line: string): Promise<Record<string, string>> {
  const step = steps.find(({ file: name, text }) => name === null && text.includes(line));
  const printed: Record<string, string> = {};
  for (const command of (step?.text ?? expect.fail(`the page has no ${line}`))
    .trimEnd()
    .split('\n')) {
    const ruled = Object.keys(RULED).find((each) => command.startsWith(each));
    if (command.startsWith('sudo ') && ruled === undefined) expect.fail(`who does ${command}?`);
    if (ruled === undefined) printed[command] = out('sh', ['-ec', command], site, env);
    else await RULED[ruled]?.();
  }
  return printed;
}

const authorized = (): Record<string, string> => ({ authorization: `Bearer ${ana}` });
async function ask<T>(path: string, body?: unknown, port = ports.http): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...authorized(), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
}
async function say(session: string, text: string): Promise<QueuedTurn> {
  const path = `/v1/sessions/${session}/messages`;
  return (await ask<{ message: QueuedTurn }>(path, { text })).message;
}
async function until(work: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(() => work().catch(() => false), { timeout: 120_000, interval: 100 })
    .toBe(true);
}
const isUp = async (port: number): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/health`)).ok;

/** By the proxy, as a browser comes. */
const byProxy = (
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = overTls(
      {
        host: '127.0.0.1',
        port: ports.tls,
        servername: 'desk.example.com',
        ca: readFileSync(join(base, 'etc/ssl/desk/fullchain.pem')),
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { host: 'desk.example.com', 'content-type': 'application/json', ...headers },
      },
      resolve,
    );
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

describe('docs/deploy.md', () => {
  let session = '';
  let waiting: QueuedTurn;

  test('from an empty directory to a server that its unit begins', async () => {
    await follow('npx dirigent init');
    writeFileSync(join(site, 'dirigent.env'), file('dirigent.env'));
    // As a deployer would: of what is in a policy by default, little is asked about without a service.
    const policy = join(site, 'harness/policy.yaml');
    const rule = 'rules:\n  - { name: asked, decision: ask, op: change, path: /memory/asked* }\n';
    writeFileSync(policy, readFileSync(policy, 'utf8').replace('rules:\n', rule));
    const printed = await follow('serve token add ana');
    ana = Object.values(printed)[0]?.trim() ?? '';
    expect(ana).toMatch(/^\S{40,}$/);
    expect(readFileSync(join(site, 'prometheus.token'), 'utf8')).toMatch(/^\S{40,}\n$/);
    const began = await follow('systemctl enable --now');
    expect(Object.values(began).at(-1)).toContain('"status":"ok"');
    expect(served?.said).not.toContain('token');
    session = (await ask<{ id: string }>('/v1/sessions', {})).id;
    const answered = await say(session, 'hello');
    await until(
      async () => (await ask<QueuedTurn>(`/v1/messages/${answered.id}`)).state === 'done',
    );
    const { state, outcome } = await ask<QueuedTurn>(`/v1/messages/${answered.id}`);
    expect({ state, text: outcome?.text }).toEqual({ state: 'done', text: 'heard: hello' });
  });

  test.skipIf(!HAS_NGINX)(
    'nginx has TLS before it, hands streams on as they come, and makes cookies for TLS alone',
    async () => {
      await follow('nginx -t');
      await until(async () => (await byProxy('/health', {})).statusCode === 200);
      const moved = await new Promise<IncomingMessage>((resolve) =>
        overHttp(
          { port: ports.plain, host: '127.0.0.1', headers: { host: 'desk.example.com' } },
          resolve,
        ).end(),
      );
      expect([moved.statusCode, moved.headers.location]).toEqual([
        301,
        'https://desk.example.com/',
      ]);
      const page = await byProxy('/', {});
      expect([page.statusCode, page.headers['strict-transport-security']]).toEqual([
        200,
        'max-age=31536000',
      ]);
      const origin = 'https://desk.example.com';
      const login = await byProxy('/v1/login', { origin }, { token: ana });
      const cookie = login.headers['set-cookie']?.[0] ?? '';
      expect([login.statusCode, cookie]).toEqual([
        200,
        expect.stringMatching(/HttpOnly; Secure; SameSite=Strict/),
      ]);
      const evil = await byProxy('/v1/login', { origin: 'https://evil.example' }, { token: ana });
      expect(evil.statusCode).toBe(403);
      const events = await byProxy(`/v1/sessions/${session}/events`, {
        cookie: cookie.split(';')[0] ?? '',
      });
      let told = '';
      events.setEncoding('utf8').on('data', (part: string) => {
        told += part;
      });
      await say(session, 'stream');
      await until(async () => told.includes('first '));
      expect(told).not.toContain('second');
      held.resolve();
      await until(async () => told.includes('second'));
      events.destroy();
    },
  );

  test('what is counted is there for whoever may see it', async () => {
    const printed = await follow('/metrics');
    expect(Object.values(printed)[0]).toMatch(/^dirigent_messages\{state="done"\} [12]$/m);
  });

  test('a backup is restored elsewhere, whole, and goes on with what had waited', async () => {
    waiting = await say(session, 'ask');
    await until(async () => (await ask<Approval[]>('/v1/approvals?state=pending')).length === 1);
    await follow('systemctl stop');
    await until(() => isUp(ports.http));
    expect(await ask<QueuedTurn>(`/v1/messages/${waiting.id}`)).toMatchObject({ state: 'parked' });
    const printed = Object.values(await follow('session verify'));
    expect(printed.at(-1)).toMatch(/^ana .* owner .*\nprometheus .* viewer /);
    const environment = environmentOf(readFileSync(join(restored, 'dirigent.env'), 'utf8'));
    const again = new Running(['npx', 'dirigent', 'serve', '--port', String(ports.again)], {
      cwd: restored,
      env: { ...env, ...environment },
    });
    running.push(again);
    await until(() => isUp(ports.again));
    const [approval] = await ask<Approval[]>('/v1/approvals?state=pending', undefined, ports.again);
    const { id, digest } = approval ?? expect.fail('nothing waits');
    await ask(`/v1/approvals/${id}/answer`, { digest, decision: 'allow' }, ports.again);
    const message = `/v1/messages/${waiting.id}`;
    await until(
      async () => (await ask<QueuedTurn>(message, undefined, ports.again)).state === 'done',
    );
    // Each who comes in has a memory of their own there.
    const memory = join(restored, '.dirigent/memory');
    const kept = readdirSync(memory).map((whose) => join(memory, whose, 'asked.md'));
    expect(
      kept.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8')),
    ).toEqual(['x\n']);
    // The one beside it has not been told.
    expect(await ask<QueuedTurn>(message)).toMatchObject({ state: 'parked' });
    await again.end();
  });

  test('it is upgraded, and has what it had', async () => {
    const upgraded = steps.find(({ text }) => text.includes('systemctl restart'));
    expect(upgraded?.text).toContain('npm install');
    await follow('systemctl restart');
    await until(() => isUp(ports.http));
    expect(await ask<QueuedTurn>(`/v1/messages/${waiting.id}`)).toMatchObject({ state: 'parked' });
    await stop();
  });

  test('the lines of the container file make a server of a directory, which its own check finds well', async () => {
    const image = join(base, 'image', 'dirigent');
    mkdirSync(image, { recursive: true });
    const instructions = instructionsOf(file('Containerfile'));
    const all = (name: string): string[] =>
      instructions.filter(([each]) => each === name).map(([, rest]) => rest);
    expect(all('FROM')).toEqual(['node:24-slim']);
    expect(all('WORKDIR')).toEqual([site]);
    for (const [name, rest] of instructions) {
      if (name === 'COPY') {
        const names = rest.split(' ');
        const target = join(image, names.at(-1) ?? '');
        for (const each of names.slice(0, -1))
          cpSync(join(site, each), target === `${image}/` ? join(target, basename(each)) : target, {
            recursive: true,
          });
      } else if (name === 'RUN') {
        // There is nobody called node on this machine.
        out('sh', ['-ec', rest.replace('chown node', 'chown "$(id -u)"')], image, env);
      }
    }
    const command = JSON.parse(all('CMD')[0] ?? '[]') as string[];
    const given = environmentOf(file('dirigent.env'));
    const server = new Running(command, { cwd: image, env: { ...env, ...given } });
    running.push(server);
    await until(() => isUp(ports.http));
    const [check = ''] = all('HEALTHCHECK');
    out('sh', ['-ec', check.replace(/^CMD /, '')], image, env);
    expect(server.said).toContain('the token of owner');
    expect(await server.end()).toBe(0);
    expect(run('sh', ['-ec', check.replace(/^CMD /, '')], image, env).status).toBe(1);
  });
});
