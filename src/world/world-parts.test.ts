/** The small parts of a world: hosts that are allowed, what is where, what is refused, what is shared between threads. */
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { FsError } from '../errors.ts';
import { USER } from '../policy/context.ts';
import type { AgentRights } from '../policy/rights.ts';
import { allowedFor, namesPrivate, parseAllowed, privateAddresses } from './allowed-hosts.ts';
import { JobBounds } from './background/bounds.ts';
import { JobFiles } from './background/files.ts';
import { hostDirectoriesOf, visible } from './places.ts';
import { PolicyWatch, readPolicy } from './policy-file.ts';
import { probeMounts } from './probe.ts';
import type { MountSpec } from './protocol.ts';
import { renderReadme } from './readme.ts';
import { refusalsOf } from './refusals.ts';
import { runtimeFault } from './runtime.ts';
import { Shells } from './shells.ts';
import { loadShims } from './shim-modules.ts';
import { syncMounts, syncProgress } from './sync.ts';
import { follow, upFrom } from './trust/ways.ts';
import { Writable, writableDirectories } from './trust/writable.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

describe('a host that is allowed', () => {
  it.each([
    ['example.com', null, 'example.com', null],
    ['https://Example.com', 'https:', 'example.com', null],
    ['http://example.com:8080/', 'http:', 'example.com', '8080'],
    ['*.example.com', null, '*.example.com', null],
    ['[::1]:80', null, '::1', '80'],
    ['[::ffff:127.0.0.1]', null, '::ffff:7f00:1', null],
    ['127.1', null, '127.0.0.1', null],
    ['example.com.', null, 'example.com', null],
  ])('%s is read', (text, protocol, host, port) => {
    expect(parseAllowed(text)).toEqual({ protocol, host, port });
  });

  it.each(['', 'ftp://x', 'a/b', 'x:123456', '*.', 'a b', 'x:', '**.x', 'https://'])(
    '%j is none',
    (text) => {
      expect(parseAllowed(text)).toBeNull();
    },
  );

  it.each([
    ['example.com', 'https://example.com/', true],
    ['example.com', 'http://example.com/', true],
    ['example.com', 'http://example.com:80/', true],
    ['example.com', 'https://EXAMPLE.com./x', true],
    ['example.com', 'https://example.com:8443/', false],
    ['example.com', 'https://a.example.com/', false],
    ['https://example.com', 'http://example.com/', false],
    ['https://example.com', 'https://example.com/', true],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://badexample.com/', false],
    ['[::1]', 'http://[::1]/', true],
  ])('%s allows %s: %s', (row, url, allows) => {
    const rows = [parseAllowed(row)].flatMap((one) => one ?? []);
    expect(allowedFor(new URL(url), rows)).toEqual(allows ? rows[0] : undefined);
  });

  it.each([
    ['localhost', true],
    ['10.0.0.1', true],
    ['[::1]', true],
    ['example.com', false],
    ['*.localhost', false],
  ])('%s may be of a private network: %s', (row, may) => {
    expect(namesPrivate(parseAllowed(row) as NonNullable<ReturnType<typeof parseAllowed>>)).toBe(
      may,
    );
  });

  it('may lead to no address of a private network, whichever way it is written', () => {
    const isPrivate = privateAddresses();
    const those = [
      '0.1.2.3',
      '10.255.255.255',
      '100.64.0.0',
      '100.127.255.255',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.0',
      '172.31.255.255',
      '192.0.0.255',
      '192.0.2.255',
      '192.168.255.255',
      '198.18.0.0',
      '198.19.255.255',
      '198.51.100.255',
      '203.0.113.255',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:10.0.0.1',
      '::FFFF:127.0.0.1',
      '::10.0.0.1',
      '64:ff9b::ffff:ffff',
      '64:ff9b:1:ffff::',
      '2001:0:ffff::',
      '2002:ffff::',
      'fc00::',
      'fdff::1',
      'fe80::1',
      'febf::1',
      'fec0::1',
      'ff02::1',
    ];
    const others = [
      '1.1.1.1',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '128.0.0.1',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.0.3.0',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '198.51.101.0',
      '203.0.114.0',
      '223.255.255.255',
      '::ffff:8.8.8.8',
      '::2',
      '64:ff9b:2::',
      '64:ff9b::1:0:0',
      '2001:1::',
      '2003::1',
      'fbff::1',
      '2606:4700::1111',
    ];
    expect(those.filter((one) => !isPrivate(one))).toEqual([]);
    expect(others.filter(isPrivate)).toEqual([]);
  });
});

const mount = (point: string, source: object, access: object = { mode: 'rw' }): MountSpec =>
  ({ point, source, access, searchable: false }) as unknown as MountSpec;
const tracker = (more: object = {}) => ({
  kind: 'service',
  scheme: 'tracker',
  title: 'Tracker',
  ...more,
});

describe('what is where', () => {
  it('is told without what every world has, a service by its name', () => {
    const own = [
      'bin',
      'dev',
      'changes',
      'approvals',
      'questions',
      'schedule',
      'harness',
      'session',
    ];
    const mounts = [
      mount('/', { kind: 'root' }),
      ...own.map((kind) => mount(`/${kind}`, { kind })),
      mount('/workspace', { kind: 'disk', root: '/w' }),
      mount('/mnt/t', tracker()),
      mount('/tmp', { kind: 'memory' }),
    ];
    expect(visible(mounts)).toEqual([
      { point: '/workspace', kind: 'disk', service: false },
      { point: '/mnt/t', kind: 'tracker', service: true },
      { point: '/tmp', kind: 'memory', service: false },
    ]);
  });

  it('is on the host where it is of the disk, or the deployment’s own harness', () => {
    const mounts = [
      mount('/workspace', { kind: 'disk', root: '/w' }),
      mount('/harness', { kind: 'harness', own: '/h' }),
      mount('/other', { kind: 'harness', own: null }),
      mount('/tmp', { kind: 'memory' }),
    ];
    expect(hostDirectoriesOf(mounts, '/state')).toEqual([
      { directory: '/w', what: 'mounted at /workspace' },
      { directory: '/h', what: 'mounted at /harness' },
      { directory: '/state', what: 'the state directory' },
    ]);
  });

  it('is told by the README.md of a world: its own first, then what is mounted, each with its mode', () => {
    const own = ['/workspace', '/memory', '/harness', '/session', '/tmp'];
    const mounts = [
      ...own.map((point) => mount(point, { kind: 'memory' })),
      mount('/', { kind: 'root' }),
      mount('/usr/bin', { kind: 'bin' }),
      mount('/session/changes', { kind: 'changes' }),
      mount('/top', { kind: 'disk', root: '/x' }),
      mount('/mnt/a', tracker({ stage: true })),
      mount('/mnt/b', tracker(), { mode: 'rw' }),
      mount('/mnt/c', tracker({ stage: true }), { mode: 'ro' }),
      mount('/mnt/d', { kind: 'disk', root: '/x' }, { mode: 'rw' }),
      mount('/mnt/e', { kind: 'disk', root: '/x' }, { mode: 'append' }),
      mount('/mnt/f', { kind: 'disk', root: '/x', buffers: {} }),
    ];
    const text = renderReadme(mounts, '# Ours\n\nRead me.\n\n');
    expect(text).toMatch(/^# Ours\n\nRead me\.\n\nEverything is a file/);
    const rows = text.split('\n').filter((row) => row.startsWith('| `'));
    expect(rows.map((row) => row.split('`')[1])).toEqual([
      '/workspace',
      '/mnt/a',
      '/mnt/b',
      '/mnt/c',
      '/mnt/d',
      '/mnt/e',
      '/mnt/f',
      '/memory',
      '/harness',
      '/session',
      '/tmp',
    ]);
    expect(rows.filter((row) => row.includes('/mnt/')).map((row) => row.split(' | ')[1])).toEqual([
      'Tracker: what is written waits in `/session/changes` until it is applied |',
      'Tracker: what is written is sent at once |',
      'Tracker: read-only |',
      'files: read and write |',
      'files: files can be added, and not changed |',
      'the files of the person, as their editor has them: read and write |',
    ]);
    const bare = renderReadme([mount('/tmp', { kind: 'memory' })], undefined);
    expect(bare).toMatch(/^# This world\n\n/);
    expect(bare.split('\n').filter((row) => row.startsWith('| `'))).toHaveLength(1);
  });
});

it('what was refused by a rule is told once, and a hundred of them at most', () => {
  const error = (code: 'EACCES' | 'EPERM' | 'EBUSY' | 'ENOENT', path: string, rule?: string) =>
    new FsError(code, { path, op: 'open', ...(rule && { rule }) });
  const errors = [
    error('EACCES', '/a', 'r'),
    error('EACCES', '/a', 'r'),
    error('EACCES', '/a', 's'),
    error('EPERM', '/b', 'r'),
    error('EBUSY', '/c', 'r'),
    error('ENOENT', '/d', 'r'),
    error('EACCES', '/e'),
  ];
  expect(refusalsOf(errors).map(({ code, path, rule, op }) => [code, path, rule, op])).toEqual([
    ['EACCES', '/a', 'r', 'open'],
    ['EACCES', '/a', 's', 'open'],
    ['EPERM', '/b', 'r', 'open'],
    ['EBUSY', '/c', 'r', 'open'],
  ]);
  const many = Array.from({ length: 150 }, (_, index) => error('EACCES', `/${index}`, 'r'));
  expect(refusalsOf(many)).toHaveLength(100);
});

describe('a process', () => {
  it.each([
    [{ node: '22.22.0' }, null],
    [{ node: '22.21.9' }, 'this is Node 22.21.9'],
    [{ node: '24.0.0' }, null],
    [{ node: '20.99.0' }, 'this is Node 20.99.0'],
    [{}, 'this is Node '],
    [{ node: '24.0.0', bun: '1.2.0' }, 'Bun 1.2.0 cannot guard'],
    [{ node: '20.0.0', deno: '2.0.0' }, null],
  ])('of %o can hold a world, or says why not: %s', (versions, fault) => {
    const said = runtimeFault({ versions, restricted: false });
    if (fault === null) expect(said).toBeNull();
    else expect(said).toContain(fault);
    expect(runtimeFault({ versions, restricted: true })).not.toBeNull();
  });

  it('that Node holds back says what to do instead', () => {
    const said = runtimeFault({ versions: { node: '24.0.0' }, restricted: true });
    expect(said).toContain('--permission');
  });
});

it('each shell goes on where its last command left it, and what is not told stays', () => {
  const shells = new Shells('/workspace');
  const done = (cwd: string | null, ...origins: string[]) =>
    ({ state: cwd === null ? null : { cwd }, shellOrigins: origins }) as never;
  expect([shells.cwdIn(), shells.cwdIn('a'), shells.named('a')]).toEqual([
    '/workspace',
    '/workspace',
    { state: null, origins: [] },
  ]);
  shells.keep(undefined, done('/x', '/mnt/a'));
  shells.keep('a', done('/y'));
  expect([shells.cwdIn(), shells.cwdIn('a'), shells.cwdIn('b')]).toEqual([
    '/x',
    '/y',
    '/workspace',
  ]);
  shells.keep(undefined, done(null, '/mnt/b'));
  expect(shells.worlds).toEqual({ state: { cwd: '/x' }, origins: ['/mnt/b'] });
  shells.end('a');
  expect(shells.cwdIn('a')).toBe('/workspace');
});

describe('services that are mounted', () => {
  const attached = (point: string, of: object) => ({ point, mount: { kind: 'tracker', ...of } });
  const tableOf = (...attachments: ReturnType<typeof attached>[]) =>
    ({
      attachments,
      below: (path: string) => attachments.filter(({ point }) => point.startsWith(`${path}/`)),
      place: (path: string) => {
        const at = attachments.find(({ point }) => path.startsWith(point));
        return { at, inside: `/${path.slice(at?.point.length).replace(/^\//, '')}` };
      },
    }) as never;

  it('are probed side by side, with what is held of each', async () => {
    const table = tableOf(
      attached('/a', { name: 'tracker @ada', probe: async () => ({ account: 'ada' }) }),
      attached('/b', { probe: () => new Promise(() => undefined) }),
      attached('/c', {
        probe: () =>
          Promise.reject(new FsError('EACCES', { path: '/c', op: 'probe', reason: 'no' })),
      }),
      attached('/d', {}),
    );
    const held = [{ mount: 'tracker @ada', records: 3, confirmedAt: 'then' }];
    expect(await probeMounts(table, held, 20)).toEqual([
      { point: '/a', kind: 'tracker', held: { records: 3, confirmedAt: 'then' }, account: 'ada' },
      { point: '/b', kind: 'tracker', held: null, error: 'no answer within 0.02 s' },
      { point: '/c', kind: 'tracker', held: null, error: expect.stringContaining('no') },
    ]);
  });

  it('are brought in step at and below a path, each with its cost and its failure', async () => {
    let requests = 0;
    const asked: string[] = [];
    const service = (fails = false) => ({
      usage: () => ({ requests, bytes: requests * 10 }),
      prefetch: async (path: string) => {
        asked.push(path);
        requests += 2;
        if (fails) throw new FsError('EIO', { path, op: 'prefetch', reason: 'it is down' });
      },
      coverage: (path: string) => `${path} complete`,
      progress: () => [{ what: 'issues', done: 1, total: null, startedAt: 0 }],
    });
    const { coverage: _, ...silent } = service(true);
    const table = tableOf(
      attached('/mnt/a', service()),
      attached('/mnt/b', silent),
      attached('/mnt/c', {}),
      attached('/', {}),
    );
    expect(await syncMounts(table, '/mnt')).toEqual([
      { path: '/mnt/a', coverage: '/ complete', usage: { requests: 2, bytes: 20 } },
      {
        path: '/mnt/b',
        coverage: null,
        usage: { requests: 2, bytes: 20 },
        error: expect.stringContaining('it is down'),
      },
    ]);
    await syncMounts(table, '/mnt/a/issues');
    expect(asked).toEqual(['/', '/', '/issues']);
    const progress = syncProgress(table);
    expect([progress.running.length, progress.requests, progress.bytes]).toEqual([2, 12, 120]);
  });
});

describe('the deployment’s own commands', () => {
  let modules = 0;
  const module = (text: string) => {
    const name = `commands${modules++}.mjs`;
    const file = join(directory, name);
    writeFileSync(file, text);
    return { name: `./${name}`, file };
  };
  const command = (name: string) => `{ name: ${JSON.stringify(name)}, execute() {} }`;
  const load = (...texts: string[]) => loadShims(texts.map(module), { a: 1 } as never);

  it('are those of all modules in their order, each made with what the host hands in', async () => {
    const made = await load(
      `export default () => [${command('one')}, ${command('a_b.c+d-e')}]`,
      `export default async (host) => [${command('two')}].filter(() => host.a === 1)`,
    );
    expect(made.map(({ name }) => name)).toEqual(['one', 'a_b.c+d-e', 'two']);
  });

  it.each([
    ['throw new Error("no")', 'shims.0', 'cannot be loaded: '],
    ['export default 7', 'shims.0', 'should export, as its default, a function'],
    ['export default () => { throw new Error("no") }', 'shims.0', 'made no commands: '],
    ['export default () => ({})', 'shims.0', 'should make a list of commands'],
    ['export default () => [null]', 'shims.0', 'should make a list of commands'],
    ['export default () => [{ name: "x" }]', 'shims.0', 'should make a list of commands'],
    ['export default () => [{ execute() {} }]', 'shims.0', 'should make a list of commands'],
    ['export default () => [{ name: 7, execute() {} }]', 'shims.0', 'should make a list'],
    [`export default () => [${command('-x')}]`, 'shims.0', 'makes "-x", which is no name'],
    [`export default () => [${command('ok')}, ${command('a/b')}]`, 'shims.0', 'makes "a/b"'],
    [
      `export default () => [${command('x')}, ${command('x')}]`,
      'shims.0',
      'makes x, which another',
    ],
  ])('%s is refused at %s: %s', async (text, path, why) => {
    await expect(load(text)).rejects.toMatchObject({
      path,
      message: expect.stringContaining(why),
    });
  });

  it('of two modules cannot have one name', async () => {
    const text = `export default () => [${command('x')}]`;
    await expect(load(text, text)).rejects.toMatchObject({ path: 'shims.1' });
  });
});

describe('the policy of a deployment', () => {
  it('is that of its harness, or the package’s own', () => {
    const [own, defaults] = [join(directory, 'own'), join(directory, 'defaults')];
    for (const each of [own, defaults]) mkdirSync(each);
    writeFileSync(join(defaults, 'policy.yaml'), 'defaults');
    const usual = { file: join(defaults, 'policy.yaml'), text: 'defaults', isDefault: true };
    expect(readPolicy(null, defaults)).toEqual(usual);
    expect(readPolicy(own, defaults)).toEqual(usual);
    writeFileSync(join(own, 'policy.yaml'), 'ours');
    expect(readPolicy(own, defaults)).toEqual({
      file: 'policy.yaml',
      text: 'ours',
      isDefault: false,
    });
  });

  it('has changed when it is written, made or removed, once', () => {
    const file = join(directory, 'policy.yaml');
    const watch = new PolicyWatch(directory);
    const looks = () => [watch.changed(), watch.changed()];
    expect(looks()).toEqual([false, false]);
    writeFileSync(file, 'a');
    expect(looks()).toEqual([true, false]);
    writeFileSync(file, 'longer');
    expect(looks()).toEqual([true, false]);
    utimesSync(file, 1, 1);
    expect(looks()).toEqual([true, false]);
    rmSync(file);
    expect(looks()).toEqual([true, false]);
    expect(new PolicyWatch(null).changed()).toBe(false);
  });
});

describe('a background job', () => {
  it('shows what it printed, and how it stands', () => {
    const files = new JobFiles(directory, 3);
    const at = (name: string) => join(directory, '3', name);
    files.begin('sleep 1 &');
    files.append('stdout', Buffer.from('a'));
    files.append('stdout', Buffer.from('b'));
    files.append('stderr', Buffer.from('e'));
    const text = (stream: 'stdout' | 'stderr') => Buffer.from(files.read(stream)).toString();
    expect([text('stdout'), text('stderr')]).toEqual(['ab', 'e']);
    files.status('exited 0');
    files.begin('again');
    expect([text('stdout'), text('stderr')]).toEqual(['', '']);
    rmSync(at(''), { recursive: true });
    expect(files.read('stdout')).toHaveLength(0);
  });

  const rights = (filesystem: AgentRights['filesystem']): AgentRights => ({
    filesystem,
    tools: [{ bash: false }],
    skills: null,
  });
  const job = { actor: 'helper', onBehalfOf: ['lead'], filesystem: 'read-write' } as never;

  it('has no more rights than its agents have now', () => {
    const bounds = new JobBounds();
    expect(bounds.now(job)).toMatchObject({ filesystem: 'read-write', tools: [] });
    bounds.agentsAre(new Map([['helper', rights('append')]]), false);
    expect(bounds.now(job)).toMatchObject({ filesystem: 'append', tools: [{ bash: false }] });
    bounds.agentsAre(new Map([['lead', rights('read-only')]]), false);
    expect(bounds.now(job).filesystem).toBe('read-only');
    expect(bounds.now(job).tools).toHaveLength(2);
    bounds.agentsAre(new Map([['lead', rights('read-write')]]), true);
    expect(bounds.now(job)).toMatchObject({ filesystem: 'read-only' });
    expect(bounds.now(job).tools).toContainEqual({ '*': false });
  });

  it('is bound by every plan that holds, and the person in charge by none', () => {
    const bounds = new JobBounds();
    const plan = { writes: [] } as never;
    const own = { writes: ['own'] } as never;
    expect('plans' in bounds.now(job)).toBe(false);
    const ends = [bounds.during(() => plan), bounds.during(() => plan)];
    expect(bounds.now({ ...(job as object), plans: [own] } as never).plans).toEqual([
      own,
      plan,
      plan,
    ]);
    const person = { actor: USER, filesystem: 'read-write' } as never;
    expect(bounds.now(person)).toBe(person);
    ends[0]?.();
    expect(bounds.now(job).plans).toEqual([plan]);
    ends[1]?.();
    expect('plans' in bounds.now(job)).toBe(false);
  });
});

describe('a path of the host', () => {
  it('is followed through links, as far as it is there, and each link is named', () => {
    mkdirSync(join(directory, 'real/deep'), { recursive: true });
    symlinkSync('real', join(directory, 'link'));
    symlinkSync(join(directory, 'link/deep'), join(directory, 'absolute'));
    symlinkSync('../link', join(directory, 'real/up'));
    const at = (name: string) => join(directory, name);
    expect(follow(at('real/./x/../deep/none'))).toEqual({ real: at('real/deep/none'), links: [] });
    expect(follow(at('link/deep'))).toEqual({ real: at('real/deep'), links: [at('link')] });
    expect(follow(at('absolute/none'))).toEqual({
      real: at('real/deep/none'),
      links: [at('absolute'), at('link')],
    });
    expect(follow(at('real/up/deep'))).toEqual({
      real: at('real/deep'),
      links: [at('real/up'), at('link')],
    });
    symlinkSync('round', at('round'));
    expect(follow(at('round')).links).toHaveLength(64);
    writeFileSync(at('file'), '');
    expect(follow(at('file/below'))).toEqual({ real: at('file/below'), links: [] });
    expect([...upFrom('/a/b')]).toEqual(['/a/b', '/a', '/']);
  });

  it('can be written where a mount says so: all of it, or what globs name', () => {
    const at = (name: string) => join(directory, name);
    const whole = new Writable('/w', directory, null);
    expect([whole.whole, whole.reaches(at('a/b')), whole.reaches('/etc')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([whole.reachesInto(at('a')), whole.reachesInto('/'), whole.reachesInto('/etc')]).toEqual(
      [true, true, false],
    );
    const some = new Writable('/w', directory, ['/notes/**', 'lib/*/index.js', '*.md']);
    expect(some.whole).toBe(false);
    const reached = ['notes/a', 'lib/x/index.js', 'a.md', 'a.md/below', 'lib/x', 'a.js', 'x/a.md'];
    expect(reached.map((path) => some.reaches(at(path)))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    const into = ['notes', 'lib', 'other', 'notes/deep'];
    expect(into.map((path) => some.reachesInto(at(path)))).toEqual([true, true, false, true]);
    const named = new Writable('/w', directory, ['node_modules/left-pad/*']);
    expect(named.reachesInto(at('node_modules'))).toBe(true);
    const inner = new Writable('/w', directory, ['*/left-pad/index.js']);
    expect(inner.reachesInto(at('node_modules'))).toBe(false);
    expect(inner.reachesInto(at('node_modules'), ['left-pad'])).toBe(true);
  });

  it('is of a mount of the disk, or of the deployment’s harness, where that can be written', () => {
    const disk = { kind: 'disk', root: directory };
    const directories = writableDirectories([
      mount('/a', disk, { mode: 'rw' }),
      mount('/b', disk, { mode: 'ro' }),
      mount('/c', disk, { mode: 'append' }),
      mount(
        '/d',
        { kind: 'harness', own: directory },
        {
          mode: 'ro',
          rules: [
            { pattern: 'a.md', mode: 'rw' },
            { pattern: 'b.md', mode: 'ro' },
          ],
        },
      ),
      mount('/e', { kind: 'harness', own: null }, { mode: 'rw' }),
      mount('/f', { kind: 'memory' }, { mode: 'rw' }),
      mount('/g', disk, { mode: 'ro', rules: [{ pattern: 'b.md', mode: 'ro' }] }),
    ]);
    expect(directories.map(({ point, whole }) => [point, whole])).toEqual([
      ['/a', true],
      ['/c', true],
      ['/d', false],
    ]);
    const [, , harness] = directories;
    expect(['a.md', 'b.md'].map((name) => harness?.reaches(join(directory, name)))).toEqual([
      true,
      false,
    ]);
  });
});
