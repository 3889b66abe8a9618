/** Spans by OpenTelemetry's API. Loaded only where traces are wanted. */
import {
  type Context,
  context,
  SpanKind as OtelKind,
  type Span as OtelSpan,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type Attributes, type Span, type SpanStart, spanTime } from './span.ts';

/** @param content are texts of prompts, answers and files wanted? */
export function otelSpan(
  tracer: Tracer,
  name: string,
  start: SpanStart = {},
  content = false,
): Span {
  // A caller that has a span of its own is the parent: a turn is a part of what it does.
  return begin(tracer, context.active(), name, start, content);
}

function begin(
  tracer: Tracer,
  parent: Context,
  name: string,
  { kind = 'internal', attributes = {}, at = spanTime() }: SpanStart,
  content: boolean,
): Span {
  const options = {
    kind: kind === 'client' ? OtelKind.CLIENT : OtelKind.INTERNAL,
    attributes: present(attributes),
    startTime: at,
  };
  return new TracedSpan(tracer, tracer.startSpan(name, options, parent), parent, content);
}

class TracedSpan implements Span {
  readonly content: boolean;
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;
  readonly #context: Context;

  constructor(tracer: Tracer, span: OtelSpan, parent: Context, content: boolean) {
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
    this.content = content;
  }

  child(name: string, start: SpanStart = {}): Span {
    return begin(this.#tracer, this.#context, name, start, this.content);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(present(attributes));
  }

  event(name: string): void {
    this.#span.addEvent(name, spanTime());
  }

  within<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  end(error?: string, at: number = spanTime()): void {
    if (!this.#span.isRecording()) return;
    if (error !== undefined) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    }
    this.#span.end(at);
  }
}

function present(attributes: Attributes): Record<string, string | number | boolean | string[]> {
  const kept: Record<string, string | number | boolean | string[]> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    kept[name] = typeof value === 'object' ? [...value] : value;
  }
  return kept;
}
