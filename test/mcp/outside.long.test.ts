/**
 * The door for MCP, judged by what others made: the protocol's conformance
 * suite, a client of the SDK before this one, a tokenizer of today's models.
 * They are installed for the test, into a directory of their own.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../cli/run-cli.ts';
import { installed } from '../support/installed.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { connectMcp, openMcp, TOKEN, testDoorway } from './support.ts';

const PACKAGES = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/sdk@1.32.2',
  'gpt-tokenizer@4.0.0',
];
const { directory, missing, run } = installed('mcp-outside', PACKAGES);

/** Puts the token on each request: the suite knows of none. Another host's name is passed on as it is. */
async function withToken(target: URL): Promise<string> {
  const proxy = createServer((incoming, answer) => {
    const own = `:${(proxy.address() as AddressInfo).port}`;
    const { host = '' } = incoming.headers;
    const headers = {
      ...incoming.headers,
      authorization: `Bearer ${TOKEN}`,
      host: host.endsWith(own) ? target.host : host,
    };
    const { method, url: path } = incoming;
    const { hostname, port } = target;
    const out = request({ hostname, port, path, method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(answer);
    });
    out.on('error', () => answer.destroy());
    answer.on('close', () => out.destroy());
    incoming.pipe(out);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

/** The scenarios that ask for no tool, file or prompt of the suite's own. */
const SCENARIOS = [
  'server-initialize',
  'server-session-lifecycle',
  'server-sse-multiple-streams',
  'ping',
  'tools-list',
  'tools-call-error',
  'resources-list',
  'prompts-list',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
];

describe('the conformance suite', () => {
  test.for(SCENARIOS)('%s holds', { timeout: 60_000 }, async (scenario, { skip }) => {
    if (missing() !== '') skip(`NOT CHECKED: it cannot be installed here: ${missing()}`);
    const url = await withToken(new URL(await openMcp(testDoorway().doorway)));
    const program = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
    const ran = await run(process.execPath, [
      program,
      'server',
      '--url',
      url,
      '--scenario',
      scenario,
    ]);
    expect(ran.status, `${ran.stdout}${ran.stderr}`).toBe(0);
    expect(ran.stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  });

  test('what it asks of a server without sessions holds, but for its own tool', async ({
    skip,
  }) => {
    if (missing() !== '') skip(`NOT CHECKED: it cannot be installed here: ${missing()}`);
    const url = await withToken(new URL(await openMcp(testDoorway().doorway)));
    const program = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
    const options = ['--url', url, '--scenario', 'server-stateless'];
    const { stdout } = await run(process.execPath, [program, 'server', ...options]);
    const failed = [...stdout.matchAll(/\[(\S+)\s*\] \S*FAILURE/g)].map(([, name]) => name);
    // Both call the tool test_missing_capability, which only servers for this suite have.
    expect(failed).toEqual([
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
    ]);
    expect(stdout.match(/SUCCESS/g)?.length).toBeGreaterThan(20);
  }, 60_000);
});

const CLIENT = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const [target, token, ...args] = process.argv.slice(2);
const transport = target.startsWith('http:')
  ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { authorization: 'Bearer ' + token } } })
  : new StdioClientTransport({ command: target, args: [token, ...args] });
const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
const asked = [];
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  asked.push(params.message.split('\\n')[0]);
  return { action: 'accept', content: { answer: 'once' } };
});
await client.connect(transport);
const text = (result) => result.content.map((part) => part.text).join('');
const ran = await client.callTool({ name: 'bash', arguments: { command: 'echo ran; touch /workspace/asked && echo asked' } });
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: 'dirigent:///workspace/asked' });
console.log(JSON.stringify({ text: text(ran), asked, listed: resources.length, read: contents[0].text }));
await client.close();
`;

describe('a client of the SDK before this one', () => {
  const deployment = (): string => {
    const place = temporaryDirectory();
    mkdirSync(join(place, 'harness'));
    writeFileSync(join(place, 'dirigent.config.mjs'), 'export default {};\n');
    const rule = '{name: asked, decision: ask, op: change, path: /workspace/asked}';
    writeFileSync(join(place, 'harness/policy.yaml'), `sandbox: full\nrules: [${rule}]\n`);
    return place;
  };

  test.for(['HTTP', 'stdio'])(
    'calls, answers for its person, and reads, by %s',
    { timeout: 60_000 },
    async (way, { skip }) => {
      if (missing() !== '') skip(`NOT CHECKED: it cannot be installed here: ${missing()}`);
      const place = deployment();
      writeFileSync(join(directory, 'client.mjs'), CLIENT);
      const target =
        way === 'HTTP'
          ? [await openMcp(testDoorway({}, place).doorway), TOKEN]
          : [process.execPath, MAIN, 'mcp', '--deployment', place];
      const ran = await run(process.execPath, ['client.mjs', ...target]);
      expect(ran.status, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout)).toEqual({
        text: 'ran\nasked',
        asked: ['assistant wants to create /workspace/asked'],
        listed: 1,
        read: '',
      });
    },
  );
});

test('the definitions are 700 tokens at most, as o200k counts them', async ({ skip }) => {
  if (missing() !== '') skip(`NOT CHECKED: it cannot be installed here: ${missing()}`);
  const client = await connectMcp(await openMcp(testDoorway().doorway), '2026');
  const { tools } = await client.listTools();
  writeFileSync(join(directory, 'tools.json'), JSON.stringify(tools));
  const count =
    "import {encode} from 'gpt-tokenizer/encoding/o200k_base'; import fs from 'node:fs'; console.log(encode(fs.readFileSync('tools.json', 'utf8')).length)";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', count]);
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThanOrEqual(700);
}, 60_000);
