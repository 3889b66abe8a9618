/** Spans of what the mounts did for one call, below the span of that call. */
import type { TrafficEvent } from '../world/traffic.ts';
import type { Span } from './span.ts';

const CUT_OFF = 'it had not ended when its call did';

/** A mount at work for a call, over all that the call asks of the world. */
interface MountSpan {
  span: Span;
  operations: number;
  /** null while something is under way. */
  endedAt: number | null;
}

/** Makes spans of events, as they come in. */
export class TrafficSpans {
  readonly #call: Span;
  readonly #mounts = new Map<string, MountSpan>();
  readonly #requests = new Map<number, Span>();

  /** @param call the span of the call */
  constructor(call: Span) {
    this.#call = call;
  }

  take(event: TrafficEvent): void {
    switch (event.kind) {
      case 'mount': {
        const { mount, at } = event;
        const span = this.#mounts.get(mount)?.span ?? this.#begin(mount, at);
        const operations = this.#mounts.get(mount)?.operations ?? 0;
        this.#mounts.set(mount, { span, operations, endedAt: null });
        return;
      }
      case 'mount-end': {
        const known = this.#mounts.get(event.mount);
        if (known === undefined) return;
        known.operations += event.operations;
        known.endedAt = event.at;
        return;
      }
      case 'request':
        return this.#request(event);
      case 'request-end': {
        const span = this.#requests.get(event.key);
        this.#requests.delete(event.key);
        const { status, error, at } = event;
        const refused = status !== undefined && status >= 400;
        span?.set({
          'http.response.status_code': status,
          'error.type': error === undefined ? (refused ? String(status) : undefined) : 'fetch',
        });
        span?.end(error ?? (refused ? `status ${status}` : undefined), at);
        return;
      }
    }
  }

  /** Ends what is still open: the call is over, or its worker was ended under it. */
  close(): void {
    for (const span of this.#requests.values()) span.end(CUT_OFF);
    for (const { span, operations, endedAt } of this.#mounts.values()) {
      if (endedAt === null) {
        span.end(CUT_OFF);
        continue;
      }
      span.set({ 'dirigent.mount.operations': operations });
      span.end(undefined, endedAt);
    }
    this.#requests.clear();
    this.#mounts.clear();
  }

  #begin(mount: string, at: number): Span {
    return this.#call.child(`mount ${mount}`, { at, attributes: { 'dirigent.mount': mount } });
  }

  #request({ key, mount, at, method, url }: Extract<TrafficEvent, { kind: 'request' }>): void {
    const parent = this.#mounts.get(mount)?.span ?? this.#call;
    const { hostname, port, origin } = new URL(url);
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': port === '' ? (origin.startsWith('https:') ? 443 : 80) : Number(port),
      // A path names what somebody looks at.
      'url.full': this.#call.content ? url : undefined,
    };
    this.#requests.set(key, parent.child(method, { kind: 'client', at, attributes }));
  }
}
