/** Two listeners: each has spans of its own, of the same work. */
import type { Span, Telemetry } from './span.ts';

export function bothTelemetries(one: Telemetry, other: Telemetry): Telemetry {
  return {
    begin: (name, start) => both(one.begin(name, start), other.begin(name, start)),
    flush: async () => void (await Promise.all([one.flush(), other.flush()])),
  };
}

function both(one: Span, other: Span): Span {
  return {
    content: one.content || other.content,
    child: (name, start) => both(one.child(name, start), other.child(name, start)),
    set: (attributes) => {
      one.set(attributes);
      other.set(attributes);
    },
    event: (name) => {
      one.event(name);
      other.event(name);
    },
    within: (work) => one.within(() => other.within(work)),
    end: (error, at) => {
      one.end(error, at);
      other.end(error, at);
    },
  };
}
