/** Files of a channel: what those that come are called, which go out, and in whose name. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Doorway, Visit } from '../../doors/door.ts';
import { FsError } from '../../errors.ts';
import { personAuthor } from '../../policy/author.ts';
import type { IncomingFile } from './contract.ts';
import { ChannelFiles, filesNamed, filesText, placed } from './files.ts';

const MOST = 20 * 1024 * 1024;
const file = (name: string, size: number | null = 3) =>
  ({ name, size, id: name }) as unknown as IncomingFile;
const PLACE = { actor: 'ann', agent: null, session: 's' } as Parameters<ChannelFiles['read']>[0];

describe('a file that comes', () => {
  const named = (name: string) =>
    placed('m', [file(name)])[0]?.path.replace(/^\/workspace\/inbox\/[0-9a-f]{8}-/, '');

  test.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'etc_passwd'],
    ['.hidden', 'hidden'],
    ['a b\n c', 'a_b_c'],
    ['é.txt', 'é.txt'],
    ['', 'file'],
    ['...', 'file'],
    [`${'x'.repeat(90)}.pdf`, `${'x'.repeat(76)}.pdf`],
  ])('as %j is called %j', (name, path) => {
    expect(named(name)).toBe(path);
  });

  test('has the message before its name, and its number where there are several, ten at most', () => {
    const paths = (message: string, count: number) =>
      placed(
        message,
        Array.from({ length: count }, () => file('a')),
      ).map(({ path }) => path);
    expect(paths('m', 1)[0]).toMatch(/^\/workspace\/inbox\/[0-9a-f]{8}-a$/);
    expect(paths('m', 1)).not.toEqual(paths('n', 1));
    expect(paths('m', 2).map((path) => path.slice(-4))).toEqual(['-1-a', '-2-a']);
    expect(paths('m', 11)).toHaveLength(10);
  });

  test('is told to the agent with its size, where that is known', () => {
    expect(filesText([])).toBe('');
    const files = [
      { file: file('a'), path: '/w/a' },
      { file: file('b', null), path: '/w/b' },
    ];
    expect(filesText(files)).toBe('\n\nFiles that came with it:\n- /w/a (3 bytes)\n- /w/b\n');
  });
});

test('an answer names the files of the workspace that it links to, ten at most, each once', () => {
  const named = filesNamed(
    'See [a](/workspace/a.txt), ![b]( </workspace/b c.png> ), [a](/workspace/a.txt), [d](/workspace/d%20e), [x](/etc/passwd), [f](/workspace/100%)',
  );
  expect(named).toEqual([
    '/workspace/a.txt',
    '/workspace/b c.png',
    '/workspace/d e',
    '/workspace/100%',
  ]);
  const many = Array.from({ length: 11 }, (_, index) => `[x](/workspace/${index})`).join(' ');
  expect(filesNamed(many)).toHaveLength(10);
  expect(filesNamed('none')).toEqual([]);
});

/** Worlds of which each entering is noted; `busy` of them are refused first. */
function doorway(
  world: Record<string, { size?: number; isFile?: boolean; real?: string }> = {},
  busy = 0,
) {
  const entered: unknown[][] = [];
  const written: unknown[][] = [];
  let refusals = busy;
  const get = (path: string) => {
    const found = world[path];
    if (found === undefined)
      throw new FsError('ENOENT', { path, op: 'open', reason: 'it is not there' });
    return found;
  };
  const fs = {
    mkdir: async (path: string, options: object) => void written.push(['mkdir', path, options]),
    writeFile: async (path: string, bytes: Uint8Array) =>
      void written.push([path, Buffer.from(bytes).toString()]),
    realpath: async (path: string) => get(path).real ?? path,
    stat: async (path: string) => {
      const { size = 1, isFile = true } =
        Object.values(world).find(({ real }) => real === path) ?? get(path);
      return { size, isFile };
    },
    readFileBuffer: async (path: string) => Buffer.from(path),
  };
  const enter = async (...given: unknown[]) => {
    entered.push(given);
    if (refusals-- > 0) throw new FsError('EBUSY', { path: '/', op: 'open' });
    return { fs, [Symbol.asyncDispose]: async () => undefined } as unknown as Visit;
  };
  return {
    entered,
    written,
    files: new ChannelFiles({ enter } as unknown as Pick<Doorway, 'enter'>, '/mnt/chat'),
  };
}

describe('what comes', () => {
  test('is put into the world of whose session it is, marked with the channel', async () => {
    const { entered, written, files } = doorway();
    const path = '/workspace/inbox/1-a';
    const faults = await files.take(
      { ...PLACE, agent: 'reader' },
      [{ file: file('a', null), path }],
      async (_, most) => {
        expect(most).toBe(MOST);
        return Buffer.from('text');
      },
    );
    expect(faults).toEqual([]);
    expect(entered).toEqual([
      [{ actor: 'ann', agent: 'reader', session: 's' }, { untrusted: ['/mnt/chat'] }],
    ]);
    expect(written).toEqual([
      ['mkdir', '/workspace/inbox', { recursive: true }],
      [path, 'text'],
    ]);
  });

  test('and is too large, or does not come, is told, and keeps no other from coming', async () => {
    const { written, files } = doorway();
    const all = [
      { file: file('a', MOST + 1), path: '/1' },
      { file: file('b', MOST), path: '/2' },
      { file: file('c'), path: '/3' },
    ];
    const faults = await files.take(PLACE, all, async ({ name }) => {
      if (name === 'c') throw new Error('gone');
      return Buffer.from(name);
    });
    expect(faults).toEqual([
      expect.stringMatching(/^\/1 is not there: it has 20971521 bytes/),
      '/3 is not there: gone',
    ]);
    expect(written.filter(([path]) => path !== 'mkdir')).toEqual([['/2', 'b']]);
  });
});

describe('what goes out', () => {
  const WORLD = {
    '/workspace/a.txt': {},
    '/workspace/d': { isFile: false },
    '/workspace/most': { size: MOST },
    '/workspace/large': { size: MOST + 1 },
    '/workspace/out': { real: '/etc/passwd' },
    '/workspace/link.txt': { real: '/workspace/a.txt' },
  };

  test.each([
    ['/workspace/a.txt', { name: 'a.txt', bytes: Buffer.from('/workspace/a.txt') }],
    ['/workspace/link.txt', { name: 'link.txt', bytes: Buffer.from('/workspace/a.txt') }],
    ['/workspace/most', { name: 'most', bytes: expect.anything() }],
    ['/workspace/d', '/workspace/d is no file'],
    ['/workspace/large', '/workspace/large is too large to be sent'],
    ['/workspace/out', '/workspace/out is not in /workspace'],
    ['/workspace/none', '/workspace/none could not be sent: it is not there'],
  ])('as %s', async (path, expected) => {
    expect(await doorway(WORLD).files.read(PLACE, path)).toEqual(expected);
  });

  test('is read on behalf of the agent that chose it, and of all who asked', async () => {
    const { entered, files } = doorway(WORLD);
    await files.read(PLACE, '/workspace/a.txt');
    const author = personAuthor('bob');
    await files.read({ ...PLACE, agent: 'reader', author }, '/workspace/a.txt');
    expect(entered).toEqual([
      [{ actor: 'ann', session: 's' }, { onBehalfOf: ['assistant'] }],
      [{ actor: 'ann', agent: 'reader', session: 's' }, { onBehalfOf: ['reader', 'bob'] }],
    ]);
  });

  test('waits for a world that a terminal holds, five times', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const [busy, sent] of [
      [4, true],
      [5, false],
    ] as const) {
      const { entered, files } = doorway(WORLD, busy);
      const reading = files.read(PLACE, '/workspace/a.txt');
      await vi.advanceTimersByTimeAsync(999);
      expect(entered).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(typeof (await reading) === 'object').toBe(sent);
      expect(entered).toHaveLength(5);
    }
  });
});
