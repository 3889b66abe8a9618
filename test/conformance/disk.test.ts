/** A disk mount never leaves its root, never hangs, never shows half a file. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskMount } from '../../src/disk/mount.ts';
import { ConfigError } from '../../src/errors.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Namespace } from '../../src/namespace/namespace.ts';
import {
  failure,
  type HostDirectory,
  hostDirectory,
  namespaceOver,
  outcome,
  treeOf,
} from './support.ts';

const SECRET = 'the secret beside the root';

let directory: HostDirectory;
let root: string;
let secret: string;
let mount: DiskMount;
let ns: Namespace;

beforeEach(() => {
  directory = hostDirectory();
  root = join(directory.path, 'root');
  secret = join(directory.path, 'secret');
  fs.mkdirSync(join(root, 'd'), { recursive: true });
  fs.writeFileSync(join(root, 'd/f'), 'inside');
  fs.mkdirSync(secret);
  fs.writeFileSync(join(secret, 'f'), SECRET);
  mount = new DiskMount({ root });
  ns = namespaceOver([
    ['/', new MemoryMount()],
    ['/m', mount],
  ]);
});
afterEach(() => directory.remove());

/** Everything that can be asked of a path, and none of it may tell or touch the secret. */
async function pry(path: string): Promise<void> {
  await ns.writeFile('/own', 'mine');
  await ns.mkdir('/tree/below', { recursive: true });
  const questions: (() => Promise<unknown>)[] = [
    () => ns.readFile(path),
    () => ns.readFile(`${path}/f`),
    () => ns.readdir(path),
    () => ns.readdirWithFileTypes(`${path}/.`),
    () => ns.stat(`${path}/f`),
    () => ns.lstat(`${path}/f`),
    () => ns.realpath(`${path}/f`),
    () => ns.cp(path, '/stolen', { recursive: true }),
    () => ns.cp(`${path}/f`, '/stolen-file'),
    () => ns.writeFile(`${path}/f`, 'overwritten'),
    () => ns.writeFile(`${path}/new`, 'new'),
    () => ns.appendFile(`${path}/f`, 'more'),
    () => ns.mkdir(`${path}/made`),
    () => ns.symlink('x', `${path}/l`),
    () => ns.link(`${path}/f`, '/m/second'),
    () => ns.link('/m/d/f', `${path}/second`),
    () => ns.chmod(`${path}/f`, 0o777),
    () => ns.utimes(`${path}/f`, new Date(0), new Date(0)),
    () => ns.mv('/own', `${path}/own`),
    () => ns.mv('/tree', `${path}/tree`),
    () => ns.mv(`${path}/f`, '/taken'),
    () => ns.rm(`${path}/f`, { force: true }),
    // Straight at the mount: it is safe without the namespace too.
    ...(['lstat', 'readdir', 'read', 'readlink'] as const).flatMap((method) =>
      [path, `${path}/f`].map((each) => () => mount[method](each.slice(2))),
    ),
    () => mount.write(`${path}/f`.slice(2), Buffer.from('x')),
    () => mount.append(`${path}/f`.slice(2), Buffer.from('x')),
    () => mount.chmod(path.slice(2), 0o777),
    () => mount.unlink(`${path}/f`.slice(2)),
    () => mount.rename(`${path}/f`.slice(2), '/taken'),
    async () => [...(mount.walk(path.slice(2)) ?? [])].map((file) => file.bytes()),
    async () => [...(ns.walk(path) ?? [])].map((file) => file.bytes()),
  ];
  for (const ask of questions) {
    const answer = await ask().catch((error: unknown) => error);
    const said =
      answer instanceof Error
        ? answer.message
        : Buffer.isBuffer(answer)
          ? `${answer}`
          : JSON.stringify(answer);
    expect(said ?? '').not.toContain(SECRET);
    // A link's own text is content; an error must not name the host's directories.
    if (answer instanceof Error) expect(said).not.toContain(directory.path);
  }
}

function untouched(): void {
  expect(fs.readdirSync(secret)).toEqual(['f']);
  expect(fs.readFileSync(join(secret, 'f'), 'utf8')).toBe(SECRET);
  expect(fs.statSync(join(secret, 'f')).mode & 0o777).toBe(0o644);
  expect(fs.statSync(join(secret, 'f')).nlink).toBe(1);
  expect(fs.statSync(secret).mode & 0o777).toBe(0o755);
}

describe('a disk mount never leaves its root', () => {
  const links: Record<string, () => void> = {
    'an absolute link': () => fs.symlinkSync(secret, join(root, 'x')),
    'a relative link': () => fs.symlinkSync('../secret', join(root, 'x')),
    'a relative link with detours': () => fs.symlinkSync('d/../d/../../secret/.', join(root, 'x')),
    'a link through the root’s own name': () =>
      fs.symlinkSync('../root/../secret', join(root, 'x')),
    'a chain of links': () => {
      fs.symlinkSync(secret, join(directory.path, 'hop'));
      fs.symlinkSync('../../hop', join(root, 'd/one'));
      fs.symlinkSync('d/one', join(root, 'x'));
    },
    'a link to the directory above': () => {
      fs.symlinkSync('..', join(root, 'up'));
      fs.symlinkSync('up/secret', join(root, 'x'));
    },
    'a link by way of /proc': () => fs.symlinkSync(`/proc/self/root${secret}`, join(root, 'x')),
    'a link to a root with the same beginning': () => {
      fs.symlinkSync(secret, `${root}-beside`);
      fs.symlinkSync(`${root}-beside`, join(root, 'x'));
    },
  };
  it.for(Object.entries(links))('by %s', async ([, make]) => {
    make();
    await pry('/m/x');
    await pry('/m/d/../x');
    untouched();
    fs.rmSync(`${root}-beside`, { force: true });
  });

  it('by a link to a file', async () => {
    fs.symlinkSync('../secret/f', join(root, 'x'));
    await pry('/m/x');
    expect(await outcome(ns.readFile('/m/x'))).toBe('ENOENT');
    untouched();
  });

  it('by a link that the agent makes', async () => {
    await ns.symlink(join(secret, 'f'), '/m/a');
    await ns.symlink('../../../../../../../../../../etc', '/m/b');
    await ns.symlink('/proc/self/cwd', '/m/c');
    for (const path of ['/m/a', '/m/b/passwd', '/m/c/package.json'])
      expect(await outcome(ns.readFile(path)), path).toBe('ENOENT');
    await pry('/m/a');
    untouched();
  });

  it('by a directory that becomes a link between two operations', async () => {
    expect(await ns.readdir('/m/d')).toEqual(['f']);
    const walking = (ns.walk('/m') ?? [])[Symbol.iterator]();
    const first = walking.next();
    expect(Buffer.from(first.value?.bytes() ?? '').toString()).toBe('inside');
    fs.renameSync(join(root, 'd'), join(root, 'was'));
    fs.symlinkSync(secret, join(root, 'd'));
    // A walk may stay in the directory that it listed, until its job ends; it never goes elsewhere.
    let read = 'refused';
    try {
      read = Buffer.from(first.value?.bytes() ?? '').toString();
    } catch (error) {
      expect(String(error)).toMatch(/EACCES|ENOTDIR/);
    }
    expect(['inside', 'refused']).toContain(read);
    await Promise.resolve();
    expect(() => first.value?.bytes()).toThrow(/^(EACCES|ENOTDIR)/);
    expect(ns.errorsSince(0).length).toBeLessThanOrEqual(2);
    for (const act of [
      mount.read('/d/f'),
      mount.readdir('/d'),
      mount.write('/d/f', Buffer.from('x')),
      mount.unlink('/d/f'),
    ])
      expect(['EACCES', 'ENOTDIR']).toContain(await outcome(act));
    await pry('/m/d');
    untouched();
  });

  it('by a root that becomes a link', async () => {
    fs.renameSync(root, `${root}-was`);
    fs.symlinkSync(secret, root);
    expect(['EACCES', 'ENOTDIR']).toContain(await outcome(mount.read('/f')));
    expect(['EACCES', 'ENOTDIR']).toContain(await outcome(mount.readdir('/')));
    untouched();
  });

  it('a link inside that names a host path inside is followed, absolute or not', async () => {
    fs.symlinkSync(join(root, 'd'), join(root, 'absolute'));
    expect(await ns.readFile('/m/absolute/f')).toBe('inside');
    expect(await ns.readlink('/m/absolute')).toBe('d');
  });

  it('an error names no path of the host', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    for (const act of [
      ns.readFile('/m/gone'),
      ns.writeFile('/m/gone/f', ''),
      ns.appendFile('/m/pipe', 'x'),
      ns.rm('/m/d'),
    ]) {
      const error = await failure(act);
      expect(`${error.message} ${error.reason} ${error.rule}`).not.toContain(directory.path);
    }
  });

  it('what is appended stands at the end, of a file that was not there, too', async () => {
    for (const name of ['d/f', 'd/fresh']) {
      await ns.appendFile(`/m/${name}`, ', more');
      await ns.appendFile(`/m/${name}`, ' and more');
    }
    expect(fs.readFileSync(join(root, 'd/f'), 'utf8')).toBe('inside, more and more');
    expect(fs.readFileSync(join(root, 'd/fresh'), 'utf8')).toBe(', more and more');
  });

  it('a directory that is missing, or none, is a ConfigError', () => {
    expect(() => new DiskMount({ root: join(root, 'gone') })).toThrow(ConfigError);
    expect(() => new DiskMount({ root: join(root, 'd/f') })).toThrow(ConfigError);
  });
});

describe('devices and pipes of the host', () => {
  it('do not hang: reading, writing and appending are EINVAL with a sentence', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    for (const act of [
      () => ns.readFile('/m/pipe'),
      () => ns.writeFile('/m/pipe', 'x'),
      () => ns.appendFile('/m/pipe', 'x'),
      () => ns.cp('/m/pipe', '/m/copy'),
    ]) {
      const error = await failure(act());
      expect([error.code, error.reason]).toEqual(['EINVAL', expect.stringContaining('a pipe')]);
    }
    expect((await ns.lstat('/m/pipe')).isFile).toBe(true);
    expect(await outcome(ns.mv('/m/pipe', '/m/pipe2'))).toBe('ok');
    expect(await outcome(ns.rm('/m/pipe2'))).toBe('ok');
  });

  it('a walk passes them over; one that takes a file’s place is named as the namespace names it', async () => {
    execFileSync('mkfifo', [join(root, 'd/pipe')]);
    const files = [...(ns.walk('/m') ?? [])];
    expect(files.map((file) => file.path)).toEqual(['/m/d/f']);
    fs.rmSync(join(root, 'd/f'));
    execFileSync('mkfifo', [join(root, 'd/f')]);
    const error = await failure(Promise.resolve().then(() => files[0]?.bytes()));
    expect([error.code, error.path]).toEqual(['EINVAL', '/m/d/f']);
  });

  it('a link to a device of the host leads to the namespace’s own', async () => {
    fs.symlinkSync('/dev/zero', join(root, 'zero'));
    expect(await outcome(ns.readFile('/m/zero'))).toBe('ENOENT');
  });
});

describe('hidden directories', () => {
  beforeEach(() => {
    fs.mkdirSync(join(root, 'd/.state/deep'), { recursive: true });
    fs.writeFileSync(join(root, 'd/.state/f'), SECRET);
    fs.writeFileSync(join(root, 'd/.state/deep/f'), SECRET);
    fs.symlinkSync('d/.state', join(root, 'link'));
    mount = new DiskMount({ root, hidden: [join(root, 'd/.state'), join(root, 'later/.state')] });
    ns = namespaceOver([
      ['/', new MemoryMount()],
      ['/m', mount],
    ]);
  });

  it('are in no listing, walk or tree', async () => {
    expect(await ns.readdir('/m/d')).toEqual(['f']);
    expect([...(ns.walk('/m') ?? [])].map((file) => file.path)).toEqual(['/m/d/f']);
    await ns.cp('/m', '/copy', { recursive: true });
    expect((await treeOf(ns, '/copy')).join()).not.toContain(SECRET);
  });

  it.for(['/m/d/.state', '/m/link', '/m/d/../link', '/m/d/.state/deep'])(
    'cannot be reached as %s',
    async (path) => {
      await pry(path);
      expect(fs.readFileSync(join(root, 'd/.state/f'), 'utf8')).toBe(SECRET);
      expect(fs.readFileSync(join(root, 'd/.state/deep/f'), 'utf8')).toBe(SECRET);
      expect(fs.readdirSync(join(root, 'd/.state'))).toEqual(['deep', 'f']);
      expect(await outcome(ns.stat(path))).toBe('ENOENT');
    },
  );

  it('can be neither made nor taken as a target', async () => {
    await ns.mkdir('/m/later');
    for (const act of [
      ns.mkdir('/m/later/.state'),
      ns.writeFile('/m/later/.state', 'x'),
      ns.symlink('/m/d', '/m/later/.state'),
      ns.mv('/m/d/f', '/m/later/.state'),
      ns.link('/m/d/f', '/m/later/.state'),
      ns.mkdir('/m/d/.state'),
    ]) {
      const error = await failure(act);
      expect([error.code, error.rule]).toEqual(['EACCES', 'hidden directories of a disk mount']);
    }
  });

  it('do not move with a directory above them, nor go with it', async () => {
    for (const to of ['/m/e', '/elsewhere'])
      expect(['EBUSY', 'ENOTEMPTY']).toContain(await outcome(ns.mv('/m/d', to)));
    expect(await outcome(ns.rm('/m/d', { recursive: true }))).toBe('ENOTEMPTY');
    expect(fs.readFileSync(join(root, 'd/.state/f'), 'utf8')).toBe(SECRET);
  });

  it('a name with the same beginning is another one', async () => {
    await ns.writeFile('/m/d/.state2', 'x');
    expect(await ns.readdir('/m/d')).toContain('.state2');
  });
});

describe('a state directory, whosever it is', () => {
  beforeEach(() => {
    for (const name of ['.dirigent/sessions', 'd/deep/.dirigent']) {
      fs.mkdirSync(join(root, name), { recursive: true });
      fs.writeFileSync(join(root, name, 'f'), SECRET);
    }
    fs.symlinkSync('.dirigent', join(root, 'link'));
    fs.symlinkSync('../.dirigent/sessions', join(root, 'd/link'));
  });

  it('is in no listing, walk or tree, at any depth', async () => {
    expect(await ns.readdir('/m')).toEqual(['d', 'link']);
    expect(await ns.readdir('/m/d/deep')).toEqual([]);
    expect([...(ns.walk('/m') ?? [])].map((file) => file.path)).toEqual(['/m/d/f']);
    await ns.cp('/m/d/deep', '/copy', { recursive: true });
    expect((await treeOf(ns, '/copy')).join()).not.toContain(SECRET);
  });

  it.for([
    '/m/.dirigent',
    '/m/.dirigent/sessions',
    '/m/link',
    '/m/link/sessions',
    '/m/d/link',
    '/m/d/deep/.dirigent',
    '/m/d/../.dirigent',
  ])('cannot be reached as %s', async (path) => {
    await pry(path);
    expect(await outcome(ns.stat(path))).toBe('ENOENT');
    expect(fs.readdirSync(join(root, '.dirigent'))).toEqual(['sessions']);
    expect(fs.readdirSync(join(root, '.dirigent/sessions'))).toEqual(['f']);
    expect(fs.readFileSync(join(root, '.dirigent/sessions/f'), 'utf8')).toBe(SECRET);
    expect(fs.readFileSync(join(root, 'd/deep/.dirigent/f'), 'utf8')).toBe(SECRET);
  });

  it.for(['.dirigent', '.DIRIGENT', '.Diri\u200dgent', '.dirigent. '])(
    'can be neither made nor taken as a target, however it is spelled: %j',
    async (name) => {
      await ns.mkdir('/m/new');
      const at = `/m/new/${name}`;
      for (const act of [
        ns.mkdir(at),
        ns.writeFile(at, 'x'),
        ns.symlink('/m/d', at),
        ns.mv('/m/d/f', at),
        ns.mv('/m/d', at),
        ns.link('/m/d/f', at),
      ]) {
        const error = await failure(act);
        expect([error.code, error.rule]).toEqual(['EACCES', 'hidden directories of a disk mount']);
      }
      expect(fs.readdirSync(join(root, 'new'))).toEqual([]);
    },
  );

  it('does not go with the directory that holds it', async () => {
    expect(await outcome(ns.rm('/m/d', { recursive: true }))).toBe('ENOTEMPTY');
    expect(fs.readFileSync(join(root, 'd/deep/.dirigent/f'), 'utf8')).toBe(SECRET);
  });
});

describe('the config of a deployment', () => {
  const names = ['dirigent.config.ts', 'dirigent.config.mjs', 'Dirigent.Config.JS'];

  it.for(names)('is read, and written by no route: %s', async (name) => {
    fs.writeFileSync(join(root, name), 'export default {};');
    expect(await ns.readFile(`/m/${name}`)).toBe('export default {};');
    await ns.mkdir('/m/new');
    for (const at of [`/m/${name}`, `/m/new/${name}`]) {
      for (const act of [
        ns.writeFile(at, 'x'),
        ns.appendFile(at, 'x'),
        ns.symlink('/m/d/f', at),
        ns.mv('/m/d/f', at),
        ns.cp('/m/d/f', at),
        ns.link('/m/d/f', at),
      ])
        expect(['EACCES', 'EEXIST']).toContain((await failure(act)).code);
    }
    expect((await failure(ns.link(`/m/${name}`, '/m/new/second'))).code).toBe('EACCES');
    expect(fs.readdirSync(join(root, 'new'))).toEqual([]);
    expect(fs.readFileSync(join(root, name), 'utf8')).toBe('export default {};');
  });

  it('a name that only looks like it is another one', async () => {
    await ns.writeFile('/m/dirigent.config.md', 'x');
    await ns.writeFile('/m/my-dirigent.config.ts', 'x');
    expect(await ns.readdir('/m')).toContain('my-dirigent.config.ts');
  });
});

describe('replacing a file', () => {
  it('keeps permissions and leaves nothing beside it', async () => {
    fs.chmodSync(join(root, 'd/f'), 0o640);
    await ns.writeFile('/m/d/f', 'new');
    expect(fs.statSync(join(root, 'd/f')).mode & 0o7777).toBe(0o640);
    await ns.chmod('/m/d/f', 0o6755);
    expect(fs.statSync(join(root, 'd/f')).mode & 0o7777).toBe(0o755);
    expect(fs.readdirSync(join(root, 'd'))).toEqual(['f']);
  });

  it('what a killed write left is not shown, not reached, and goes with its directory', async () => {
    const left = '.dirigent-0123456789ab.tmp';
    fs.writeFileSync(join(root, 'd', left), 'half');
    expect(await ns.readdir('/m/d')).toEqual(['f']);
    expect(await outcome(ns.readFile(`/m/d/${left}`))).toBe('ENOENT');
    expect(await outcome(ns.writeFile(`/m/d/${left}`, 'x'))).toBe('EACCES');
    expect([...(ns.walk('/m') ?? [])].map((file) => file.path)).toEqual(['/m/d/f']);
    await ns.rm('/m/d/f');
    await ns.rm('/m/d');
    expect(fs.existsSync(join(root, 'd'))).toBe(false);
    await ns.writeFile('/m/.dirigent-mine.tmp', 'an ordinary name');
    expect(await ns.readdir('/m')).toEqual(['.dirigent-mine.tmp']);
  });

  it('is seen whole by a reader, and a kill in the middle leaves old or new', async () => {
    const size = 24 * 1024 * 1024;
    const writer = fileURLToPath(new URL('./endless-writer.ts', import.meta.url));
    for (let round = 0; round < 4; round++) {
      fs.writeFileSync(join(root, 'd/big'), Buffer.alloc(size, 'o'));
      const child = spawn(process.execPath, [writer, root, '/d/big', `${size}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      const end = performance.now() + 20 + round * 37;
      while (performance.now() < end) expectWhole(fs.readFileSync(join(root, 'd/big')), size);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expectWhole(await ns.readFileBuffer('/m/d/big'), size);
      expect(await ns.readdir('/m/d')).toEqual(['big', 'f']);
    }
    await ns.rm('/m/d', { recursive: true });
    expect(fs.readdirSync(dirname(join(root, 'd')))).toEqual([]);
  });
});

function expectWhole(bytes: Uint8Array, size: number): void {
  expect(bytes.length).toBe(size);
  expect(bytes[0]).toBe(bytes[size - 1]);
  expect(bytes[size >> 1]).toBe(bytes[0]);
}
