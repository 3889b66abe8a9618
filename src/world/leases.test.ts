/** Who has a world to itself. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LeaseHolder, Leases } from './leases.ts';

/** A client that tells what it is told, and gives its lease back when it is let. */
function client(leases: Leases, told: string[], name: string) {
  let back = Promise.withResolvers<void>();
  const holder: LeaseHolder = {
    granted: () => void told.push(`${name} has it`),
    recalled: () => {
      told.push(`${name} is asked`);
      back = Promise.withResolvers();
      return back.promise;
    },
    forget: () => void told.push(`${name} forgets`),
  };
  return { holder, end: leases.add(holder), giveBack: () => back.resolve() };
}

function clock() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return (ms: number) => vi.advanceTimersByTimeAsync(ms);
}

test('whoever uses a world waits until the lease of another was given back, which gets it again when it is quiet', async () => {
  const pass = clock();
  const leases = new Leases();
  const told: string[] = [];
  const { holder, giveBack } = client(leases, told, 'a');
  await pass(1_000);
  await leases.during(holder, async () => void told.push('a works'));
  const other = Promise.withResolvers<void>();
  const used = leases.during(undefined, () => {
    told.push('others work');
    return other.promise;
  });
  await pass(1_000);
  expect(told).toEqual(['a has it', 'a works', 'a is asked']);
  giveBack();
  await pass(10_000);
  expect(told.slice(3)).toEqual(['others work']);
  // Its own calls are never held up by others.
  await leases.during(holder, async () => void told.push('a works'));
  other.resolve();
  await used;
  await pass(10_000);
  expect(told.slice(4)).toEqual(['a works', 'a has it']);
});

test('one client at a time has a lease, and one that has gone, or does not answer, holds nobody up', async () => {
  const pass = clock();
  const leases = new Leases();
  const told: string[] = [];
  const a = client(leases, told, 'a');
  const b = client(leases, told, 'b');
  await pass(1_000);
  expect(told).toEqual(['a has it']);
  const used = leases.during(b.holder, async () => void told.push('b works'));
  await pass(60_000);
  await used;
  expect(told.slice(1, 3)).toEqual(['a is asked', 'b works']);
  expect(told).toHaveLength(4);
  a.end();
  b.end();
  await leases.during(undefined, async () => void told.push('others work'));
  await pass(60_000);
  expect(told.slice(4)).toEqual(['others work']);
});

test('a policy that is put in force ends what a lease lets one believe, and waits for nobody', async () => {
  const pass = clock();
  const leases = new Leases();
  const told: string[] = [];
  const { giveBack } = client(leases, told, 'a');
  await pass(1_000);
  const waiting = leases.recall();
  expect(told).toEqual(['a has it', 'a is asked']);
  await pass(1_000);
  expect(told).toHaveLength(2);
  giveBack();
  await Promise.all(waiting);
  await pass(1_000);
  expect(told.slice(2)).toEqual(['a has it']);
});
