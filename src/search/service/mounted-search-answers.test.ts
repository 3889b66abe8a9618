/** What an answer is made of: the engine's lines and those found literally, what is said of them, and what is not. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FsError } from '../../errors.ts';
import { WalkedFile } from '../../mount/contract/walked-file.ts';
import type { SearchQuestion, SentenceState } from '../contract.ts';
import { MountedSearch } from './mounted-search.ts';
import {
  answerIn,
  type NotingEngine,
  notingEngine,
  type SearchedWorld,
  searchedWorld,
  serviceOf,
} from './testing.ts';

let world: SearchedWorld;
let engine: NotingEngine;
let search: MountedSearch;

beforeEach(() => {
  world = searchedWorld({ '/mnt/docs': true, '/mnt/thing': true, '/mnt/closed': false });
  engine = notingEngine();
  search = new MountedSearch({ ...world, engine: () => engine });
});
afterEach(async () => {
  vi.useRealTimers();
  await search.close();
});

const ask = (more: Partial<SearchQuestion> = {}) =>
  search.ask({ query: 'squeaky wheel', paths: ['/mnt/docs'], limit: 10, ...more });

/** So many files that are searched as they stand, since they are too large for the index. */
async function large(count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await world.fs.writeFile(`/mnt/docs/large${at}.txt`, `squeaky wheel\n${'x'.repeat(1_000_000)}`);
}

describe('the lines of an answer', () => {
  it('are those of the engine, with what speaks for each, and one line of literal finds in five is kept free', async () => {
    await large(3);
    const parts = { words: 0.5 } as never;
    const evidence = { covered: 0.7 } as never;
    const ranked = Array.from({ length: 12 }, (_, at) => answerIn(`/mnt/docs/${at}.md`));
    engine.reply = {
      answers: [answerIn('/mnt/docs/a.md', { parts, evidence, from: 3 }), ...ranked],
      documents: 20,
    };
    const { answers } = await ask();
    expect(answers).toHaveLength(10);
    expect(answers[0]).toEqual({ ...answerIn('/mnt/docs/a.md', { from: 3 }), parts, evidence });
    expect(answers[1]).not.toHaveProperty('parts');
    expect(answers[1]).not.toHaveProperty('evidence');
    expect(answers.slice(8)).toEqual(
      [0, 1].map((at) => ({
        path: `/mnt/docs/large${at}.txt`,
        line: 1,
        text: 'squeaky wheel',
        score: 0.1,
        crumb: '',
        passage: 'squeaky wheel',
        passageLine: 1,
      })),
    );
  });

  it('are all that were found literally, where the engine leaves room', async () => {
    await large(3);
    engine.reply = { answers: [answerIn('/mnt/docs/a.md')], documents: 1 };
    const paths = async (limit: number) => (await ask({ limit })).answers.map(({ path }) => path);
    expect(await paths(4)).toHaveLength(4);
    expect(await paths(3)).toEqual([
      '/mnt/docs/a.md',
      '/mnt/docs/large0.txt',
      '/mnt/docs/large1.txt',
    ]);
    // A fifth of four is no whole line.
    engine.reply = {
      answers: [1, 2, 3, 4].map((at) => answerIn(`/mnt/docs/${at}.md`)),
      documents: 4,
    };
    expect(await paths(4)).not.toContain('/mnt/docs/large0.txt');
    expect((await paths(5)).at(-1)).toBe('/mnt/docs/large0.txt');
  });

  it('are named as the place was in the question, which the engine is asked by where it leads', async () => {
    await world.fs.mkdir('/mnt/docs/deep');
    await world.fs.symlink('/mnt/docs/deep', '/short');
    engine.reply = { answers: [answerIn('/mnt/docs/deep/a.md')], documents: 1 };
    const since = '2020-01-01T00:00:00Z';
    const { answers } = await ask({ paths: ['/short'], kind: 'page', since, limit: 7 });
    expect(answers.map(({ path }) => path)).toEqual(['/short/a.md']);
    expect(engine.asked).toEqual([
      { query: 'squeaky wheel', paths: ['/mnt/docs/deep'], limit: 7, kind: 'page', since },
    ]);
    expect((await ask({ paths: ['/short', '/mnt/docs'] })).answers[0]?.path).toBe(
      '/mnt/docs/deep/a.md',
    );
  });
});

describe('the note', () => {
  const noteFor = async (more: Partial<SearchQuestion> = {}) => (await ask(more)).note;

  it.each([
    [0, 'searched 0 documents by meaning'],
    [1, 'searched 1 document by meaning'],
    [12_345, 'searched 12,345 documents by meaning'],
  ])('counts what was searched: %d', async (documents, begin) => {
    engine.reply = { answers: [], documents };
    expect(await noteFor()).toBe(`${begin}, index 0 s old`);
  });

  it.each([
    [119_499, '119 s'],
    [119_500, '2 min'],
    [7_199_499, '120 min'],
    [7_199_500, '2 h'],
    [172_799_499, '48 h'],
    [172_799_500, '2 d'],
    [10 * 86_400_000, '10 d'],
    [-5_000, '0 s'],
  ])('says how old the oldest of it is: after %d ms %s', async (age, shown) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    search.follow('/mnt/thing', serviceOf('s', [], { heldSince: () => Date.now() - age }));
    expect(await noteFor({ paths: ['/mnt'] })).toContain(`index ${shown} old`);
    // What is not in scope does not count, nor does a file of today that was asked for with it.
    expect(await noteFor()).toContain('index 0 s old');
  });

  it('a service that does not know when it was confirmed is as old as the question', async () => {
    search.follow('/mnt/thing', serviceOf('s', [], { heldSince: () => null }));
    expect(await noteFor({ paths: ['/mnt/thing'] })).toMatch(/index [01] s old$/);
  });

  it.each([
    [1, '1 not indexed was searched literally'],
    [2, '2 not indexed were searched literally'],
  ])('counts what was searched literally: %d', async (count, end) => {
    await large(count);
    expect(await noteFor()).toBe(`searched 0 documents by meaning, index 0 s old; ${end}`);
  });

  it('does not count what is another text each time, though it is searched', async () => {
    const bytes = new TextEncoder().encode('a squeaky wheel');
    const now = new WalkedFile('/', 'now', { bytes: () => bytes, momentary: true });
    search.follow('/mnt/thing', serviceOf('s', [], { otherFiles: () => [now] }));
    engine.reply = { answers: [], documents: 1, missing: ['wheel'] };
    const { answers, note, missing } = await ask({ paths: ['/mnt/thing'] });
    expect(answers.map(({ path }) => path)).toEqual(['/mnt/thing/now']);
    expect(note).toMatch(/^searched 1 document by meaning, index \d s old$/);
    expect(missing).toEqual(['wheel']);
  });

  it('has what the engine says, and then how complete each service is that is not', async () => {
    engine.reply = { answers: [], documents: 0, notes: ['teh was read as the', 'and so on'] };
    const coverage = (path: string): string => `thing as of noon, ${path}`;
    search.follow('/mnt/thing', serviceOf('s', ['/b.md'], { coverage }));
    const begin = 'searched 0 documents by meaning, index 0 s old; teh was read as the; and so on';
    expect(await noteFor({ paths: ['/mnt'] })).toBe(`${begin}; thing as of noon, /`);
    await world.fs.mkdir('/mnt/thing/a');
    expect(await noteFor({ paths: ['/mnt/thing/a'] })).toBe(`${begin}; thing as of noon, /a`);
    // The same said twice is said once.
    expect(await noteFor({ paths: ['/mnt', '/mnt/thing'] })).toBe(`${begin}; thing as of noon, /`);
    // Of a file there is nothing more to have.
    await world.fs.writeFile('/mnt/thing/b.md', 'x');
    expect(await noteFor({ paths: ['/mnt/thing/b.md'] })).toBe(begin);
    search.follow(
      '/mnt/thing',
      serviceOf('s', [], { coverage: () => 'thing as of noon, complete' }),
    );
    expect(await noteFor({ paths: ['/mnt/thing'] })).toBe(begin);
  });
});

describe('what is complete', () => {
  it('is all that was indexed, and was not left out', async () => {
    expect(await ask()).toEqual({
      answers: [],
      documents: 0,
      note: expect.any(String),
      trouble: [],
      unsearched: [],
      complete: true,
    });
  });

  it('is nothing below which a mount is not searched by meaning, or a service has gaps', async () => {
    const { unsearched, complete } = await ask({ paths: ['/mnt'] });
    expect(complete).toBe(false);
    expect(unsearched).toEqual([
      {
        count: 1,
        example: '/mnt/closed',
        what: 'mounts',
        why: ['it is not searched by meaning', 'they are not searched by meaning'],
        how: 'grep -rn searches any directory',
        fails: false,
      },
    ]);
    expect((await ask({ paths: ['/'] })).unsearched).toMatchObject([{ count: 2, example: '/' }]);
    search.follow('/mnt/thing', serviceOf('s', [], { coverage: () => 'half' }));
    const gaps = await ask({ paths: ['/mnt/thing'] });
    expect([gaps.complete, gaps.unsearched]).toEqual([false, []]);
  });

  it('each reason for which files were not searched is told once, with how many and one of them', async () => {
    await world.fs.writeFile('/mnt/docs/a.bin', 'a\0b');
    await world.fs.writeFile('/mnt/docs/b.bin', 'a\0b');
    await world.fs.mkdir('/mnt/docs/.git');
    const { unsearched, complete, trouble } = await ask();
    expect(unsearched).toMatchObject([
      { count: 2, example: '/mnt/docs/a.bin', what: 'files', fails: false },
      { count: 1, example: '/mnt/docs/.git', what: 'names', fails: false },
    ]);
    expect([complete, trouble]).toEqual([false, []]);
  });

  it('words that nothing has are told only where nothing was left out of the index', async () => {
    engine.reply = {
      answers: [],
      documents: 1,
      missing: ['wheel'],
      relevance: { reached: 0.1, needed: 0.8 },
    };
    expect(await ask()).toMatchObject({
      missing: ['wheel'],
      relevance: { reached: 0.1, needed: 0.8 },
    });
    await large(1);
    const result = await ask();
    expect(result).not.toHaveProperty('missing');
    expect(result).toHaveProperty('relevance');
  });
});

describe('a file that is named', () => {
  it('and that no index has, is read for the question', async () => {
    await world.fs.writeFile('/mnt/closed/a.txt', 'a squeaky wheel');
    const { answers, note } = await ask({ paths: ['/mnt/closed/a.txt'] });
    expect(answers.map(({ path, text }) => [path, text])).toEqual([
      ['/mnt/closed/a.txt', 'a squeaky wheel'],
    ]);
    expect(note).toContain('1 not indexed was searched literally');
  });

  it('and that the index has, is not', async () => {
    await world.fs.writeFile('/mnt/docs/a.txt', 'a squeaky wheel');
    await ask();
    expect(engine.held).toContain('/mnt/docs/a.txt');
    const { answers, note } = await ask({ paths: ['/mnt/docs/a.txt'] });
    expect([answers, note]).toEqual([[], 'searched 0 documents by meaning, index 0 s old']);
  });

  it('and that is no text, says so', async () => {
    await world.fs.writeFile('/mnt/closed/a.bin', 'a\0b');
    const { unsearched, trouble } = await ask({ paths: ['/mnt/closed/a.bin'] });
    expect(unsearched).toMatchObject([
      { example: '/mnt/closed/a.bin', why: ['it is no text', 'they are no text'] },
    ]);
    expect(trouble).toEqual([]);
  });
});

describe('what cannot be reached', () => {
  const failure = (path: string, reason?: string) =>
    new FsError('EACCES', { path, op: 'open', ...(reason === undefined ? {} : { reason }) });

  it.each([
    ['the same of a file in it is told once', failure('/mnt/docs/a'), ['/mnt/docs']],
    [
      'what fails otherwise is told, too',
      failure('/mnt/docs/a', 'ask'),
      ['/mnt/docs', '/mnt/docs/a'],
    ],
    ['the same elsewhere is told, too', failure('/mnt/other'), ['/mnt/docs', '/mnt/other']],
  ])('is told of a mount: %s', async (_, error, told) => {
    vi.spyOn(world.fs, 'prefetch').mockResolvedValue([failure('/mnt/docs')]);
    const mount = world.table.at('/mnt/docs')?.mount;
    Object.assign(mount ?? {}, {
      walk: () => {
        throw error;
      },
    });
    const { trouble = [] } = await ask();
    expect(trouble.map(({ path }) => path)).toEqual(told);
  });
});

describe('a document whose text cannot be made', () => {
  it('is told with each question that it is in scope of, until it can be, and by the state', async () => {
    const path = '/mnt/docs/a.pdf';
    await world.fs.writeFile(path, 'no pdf');
    const texts = vi
      .spyOn(world.fs, 'documentText')
      .mockRejectedValue(
        new FsError('EINVAL', { path: '/a.pdf', op: 'read', reason: 'it is broken' }),
      );
    for (let turn = 0; turn < 2; turn++)
      expect((await ask()).trouble).toMatchObject([{ code: 'EINVAL', path }]);
    expect((await ask({ paths: ['/mnt/thing'] })).trouble).toEqual([]);
    expect(await search.state(['/mnt/docs'], true)).toMatchObject({
      documents: 0,
      failed: [{ path, error: 'it is broken' }],
    });
    texts.mockResolvedValue('the text');
    await world.fs.writeFile(path, 'another');
    expect((await ask()).trouble).toEqual([]);
    expect(engine.updates.at(-1)?.texts).toMatchObject([{ path, text: 'the text' }]);
  });

  it('is not searched by its bytes while it waits, which is said', async () => {
    const held = Promise.withResolvers<string>();
    vi.spyOn(world.fs, 'documentText').mockReturnValue(held.promise);
    await world.fs.writeFile('/mnt/docs/a.pdf', 'squeaky wheel');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = ask();
    await vi.waitFor(() => expect(world.fs.documentText).toHaveBeenCalled());
    await vi.advanceTimersByTimeAsync(3_000);
    vi.useRealTimers();
    const { answers, note, complete } = await asked;
    expect([answers, complete]).toEqual([[], false]);
    expect(note).toMatch(/; 1 document is being read and not searched yet; ask again$/);
    held.resolve('');
    await search.state(['/mnt'], true);
  });
});

describe('the state of the index', () => {
  it('counts what is indexed below some paths and what waits for it', async () => {
    await world.fs.writeFile('/mnt/docs/a.md', 'x');
    await world.fs.writeFile('/mnt/thing/b.md', 'x');
    expect(await search.state(['/mnt/docs'], true)).toEqual({
      documents: 1,
      chunks: 1,
      pending: 0,
    });
    const held = Promise.withResolvers<void>();
    engine.onUpdate = () => held.promise;
    expect(await search.state(['/mnt/thing'], false)).toMatchObject({ documents: 0, pending: 1 });
    expect(await search.state(['/mnt/docs'], false)).toMatchObject({ documents: 1, pending: 0 });
    held.resolve();
    expect(await search.state(['/mnt'], true)).toMatchObject({ documents: 2, pending: 0 });
  });

  it('has how a sentence model stands, and what could not be looked at', async () => {
    engine.state = { model: 'm' } as SentenceState;
    vi.spyOn(world.fs, 'prefetch').mockImplementation(async (path) => [
      new FsError('EACCES', { path, op: 'open' }),
      new FsError('EACCES', { path: `${path}/a`, op: 'open', reason: 'ask first' }),
    ]);
    expect(await search.state(['/mnt/docs'], false)).toMatchObject({
      sentences: { model: 'm' },
      failed: [
        { path: '/mnt/docs', error: 'Permission denied' },
        { path: '/mnt/docs/a', error: 'ask first' },
      ],
    });
    await search.state(['/mnt/docs'], true);
    expect(engine.done.filter((each) => each.startsWith('sentences'))).toEqual([
      'sentences',
      'sentences awaited',
    ]);
  });
});
