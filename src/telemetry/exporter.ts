/**
 * Traces for an exporter of the deployment's own: spans as plain data, with the
 * ids that W3C's trace context and OTLP have, handed over in batches when they
 * have ended. Nothing of OpenTelemetry is loaded for it.
 */
import { randomBytes } from 'node:crypto';
import { inTime } from '../parts/in-time.ts';
import { type Attributes, type Span, type SpanStart, spanTime, type Telemetry } from './span.ts';

/** A span that has ended. */
export interface ExportedSpan {
  /** 32 and 16 hexadecimal digits. */
  traceId: string;
  spanId: string;
  /** null of a turn that no other span asked for. */
  parentSpanId: string | null;
  name: string;
  /** `client`: a request to another process was waited for. */
  kind: 'internal' | 'client';
  /** ms since the epoch, with a fraction. */
  startTime: number;
  endTime: number;
  /** The names are those of OpenTelemetry's conventions where there are any. */
  attributes: Record<string, string | number | boolean | string[]>;
  events: { name: string; time: number }[];
  /** What went wrong, in a sentence; null where nothing did. */
  error: string | null;
}

/** Takes traces: the part `telemetry`. */
export interface TraceExporter {
  /** Called with spans that have ended: when a turn has, or there are 512 of them. It has 3 s. */
  export(spans: readonly ExportedSpan[], options: { signal: AbortSignal }): void | Promise<void>;
}

/** What it is made with. */
export interface ExporterOptions {
  /** Are texts of prompts, answers and files wanted? */
  content: boolean;
  /** Told once that spans could not be handed over. */
  onProblem(text: string): void;
}

const EXPORT_MS = 3_000;
/** Spans that have ended are handed over when there are so many. */
const BATCH = 512;

/** Telemetry for an exporter. */
export function exportingTelemetry(
  exporter: TraceExporter,
  { content, onProblem }: ExporterOptions,
): Telemetry {
  let ended: ExportedSpan[] = [];
  let sending: Promise<void> = Promise.resolve();
  let said = false;
  const send = async (): Promise<void> => {
    const spans = ended;
    ended = [];
    if (spans.length === 0) return;
    try {
      await inTime(EXPORT_MS, (signal) => exporter.export(spans, { signal }));
    } catch (error) {
      if (said) return;
      said = true;
      const why = error instanceof Error ? error.message : String(error);
      onProblem(`the traces could not be handed to the exporter: ${why}`);
    }
  };
  const sendSoon = (): Promise<void> => {
    sending = sending.then(send);
    return sending;
  };
  const take = (span: ExportedSpan): void => {
    ended.push(span);
    // With the first span of a trace the whole of it has ended.
    if (span.parentSpanId === null || ended.length >= BATCH) void sendSoon();
  };
  return {
    begin: (name, start) => new OpenSpan(name, start, { content, take, traceId: hex(16) }),
    flush: sendSoon,
  };
}

interface SpanPlace {
  content: boolean;
  take(span: ExportedSpan): void;
  traceId: string;
  parentSpanId?: string;
}

class OpenSpan implements Span {
  readonly content: boolean;
  readonly #place: SpanPlace;
  readonly #span: ExportedSpan;
  #ended = false;

  constructor(
    name: string,
    { kind = 'internal', attributes = {}, at }: SpanStart = {},
    place: SpanPlace,
  ) {
    this.content = place.content;
    this.#place = place;
    const startTime = at ?? spanTime();
    this.#span = {
      traceId: place.traceId,
      spanId: hex(8),
      parentSpanId: place.parentSpanId ?? null,
      name,
      kind,
      startTime,
      endTime: startTime,
      attributes: {},
      events: [],
      error: null,
    };
    this.set(attributes);
  }

  child(name: string, start?: SpanStart): Span {
    return new OpenSpan(name, start, { ...this.#place, parentSpanId: this.#span.spanId });
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) continue;
      this.#span.attributes[name] = typeof value === 'object' ? [...value] : value;
    }
  }

  event(name: string): void {
    this.#span.events.push({ name, time: spanTime() });
  }

  within<T>(work: () => T): T {
    return work();
  }

  end(error?: string, at: number = spanTime()): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#span.endTime = at;
    this.#span.error = error ?? null;
    this.#place.take(this.#span);
  }
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
