/** Two listeners hear the same of the same work, each in spans of its own. */
import { expect, test } from 'vitest';
import { bothTelemetries } from './both.ts';
import type { Span, Telemetry } from './span.ts';

/** Notes what it hears, with its name before it. */
function listener(name: string, heard: string[], content = false): Telemetry {
  const note = (...words: unknown[]) => void heard.push([name, ...words].join(' '));
  const span = (path: string): Span => ({
    content,
    child: (child, start) => {
      note(path, 'child', child, start?.at);
      return span(`${path}/${child}`);
    },
    set: (attributes) => note(path, 'set', JSON.stringify(attributes)),
    event: (event) => note(path, 'event', event),
    within: (work) => {
      note(path, 'within');
      return work();
    },
    end: (error, at) => note(path, 'end', error, at),
  });
  return {
    begin: (root, start) => {
      note('begin', root, start?.at);
      return span(root);
    },
    flush: async () => note('flush'),
  };
}

test('both hear all of it, in the same order', async () => {
  const heard: string[] = [];
  const { begin, flush } = bothTelemetries(listener('a', heard), listener('b', heard));
  const turn = begin('turn', { at: 1 });
  const call = turn.child('call', { at: 2 });
  call.set({ n: 3 });
  call.event('waits');
  expect(call.within(() => heard.push('work'))).toBeGreaterThan(0);
  call.end('refused', 4);
  await flush();
  const one = (name: string) =>
    heard.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(2));
  expect(one('a')).toEqual([
    ...['begin turn 1', 'turn child call 2', 'turn/call set {"n":3}', 'turn/call event waits'],
    ...['turn/call within', 'turn/call end refused 4', 'flush'],
  ]);
  expect(one('b')).toEqual(one('a'));
  expect(heard.filter((line) => line === 'work')).toHaveLength(1);
});

test.each([
  [false, false, false],
  [true, false, true],
  [false, true, true],
])('texts are given if one of them wants them: %j, %j', (one, other, content) => {
  const heard: string[] = [];
  const { begin } = bothTelemetries(listener('a', heard, one), listener('b', heard, other));
  expect(begin('turn').content).toBe(content);
  expect(begin('turn').child('call').content).toBe(content);
});
