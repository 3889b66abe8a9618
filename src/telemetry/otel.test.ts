/** Spans as OpenTelemetry's own SDK has them. */
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';
import { otelSpan } from './otel.ts';

const [INTERNAL, CLIENT] = [0, 2];
const [UNSET, ERROR] = [0, 2];

function tracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { tracer: provider.getTracer('test'), ended: () => exporter.getFinishedSpans() };
}

/** Contexts by a stack: enough for work that waits for nothing. */
function stacked(): void {
  const stack: Context[] = [];
  context.setGlobalContextManager({
    active: () => stack.at(-1) ?? ROOT_CONTEXT,
    with: (held, work, self, ...given) => {
      stack.push(held);
      try {
        return work.call(self as ThisParameterType<typeof work>, ...given);
      } finally {
        stack.pop();
      }
    },
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  onTestFinished(() => context.disable());
}

test('a span says what it was given, from its beginning to its end', () => {
  const { tracer, ended } = tracing();
  const span = otelSpan(tracer, 'call', {
    kind: 'client',
    attributes: { a: 1, names: ['x', 'y'], none: undefined },
    at: 1_700_000_001_000,
  });
  span.set({ b: true, none: undefined });
  span.event('waits');
  span.end('refused', 1_700_000_003_500);
  span.end(undefined, 1_700_000_009_000);
  expect(ended()).toHaveLength(1);
  expect(ended()[0]).toMatchObject({
    ...{
      name: 'call',
      kind: CLIENT,
      startTime: [1_700_000_001, 0],
      endTime: [1_700_000_003, 500_000_000],
    },
    attributes: { a: 1, b: true, names: ['x', 'y'] },
    status: { code: ERROR, message: 'refused' },
    events: [{ name: 'waits' }],
  });
  expect(ended()[0]?.attributes).not.toHaveProperty('none');
});

test('a span of which nothing is said is internal, begins now, is no error, and gives no texts', () => {
  const { tracer, ended } = tracing();
  const before = Date.now() - 1;
  const span = otelSpan(tracer, 'call');
  span.child('part').end();
  span.end();
  expect(span.content).toBe(false);
  const [part, call] = ended();
  for (const each of [part, call]) {
    expect(each).toMatchObject({ kind: INTERNAL, attributes: {}, status: { code: UNSET } });
    expect((each?.startTime[0] ?? 0) * 1_000).toBeGreaterThan(before - 1_000);
  }
  expect(part?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  expect(otelSpan(tracer, 'call', {}, true).child('part').content).toBe(true);
});

test('it is below the span that is at work, and what works within it is below it', () => {
  stacked();
  const { tracer, ended } = tracing();
  const above = tracer.startSpan('above');
  const span = context.with(trace.setSpan(context.active(), above), () => otelSpan(tracer, 'call'));
  expect(
    span.within(() => {
      otelSpan(tracer, 'below').end();
      return 7;
    }),
  ).toBe(7);
  span.end();
  const [below, call] = ended();
  expect(below?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  expect(call?.parentSpanContext?.spanId).toBe(above.spanContext().spanId);
});
