/** Traces for a Zipkin, by its API v2. `options`: `{ url: 'http://127.0.0.1:9411' }`. */
import { z } from 'zod';
import type { PartModule, TraceExporter } from '../../entry/parts.ts';

const schema = z.strictObject({ url: z.url() });
const micros = (ms: number): number => Math.round(ms * 1000);

const zipkin: PartModule<TraceExporter> = ({ options }) => {
  const { url } = schema.parse(options);
  return {
    export: async (spans, { signal }) => {
      const body = spans.map((span) => ({
        traceId: span.traceId,
        id: span.spanId,
        ...(span.parentSpanId === null ? {} : { parentId: span.parentSpanId }),
        ...(span.kind === 'client' ? { kind: 'CLIENT' } : {}),
        name: span.name,
        timestamp: micros(span.startTime),
        duration: Math.max(1, micros(span.endTime - span.startTime)),
        localEndpoint: { serviceName: 'dirigent' },
        annotations: span.events.map(({ name, time }) => ({
          value: name,
          timestamp: micros(time),
        })),
        tags: {
          ...Object.fromEntries(
            Object.entries(span.attributes).map(([name, value]) => [name, String(value)]),
          ),
          ...(span.error === null ? {} : { error: span.error }),
        },
      }));
      const answer = await fetch(new URL('/api/v2/spans', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      if (!answer.ok) throw new Error(`Zipkin answered ${answer.status}`);
    },
  };
};

export default zipkin;
