/** How the kernel is answered: with a value or an errno, and with which extended attributes. */
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Errno, FsError, STRERROR } from '../../errors.ts';
import type { FileSystem } from '../files/file-system.ts';
import { errnoOf, type Put, putter } from './answering.ts';
import { attributeOperations } from './extended-attributes.ts';
import { BELIEVED_MS, ToldSizes } from './told-sizes.ts';

test.each(Object.keys(STRERROR) as Errno[])(
  '%s is the system’s own number of it, below 0',
  (code) => {
    const numbers: Record<string, number> = constants.errno;
    expect(errnoOf(new FsError(code, { path: '/a', op: 'open' }))).toBe(
      -(numbers[code] ?? constants.errno.EIO),
    );
  },
);

test.each([new Error('x'), { code: 'EWHATEVER' }, { code: 2 }])(
  'what has no errno is EIO: %s',
  (error) => {
    expect(errnoOf(error)).toBe(-constants.errno.EIO);
  },
);

describe('an answer', () => {
  function asked() {
    const answers: unknown[][] = [];
    const refused: unknown[][] = [];
    const trouble: string[] = [];
    const put = putter({
      files: { refused: (path, error) => void refused.push([path, error.code]) },
      onTrouble: (message) => void trouble.push(message),
    });
    const ask = async <T>(work: () => T | Promise<T>) => {
      put('/a', (...answer) => void answers.push(answer), work);
      const atOnce = answers.length;
      await vi.waitFor(() => expect(answers).toHaveLength(1));
      return { atOnce: atOnce === 1, answer: answers[0], refused, trouble };
    };
    return ask;
  }

  test('that is known is given at once, and one that is not when it is', async () => {
    expect(await asked()(() => 7)).toMatchObject({ atOnce: true, answer: [0, 7] });
    expect(await asked()(async () => 7)).toMatchObject({ atOnce: false, answer: [0, 7] });
  });

  test('that is a refusal is kept for whoever asks, any other failure is told', async () => {
    const refuse = () => {
      throw new FsError('EPERM', { path: '/b', op: 'open' });
    };
    const fault = () => {
      throw new TypeError('a fault');
    };
    for (const work of [refuse, async () => refuse()])
      expect(await asked()(work)).toMatchObject({
        answer: [-1],
        refused: [['/a', 'EPERM']],
        trouble: [],
      });
    for (const work of [fault, async () => fault()]) {
      const { answer, refused, trouble } = await asked()(work);
      expect([answer, refused]).toEqual([[-5], []]);
      expect(trouble).toEqual([expect.stringMatching(/^\/a: TypeError: a fault\n/)]);
    }
  });
});

describe('extended attributes', () => {
  function files(
    more: { coverage?: string | null; sentence?: string; content?: Uint8Array | null } = {},
  ) {
    const { coverage = null, sentence, content = Buffer.from('text') } = more;
    const system = {
      locate: async () => ({ kind: 'disk', point: '/w', coverage }),
      sentence: () => sentence,
      content: async () => content,
    } as unknown as FileSystem;
    const put: Put = (_, answer, work) => {
      Promise.resolve()
        .then(work)
        .then(
          (value) => answer(0, value),
          (error) => answer(errnoOf(error)),
        );
    };
    const operations = attributeOperations(system, put);
    const promised = <T>(call: (answer: (result: number, value?: T) => void) => void) =>
      new Promise<[number, T | undefined]>((resolve) =>
        call((result, value) => resolve([result, value])),
      );
    return {
      get: async (name: string) => {
        const [result, value] = await promised<Buffer | null>((answer) =>
          operations.getxattr('/w/a', name, 0, answer as never),
        );
        return result === 0 ? (value == null ? null : Buffer.from(value).toString()) : result;
      },
      list: async () =>
        (await promised<string[]>((answer) => operations.listxattr('/w/a', answer as never)))[1],
      set: async () =>
        (
          await promised((answer) =>
            operations.setxattr('/w/a', 'user.x', Buffer.alloc(0), 0, 0, answer as never),
          )
        )[0],
      remove: async () =>
        (await promised((answer) => operations.removexattr('/w/a', 'user.x', answer as never)))[0],
    };
  }

  test('tell where a file is from, how fresh it is, what was refused, and which version it is', async () => {
    const { get, list } = files({ coverage: 'complete', sentence: 'it is not allowed' });
    const version = `sha256:${createHash('sha256').update('text').digest('hex')}`;
    const values = ['origin', 'fresh', 'error', 'version', 'other'].map((name) =>
      get(`user.dirigent.${name}`),
    );
    expect(await Promise.all(values)).toEqual([
      'disk /w',
      'complete',
      'it is not allowed',
      version,
      null,
    ]);
    expect(await list()).toEqual(
      ['origin', 'fresh', 'error', 'version'].map((name) => `user.dirigent.${name}`),
    );
    expect(await get('user.origin')).toBeNull();
  });

  test('are none where there is nothing to tell', async () => {
    const { get, list } = files({ content: null });
    expect(
      await Promise.all(['fresh', 'error', 'version'].map((name) => get(`user.dirigent.${name}`))),
    ).toEqual([...[null, null, null]]);
    expect(await list()).toEqual(['user.dirigent.origin', 'user.dirigent.version']);
  });

  test('are set and removed by nobody', async () => {
    const { set, remove } = files();
    expect([await set(), await remove()]).toEqual([
      -constants.errno.ENOTSUP,
      -constants.errno.ENOTSUP,
    ]);
  });
});

describe('a size that the kernel was told', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test('counts while it believes it, and not where it is the same, or it has changed it itself', () => {
    const told = new ToldSizes();
    told.tell('/a', 3);
    expect([told.differs('/a', 3), told.differs('/a', 4), told.differs('/b', 4)]).toEqual([
      false,
      true,
      false,
    ]);
    vi.advanceTimersByTime(BELIEVED_MS - 1);
    expect(told.differs('/a', 4)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(told.differs('/a', 4)).toBe(false);
    told.tell('/a', 4);
    told.forget('/a');
    expect(told.differs('/a', 5)).toBe(false);
  });

  test('of ten thousand files are remembered, those told of last', () => {
    const told = new ToldSizes();
    for (let index = 0; index < 10_000; index++) told.tell(`/${index}`, 1);
    told.tell('/0', 1);
    told.tell('/more', 1);
    expect(['/0', '/1', '/2'].map((path) => told.differs(path, 2))).toEqual([true, false, true]);
  });
});
