/** What a door knows of directories in memory without asking, and for how long; and what it tells the world later. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FsError } from '../../errors.ts';
import type { FsCall } from '../../world/fs-call.ts';
import { Certain } from './certain.ts';
import { OpenFile } from './open-file.ts';
import { Untold } from './untold.ts';
import type { WorldFiles } from './world-files.ts';

const MIB = 1024 ** 2;

function open() {
  const files = { lease: 1 };
  const certain = new Certain(files as unknown as WorldFiles, (path) => path.startsWith('/m'));
  /** Learns of a directory what a world says. */
  const learn = (directory: string, location: object = {}) => {
    const { calls, learn: take } = certain.asks(directory);
    if (calls.length > 0)
      take([{ kind: 'memory', allAllowed: true, capacity: { free: 2 ** 30 }, ...location }]);
    return calls;
  };
  return { files, certain, learn };
}

describe('names', () => {
  test('that are not in a listing are not there, while nobody else uses the world', () => {
    const { files, certain } = open();
    certain.listed('/m', ['a'], 1);
    expect(['/m/a', '/m/b', '/m/d/b', '/x/b'].map((path) => certain.lacks(path))).toEqual([
      ...[false, true, false, false],
    ]);
    certain.made('/m/b');
    certain.gone('/m/a');
    expect([certain.lacks('/m/a'), certain.lacks('/m/b')]).toEqual([true, false]);
    files.lease = 2;
    expect(certain.lacks('/m/a')).toBe(false);
    files.lease = 0;
    certain.listed('/m', [], 0);
    expect([certain.lacks('/m/c'), certain.leaseFor('/m/c')]).toEqual([false, 0]);
  });

  test('of a listing from before somebody else came are not believed, nor those elsewhere', () => {
    const { files, certain } = open();
    files.lease = 2;
    certain.listed('/m', [], 1);
    certain.listed('/x', [], 2);
    expect([certain.lacks('/m/a'), certain.lacks('/x/a')]).toEqual([false, false]);
    expect([certain.leaseFor('/m'), certain.leaseFor('/x')]).toEqual([2, 0]);
  });

  test('that were missed twice in a directory make its listing worth asking for, once', () => {
    const { files, certain } = open();
    const missed = (path: string) => certain.missed(path);
    expect([missed('/m/d/a'), missed('/m/e/a'), missed('/m/d/b'), missed('/m/d/c')]).toEqual([
      ...[false, false, true, false],
    ]);
    expect([missed('/x/a'), missed('/x/b')]).toEqual([false, false]);
    certain.listed('/m/e', [], 1);
    expect(missed('/m/e/b')).toBe(false);
    certain.gone('/m/d');
    expect([missed('/m/d/a'), missed('/m/d/b')]).toEqual([false, true]);
    files.lease = 0;
    expect([missed('/m/f/a'), missed('/m/f/b')]).toEqual([false, false]);
  });

  test('go with a tree, and all that is known below it', () => {
    const { certain, learn } = open();
    certain.listed('/m', ['d'], 1);
    certain.listed('/m/d', ['e'], 1);
    certain.listed('/m/d/e', [], 1);
    certain.listed('/m/de', [], 1);
    learn('/m/d/e');
    learn('/m/de');
    certain.goneTree('/m/d');
    expect(['/m/d', '/m/d/x', '/m/d/e/x', '/m/de/x'].map((path) => certain.lacks(path))).toEqual([
      ...[true, false, false, true],
    ]);
    expect([certain.canChange('/m/d/e/x'), certain.canChange('/m/de/x')]).toEqual([false, true]);
  });
});

describe('what is allowed', () => {
  test('is asked of a directory once, and true of what is in it', () => {
    const { certain, learn } = open();
    expect(learn('/m')).toEqual([['locate', '/m']]);
    expect(learn('/m')).toEqual([]);
    expect(learn('/x')).toEqual([]);
    expect(['/m/a', '/m/d/a', '/x/a'].map((path) => certain.canChange(path))).toEqual([
      true,
      false,
      false,
    ]);
    expect(certain.canMake('/m/a')).toBe(false);
    certain.listed('/m', ['b'], 1);
    expect([certain.canMake('/m/a'), certain.canMake('/m/b')]).toEqual([true, false]);
  });

  test.each([
    [{}, true],
    [{ allAllowed: false }, false],
    [{ kind: 'disk' }, false],
    [{ capacity: null }, true],
    [{ capacity: { free: MIB } }, false],
    [{ capacity: { free: MIB + 1 } }, true],
  ])('is certain where the world says %j: %j', (location, isCertain) => {
    const { certain, learn } = open();
    learn('/m', location);
    expect(certain.canChange('/m/a')).toBe(isCertain);
    // Either way it is known, and not asked again.
    expect(learn('/m')).toEqual([]);
  });

  test('is so for names and paths that every world takes', () => {
    const { certain, learn } = open();
    learn('/m');
    certain.listed('/m', [], 1);
    const can = (name: string) => certain.canMake(`/m/${name}`);
    expect([
      can('n'.repeat(255)),
      can('n'.repeat(256)),
      can(`${'é'.repeat(127)}n`),
      can('é'.repeat(128)),
    ]).toEqual([...[true, false, true, false]]);
    const deep = `/m${'/d'.repeat(1_998)}`;
    learn(deep);
    certain.listed(deep, [], 1);
    expect([certain.canMake(`${deep}/a`), certain.canMake(`${deep}/ab`)]).toEqual([true, false]);
  });

  test('is forgotten with the rules, and an answer from before them is not believed', () => {
    const { files, certain } = open();
    const { learn } = certain.asks('/m');
    const told = [{ kind: 'memory', allAllowed: true, capacity: null }];
    certain.forgetRules();
    learn(told);
    expect(certain.canChange('/m/a')).toBe(false);
    const again = certain.asks('/m');
    files.lease = 2;
    again.learn(told);
    expect(certain.canChange('/m/a')).toBe(false);
    certain.asks('/m').learn(told);
    expect(certain.canChange('/m/a')).toBe(true);
    certain.forgetRules();
    expect(certain.canChange('/m/a')).toBe(false);
  });

  test('is asked again once there may be no room, of which the least counts', () => {
    const { certain, learn } = open();
    learn('/m', { capacity: { free: MIB + 3 * 1_024 } });
    learn('/m/d', { capacity: { free: 2 ** 30 } });
    certain.takes(1_024);
    certain.takes(0);
    expect(certain.canChange('/m/a')).toBe(true);
    certain.takes(0);
    expect([certain.canChange('/m/a'), certain.canChange('/m/d/a')]).toEqual([false, false]);
    learn('/m', { capacity: { free: 2 ** 30 } });
    certain.takes(2 ** 20);
    expect(certain.canChange('/m/a')).toBe(true);
  });

  test('in a new directory is what is allowed in the one above, and nothing is in it', () => {
    const { files, certain, learn } = open();
    certain.listed('/m', [], 1);
    learn('/m');
    certain.madeDirectory('/m/d', 1);
    expect([certain.lacks('/m/d'), certain.lacks('/m/d/a'), certain.canMake('/m/d/a')]).toEqual([
      ...[false, true, true],
    ]);
    certain.madeDirectory('/m/e', 0);
    expect([certain.lacks('/m/e'), certain.lacks('/m/e/a'), certain.canChange('/m/e/a')]).toEqual([
      ...[false, false, false],
    ]);
    files.lease = 2;
    certain.madeDirectory('/m/f', 1);
    expect([certain.lacks('/m/f/a'), certain.canChange('/m/f/a')]).toEqual([false, false]);
  });
});

describe('what the world is told later', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** What is told, in order; a message that is to fail fails. */
  function told() {
    const messages: string[] = [];
    const failures = new Map<string, Error>();
    const shown = (calls: readonly FsCall[]) =>
      calls.map(([method, path]) => `${method} ${path}`).join(', ');
    const tell = async (message: string) => {
      messages.push(message);
      await Promise.resolve();
      const failure = failures.get(message);
      failures.delete(message);
      if (failure !== undefined) throw failure;
    };
    const untold = new Untold({
      file: (file) => tell(`file ${[...file.names].join()}`),
      calls: (calls) => tell(shown(calls)),
    });
    const work = (name: string) => (ahead: readonly FsCall[]) =>
      tell([...(ahead.length === 0 ? [] : [shown(ahead)]), name].join(' + ')).then(() => name);
    return { untold, messages, failures, work };
  }
  const file = (path: string) => new OpenFile(path, path, 'world');
  const call = (path: string): FsCall => ['utimes', path];

  test('is told in the order in which it was done, calls that follow each other together', async () => {
    const { untold, messages } = told();
    expect(untold.told()).toBeNull();
    for (const each of [call('/1'), call('/2'), file('/a'), call('/3'), file('/b')])
      untold.add(each);
    await untold.told();
    expect(messages).toEqual(['utimes /1, utimes /2', 'file /a', 'utimes /3', 'file /b']);
    expect(untold.told()).toBeNull();
  });

  test('is told by itself after 20 ms, all of it, and what comes later 20 ms after that', async () => {
    const { untold, messages } = told();
    untold.add(call('/1'));
    await vi.advanceTimersByTimeAsync(19);
    untold.add(call('/2'));
    expect(messages).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(messages).toEqual(['utimes /1, utimes /2']);
    untold.add(call('/3'));
    await vi.advanceTimersByTimeAsync(20);
    expect(messages).toHaveLength(2);
  });

  test('goes ahead of what tells of a file, in the same message; what was done later stays', async () => {
    const { untold, messages, work } = told();
    const [one, two] = [file('/a'), file('/b')];
    for (const each of [two, call('/1'), one, call('/2')]) untold.add(each);
    expect(await untold.inTurn(one, work('write /a'))).toBe('write /a');
    expect(messages).toEqual(['file /b', 'utimes /1 + write /a']);
    expect(await untold.inTurn(null, work('read'))).toBe('read');
    expect(messages.at(-1)).toBe('utimes /2 + read');
  });

  test('that fails in one message goes by itself, where it is that which failed', async () => {
    const { untold, messages, failures, work } = told();
    const refusal = (path: string) => new FsError('EACCES', { path, op: 'open' });
    untold.add(call('/1'));
    failures.set('utimes /1 + write', refusal('/1'));
    expect(await untold.inTurn(null, work('write'))).toBe('write');
    expect(messages).toEqual(['utimes /1 + write', 'utimes /1', 'write']);
    untold.add(call('/1'));
    failures.set('utimes /1 + write', refusal('/other'));
    await expect(untold.inTurn(null, work('write'))).rejects.toThrow('/other');
    expect(messages.slice(3)).toEqual(['utimes /1 + write']);
    untold.add(call('/1'));
    failures.set('utimes /1 + write', new Error('the world has ended'));
    await expect(untold.inTurn(null, work('write'))).rejects.toThrow('has ended');
    expect(messages.slice(4)).toEqual(['utimes /1 + write', 'utimes /1']);
    failures.set('write', refusal('/1'));
    await expect(untold.inTurn(null, work('write'))).rejects.toThrow('EACCES');
    expect(messages.slice(6)).toEqual(['write']);
  });

  test('that could not be told keeps nothing after it from being told', async () => {
    const { untold, messages, failures } = told();
    failures.set('file /a', new Error('no line'));
    for (const each of [file('/a'), call('/1')]) untold.add(each);
    await untold.told();
    expect(messages).toEqual(['file /a', 'utimes /1']);
  });
});
