/**
 * What a turn tells of itself while it runs: spans, each with those below it.
 * Nothing here knows who listens; where nobody does, there is no span at all,
 * and callers ask with `?.`.
 */

/** What is said of a span; the names are those of OpenTelemetry's conventions where there are any. */
export type Attributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** `client`: a request to another process is waited for. */
export type SpanKind = 'internal' | 'client';

/** How a span begins, beside its name. */
export interface SpanStart {
  kind?: SpanKind;
  attributes?: Attributes;
  /** ms since the epoch; now, if absent. */
  at?: number;
}

/** Something that takes time. */
export interface Span {
  /** Begins a part of it. */
  child(name: string, start?: SpanStart): Span;
  set(attributes: Attributes): void;
  /** Marks a moment of it. */
  event(name: string): void;
  /** Runs work as a part of it, so that spans of other libraries find their parent. */
  within<T>(work: () => T): T;
  /**
   * Ends it, once: what comes later is not heard.
   * @param error what went wrong, in a sentence; its status is an error then
   * @param at ms since the epoch; now, if absent
   */
  end(error?: string, at?: number): void;
  /** Are texts of prompts, answers and files wanted? */
  readonly content: boolean;
}

/** Where spans without a parent begin. */
export interface Telemetry {
  begin(name: string, start?: SpanStart): Span;
  /** Sends what has not been sent. */
  flush(): Promise<void>;
}

/** The time now, as spans have it: ms since the epoch, with a fraction, the same in every thread. */
export const spanTime = (): number => performance.timeOrigin + performance.now();
