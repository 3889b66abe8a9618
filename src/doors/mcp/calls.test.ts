/** Calls of tools by MCP that go on from one request to the next, and what a client can. */
import type { ServerContext, Transport } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AnsweringTransport } from './answering-transport.ts';
import { KEPT_MS } from './calls.ts';
import { capabilitiesOf, hasForms } from './capabilities.ts';
import { reportProgress } from './progress.ts';
import { canTakeTasks, TASKS } from './tasks.ts';
import { approvalOf, client, led } from './testing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a call', () => {
  test('ends with its result, or goes on after a while', async () => {
    const { calls } = client();
    const { call, ended } = led(calls);
    const next = call.next(50);
    await vi.advanceTimersByTimeAsync(50);
    expect(await next).toEqual({ goesOn: true });
    const last = call.next();
    ended.resolve('done');
    expect(await last).toEqual({ ended: 'done' });
    expect(vi.getTimerCount()).toBe(0);
    expect(calls.get(call.id)).toBe(call);
    calls.forget(call);
    expect(calls.get(call.id)).toBeUndefined();
  });

  test('fails as what it runs does', async () => {
    const { calls } = client();
    const { call, ended } = led(calls);
    ended.reject(new Error('gone'));
    await expect(call.next()).rejects.toThrow('gone');
  });

  test('asks its person for what has been asked since it began, then for what an earlier one left', async () => {
    const earlier = approvalOf('1', Date.now() - 1000);
    const now = approvalOf('2', Date.now());
    const both = client(earlier, now);
    const { call, hooks } = led(both.calls);
    hooks.onParked();
    expect(await call.next()).toEqual({ asks: now });
    expect(await call.next()).toEqual({ asks: now });
    // What another call asks is not asked twice.
    const second = led(both.calls);
    second.hooks.onParked();
    expect(await second.call.next()).toEqual({ asks: earlier });
    call.answered();
    expect([call.question, call.fault]).toEqual([null, null]);
    const none = client();
    const third = led(none.calls);
    third.hooks.onParked();
    const next = third.call.next(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(await next).toEqual({ goesOn: true });
  });

  test('is ended where nobody answers for an hour, or nobody can be asked any more', async () => {
    const { calls } = client(approvalOf('1'));
    const one = led(calls);
    one.hooks.onParked();
    await one.call.next();
    await vi.advanceTimersByTimeAsync(60 * 60_000 - 1);
    expect(one.call.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([one.call.aborted, one.hooks.signal.aborted]).toEqual([true, true]);
    const other = client(approvalOf('1'));
    const asking = led(other.calls);
    asking.hooks.onParked();
    await asking.call.next();
    const running = led(other.calls);
    other.calls.end();
    expect([asking.call.aborted, asking.call.question, running.call.aborted]).toEqual([
      true,
      null,
      false,
    ]);
    running.hooks.onParked();
    void running.call.next(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(running.call.aborted).toBe(true);
  });

  test('that was answered in time is not ended by the hour', async () => {
    const { calls } = client(approvalOf('1'));
    const { call, hooks, ended } = led(calls);
    hooks.onParked();
    await call.next();
    call.answered();
    await vi.advanceTimersByTimeAsync(61 * 60_000);
    expect(call.aborted).toBe(false);
    ended.resolve('done');
    await call.next();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is one of 64 at most', () => {
    const { calls } = client();
    const all = Array.from({ length: 64 }, () => led(calls).call);
    expect(() => led(calls)).toThrow('64 calls are under way');
    calls.forget(all[0] as never);
    expect(led(calls).call.asked).toBe('asked');
  });

  test('that is kept is forgotten ten minutes after its end', async () => {
    const { calls } = client();
    const { call, ended } = led(calls);
    calls.keep(call);
    await vi.advanceTimersByTimeAsync(KEPT_MS * 2);
    expect(calls.get(call.id)).toBe(call);
    ended.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(KEPT_MS - 1);
    expect(calls.get(call.id)).toBe(call);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.get(call.id)).toBeUndefined();
  });

  test('tells whoever asked for it, each second, how long it runs and how much it has printed', async () => {
    const { calls } = client();
    const { call, hooks } = led(calls);
    const told: unknown[] = [];
    const context = (token?: string) =>
      ({
        mcpReq: {
          _meta: { progressToken: token },
          notify: async (each: unknown) => told.push(each),
        },
      }) as unknown as ServerContext;
    reportProgress(context(), call).stop();
    const progress = reportProgress(context('t'), call);
    hooks.onOutput('stdout', Buffer.from('123'));
    hooks.onOutput('stderr', Buffer.from('45'));
    await vi.advanceTimersByTimeAsync(2_000);
    progress.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told).toEqual(
      [1, 2].map((seconds) => ({
        method: 'notifications/progress',
        params: {
          progressToken: 't',
          progress: seconds,
          message: `running for ${seconds} s, 5 bytes printed`,
        },
      })),
    );
  });
});

describe('what a client can', () => {
  test('is said with each request, or as it began', () => {
    const server = (said?: object) => ({ getClientCapabilities: () => said }) as never;
    const of = (envelope?: object, said?: object) =>
      capabilitiesOf(server(said), { envelope } as never);
    expect(of(undefined, { elicitation: {} })).toEqual({ elicitation: {} });
    expect(of()).toEqual({});
    expect(of({}, { elicitation: {} })).toEqual({});
    expect(of({ 'io.modelcontextprotocol/clientCapabilities': { roots: {} } })).toEqual({
      roots: {},
    });
  });

  test.each([
    [{}, false],
    [{ elicitation: {} }, true],
    [{ elicitation: { form: {} } }, true],
    [{ elicitation: { url: {} } }, false],
    [{ elicitation: { url: {}, form: {} } }, true],
  ])('%j has forms: %s', (capabilities, has) => expect(hasForms(capabilities)).toBe(has));

  test('is tasks where it names them', () => {
    expect([canTakeTasks({}), canTakeTasks({ extensions: {} })]).toEqual([false, false]);
    expect(canTakeTasks({ extensions: { [TASKS]: {} } })).toBe(true);
  });
});

test('a transport is idle once all that was asked is answered, or cancelled', async () => {
  const sent: unknown[] = [];
  const inner: Transport = {
    start: async () => void sent.push('start'),
    send: async (message) => void sent.push(message),
    close: async () => void sent.push('close'),
  };
  const transport = new AnsweringTransport(inner);
  const heard: unknown[] = [];
  transport.onmessage = (message) => heard.push(message);
  transport.onclose = () => heard.push('closed');
  transport.onerror = ({ message }) => heard.push(message);
  const ask = (message: object) => inner.onmessage?.({ jsonrpc: '2.0', ...message } as never);
  const answer = (message: object) => transport.send({ jsonrpc: '2.0', ...message } as never);
  await transport.start();
  let idle = 0;
  await transport.idle();
  ask({ id: 1, method: 'tools/call' });
  ask({ id: 'two', method: 'tools/call' });
  ask({ id: 3, method: 'subscriptions/listen' });
  ask({ method: 'notifications/initialized' });
  ask({ id: 9, result: {} });
  const waiting = transport.idle().then(() => idle++);
  // A request of ours is no answer.
  await answer({ id: 1, method: 'elicitation/create' });
  await answer({ method: 'notifications/progress' });
  await answer({ id: 1, result: {} });
  await vi.advanceTimersByTimeAsync(0);
  expect(idle).toBe(0);
  ask({ method: 'notifications/cancelled', params: { requestId: 'two' } });
  await waiting;
  expect([heard.length, idle]).toEqual([6, 1]);
  inner.onerror?.(new Error('broken'));
  inner.onclose?.();
  await transport.close();
  expect(heard.slice(6)).toEqual(['broken', 'closed']);
  expect([sent[0], sent.at(-1)]).toEqual(['start', 'close']);
});
