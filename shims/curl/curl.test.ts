import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

/** What arrived, in order. */
const seen: string[] = [];
let base = '';
let other = '';

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

const server = createServer(async (request, response) => {
  const body = await textOf(request);
  const { method, url = '', headers } = request;
  seen.push(`${method} ${url} ${body}`);
  if (url === '/missing') response.writeHead(404).end('no such page\n');
  else if (url === '/here') response.writeHead(302, { Location: '/text' }).end();
  else if (url === '/away') response.writeHead(302, { Location: `${other}/text` }).end();
  else if (url === '/loop') response.writeHead(302, { Location: '/loop' }).end();
  else if (url === '/gzip')
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('packed\n'));
  else if (url === '/unpacked')
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('plain');
  else if (url === '/renamed') response.writeHead(302, { Location: '/.bashrc' }).end();
  else if (url === '/named')
    response.writeHead(200, { 'Content-Disposition': 'attachment; filename="f"' }).end('theirs');
  else if (url === '/bytes') response.end(Buffer.from([0xfd, 0x80, 0, 0x78]));
  else if (url === '/slow') setTimeout(() => response.end('late'), 20_000).unref();
  else if (url.startsWith('/echo')) {
    const { authorization = '', 'content-type': type = '', accept = '', 'x-a': own = '' } = headers;
    response.end(`${method} ${url}|${type}|${accept}|${authorization}|${own}|${body}\n`);
  } else response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Seen': 'yes' }).end('text\n');
});
const elsewhere = createServer((request, response) => {
  seen.push(`elsewhere ${request.url}`);
  response.end('elsewhere\n');
});

beforeAll(async () => {
  for (const one of [server, elsewhere])
    await new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const one of [server, elsewhere]) {
    one.closeAllConnections();
    one.close();
  }
});

const world = (network: readonly string[] = [base]) =>
  inProcessWorld({
    roots: ['/work'],
    files: { '/work/f': 'a b\nc\n' },
    cwd: '/work',
    env: {},
    network,
  });

const FORM = 'application/x-www-form-urlencoded';

test.each<[command: string, stdout: string, exitCode?: number]>([
  ['curl -s URL/text', 'text\n'],
  ['curl -fsSL URL/here', 'text\n'],
  [
    'curl -s URL/here; curl -s -o /dev/null -w "%{http_code} %{redirect_url}\\n" URL/here',
    '302 URL/text\n',
  ],
  ['curl -s URL/missing', 'no such page\n'],
  ['curl -sf URL/missing', '', 22],
  ['curl -s --fail-with-body URL/missing', 'no such page\n', 22],
  ['curl -s -o out -w "%{http_code} %{size_download}" URL/text; echo; cat out', '200 5\ntext\n'],
  ['curl -sO URL/text; cat text', 'text\n'],
  ['curl -sI URL/text | grep -i x-seen | tr -d "\\r"', 'X-Seen: yes\n'],
  ['curl -si URL/text | head -1 | tr -d "\\r"', 'HTTP/1.1 200 OK\n'],
  ['curl -s -X DELETE URL/echo', 'DELETE /echo||*/*|||\n'],
  ['curl -s -d a=1 -d b=2 URL/echo', `POST /echo|${FORM}|*/*|||a=1&b=2\n`],
  ['curl -s -d @f URL/echo', `POST /echo|${FORM}|*/*|||a bc\n`],
  ['curl -s --data-binary @f URL/echo', `POST /echo|${FORM}|*/*|||a b\nc\n\n`],
  ['curl -s -G -d q=1 --data-urlencode "t=a b&c" URL/echo', 'GET /echo?q=1&t=a+b%26c||*/*|||\n'],
  [`curl -s --json '{"a":1}' URL/echo`, 'POST /echo|application/json|application/json|||{"a":1}\n'],
  ["curl -s -H 'X-A: 1' -u me:pw URL/echo", 'GET /echo||*/*|Basic bWU6cHc=|1|\n'],
  ['echo piped | curl -s -d @- URL/echo', `POST /echo|${FORM}|*/*|||piped\n`],
  ['curl -s -T f URL/echo', 'PUT /echo||*/*|||a b\nc\n\n'],
  ['curl -s -F "x=1" URL/echo | grep -c "name=.x."', '1\n'],
  ['curl -s --compressed URL/gzip; curl -s URL/gzip | gunzip', 'packed\npacked\n'],
  ['curl -s URL/bytes | od -An -tx1', ' fd 80 00 78\n'],
  ['curl -s -m 0.3 URL/slow', '', 28],
  ['curl -sL --max-redirs 2 URL/loop', '', 47],
  ['curl -s URL/text URL/text', 'text\ntext\n'],
  ['curl -sL --max-redirs many URL/loop', '', 2],
  ['wget -q --max-redirect=many URL/loop', '', 2],
  ['curl -s --compressed URL/unpacked', '', 61],
  ['curl -s -m 99999999 URL/text; wget -T 0 -qO- URL/text', 'text\ntext\n'],
  ['curl -sOJ URL/named; echo $?; cat f', '23\na b\nc\n'],
  ['curl -sLO URL/renamed; wget -q URL/renamed; ls -A', 'f\nrenamed\nrenamed.1\n'],
  ['curl -s -H @f URL/text', '', 2],
  ['curl -s -b f URL/text', '', 2],
  ['wget -q -O- URL/here', 'text\n'],
  ['wget -qO- URL/text', 'text\n'],
  ['wget -q URL/text; wget -q URL/text; cat text text.1', 'text\ntext\n'],
  ['wget -q URL/missing', '', 8],
  ["wget -qO - --header='X-A: 2' --post-data=x=1 URL/echo", `POST /echo|${FORM}|*/*||2|x=1\n`],
  ['wget -q --spider URL/text', ''],
  ['wget -qO- --user=me --password=pw URL/echo', 'GET /echo||*/*|Basic bWU6cHc=||\n'],
  ['wget -q -P d URL/text; cat d/text', 'text\n'],
])('an allowed host is asked: %s', async (command, stdout, exitCode = 0) => {
  const { run } = await world();
  const ran = await run(command.replaceAll('URL', base));
  expect([ran.stdout, ran.exitCode]).toEqual([stdout.replaceAll('URL', base), exitCode]);
});

test('a redirect to another host is not followed, and nothing arrives there', async () => {
  const { run } = await world();
  for (const command of [`curl -sSL ${base}/away`, `wget -qO- ${base}/away`]) {
    const { stdout, stderr, exitCode } = await run(command);
    expect(stdout).toBe('');
    expect(stderr).toContain('is not among the hosts that this world may ask');
    expect(exitCode).not.toBe(0);
  }
  expect(seen.filter((line) => line.startsWith('elsewhere'))).toEqual([]);
  const both = await world([base, other]);
  expect((await both.run(`curl -sL -u a:b ${base}/away`)).stdout).toBe('elsewhere\n');
});

test.each([
  'curl -s OTHER/text',
  'curl -s http://localhost:PORT/text',
  'curl -s http://2130706433:9/text',
  'curl -s http://[::1]:PORT/text',
  'wget -qO- OTHER/text',
])('a host that is not named is not asked: %s', async (command) => {
  const { run } = await world();
  const named = command.replaceAll('OTHER', other).replaceAll('PORT', new URL(base).port);
  const before = seen.length;
  const { stdout, stderr, exitCode } = await run(named);
  expect(stdout).toBe('');
  expect(stderr).toContain('is not among the hosts that this world may ask');
  expect(exitCode).not.toBe(0);
  expect(seen.slice(before)).toEqual([]);
});

test.each([
  [
    'curl https://example.com/x',
    'curl: (7) Failed to connect to example.com port 443: Permission denied\n',
    7,
  ],
  [
    'wget http://example.com',
    'wget: Connecting to example.com:80... failed: Permission denied.\n',
    4,
  ],
])(
  'without allowed hosts nothing is asked, and what would allow it is said: %s',
  async (command, line, status) => {
    const { run } = await world([]);
    const { stdout, stderr, exitCode } = await run(command);
    expect([stdout, exitCode]).toEqual(['', status]);
    expect(stderr).toBe(
      `${line}dirigent: a world asks only the hosts that its deployer allows, by network: { allow: ['example.com'] }\n`,
    );
  },
);

test('what a host said is marked as text from outside', async () => {
  const made = await world();
  const read = new Set<string>();
  made.acting.read = read;
  await made.run('echo own');
  expect([...read]).not.toContain('network');
  await made.run(`curl -s ${base}/text > /dev/null`);
  expect(made.policing.originsOf(read)).toEqual(['network']);
});

test.each([
  ['curl', 'curl: (2) no URL specified'],
  ['curl --nope x', "curl: unrecognized option '--nope'"],
  ['curl -k https://a.example', 'certificates are always checked here'],
  ['curl ftp://a.example/x', 'Protocol "ftp" not supported'],
  ['wget', 'wget: missing URL'],
  ['wget -r http://a.example', 'nothing is fetched recursively'],
])('a command line that cannot be followed is refused: %s', async (command, text) => {
  const { run } = await world();
  const { stdout, stderr, exitCode } = await run(command);
  expect(stdout).toBe('');
  expect(stderr).toContain(text);
  expect(exitCode).toBeGreaterThan(0);
});

test.each([
  ['curl URL/missing -f', 'curl: (22) The requested URL returned error: 404\n'],
  ['curl -s -f URL/missing', ''],
  ['curl -sS -f URL/missing', 'curl: (22) The requested URL returned error: 404\n'],
  ['curl -S -f URL/missing', 'curl: (22) The requested URL returned error: 404\n'],
])('a failure is told unless -s says otherwise: %s', async (command, text) => {
  const { run } = await world();
  expect((await run(command.replace('URL', base))).stderr).toBe(text);
});

test('-v shows what was sent and what came, and of headers that keep secrets the name alone', async () => {
  const { run } = await world();
  const { stderr } = await run(`curl -sv -u me:secret -H 'X-A: 1' ${base}/echo?x=1`);
  expect(stderr).toMatch(/^> GET \/echo\?x=1 HTTP\/1\.1\n> Host: 127\.0\.0\.1:\d+\n/);
  expect(stderr).toMatch(/^> x-a: 1$/im);
  expect(stderr).toMatch(/^> authorization: …$/im);
  expect(stderr).toContain('\n< HTTP/1.1 200 OK\n');
  expect(stderr).not.toContain('\r');
});
