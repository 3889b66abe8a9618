/** Writes to a mount that is a transaction with something outside, and mounts that do not answer. */
import { describe, expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mount } from '../../src/mount/contract/contract.ts';
import type { Namespace } from '../../src/namespace/namespace.ts';
import type { Access } from '../../src/policy/gate.ts';
import { failure, namespaceOver, outcome } from './support.ts';

/** A memory mount that is a transaction, and tells what reaches it. */
class LedgerMount extends MemoryMount {
  readonly transactional = true;
  readonly calls: string[] = [];
  fails: ReadonlySet<string> = new Set();

  override async write(path: string, data: Uint8Array): Promise<void> {
    this.calls.push(`write ${path} ${Buffer.from(data)}`);
    if (this.fails.has(path))
      throw new FsError('EIO', { path, op: 'open', reason: 'the service is down' });
    await super.write(path, data);
  }

  override async append(path: string, data: Uint8Array): Promise<void> {
    this.calls.push(`append ${path} ${Buffer.from(data)}`);
    await super.append(path, data);
  }
}

async function ledger(
  access: Access = { mode: 'rw' },
): Promise<{ fs: Namespace; mount: LedgerMount }> {
  const mount = new LedgerMount();
  await mount.mkdir('/d');
  await mount.write('/d/f', Buffer.from('before'));
  mount.calls.length = 0;
  return {
    fs: namespaceOver([
      ['/', new MemoryMount()],
      ['/m', mount, access],
    ]),
    mount,
  };
}

describe('held writes', () => {
  it('an empty write and its data are one write', async () => {
    const { fs, mount } = await ledger();
    for (const path of ['/m/d/f', '/m/d/new']) {
      await fs.writeFile(path, '', 'binary');
      expect(mount.calls).toEqual([]);
      await fs.writeFile(path, 'data', 'binary');
      expect(mount.calls.splice(0)).toEqual([`write ${path.slice(2)} data`]);
    }
    await fs.flush();
    expect(mount.calls).toEqual([]);
  });

  it('until the data comes the file is there and empty', async () => {
    const { fs } = await ledger();
    for (const path of ['/m/d/f', '/m/d/new']) {
      await fs.writeFile(path, '');
      expect(await fs.readFile(path)).toBe('');
      expect(await fs.exists(path)).toBe(true);
      const { isFile, size } = await fs.stat(path);
      expect([isFile, size]).toEqual([true, 0]);
      expect(await outcome(fs.mkdir(path))).toBe('EEXIST');
      expect(fs.walk('/m')).toBeNull();
      await fs.cp(path, '/copy');
      expect(await fs.readFile('/copy')).toBe('');
    }
  });

  it('what got no data is written empty at the end, once', async () => {
    const { fs, mount } = await ledger();
    await fs.writeFile('/m/d/f', '');
    await fs.writeFile('/m/d/f', '');
    await fs.flush();
    await fs.flush();
    expect(mount.calls).toEqual(['write /d/f ']);
    expect(fs.takeChanges()).toEqual(['/m/d/f']);
  });

  it('appending twice sends once, and `>>` of nothing makes an empty file', async () => {
    const { fs, mount } = await ledger();
    await fs.appendFile('/m/d/f', '');
    await fs.appendFile('/m/d/f', '+');
    expect(mount.calls.splice(0)).toEqual(['append /d/f +']);
    await fs.appendFile('/m/d/new', '');
    expect(mount.calls).toEqual([]);
    await fs.flush();
    expect(mount.calls.splice(0)).toEqual(['write /d/new ']);
    await fs.writeFile('/m/d/f', '');
    await fs.appendFile('/m/d/f', 'after');
    await fs.flush();
    expect(mount.calls).toEqual(['write /d/f after']);
  });

  it('what open(2) refuses is refused at once, and never sent', async () => {
    const { fs, mount } = await ledger();
    expect(await outcome(fs.writeFile('/m/none/f', ''))).toBe('ENOENT');
    expect(await outcome(fs.writeFile('/m/d', ''))).toBe('EISDIR');
    expect(await outcome(fs.writeFile('/m/d/f/x', ''))).toBe('ENOTDIR');
    const refusing = await ledger({ mode: 'ro' });
    expect(await outcome(refusing.fs.writeFile('/m/d/f', ''))).toBe('EACCES');
    await fs.flush();
    await refusing.fs.flush();
    expect([...mount.calls, ...refusing.mount.calls]).toEqual([]);
  });

  it('a write that is refused is open no more: it is not sent again, empty, at the end', async () => {
    const { fs, mount } = await ledger();
    mount.fails = new Set(['/d/f']);
    await fs.writeFile('/m/d/f', '');
    expect(await outcome(fs.writeFile('/m/d/f', 'data'))).toBe('EIO');
    mount.fails = new Set();
    expect(await fs.readFile('/m/d/f')).toBe('before');
    await fs.flush();
    expect(mount.calls).toEqual(['write /d/f data']);
  });

  it('the end of a command writes what it opened, and leaves alone what was open before', async () => {
    const { fs, mount } = await ledger();
    await fs.writeFile('/m/d/f', '');
    const mark = fs.heldMark();
    await fs.writeFile('/m/d/new', '');
    await fs.flush(mark);
    expect(mount.calls.splice(0)).toEqual(['write /d/new ']);
    await fs.writeFile('/m/d/f', 'data');
    fs.forgetHeld();
    await fs.flush();
    expect(mount.calls).toEqual(['write /d/f data']);
  });

  it('removing forgets, renaming and linking send first', async () => {
    const { fs, mount } = await ledger();
    await fs.writeFile('/m/d/new', '');
    await fs.rm('/m/d/new');
    await fs.flush();
    expect(mount.calls).toEqual([]);
    await fs.writeFile('/m/d/new', '');
    await fs.mv('/m/d', '/m/e');
    expect(mount.calls.splice(0)).toEqual(['write /d/new ']);
    await fs.flush();
    expect(await fs.readdir('/m/e')).toEqual(['f', 'new']);
    await fs.writeFile('/m/e/f', '');
    await fs.chmod('/m/e/f', 0o600);
    expect(mount.calls).toEqual(['write /e/f ']);
  });

  it('through a link it is the same file', async () => {
    const { fs, mount } = await ledger();
    await fs.symlink('/m/d/f', '/l');
    await fs.writeFile('/l', '');
    expect(await fs.readFile('/m/d/f')).toBe('');
    await fs.writeFile('/m/d/f', 'x');
    await fs.flush();
    expect(mount.calls).toEqual(['write /d/f x']);
  });

  it('in mode append a new file takes two writes, an old one none', async () => {
    const { fs, mount } = await ledger({ mode: 'append' });
    await fs.writeFile('/m/d/new', '');
    await fs.writeFile('/m/d/new', 'data');
    expect(await outcome(fs.writeFile('/m/d/new', 'again'))).toBe('EACCES');
    expect(await outcome(fs.writeFile('/m/d/f', ''))).toBe('EACCES');
    await fs.flush();
    expect(mount.calls).toEqual(['write /d/new data']);
  });

  it('one failure at the end does not lose the others', async () => {
    const { fs, mount } = await ledger();
    mount.fails = new Set(['/d/a']);
    for (const name of ['a', 'b', 'c']) await fs.writeFile(`/m/d/${name}`, '');
    const error = await failure(fs.flush());
    expect([error.code, error.path, error.reason]).toEqual([
      'EIO',
      '/m/d/a',
      'the service is down',
    ]);
    expect(mount.calls.length).toBe(3);
    expect(await fs.readdir('/m/d')).toEqual(['b', 'c', 'f']);
    expect(fs.errorsSince(0)).toEqual([error]);
  });
});

const NEVER = new Promise<never>(() => undefined);

/** A mount with a link, of which one method never answers, or every one. */
function silent(method: string | null): Mount {
  const mount = new MemoryMount({
    initial: [
      { op: 'mkdir', path: '/d', at: 0 },
      { op: 'write', path: '/d/f', data: Buffer.from('x'), at: 0 },
      { op: 'symlink', path: '/l', target: 'd', at: 0 },
    ],
  });
  return new Proxy(mount, {
    get(target, key) {
      if (key === 'local') return false;
      if (key === 'prefetch') return () => NEVER;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const answers = key === 'hasLinks' || key === 'walk' || (method !== null && key !== method);
      return answers ? value.bind(target) : () => NEVER;
    },
  });
}

describe('a mount that never answers', () => {
  const questions: Record<string, (fs: Namespace, base: string) => Promise<unknown>> = {
    readFile: (fs, base) => fs.readFile(`${base}/f`),
    readFileBuffer: (fs, base) => fs.readFileBuffer(`${base}/f`),
    readFileBytes: (fs, base) => fs.readFileBytes(`${base}/f`),
    exists: (fs, base) => fs.exists(`${base}/f`),
    stat: (fs, base) => fs.stat(`${base}/f`),
    lstat: (fs, base) => fs.lstat(`${base}/f`),
    readdir: (fs, base) => fs.readdir(base),
    readdirWithFileTypes: (fs, base) => fs.readdirWithFileTypes(base),
    readlink: (fs, base) => fs.readlink(`${base}/f`),
    realpath: (fs, base) => fs.realpath(`${base}/f`),
    writeFile: (fs, base) => fs.writeFile(`${base}/f`, 'x'),
    appendFile: (fs, base) => fs.appendFile(`${base}/f`, 'x'),
    mkdir: (fs, base) => fs.mkdir(`${base}/n`),
    'mkdir -p': (fs, base) => fs.mkdir(`${base}/n/m`, { recursive: true }),
    rm: (fs, base) => fs.rm(`${base}/f`),
    'rm -rf': (fs, base) => fs.rm(base.replace('/l', '/d'), { recursive: true, force: true }),
    'cp from': (fs, base) => fs.cp(`${base}/f`, '/copy'),
    'cp -r from': (fs, base) => fs.cp(base, '/copies', { recursive: true }),
    'cp to': (fs, base) => fs.cp('/here', `${base}/n`),
    'mv from': (fs, base) => fs.mv(`${base}/f`, '/moved'),
    'mv to': (fs, base) => fs.mv('/here', `${base}/n`),
    chmod: (fs, base) => fs.chmod(`${base}/f`, 0o600),
    utimes: (fs, base) => fs.utimes(`${base}/f`, new Date(0), new Date(0)),
    symlink: (fs, base) => fs.symlink('x', `${base}/n`),
    link: (fs, base) => fs.link(`${base}/f`, `${base}/n`),
  };
  const rows = Object.entries(questions).flatMap(([name, ask]) =>
    ['/m/d', '/m/l', '/out'].map((base) => ({ name, base, ask })),
  );

  it.for(rows)(
    '$name at $base is ETIMEDOUT in time, with a sentence',
    async ({ name, base, ask }) => {
      if (base === '/out' && ['cp -r from', 'rm -rf'].includes(name)) return;
      const fs = namespaceOver(
        [
          ['/', new MemoryMount()],
          ['/m', silent(null)],
        ],
        30,
      );
      await fs.symlink('/m/l', '/out');
      await fs.writeFile('/here', 'x');
      const error = await failure(ask(fs, base));
      expect(error.code).toBe('ETIMEDOUT');
      expect(error.reason).toMatch(/did not answer within 0.03 s; try again/);
      expect(fs.errorsSince(0)).toEqual([error]);
    },
  );

  it.for(['lstat', 'readdir', 'read', 'readlink', 'write', 'unlink', 'rename'])(
    '%s alone that is silent ends every operation that leads there',
    async (method) => {
      const fs = namespaceOver(
        [
          ['/', new MemoryMount()],
          ['/m', silent(method)],
        ],
        20,
      );
      await fs.writeFile('/here', 'x');
      const acts: Record<string, () => Promise<unknown>> = {
        lstat: () => fs.rm('/m/d/f', { force: true }),
        readdir: () => fs.rm('/m/d', { recursive: true }),
        read: () => fs.cp('/m/d', '/copy', { recursive: true }),
        readlink: () => fs.stat('/m/l/f'),
        write: () => fs.mv('/here', '/m/new'),
        unlink: () => fs.mv('/m/d/f', '/moved'),
        rename: () => fs.mv('/m/d/f', '/m/g'),
      };
      expect((await failure(acts[method]?.() ?? NEVER)).code).toBe('ETIMEDOUT');
    },
  );

  it('prefetch ends in time and leaves telling to the reads', async () => {
    const fs = namespaceOver(
      [
        ['/', new MemoryMount()],
        ['/m', silent('prefetch')],
      ],
      20,
    );
    await fs.prefetch('/');
    expect(fs.errorsSince(0)).toEqual([]);
  });

  it('a change that was not answered in time counts as a change', async () => {
    const fs = namespaceOver(
      [
        ['/', new MemoryMount()],
        ['/m', silent('write')],
      ],
      20,
    );
    expect(await outcome(fs.writeFile('/m/d/f', 'x'))).toBe('ETIMEDOUT');
    expect(fs.takeChanges()).toEqual(['/m/d/f']);
  });
});
