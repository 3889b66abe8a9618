/** What stands by a mount's stamp, and for how long. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Inspection } from '../../namespace/inspect.ts';
import type { FsCall } from '../../world/fs-call.ts';
import { Attributes } from './attributes.ts';
import { STAMPED_MS, Stamps } from './stamps.ts';
import { WorldFiles } from './world-files.ts';

const SERVICE_MS = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A mount at /svc that tells what it is told to, and what it was asked. */
class Told extends WorldFiles {
  stamp: string | null = 'one';
  estimated = false;
  size = 3;
  readonly names = ['a', 'b', 'c'];
  asked: string[] = [];
  readonly isBusy = false;
  readonly lease = 0;

  override async all(calls: readonly FsCall[]): Promise<unknown[]> {
    return calls.map(([method, path]) => {
      this.asked.push(`${method} ${path}`);
      if (method === 'stamp') return this.stamp;
      if (method === 'inspect') return this.#entry(String(path));
      return this.names.map((name) => ({ name, isFile: true, isDirectory: false }));
    });
  }

  ask(calls: readonly FsCall[]): Promise<unknown[]> {
    return this.all(calls);
  }

  #entry(identity: string): Inspection {
    const { size, estimated } = this;
    return { type: 'file', mode: 0o644, size, estimated, mtime: 0, identity, links: 1 };
  }

  /** What was asked since it was asked for last. */
  take(): string[] {
    const asked = this.asked;
    this.asked = [];
    return asked;
  }
}

function served() {
  const told = new Told();
  const inService = (path: string): boolean => path.startsWith('/svc');
  const attributes = new Attributes(
    told,
    inService,
    { local: 40, service: SERVICE_MS },
    () => false,
    (path) => (inService(path) ? '/svc' : null),
  );
  return { told, attributes };
}

test('while a mount’s stamp is the same, one question stands for all that was told of its entries and listings', async () => {
  const { told, attributes } = served();
  const look = async () => {
    await attributes.list('/svc');
    for (const name of told.names) await attributes.of(`/svc/${name}`);
  };
  await look();
  expect(told.take().filter((one) => one.startsWith('inspect'))).toHaveLength(3);
  vi.advanceTimersByTime(SERVICE_MS + 1);
  expect(attributes.known('/svc/a')).toBeUndefined();
  await look();
  expect(told.take()).toEqual(['stamp /svc']);
  // It was told a moment ago: nobody is asked.
  await look();
  expect([told.take(), attributes.known('/svc/a')?.size]).toEqual([[], 3]);
});

test('once the stamp is another, what was told under it is asked for anew, and what was told since stands', async () => {
  const { told, attributes } = served();
  await attributes.of('/svc/a');
  await attributes.of('/svc/b');
  told.take();
  Object.assign(told, { stamp: 'two', size: 5 });
  vi.advanceTimersByTime(SERVICE_MS + 1);
  expect((await attributes.of('/svc/a'))?.size).toBe(5);
  expect(told.take()).toEqual(['stamp /svc', 'stamp /svc', 'inspect /svc/a']);
  // The newer stamp is known: that the other one stands by an older is no question.
  expect((await attributes.of('/svc/b'))?.size).toBe(5);
  expect(told.take()).toEqual(['stamp /svc', 'inspect /svc/b']);
});

test('a listing is asked for anew once the stamp is another', async () => {
  const { told, attributes } = served();
  await attributes.list('/svc');
  vi.advanceTimersByTime(SERVICE_MS + 1);
  told.names.push('d');
  expect(await attributes.list('/svc')).toHaveLength(3);
  told.stamp = 'two';
  vi.advanceTimersByTime(SERVICE_MS + 1);
  expect(await attributes.list('/svc')).toHaveLength(4);
});

test.each([
  { what: 'of a mount that has no stamp', told: { stamp: null } },
  { what: 'whose size is an estimate', told: { estimated: true } },
])('an entry $what is asked for again once its moment is over', async ({ told: given }) => {
  const { told, attributes } = served();
  Object.assign(told, given);
  await attributes.of('/svc/a');
  told.take();
  vi.advanceTimersByTime(SERVICE_MS + 1);
  await attributes.of('/svc/a');
  expect(told.take()).toContain('inspect /svc/a');
});

test('however often the stamp is the same, an entry is looked at again before long, so that a service hears that it is read', async () => {
  const { told, attributes } = served();
  await attributes.of('/svc/a');
  told.take();
  for (let passed = 0; passed <= STAMPED_MS; passed += SERVICE_MS + 1) {
    vi.advanceTimersByTime(SERVICE_MS + 1);
    await attributes.of('/svc/a');
  }
  expect(told.take()).toContain('inspect /svc/a');
});

test('what is forgotten while the stamp is asked for is asked for anew', async () => {
  const { told, attributes } = served();
  await attributes.of('/svc/a');
  await attributes.list('/svc');
  vi.advanceTimersByTime(SERVICE_MS + 1);
  told.take();
  const again = [attributes.of('/svc/a'), attributes.list('/svc')];
  attributes.forget('/svc/a');
  attributes.forget('/svc');
  await Promise.all(again);
  expect(told.take()).toEqual(
    expect.arrayContaining(['inspect /svc/a', 'readdirWithFileTypes /svc']),
  );
});

test('answers that come in another order than they were asked for leave the latest stamp', async () => {
  const answers: ((stamp: string) => void)[] = [];
  const stamps = new Stamps({
    pointOf: () => '/svc',
    standsFor: SERVICE_MS,
    ask: async (calls) => {
      const stamp = await new Promise<string>((resolve) => answers.push(resolve));
      return calls.map(([method]) => (method === 'stamp' ? stamp : 'answer'));
    },
  });
  const [early, late] = ['/svc/a', '/svc/b'].map((path) =>
    stamps.behind([path], (of) => ['inspect', of]),
  );
  answers[1]?.('two');
  const [stampOfLate = null] = (await late)?.stamps ?? [];
  answers[0]?.('one');
  const [stampOfEarly = null] = (await early)?.stamps ?? [];
  expect([stamps.stands(stampOfEarly), stamps.stands(stampOfLate)]).toEqual([false, true]);
});

test('a question that waited long for its answer stands no longer than from when it was asked', async () => {
  const stamps = new Stamps({
    pointOf: () => '/svc',
    standsFor: SERVICE_MS,
    ask: async (calls) => {
      vi.advanceTimersByTime(SERVICE_MS + 1);
      return calls.map(() => 'one');
    },
  });
  const { stamps: told } = await stamps.behind(['/svc/a'], (path) => ['inspect', path]);
  expect(stamps.stands(told[0] ?? null)).toBe(false);
});
