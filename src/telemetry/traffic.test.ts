/** What the mounts did for a call, as spans below it. */
import { describe, expect, test } from 'vitest';
import { type ExportedSpan, exportingTelemetry } from './exporter.ts';
import { TrafficSpans } from './traffic.ts';

/** A call with its traffic; `ended` ends both, and gives the spans by their names. */
function traffic(content = false) {
  const ended: ExportedSpan[] = [];
  const { begin, flush } = exportingTelemetry(
    { export: (spans) => void ended.push(...spans) },
    { content, onProblem: (text) => expect.fail(text) },
  );
  const call = begin('call', { at: 1 });
  const spans = new TrafficSpans(call);
  const end = async () => {
    spans.close();
    call.end(undefined, 99);
    await flush();
    const named = (name: string) => ended.filter((span) => span.name === name);
    return { all: ended, named, one: (name: string) => named(name)[0] as ExportedSpan };
  };
  const request = (key: number, url: string, mount = '/mnt/x') =>
    spans.take({ kind: 'request', key, mount, at: 10, method: 'GET', url });
  return { spans, end, request };
}

describe('a mount', () => {
  test('is one span however often a call asks it, with all of its operations, to its last end', async () => {
    const { spans, end } = traffic();
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 2 });
    spans.take({ kind: 'mount-end', mount: '/mnt/x', at: 3, operations: 4 });
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 5 });
    spans.take({ kind: 'mount-end', mount: '/mnt/x', at: 7, operations: 2 });
    // Of one that has begun nothing there is nothing to end.
    spans.take({ kind: 'mount-end', mount: '/mnt/y', at: 7, operations: 2 });
    const { all, one } = await end();
    expect(all.map(({ name }) => name)).toEqual(['mount /mnt/x', 'call']);
    expect(one('mount /mnt/x')).toMatchObject({
      startTime: 2,
      endTime: 7,
      error: null,
      attributes: { 'dirigent.mount': '/mnt/x', 'dirigent.mount.operations': 6 },
      parentSpanId: one('call').spanId,
    });
  });

  test('that is at work when its call ends is cut off, also where it had ended once before', async () => {
    const { spans, end } = traffic();
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 2 });
    spans.take({ kind: 'mount-end', mount: '/mnt/x', at: 3, operations: 4 });
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 5 });
    const { one } = await end();
    const { error, attributes, endTime } = one('mount /mnt/x');
    expect(error).toContain('had not ended');
    expect(attributes).toEqual({ 'dirigent.mount': '/mnt/x' });
    expect(endTime).toBeGreaterThan(99);
  });

  test('after the call is over is a span anew', async () => {
    const { spans, end } = traffic();
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 2 });
    spans.take({
      kind: 'request',
      key: 1,
      mount: '/mnt/x',
      at: 2,
      method: 'GET',
      url: 'http://h/',
    });
    spans.close();
    spans.take({ kind: 'request-end', key: 1, at: 3, status: 200 });
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 3 });
    spans.take({ kind: 'mount-end', mount: '/mnt/x', at: 4, operations: 1 });
    const { named, one } = await end();
    expect(named('mount /mnt/x').map(({ startTime }) => startTime)).toEqual([2, 3]);
    expect(one('GET').attributes).not.toHaveProperty('http.response.status_code');
  });
});

describe('a request', () => {
  test('stands below its mount, or below the call where that is not at work', async () => {
    const { spans, end, request } = traffic();
    spans.take({ kind: 'mount', mount: '/mnt/x', at: 2 });
    request(1, 'http://h/');
    request(2, 'http://h/', '/mnt/y');
    const { named, one } = await end();
    expect(named('GET').map(({ parentSpanId }) => parentSpanId)).toEqual([
      one('mount /mnt/x').spanId,
      one('call').spanId,
    ]);
    expect(named('GET').map(({ kind, error }) => [kind, error])).toEqual([
      ['client', expect.stringContaining('had not ended')],
      ['client', expect.stringContaining('had not ended')],
    ]);
  });

  test.each([
    ['http://h/a', 'h', 80],
    ['https://h/a', 'h', 443],
    ['https://api.h:8443/a', 'api.h', 8443],
    ['http://127.0.0.1:80/a', '127.0.0.1', 80],
  ])('to %s names the server, and no path unasked', async (url, address, port) => {
    for (const content of [false, true]) {
      const { spans, end, request } = traffic(content);
      request(1, url);
      spans.take({ kind: 'request-end', key: 1, at: 12, status: 200 });
      expect((await end()).one('GET')).toMatchObject({
        ...{ startTime: 10, endTime: 12, error: null },
        attributes: {
          'http.request.method': 'GET',
          'server.address': address,
          'server.port': port,
          'http.response.status_code': 200,
          ...(content ? { 'url.full': url } : {}),
        },
      });
      if (!content) expect(JSON.stringify((await end()).all)).not.toContain('/a"');
    }
  });

  test.each([
    [{ status: 200 }, null, undefined],
    [{ status: 399 }, null, undefined],
    [{ status: 400 }, 'status 400', '400'],
    [{ status: 503 }, 'status 503', '503'],
    [{ error: 'refused' }, 'refused', 'fetch'],
  ])('that ended with %j has the error %j', async (outcome, error, type) => {
    const { spans, end, request } = traffic();
    request(1, 'http://h/');
    spans.take({ kind: 'request-end', key: 1, at: 12, ...outcome });
    spans.take({ kind: 'request-end', key: 2, at: 12, ...outcome });
    const span = (await end()).one('GET');
    expect([span.error, span.attributes['error.type']]).toEqual([error, type]);
  });
});
