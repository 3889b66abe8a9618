/** Whether there are traces is decided before anything of them is loaded, and said where they cannot be. */
import { expect, test } from 'vitest';
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
