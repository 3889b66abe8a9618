/** Whether there are traces is decided before anything of them is loaded, and said where they cannot be. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ExportedSpan, exportingTelemetry } from './exporter.ts';
import { openTelemetry, type TelemetrySources } from './open.ts';

async function asked(given: Pick<TelemetrySources, 'config'> & Partial<TelemetrySources>) {
  const problems: string[] = [];
  const telemetry = await openTelemetry({
    env: {},
    base: import.meta.dirname,
    version: '0',
    onProblem: (text) => problems.push(text),
    ...given,
  });
  return { telemetry, problems };
}

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

test.each([
  ['nobody', { config: undefined }],
  ['the config says no, whatever the variables say', { config: false, env: ENDPOINT }],
  [
    'the variables say no, whatever the config says',
    { config: true, env: { OTEL_SDK_DISABLED: 'true' } },
  ],
])('there are none, and nothing is said, where %s wants them', async (_, given) => {
  expect(await asked(given)).toEqual({ telemetry: null, problems: [] });
});

test('where they are wanted and have nowhere to go, that is said once', async () => {
  const { telemetry, problems } = await asked({ config: true });
  expect(telemetry).toBeNull();
  expect(problems).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT is not set')]);
});

test('an exporter gets each span once, whole and below its parent, when the first of its trace has ended', async () => {
  const handed: ExportedSpan[][] = [];
  const { begin, flush } = exportingTelemetry(
    { export: (spans) => void handed.push([...spans]) },
    { content: false, onProblem: (text) => expect.fail(text) },
  );
  const turn = begin('turn', { attributes: { model: 'm', unknown: undefined }, at: 10 });
  const call = turn.child('call', { kind: 'client', at: 20 });
  call.event('waits for approval');
  call.set({ names: ['a', 'b'] });
  call.end('refused', 30);
  call.end(undefined, 40);
  expect(handed).toEqual([]);
  turn.end(undefined, 50);
  await flush();
  const [spans = []] = handed;
  expect(handed).toHaveLength(1);
  const [one, above] = spans;
  expect(spans).toEqual([
    {
      ...{ name: 'call', kind: 'client', startTime: 20, endTime: 30, error: 'refused' },
      ...{ traceId: above?.traceId, spanId: one?.spanId, parentSpanId: above?.spanId },
      attributes: { names: ['a', 'b'] },
      events: [{ name: 'waits for approval', time: expect.any(Number) }],
    },
    {
      ...{ name: 'turn', kind: 'internal', startTime: 10, endTime: 50, error: null },
      ...{ traceId: one?.traceId, spanId: above?.spanId, parentSpanId: null },
      attributes: { model: 'm' },
      events: [],
    },
  ]);
  expect(one?.spanId).not.toBe(above?.spanId);
});

describe('an exporter', () => {
  const exporting = (give: (spans: readonly ExportedSpan[], signal: AbortSignal) => unknown) => {
    const problems: string[] = [];
    const exporter = {
      export: async (spans: readonly ExportedSpan[], { signal }: { signal: AbortSignal }) =>
        void (await give(spans, signal)),
    };
    const onProblem = (text: string) => void problems.push(text);
    return { problems, ...exportingTelemetry(exporter, { content: false, onProblem }) };
  };

  test('is handed what has ended of a trace when that is 512 spans, and the rest in order', async () => {
    const handed: number[] = [];
    const { begin, flush } = exporting((spans) => handed.push(spans.length));
    const turn = begin('turn');
    for (let ended = 0; ended < 511; ended++) turn.child('call').end();
    await Promise.resolve();
    expect(handed).toEqual([]);
    turn.child('call').end();
    await expect.poll(() => handed).toEqual([512]);
    turn.child('call').end();
    turn.end();
    await flush();
    await flush();
    expect(handed).toEqual([512, 2]);
  });

  test('that takes nothing holds up nobody, and is complained of once', async () => {
    let asked = 0;
    const { begin, flush, problems } = exporting(() => {
      asked += 1;
      throw asked === 1 ? new Error('no room') : 'again';
    });
    for (const name of ['one', 'two']) {
      begin(name).end();
      await flush();
    }
    expect(asked).toBe(2);
    expect(problems).toEqual(['the traces could not be handed to the exporter: no room']);
  });

  test('has 3 s for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const signals: AbortSignal[] = [];
    const { begin, flush, problems } = exporting((_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    begin('turn').end();
    const flushed = flush();
    await vi.advanceTimersByTimeAsync(2_999);
    expect([problems, signals.map(({ aborted }) => aborted)]).toEqual([[], [false]]);
    await vi.advanceTimersByTimeAsync(1);
    await flushed;
    expect([problems.length, signals.map(({ aborted }) => aborted)]).toEqual([1, [true]]);
  });

  test('has ids as the trace context has them, and spans that began now where nothing else is said', async () => {
    const handed: ExportedSpan[] = [];
    const { begin, flush } = exporting((spans) => handed.push(...spans));
    const before = Date.now() - 1_000;
    begin('turn').end();
    begin('turn').end();
    await flush();
    const [one, other] = handed;
    expect(one).toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(other?.traceId).not.toBe(one?.traceId);
    expect(one?.startTime).toBeGreaterThan(before);
    expect(one?.endTime).toBeGreaterThanOrEqual(one?.startTime ?? Infinity);
  });
});

describe('who gets the traces', () => {
  const own = () => {
    const names: string[] = [];
    const take = (spans: readonly ExportedSpan[]) => names.push(...spans.map(({ name }) => name));
    return { names, exporter: { export: (spans: readonly ExportedSpan[]) => void take(spans) } };
  };
  /** A provider of the program's own, as long as the test lasts. */
  const registered = () => {
    const exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
    onTestFinished(() => trace.disable());
    return () => exporter.getFinishedSpans();
  };
  const traced = async (given: Parameters<typeof asked>[0]) => {
    const { telemetry, problems } = await asked(given);
    const turn = telemetry?.begin('turn');
    turn?.end();
    await telemetry?.flush();
    return { problems, content: turn?.content };
  };

  test.each([
    ['nothing else wants them', { config: undefined }],
    ['they are on, and have nowhere else to go', { config: true }],
    ['OpenTelemetry is turned off', { config: true, env: { OTEL_SDK_DISABLED: 'true' } }],
  ])('the deployment’s exporter gets them where %s', async (_, given) => {
    const { names, exporter } = own();
    expect(await traced({ ...given, exporter })).toEqual({ problems: [], content: false });
    expect(names).toEqual(['turn']);
  });

  test('a provider that is registered gets them, and the deployment’s exporter besides', async () => {
    const ended = registered();
    const { names, exporter } = own();
    expect((await traced({ config: true, exporter })).problems).toEqual([]);
    expect((await traced({ config: {} })).problems).toEqual([]);
    expect(names).toEqual(['turn']);
    expect(ended().map(({ name, instrumentationScope: by }) => [name, by])).toEqual([
      ['turn', { name: 'dirigent', version: '0' }],
      ['turn', { name: 'dirigent', version: '0' }],
    ]);
    // Nobody asks for them: that a program has a provider does not.
    expect((await asked({ config: undefined })).telemetry).toBeNull();
  });

  test.each([
    [{ config: true }, false],
    [{ config: { content: false } }, false],
    [{ config: { content: true } }, true],
    [{ config: true, env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' } }, true],
    [{ config: true, env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'false' } }, false],
  ])('with %j texts are in them: %j', async (given, content) => {
    registered();
    expect((await traced(given)).content).toBe(content);
    expect((await traced({ ...given, exporter: own().exporter })).content).toBe(content);
  });

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'none', ...ENDPOINT }, false],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '', ...ENDPOINT }, false],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9' }, true],
    [ENDPOINT, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console' }, true],
  ])('by the variables %j there are some: %j', async (env, some) => {
    expect((await asked({ config: undefined, env })).telemetry !== null).toBe(some);
  });

  test('on the console they are shown with the service that they are of', async () => {
    const shown = vi.spyOn(console, 'dir').mockReturnValue();
    onTestFinished(() => shown.mockRestore());
    for (const name of [undefined, 'mine'])
      await traced({
        config: undefined,
        env: { OTEL_TRACES_EXPORTER: 'console', OTEL_SERVICE_NAME: name },
      });
    expect(shown.mock.calls.map(([span]) => span)).toEqual(
      ['dirigent', 'mine'].map((name) =>
        expect.objectContaining({
          name: 'turn',
          resource: {
            attributes: expect.objectContaining({
              'service.name': name,
              'service.version': '0',
              'telemetry.sdk.language': 'nodejs',
            }),
          },
        }),
      ),
    );
  });

  /** A collector that answers with a status, or never. */
  const collector = async (status: number | null) => {
    let asked = 0;
    const first = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      asked += 1;
      first.resolve();
      if (status !== null) request.resume().on('end', () => response.writeHead(status).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The SDK's exporter reads the process's own.
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      server.closeAllConnections();
      server.close();
    });
    return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url }, asked: () => asked, first: first.promise };
  };

  test('a collector that refuses them is complained of once, and one that takes them never', async () => {
    for (const [status, said] of [
      [200, []],
      [400, ['the traces could not be sent: Bad Request']],
    ] as const) {
      const { env, asked: requests } = await collector(status);
      const { telemetry, problems } = await asked({ config: undefined, env });
      for (const name of ['one', 'two']) {
        telemetry?.begin(name).end();
        await telemetry?.flush();
      }
      expect([problems, requests()]).toEqual([said, 2]);
    }
  });

  test('for a collector that never answers a turn waits 3 s, and says so', async () => {
    const { env, first } = await collector(null);
    const { telemetry, problems } = await asked({ config: undefined, env });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    telemetry?.begin('turn').end();
    const flushed = telemetry?.flush();
    await first;
    await vi.advanceTimersByTimeAsync(2_999);
    expect(problems).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await flushed;
    expect(problems).toEqual(['the traces could not be sent: no answer within 3 s']);
  });
});
