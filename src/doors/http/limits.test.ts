/** What clients share: nobody has all of it while others are there. */
import { expect, test } from 'vitest';
import { HttpRefusal, Share } from './limits.ts';

function open(most: number) {
  const clients = { count: 2 };
  const share = new Share(
    most,
    () => clients.count,
    (least) => new HttpRefusal(429, `at most ${least}`),
  );
  return { clients, take: (client: string) => share.take(client) };
}

test('one client of several has half at most, rounded up; the only one has all', () => {
  const { clients, take } = open(5);
  for (let taken = 0; taken < 3; taken++) take('ana');
  expect(() => take('ana')).toThrow('at most 3');
  take('bob');
  take('bob');
  // The other half is used up by now, and that is said.
  expect(() => take('bob')).toThrow('at most 5');
  clients.count = 1;
  const alone = open(5);
  alone.clients.count = 1;
  for (let taken = 0; taken < 5; taken++) alone.take('ana');
  expect(() => alone.take('ana')).toThrow(expect.objectContaining({ status: 429 }));
});

test('what is given back can be taken again, by whoever comes, and is given back once', () => {
  const { take } = open(4);
  const [first, second] = [take('ana'), take('ana')];
  expect(() => take('ana')).toThrow('at most 2');
  first();
  first();
  take('ana');
  expect(() => take('ana')).toThrow('at most 2');
  second();
  second();
  take('ana');
  take('bob');
  take('bob');
  expect(() => take('carl')).toThrow('at most 4');
});

test('a refusal has its status, its headers, and its code of JSON-RPC', () => {
  expect(new HttpRefusal(503, 'busy')).toMatchObject({ status: 503, headers: {}, code: -32_000 });
  const more = { headers: { 'retry-after': '1' }, code: -32_600 };
  expect(new HttpRefusal(429, 'busy', more)).toMatchObject(more);
});
