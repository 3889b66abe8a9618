/** One trace a turn: its spans, their parents, how they end, and what is never in them unasked. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { describe, expect, onTestFinished, test } from 'vitest';
import { worldAccess } from '../../src/agent/world-access.ts';
import { otelSpan } from '../../src/telemetry/otel.ts';
import type { Telemetry } from '../../src/telemetry/span.ts';
import { TrafficSpans } from '../../src/telemetry/traffic.ts';
import { agentNamed, testAgent, testModel } from '../agent/support.ts';
import { cli } from '../cli/run-cli.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

function inMemory(content = false) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('test');
  const telemetry: Telemetry = {
    begin: (name, start) => otelSpan(tracer, name, start, content),
    flush: () => provider.forceFlush(),
  };
  return { telemetry, spans: () => exporter.getFinishedSpans() };
}

/** The tree, two blanks a level, in the order in which the spans began. */
function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const begun = (a: ReadableSpan, b: ReadableSpan): number =>
    a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .toSorted(begun)
      .flatMap((span) => [
        `${indent}${span.name}`,
        ...below(span.spanContext().spanId, `${indent}  `),
      ]);
  expect(spans.every(({ parentSpanContext: up }) => up === undefined || ids.has(up.spanId))).toBe(
    true,
  );
  return below(undefined, '');
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} in ${spans.map((each) => each.name)}`);
  return found;
};

const ERROR = 2;

describe('one trace a turn', () => {
  test('turn → step → tool → mount → request, a sub-agent below its call, and no text in it', async () => {
    const github = await startGithubStandIn();
    const world = testWorld(
      {
        mounts: {
          '/mnt/github': { source: 'github', mode: 'rw', baseUrl: github.url, tokenEnv: 'T' },
        },
      },
      { deployment: temporaryDirectory(), env: { T: github.token } },
    );
    const { telemetry, spans } = inMemory();
    const agents = new Map([
      ['assistant', agentNamed('assistant')],
      ['reader', agentNamed('reader')],
    ]);
    const agent = await testAgent(
      ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').length;
        if (String(messages[0]?.content).includes('agent "reader"')) {
          return results > 0
            ? says('read')
            : calls(['read', { path: '/mnt/github/harbor/quay/issues/1.md', limit: 3 }]);
        }
        if (results === 0) return calls(['bash', { command: 'echo secret-word > f; cat f' }]);
        if (results === 1) return calls(['delegate', { agent: 'reader', task: 'secret-task' }]);
        return says('secret-answer');
      },
      {
        world,
        view: { agents },
        telemetry,
        accessFor: ({ name, filesystem }, { id, untrustedRead }) =>
          worldAccess(world, ['/mnt/github'], { actor: name, turn: id, filesystem, untrustedRead }),
      },
    );
    expect((await agent.run('secret-prompt')).status).toBe('done');
    const all = spans();
    expect(new Set(all.map((span) => span.spanContext().traceId)).size).toBe(1);
    const tree = treeOf(all);
    const requests = tree.filter((line) => line.trim() === 'GET');
    expect(requests.length).toBeGreaterThan(0);
    expect(tree.filter((line) => line.trim() !== 'GET')).toEqual([
      'invoke_agent assistant',
      '  step 1',
      '    chat scripted',
      '    execute_tool bash',
      '  step 2',
      '    chat scripted',
      '    execute_tool delegate',
      '      invoke_agent reader',
      '        step 1',
      '          chat scripted',
      '          execute_tool read',
      '            mount /mnt/github',
      '        step 2',
      '          chat scripted',
      '  step 3',
      '    chat scripted',
    ]);
    // Every request is below the mount that sent it.
    expect(requests.every((line) => line.startsWith(' '.repeat(14)))).toBe(true);
    expect(named(all, 'GET').attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
    });
    expect(named(all, 'invoke_agent assistant').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': world.session.id,
      'gen_ai.usage.input_tokens': 30,
      'dirigent.turn.status': 'done',
    });
    expect(named(all, 'chat scripted').attributes).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.finish_reasons': ['tool-calls'],
    });
    expect(all.every(({ status }) => status.code !== ERROR)).toBe(true);
    const text = JSON.stringify(
      all.map(({ name, attributes, events }) => [name, attributes, events]),
    );
    expect(text).not.toMatch(/secret|harbor|issues/);
    await github.close();
  });

  test('texts are in it where they are asked for', async () => {
    const { telemetry, spans } = inMemory(true);
    const agent = await testAgent(
      [calls(['bash', { command: 'echo secret-word' }]), says('secret-answer')],
      { telemetry },
    );
    await agent.run('secret-prompt');
    const tool = named(spans(), 'execute_tool bash').attributes;
    expect(tool['gen_ai.tool.call.arguments']).toBe('{"command":"echo secret-word"}');
    expect(tool['gen_ai.tool.call.result']).toBe('secret-word');
    expect(named(spans(), 'chat scripted').attributes['gen_ai.input.messages']).toContain(
      'secret-prompt',
    );
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).toContain('secret-answer');
  });

  test('an error of the model, a refusal and a deadline end their spans as errors, and the trace is whole', async () => {
    const { telemetry, spans } = inMemory();
    const spin = "awk 'BEGIN { while (1) {} }'";
    const agent = await testAgent(
      [
        calls(['read', { path: '/nosuch' }]),
        calls(['bash', { command: spin, timeout: 0.1 }]),
        { status: 401, message: 'who are you' },
      ],
      { telemetry },
    );
    expect((await agent.run('x')).status).toBe('error');
    const all = spans();
    expect(treeOf(all)).toHaveLength(9);
    const status = (name: string) => named(all, name).status;
    expect(status('execute_tool bash').code).toBe(ERROR);
    expect(named(all, 'execute_tool read').attributes['error.type']).toBe('tool');
    expect(status('invoke_agent assistant')).toMatchObject({
      code: ERROR,
      message: expect.stringContaining('status 401'),
    });
    expect(
      all.filter(({ name, status: { code } }) => name.startsWith('chat') && code === ERROR),
    ).toHaveLength(1);
  });

  test('a turn that is stopped ends every span', async () => {
    const { telemetry, spans } = inMemory();
    const stop = new AbortController();
    const agent = await testAgent([calls(['bash', { command: 'echo begun; sleep 60' }])], {
      telemetry,
    });
    const running = agent.run('x', { signal: stop.signal });
    await expect
      .poll(() => agent.events.some(({ type }) => type === 'tool-output'), { timeout: 10_000 })
      .toBe(true);
    stop.abort();
    await running;
    expect(treeOf(spans()).map((line) => line.trim())).toEqual([
      'invoke_agent assistant',
      'step 1',
      'chat scripted',
      'execute_tool bash',
    ]);
    expect(named(spans(), 'invoke_agent assistant').attributes['dirigent.turn.status']).toBe(
      'stopped',
    );
  });

  test('what a mount was still doing when its worker was ended is closed as an error', () => {
    const { telemetry, spans } = inMemory();
    const call = telemetry.begin('call');
    const traffic = new TrafficSpans(call);
    traffic.take({ kind: 'mount', mount: '/mnt/x', at: Date.now() });
    const request = { key: 1, mount: '/mnt/x', at: Date.now(), method: 'GET', url: 'http://h/a' };
    traffic.take({ kind: 'request', ...request });
    traffic.close();
    call.end();
    expect(spans().map(({ name, status }) => [name, status.code])).toEqual([
      ['GET', ERROR],
      ['mount /mnt/x', ERROR],
      ['call', 0],
    ]);
  });
});

interface Collector {
  url: string;
  bodies: unknown[];
}

async function collector(status = 200): Promise<Collector> {
  const bodies: unknown[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push([request.url, JSON.parse(Buffer.concat(chunks).toString())]);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

test('`dirigent run` sends its trace where OTEL_EXPORTER_OTLP_ENDPOINT says, and says so where it cannot', async () => {
  const model = await testModel([calls(['bash', { command: 'true' }]), says('hello')]);
  const env = {
    XDG_STATE_HOME: temporaryDirectory(),
    OPENAI_BASE_URL: model.url,
    DIRIGENT_MODEL: 'openai/m',
  };
  const { url, bodies } = await collector();
  const traced = await cli(['run', 'x'], { env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url } });
  expect([traced.stderr, traced.stdout.toString()]).toEqual(['', 'hello\n']);
  const [[path, body]] = bodies as [[string, unknown]];
  expect(path).toBe('/v1/traces');
  const text = JSON.stringify(body);
  expect(text).toContain('{"key":"service.name","value":{"stringValue":"dirigent"}}');
  for (const name of ['invoke_agent assistant', 'step 2', 'chat m', 'execute_tool bash'])
    expect(text).toContain(`"name":"${name}"`);
  const refusing = await collector(400);
  const refused = await cli(['run', 'x'], {
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url },
  });
  expect(refused.stdout.toString()).toBe('hello\n');
  expect(refused.stderr).toMatch(/^dirigent: the traces could not be sent: .+$/m);
  const off = await cli(['run', 'x'], {
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' },
  });
  expect([off.stdout.toString(), bodies.length]).toEqual(['hello\n', 1]);
});
