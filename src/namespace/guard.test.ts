/** The guarded call: who is told of what, who is asked, and what a failure says. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import { MemoryMount } from '../memory-tree/mount.ts';
import type { PlannedCall, ProgramOutput } from '../mount/contract/program.ts';
import { failureOf, namespaceOf, ToldKeeper } from './testing.ts';

const text = (content: string): Uint8Array => Buffer.from(content);
const OUTPUT = { stdout: text('said\n'), stderr: '', exitCode: 0 };

/** A mount in which something is there, with what a test puts in the place of its methods. */
async function mountWith(given: object = {}): Promise<MemoryMount> {
  const mount = new MemoryMount();
  await mount.mkdir('/d');
  await mount.write('/d/f', text('old'));
  await mount.symlink('f', '/d/l');
  return Object.assign(mount, given);
}

async function kept(given: object = {}) {
  const keeper = new ToldKeeper();
  const mount = await mountWith(given);
  const fs = namespaceOf(
    [
      ['/', new MemoryMount()],
      ['/m', mount],
      ['/m/in', new MemoryMount()],
    ],
    keeper,
  );
  return { fs, keeper, mount };
}

/** What was thrown, as a person is told of it. */
async function failure(operation: Promise<unknown>) {
  const { code, path, rule, reason } = await failureOf(operation);
  return { code, path, rule, reason };
}

describe('the keeper is told', () => {
  test('what was read: a text, a target, the names of a directory or of a path, a tree with the mounts in it', async () => {
    const { fs, keeper } = await kept();
    await fs.readFile('/m/d/l');
    await fs.readlink('/m/d/l');
    await fs.readdir('/m/d');
    await fs.realpath('/m/d/l');
    fs.walk('/m');
    expect(keeper.take().filter((each) => each !== 'settled')).toEqual([
      'read text of /m/d/f in /m',
      'read text of /m/d/l in /m',
      'read names of /m/d in /m',
      'read path of /m/d/f in /m',
      'read tree of /m in /m',
      'read tree of /m/in in /m/in',
    ]);
    // That something is there is no text of it.
    await fs.stat('/m/d/f');
    expect(keeper.take()).toEqual(['settled']);
  });

  test('what was changed, in which mount, and what was made by writing it', async () => {
    const { fs, keeper } = await kept();
    const told = async (work: Promise<unknown>): Promise<string[]> => {
      await work;
      return keeper.take();
    };
    const all = (...lines: string[]): string[] => ['begun in /m', ...lines, 'settled'];
    expect(await told(fs.writeFile('/m/n', 'x'))).toEqual(
      all('write /m/n in /m', 'made /m/n in /m'),
    );
    expect(await told(fs.writeFile('/m/n', 'y'))).toEqual(all('write /m/n in /m'));
    expect(await told(fs.appendFile('/m/a', 'x'))).toEqual(
      all('append /m/a in /m', 'made /m/a in /m'),
    );
    expect(await told(fs.appendFile('/m/a', 'x'))).toEqual(all('append /m/a in /m'));
    expect(await told(fs.mkdir('/m/e'))).toEqual(all('mkdir /m/e in /m'));
    expect(await told(fs.chmod('/m/n', 0o600))).toEqual(all('chmod /m/n in /m'));
    expect(await told(fs.utimes('/m/n', new Date(0), new Date(0)))).toEqual(
      all('utimes /m/n in /m'),
    );
    expect(await told(fs.symlink('n', '/m/s'))).toEqual(all('symlink /m/s in /m'));
    expect(await told(fs.link('/m/n', '/m/h'))).toEqual(all('link /m/h and /m/n in /m'));
    expect(await told(fs.mv('/m/n', '/m/e/n'))).toEqual(all('rename /m/n and /m/e/n in /m'));
    expect(await told(fs.rm('/m/h'))).toEqual(all('unlink /m/h in /m'));
    expect(await told(fs.rm('/m/e', { recursive: true }))).toEqual(
      all('unlink /m/e/n in /m', 'rmdir /m/e in /m'),
    );
    expect(fs.takeChanges()).toEqual(['/m/n', '/m/a', '/m/e', '/m/s', '/m/h', '/m/e/n']);
    expect(fs.takeChanges()).toEqual([]);
  });

  test('that a change begins, once for each mount that is changed, and never of a read', async () => {
    const { fs, keeper } = await kept();
    keeper.watchesReads = true;
    await fs.mv('/m/d', '/m/in/d');
    expect(keeper.take().filter((each) => each.startsWith('begun'))).toEqual([
      'begun in /m',
      'begun in /m/in',
    ]);
    await fs.readFile('/m/in/d/f');
    expect(keeper.take()).toEqual(['read text of /m/in/d/f in /m/in', 'settled']);
  });

  test('that all has ended, once nothing is under way any more', async () => {
    const { fs, keeper } = await kept();
    await Promise.all([fs.stat('/m/d'), fs.stat('/m/d/f'), fs.exists('/none')]);
    expect(keeper.take()).toEqual(['settled']);
    await failure(fs.stat('/none'));
    expect(keeper.take()).toEqual(['settled']);
  });

  test('whose change it is, where the mount keeps that or sends it to others', async () => {
    for (const given of [{ transactional: true }, { authored: true }]) {
      const { fs, keeper } = await kept(given);
      await fs.mkdir('/m/n');
      expect(keeper.take()).toEqual(['begun in /m', 'on behalf', 'mkdir /m/n in /m', 'settled']);
    }
  });

  test('that a mount said something as it failed, and not of a plain answer', async () => {
    const fail = (error: unknown) => ({
      mkdir: async () => {
        throw error;
      },
    });
    const said = async (error: unknown): Promise<boolean> => {
      const { fs, keeper } = await kept(fail(error));
      await failure(fs.mkdir('/m/n'));
      return keeper.take().includes('said of /m/n in /m');
    };
    const init = { path: '/n', op: 'mkdir' };
    expect(await said(new FsError('EIO', { ...init, reason: 'it is full' }))).toBe(true);
    expect(await said(new Error('what it says itself'))).toBe(true);
    expect(await said(new FsError('EEXIST', init))).toBe(false);
  });
});

describe('a hook', () => {
  test('sees what is to be written and puts other data in its place, or blocks it', async () => {
    const { fs, keeper } = await kept();
    keeper.hooked = true;
    keeper.outcomes['before write /m/d/f'] = { pass: true, data: text('mended') };
    keeper.outcomes['before append /m/d/f'] = { pass: false, reason: 'no more of it' };
    await fs.writeFile('/m/d/f', 'new');
    expect(keeper.take()).toEqual([
      'begun in /m',
      'before write /m/d/f "new"',
      'write /m/d/f in /m',
      'after write /m/d/f "mended"',
      'settled',
    ]);
    expect(await failure(fs.appendFile('/m/d/f', 'x'))).toEqual({
      code: 'EACCES',
      path: '/m/d/f',
      rule: 'hook before',
      reason: 'no more of it',
    });
    expect(await fs.readFile('/m/d/f')).toBe('mended');
    // A time and a mode are no data.
    keeper.take();
    await fs.utimes('/m/d/f', new Date(0), new Date(0));
    expect(keeper.take()).toContain('after utimes /m/d/f');
  });

  test('sees what was read before anybody does, and puts other data in its place, or blocks it', async () => {
    const { fs, keeper } = await kept();
    Object.assign(keeper, { hooked: true, watchesReads: true });
    keeper.outcomes['after read /m/d/f'] = { pass: true, data: text('shown') };
    expect(await fs.readFile('/m/d/f')).toBe('shown');
    expect(keeper.take()).toEqual([
      'before read /m/d/f',
      'read text of /m/d/f in /m',
      'after read /m/d/f "old"',
      'settled',
    ]);
    expect(await fs.screen('/m/d/f', 'a line of it')).toBe('shown');
    keeper.outcomes['after read /m/d/f'] = { pass: false, reason: 'it is secret' };
    expect(await failure(fs.readFile('/m/d/f'))).toMatchObject({
      code: 'EACCES',
      rule: 'hook after',
      reason: 'it is secret',
    });
    keeper.outcomes['before read /m/d/f'] = { pass: false, reason: 'not you' };
    expect(await failure(fs.readFile('/m/d/f'))).toMatchObject({
      rule: 'hook before',
      reason: 'not you',
    });
  });

  test('cannot give two names of a file two contents', async () => {
    const { fs, keeper } = await kept();
    keeper.hooked = true;
    await fs.link('/m/d/f', '/m/d/same');
    keeper.outcomes['before create /m/d/h'] = { pass: true, data: text('old') };
    await fs.link('/m/d/f', '/m/d/h');
    keeper.outcomes['before create /m/d/i'] = { pass: true, data: text('other') };
    expect(await failure(fs.link('/m/d/f', '/m/d/i'))).toMatchObject({
      code: 'EACCES',
      path: '/m/d/i',
      rule: 'hook before',
    });
    expect(await fs.readdir('/m/d')).toEqual(['f', 'h', 'l', 'same']);
  });
});

describe('a walk gives of a file no more than may be read without asking', () => {
  const found = async (given: Partial<ToldKeeper>, decision?: 'ask' | 'deny') => {
    const { fs, keeper } = await kept();
    Object.assign(keeper, { watchesReads: true, ...given });
    if (decision !== undefined) keeper.decisions['read /m/d/f'] = decision;
    return [...(fs.walk('/m') ?? [])].map((file) => [file.path, file.bytes() !== null]);
  };
  test.each([
    ['allowed', {}, undefined, true],
    ['asked about', {}, 'ask', false],
    ['denied', {}, 'deny', false],
    ['seen by a hook', { hooked: true }, undefined, false],
    ['judged', { judged: true }, undefined, false],
    ['denied where reads are not watched', { watchesReads: false }, 'deny', true],
  ] as const)('one that is %s', async (_, given, decision, whole) => {
    expect(await found(given, decision)).toEqual([['/m/d/f', whole]]);
  });
});

describe('a program', () => {
  const planned = (given: Partial<PlannedCall>) => ({
    plan: async (path: string): Promise<PlannedCall | ProgramOutput | null> => {
      if (path !== '/d/f') return null;
      const carryOut = async (): Promise<ProgramOutput> => OUTPUT;
      return { program: 'p', effect: 'changes', shown: 'sent', carryOut, ...given };
    },
  });
  const call = (fs: Awaited<ReturnType<typeof kept>>['fs'], path = '/m/d/f') =>
    fs.call(path, { name: path, args: [], stdin: text('') }, new AbortController().signal);

  test('is called on behalf of whoever asks, and is a change unless it only reads, whatever came of it', async () => {
    const changing = await kept(planned({}));
    expect(await call(changing.fs)).toEqual(OUTPUT);
    expect(changing.keeper.take()).toEqual([
      'read text of /m/d/f in /m',
      'begun in /m',
      'on behalf',
      'read text of /m/d/f in /m',
      'call /m/d/f in /m',
      'settled',
    ]);
    const reading = await kept(planned({ effect: 'reads' }));
    await call(reading.fs);
    expect(reading.keeper.take().join()).not.toMatch(/begun|call/);
    const failing = await kept(planned({ carryOut: () => Promise.reject(new Error('down')) }));
    expect(await failure(call(failing.fs))).toMatchObject({
      code: 'EIO',
      reason: 'the mount failed: down',
    });
    expect(failing.keeper.take()).toContain('call /m/d/f in /m');
  });

  test('is none where its mount says so, and may answer without a call', async () => {
    const { fs, keeper } = await kept({ plan: async () => ({ ...OUTPUT, exitCode: 2 }) });
    expect(await call(fs)).toEqual({ ...OUTPUT, exitCode: 2 });
    expect(keeper.take()).toEqual(['read text of /m/d/f in /m', 'settled']);
    expect(await call((await kept(planned({}))).fs, '/m/d/l')).toEqual(OUTPUT);
    expect(await call((await kept(planned({}))).fs, '/m/d')).toBeNull();
    expect(await call((await kept()).fs)).toBeNull();
  });

  test('is shown to the hooks with what it sends, and what it said goes through them', async () => {
    const { fs, keeper } = await kept(planned({}));
    keeper.hooked = true;
    keeper.outcomes['after call /m/d/f'] = { pass: true, data: text('other') };
    expect(await call(fs)).toEqual({ ...OUTPUT, stdout: text('other') });
    expect(keeper.take()).toEqual(
      expect.arrayContaining(['before call /m/d/f "sent"', 'after call /m/d/f "said\\n"']),
    );
    keeper.outcomes['after call /m/d/f'] = { pass: false, reason: 'it is secret' };
    expect(await failure(call(fs))).toMatchObject({ rule: 'hook after', reason: 'it is secret' });
    keeper.outcomes['before call /m/d/f'] = { pass: true, data: text('sent otherwise') };
    keeper.take();
    expect(await failure(call(fs))).toMatchObject({ code: 'EACCES', rule: 'hook before' });
    expect(keeper.take()).not.toContain('call /m/d/f in /m');
  });
});

describe('what a failure says', () => {
  const failing = (error: () => unknown) => ({
    kind: 'tracker',
    local: false,
    rename: async () => {
      throw error();
    },
  });

  test('names the path that the caller named, of two the one that the mount means', async () => {
    for (const [inside, named] of [
      ['/d/f', '/m/d/f'],
      ['/d/g', '/m/d/g'],
      ['/elsewhere', '/m/d/f'],
    ] as const) {
      const { fs } = await kept(failing(() => new FsError('EIO', { path: inside, op: 'rename' })));
      expect(await failure(fs.mv('/m/d/f', '/m/d/g'))).toMatchObject({ code: 'EIO', path: named });
    }
  });

  test('holds no credential of a mount, in whatever words it failed', async () => {
    const conceal = (said: string): string => said.replace('s3cret', '[redacted]');
    const reason = async (error: () => unknown): Promise<string | undefined> => {
      const fs = namespaceOf([['/', await mountWith(failing(error))]], null, { conceal });
      return (await failure(fs.mv('/d/f', '/d/g'))).reason;
    };
    const told = (why?: string) => () =>
      new FsError('EIO', { path: '/d/f', op: 'rename', ...(why && { reason: why }) });
    expect(await reason(told('s3cret is wrong'))).toBe('[redacted] is wrong');
    expect(await reason(told('it is down'))).toBe('it is down');
    expect(await reason(told())).toBeUndefined();
    expect(await reason(() => new Error('s3cret broke it'))).toBe(
      'the mount failed: [redacted] broke it',
    );
    expect(await reason(() => 's3cret')).toBe('the mount failed: [redacted]');
  });

  test('says where a mount has no such change', async () => {
    const { fs } = await kept({ kind: 'tracker', chmod: undefined });
    expect(await failure(fs.chmod('/m/d/f', 0o600))).toEqual({
      code: 'EPERM',
      path: '/m/d/f',
      rule: 'tracker mounts have no chmod',
      reason: 'chmod is not possible in /m (tracker)',
    });
  });

  test('of a path: a NUL and more than PATH_MAX bytes, wherever it stands', async () => {
    const fs = namespaceOf([['/', new MemoryMount()]]);
    const long = (bytes: number): string => `/${'d/'.repeat(2_047)}`.padEnd(bytes, 'x');
    expect(await failure(fs.stat('/a\0b'))).toMatchObject({ code: 'EINVAL', path: '/a\0b' });
    expect((await failure(fs.stat(long(4_095)))).code).toBe('ENOENT');
    expect((await failure(fs.stat(long(4_096)))).code).toBe('ENAMETOOLONG');
    // As many bytes, in a third of the characters.
    const wide = `/${`${'漢'.repeat(80)}/`.repeat(16)}${'漢'.repeat(79)}x`;
    expect((await failure(fs.stat(wide))).code).toBe('ENOENT');
    expect((await failure(fs.stat(`${wide}x`))).code).toBe('ENAMETOOLONG');
    await fs.writeFile('/f', '');
    expect((await failure(fs.mv('/f', '/a\0b'))).code).toBe('EINVAL');
  });
});

test('who watches sees the mounts at work that wait for something outside', async () => {
  const seen: string[] = [];
  const watch = {
    around: <T>(point: string, work: () => Promise<T>): Promise<T> => {
      seen.push(point);
      return work();
    },
  };
  const rows = [
    ['/', new MemoryMount()],
    ['/far', await mountWith({ local: false })],
  ] as const;
  const fs = namespaceOf(rows, null, { watch: () => watch });
  await fs.writeFile('/f', 'x');
  expect(seen).toEqual([]);
  expect(await fs.readFile('/far/d/f')).toBe('old');
  expect(new Set(seen)).toEqual(new Set(['/far']));
  expect(await namespaceOf(rows, null, { watch: () => null }).readFile('/far/d/f')).toBe('old');
});

test('a mount that can make do in time is told how much there is, and answers itself', async () => {
  const given: number[] = [];
  const within = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
    given.push(ms);
    return work();
  };
  const mount = await mountWith({ local: false, within });
  const fs = namespaceOf([['/', mount]], null, { timeoutMs: 1_234 });
  expect(await fs.readFile('/d/f')).toBe('old');
  expect(new Set(given)).toEqual(new Set([1_234]));
});
