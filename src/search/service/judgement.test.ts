/** What is an answer, which lines are shown, and what is said of what was not searched. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../../errors.ts';
import type { DocumentFs, NamespaceFs } from '../../namespace/types.ts';
import type { Evidence } from '../fuse/ranking.ts';
import { describe as described, isAskedFor } from './described.ts';
import { identityOf, KnownFiles, written } from './known-files.ts';
import { isInMachinery, isMachinery, joined, LeftOut } from './left-out.ts';
import { hasPhrases, parseQuestion } from './phrases.ts';
import { enoughIn, evidenceFor, isRelevant, worthShowing } from './relevance.ts';
import { namedFrom, scopesOf } from './scopes.ts';
import { ServiceDocuments } from './service-documents.ts';
import { Shares, tablesLast } from './shares.ts';
import type { FollowedSource, Pending } from './source.ts';
import { TextDocuments } from './text-documents.ts';
import { readFiles } from './unindexed-files.ts';

const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  covered: 0,
  known: 0,
  said: 0,
  latent: 0,
  words: 0,
  background: 0,
  breadth: 0,
  ...more,
});

describe('evidence', () => {
  test('is half of the best chunk, and half of the mean of those that agree', () => {
    const candidates = [0.2, 0.8, 0.4, 0.6, 0.1, 0.3].map((covered) => evidence({ covered }));
    const words = [evidence({ covered: 0.2, words: 0.3 })];
    expect(evidenceFor([], 10)).toBe(0);
    expect(evidenceFor(candidates, 10)).toBeCloseTo(0.8);
    expect(evidenceFor(candidates, 11)).toBeCloseTo((0.8 + 0.7) / 2);
    expect(evidenceFor(candidates, 1_000)).toBeCloseTo((0.8 + 2.3 / 5) / 2);
    expect(evidenceFor(words, 10)).toBeCloseTo(0.5);
  });

  test('and what the words of the question tell, less where there are words for everything', () => {
    const of = (more: Partial<Evidence>): number => evidenceFor([evidence(more)], 10);
    expect(of({ background: 0.3 })).toBeCloseTo(0.3);
    expect(of({ known: 0.5 })).toBeCloseTo(0.1);
    expect(of({ said: 0.4 })).toBeCloseTo(0.14);
    expect(of({ breadth: 0.4 })).toBeCloseTo(0);
    expect(of({ breadth: 0.8 })).toBeCloseTo(-0.2);
    expect(of({ breadth: 0.2 })).toBeCloseTo(0);
  });

  test('is enough, less of it where the word table cannot help', () => {
    expect([enoughIn('en'), enoughIn('de')]).toEqual([0.82, expect.closeTo(0.62)]);
    expect([isRelevant(0.82, []), isRelevant(0.81, [])]).toEqual([true, false]);
    expect([isRelevant(0.5, [], null, 0.5), isRelevant(0.49, [], null, 0.5)]).toEqual([
      true,
      false,
    ]);
  });

  test('of a sentence model finds an answer, and denies one where it knows all', () => {
    const model = (standing: number, complete = true) => ({ complete, standing: () => standing });
    expect([isRelevant(0, [], model(1.5)), isRelevant(0, [], model(1.49))]).toEqual([true, false]);
    expect([isRelevant(1, [], model(-1)), isRelevant(1, [], model(-1.01))]).toEqual([true, false]);
    expect(isRelevant(1, [], model(-2, false))).toBe(true);
    const whole = (covered: number): Evidence[] => [evidence(), evidence({ covered })];
    expect([isRelevant(1, whole(0.9), model(-2)), isRelevant(1, whole(0.89), model(-2))]).toEqual([
      true,
      false,
    ]);
    const asked: number[] = [];
    const standing = (cosine: number): number => asked.push(cosine);
    isRelevant(1, [evidence({ sentence: 0.3 }), evidence({ sentence: 0.6 }), evidence()], {
      complete: true,
      standing,
    });
    expect(asked).toEqual([0.6]);
  });

  test('of what was found as it was said leaves out what has hardly a word of it', () => {
    const shown = (judged: number[], covered: number): boolean =>
      worthShowing(judged.map((each) => evidence({ covered: each })))({
        evidence: evidence({ covered }),
      });
    expect([shown([0.5, 1], 0.34), shown([1], 0.33)]).toEqual([true, false]);
    expect([shown([0.95], 0.1), shown([0.94], 0.1), shown([], 0)]).toEqual([false, true, true]);
  });
});

describe('places are kept', () => {
  const found = (...paths: readonly (readonly [path: string, score: number])[]) =>
    paths.map(([path, score]) => ({ score, document: { path } }));
  /** How many more of a kind there is room for. */
  const room = (shares: Shares, path: string): number => {
    let count = 0;
    for (; shares.hasRoom(path) && count < 99; count++) shares.take(path);
    return count;
  };
  const many = (count: number, extension: string, score = 1) =>
    found(...Array.from({ length: count }, (_, at) => [`/${at}.${extension}`, score] as const));

  test('seven of ten for prose, three for code', () => {
    const both = (): Shares => new Shares([...many(9, 'md'), ...many(9, 'ts')], 10);
    expect([room(both(), '/x.md'), room(both(), '/x.ts'), room(both(), '/x.tsv')]).toEqual([
      7, 3, 0,
    ]);
  });

  test('as far as there is something near to the best to take them', () => {
    const shares = (code: number, score: number): Shares =>
      new Shares([...many(9, 'md'), ...many(code, 'ts', score)], 10);
    expect([1, 2].map((code) => room(shares(code, 0.5), '/x.md'))).toEqual([9, 8]);
    expect(room(shares(2, 0.49), '/x.md')).toBe(10);
    // One file has one place, however many chunks of it were found.
    expect(
      room(new Shares([...many(9, 'md'), ...found(['/a.ts', 1], ['/a.ts', 1])], 10), '/x.md'),
    ).toBe(9);
    expect(room(new Shares([], 10), '/x.md')).toBe(10);
  });

  test('for tables where nothing else would have them, and one of ten for a best one', () => {
    const table = found(['/t.tsv', 1]);
    expect(room(new Shares([...many(3, 'md'), ...many(2, 'ts'), ...table], 10), '/t.TSV')).toBe(5);
    expect(room(new Shares([...many(12, 'md'), ...table], 10), '/t.tsv')).toBe(0);
    expect(room(new Shares([...table, ...many(12, 'md')], 10), '/t.tsv')).toBe(1);
    expect(room(new Shares([...table, ...many(12, 'md')], 9), '/t.tsv')).toBe(0);
    // What is near is near to the best that is no table.
    expect(
      room(new Shares([...found(['/t.tsv', 9]), ...many(12, 'md'), ...many(2, 'ts')], 10), '/a.md'),
    ).toBe(8);
  });

  test('by what a file is', () => {
    const shares = (): Shares => new Shares([...many(9, 'md'), ...many(9, 'ts')], 10);
    for (const path of ['/a.csv', '/a.LOG', '/a.lock', '/d/Makefile', '/a.py'])
      expect(room(shares(), path), path).toBe(3);
    for (const path of ['/a.txt', '/a', '/a.ts.md', '/a.tsv.md'])
      expect(room(shares(), path), path).toBe(7);
  });

  test('tables come after all else', () => {
    const places = found(['/t.tsv', 3], ['/a.md', 2], ['/u.tsv', 1], ['/b.ts', 0]).map((each) => ({
      found: each,
    }));
    expect(tablesLast(places).map((each) => each.found.score)).toEqual([2, 0, 3, 1]);
  });
});

describe('what is indexed of a text', () => {
  const pending = (path: string, more: Partial<Pending> = {}): Pending => ({
    path,
    text: () => null,
    context: () => 'of it',
    ...more,
  });

  test.each([
    ['/a.md', 'page'],
    ['/a.TXT', 'page'],
    ['/a.pdf', 'page'],
    ['/a.html', 'page'],
    ['/a.ts', 'file'],
    ['/r/issues/12.md', 'issue'],
    ['/r/pulls/12/comments/1.md', 'issue'],
    ['/r/issues/12', 'file'],
    ['/issues.md', 'page'],
  ])('%s is of the kind %s', (path, kind) => {
    expect(described(pending(path), '').kind).toBe(kind);
  });

  test('is when it says that it was updated, or when it was changed', () => {
    const updated = (text: string, changed?: string): string | undefined =>
      described(pending('/a.md', changed === undefined ? {} : { changed }), text).updated;
    expect(updated('---\nupdated: 2024-06-03\n---\nupdated: 2025')).toBe('2024-06-03');
    expect(updated('---\nupdated_at: "2024"\n---\n', '2023')).toBe('2024');
    expect(updated("---\nupdatedAt: '2024'\n---\n", '2023')).toBe('2024');
    expect(updated('---\nx: y\n---\nupdated: 2024\n', '2023')).toBe('2023');
    expect(updated('updated: 2024\n')).toBe('');
    expect(described(pending('/a.md', { seen: 's' }), 'x')).toEqual({
      path: '/a.md',
      text: 'x',
      updated: '',
      kind: 'page',
      context: 'of it',
      seen: 's',
    });
    expect(described(pending('/a.md'), 'x').seen).toBe('');
  });

  test('is asked for by its kind and its time', () => {
    const text = '---\nupdated: 2024-06-03\n---\n';
    const asked = (narrowed: Parameters<typeof isAskedFor>[2], own = text): boolean =>
      isAskedFor(pending('/a.md'), own, narrowed);
    expect([asked({}), asked({ kind: 'page' }), asked({ kind: 'file' })]).toEqual([
      true,
      true,
      false,
    ]);
    expect([asked({ since: '2024-06-03' }), asked({ since: '2024-06-04' })]).toEqual([true, false]);
    expect(asked({ since: '' }, 'x')).toBe(false);
    expect(isAskedFor(pending('/a.md', { changed: '2025' }), 'x', { since: '2024' })).toBe(true);
  });
});

describe('the scope of a question', () => {
  const fs = {
    realpath: async (path: string) => {
      if (path === '/gone') throw new FsError('ENOENT', { path, op: 'open' });
      if (path === '/broken') throw new TypeError('a fault of ours');
      return path.replace(/^\/link/, '/mnt/real');
    },
    stat: async (path: string) => ({ isFile: path.endsWith('.md') }),
  } as unknown as NamespaceFs;

  test('is what its paths lead to', async () => {
    expect(await scopesOf(fs, ['/link', '/mnt/a.md', '/gone'])).toEqual([
      { given: '/link', real: '/mnt/real', isFile: false },
      { given: '/mnt/a.md', real: '/mnt/a.md', isFile: true },
      { given: '/gone', real: '/gone', isFile: false },
    ]);
    await expect(scopesOf(fs, ['/broken'])).rejects.toThrow('a fault of ours');
  });

  test('names what is found as it was asked', async () => {
    const scopes = await scopesOf(fs, ['/link', '/mnt/b']);
    expect(
      ['/mnt/real/x.md', '/mnt/real', '/mnt/b/y', '/mnt/other', '/mnt/realx'].map((path) =>
        namedFrom(scopes, path),
      ),
    ).toEqual(['/link/x.md', '/link', '/mnt/b/y', '/mnt/other', '/mnt/realx']);
    expect(namedFrom(await scopesOf(fs, ['/link', '/mnt/real']), '/mnt/real/x')).toBe(
      '/mnt/real/x',
    );
  });
});

describe('phrases', () => {
  test.each([
    ['"error 502" refund', ['error 502']],
    ['"Error\n 502"', ['error 502']],
    ['"a" "b" c', ['a', 'b']],
    ['" " c', []],
    ['"a" one two three four', ['a']],
    ['"a" one two three four five', []],
    ['a "b', []],
  ])('of %j are %j', (query, phrases) => {
    expect(parseQuestion(query)).toEqual({ text: query.replaceAll('"', ' '), phrases });
  });

  test('must all occur, letter case and line ends aside', () => {
    expect(hasPhrases('An Error\n502', ['error 502', 'an'])).toBe(true);
    expect(hasPhrases('An Error', ['error', 'two'])).toBe(false);
    expect(hasPhrases('', [])).toBe(true);
  });
});

describe('what is left out', () => {
  test('is told of below the paths of a question, each reason once', () => {
    const left = new LeftOut();
    left.set('/m/a.bin', 'binary');
    left.set('/m/b.bin', 'binary');
    left.set('/m/.git', 'tools');
    left.set('/m/d/c', 'costly');
    left.set('/m/large', 'large');
    const said = joined(left.unsearched(['/m']));
    expect(said.map(({ count, example, fails, why }) => [count, example, fails, why[1]])).toEqual([
      [1, '/m/d/c', true, 'each costs a request'],
      [2, '/m/a.bin', false, 'they are no text'],
      [1, '/m/.git', false, 'tools keep them for themselves'],
    ]);
    expect(left.unsearched(['/m/d', '/m/d/c'])).toEqual([]);
    expect(left.below(['/m'], 'large')).toEqual(['/m/large']);
    left.clear('binary', ['/m/a.bin']);
    expect(left.below(['/m'], 'binary')).toEqual(['/m/b.bin']);
    left.clear('costly', ['/m']);
    left.delete('/m/b.bin');
    left.set('/m/.git', 'large');
    expect(left.unsearched(['/'])).toEqual([]);
  });

  test('is what tools keep for themselves', () => {
    for (const name of ['.git', '.hg', '.jj', '.svn', '.DS_Store', 'node_modules']) {
      expect(isMachinery(name)).toBe(true);
      expect(isInMachinery(`/m/${name}/x`)).toBe(true);
    }
    expect([isMachinery('git'), isInMachinery('/m/x.git/y')]).toEqual([false, false]);
  });
});

describe('files that are read for a question', () => {
  const files: Record<string, { size: number; content: Uint8Array }> = {
    '/a': { size: 30_000_000, content: Buffer.from('text') },
    '/b': { size: 34_000_000, content: Buffer.from('more') },
    '/c': { size: 1, content: Buffer.from('x') },
    '/bin': { size: 0, content: Buffer.from('a\0b') },
  };
  const fs = {
    stat: async (path: string) => {
      if (path === '/broken') throw new TypeError('a fault of ours');
      const file = files[path];
      if (file === undefined) throw new FsError('EACCES', { path, op: 'stat' });
      return { size: file.size, mtime: new Date(0) };
    },
    readFileBuffer: async (path: string) => files[path]?.content,
  } as unknown as NamespaceFs;

  test('are so many as come to 64 MB; those that are no text are told of', async () => {
    const { texts, unsearched, trouble } = await readFiles(fs, ['/a', '/b', '/c', '/bin', '/gone']);
    expect(
      texts.map(({ path, text, context, changed }) => [path, text(), context(), changed]),
    ).toEqual([
      ['/a', 'text', '', '1970-01-01T00:00:00.000Z'],
      ['/b', 'more', '', '1970-01-01T00:00:00.000Z'],
    ]);
    expect(
      unsearched.map(({ count, example, why, fails }) => [count, example, why[0], fails]),
    ).toEqual([
      [1, '/c', 'it is too large', true],
      [1, '/bin', 'it is no text', false],
    ]);
    expect(trouble.map(({ code }) => code)).toEqual(['EACCES']);
    await expect(readFiles(fs, ['/broken'])).rejects.toThrow('a fault of ours');
  });

  test('are left out one by one', async () => {
    const { texts, unsearched } = await readFiles(fs, ['/b', '/a', '/b', '/bin']);
    expect(texts.map(({ path }) => path)).toEqual(['/b', '/a']);
    expect(unsearched.map(({ example }) => example)).toEqual(['/b', '/bin']);
  });
});

describe('documents', () => {
  const pending = (path: string, text: string | null = 'own'): Pending => ({
    path,
    text: () => text,
    context: () => '',
  });
  const fault = (code: 'ENOENT' | 'EINVAL') => new FsError(code, { path: '/m/x.pdf', op: 'open' });
  let answer: () => string = () => '';
  const documents = new TextDocuments({
    documentText: async () => answer(),
  } as unknown as DocumentFs);

  test('are indexed by their texts, and other files by theirs', async () => {
    answer = () => 'made';
    expect([
      await documents.textOf(pending('/m/a.md')),
      await documents.textOf(pending('/m/a.md', null)),
      await documents.textOf(pending('/m/x.pdf')),
    ]).toEqual(['own', null, 'made']);
    // Of a picture there is mostly nothing but its size.
    expect([await documents.textOf(pending('/m/x.png'))]).toEqual([null]);
    answer = () => '<!-- p1 -->\n\nsaid\n';
    expect(await documents.textOf(pending('/m/x.png'))).toContain('said');
  });

  test('that cannot be read are told of until they can', async () => {
    const fails = (error: unknown) => () => {
      throw error;
    };
    answer = fails(fault('EINVAL'));
    expect(await documents.textOf(pending('/m/x.pdf'))).toBeNull();
    expect([documents.trouble(['/m']).length, documents.trouble(['/other']).length]).toEqual([
      1, 0,
    ]);
    answer = fails(fault('ENOENT'));
    expect(await documents.textOf(pending('/m/x.pdf'))).toBeNull();
    expect(documents.trouble(['/'])).toEqual([]);
    answer = fails(new TypeError('a fault of ours'));
    await expect(documents.textOf(pending('/m/x.pdf'))).rejects.toThrow('a fault of ours');
  });

  test('that wait are told apart from what can be searched by its bytes', () => {
    const wait = (...paths: string[]) => documents.apart(paths.map((path) => pending(path)));
    expect(wait('/a.md', '/b.ts')).toMatchObject({
      missing: [{ path: '/a.md' }, { path: '/b.ts' }],
      unread: [],
    });
    expect(wait('/a.md', '/b.pdf')).toMatchObject({
      missing: [{ path: '/a.md' }],
      unread: ['1 document is being read and not searched yet; ask again'],
    });
    expect(wait(...Array.from({ length: 1_200 }, (_, at) => `/${at}.pdf`)).unread).toEqual([
      '1,200 documents are being read and not searched yet; ask again',
    ]);
  });
});

test('the feed of a service is read on from where it was left', () => {
  const entries = [
    { seq: 1, path: '/issues/1.md', op: 'upsert' },
    { seq: 2, path: '/issues/1/comments/2.md', op: 'upsert' },
    { seq: 4, path: '/gone.md', op: 'delete' },
    { seq: 5, path: '/passed', op: 'upsert' },
  ];
  const source = {
    name: 'gh',
    feed: (after: number) => entries.filter(({ seq }) => seq > after).slice(0, 3),
    document: (path: string) => (path === '/issues/1.md' ? { text: 'title: "Leak"\n' } : null),
    isDocument: (path: string) => path !== '/passed',
  } as unknown as FollowedSource;
  const read = (point: string, followed: number) =>
    [...new ServiceDocuments(point, source, followed).pending()].map(
      ({ path, text, context, passed, followed: at }) => [path, text(), context(), passed, at?.seq],
    );
  expect(read('/mnt/g', 0)).toEqual([
    ['/mnt/g/issues/1.md', 'title: "Leak"\n', '', undefined, 1],
    ['/mnt/g/issues/1/comments/2.md', null, 'Leak', undefined, 2],
    ['/mnt/g/gone.md', null, '', undefined, 4],
    ['/mnt/g/passed', null, '', true, 5],
  ]);
  expect(read('/', 4)).toEqual([['/passed', null, '', true, 5]]);
  const documents = new ServiceDocuments('/mnt/g', source, 2);
  expect([...documents.pending()].map(({ followed }) => followed)).toEqual([
    { name: 'gh', point: '/mnt/g', seq: 4 },
    { name: 'gh', point: '/mnt/g', seq: 5 },
  ]);
  expect([[...documents.pending()], documents.indexed, documents.name]).toEqual([[], 2, 'gh']);
});

describe('the files that are known', () => {
  test('are known with the directories that they are in, and forgotten with them', () => {
    const known = new KnownFiles('/m');
    known.open('/m/a/b').files.set('x', null);
    known.open('/m/a').files.set('y', [1]);
    known.open('/m/ab').files.set('z', null);
    expect([known.size, known.files]).toEqual([4, 3]);
    expect([...(known.get('/m')?.below ?? [])]).toEqual(['a', 'ab']);
    expect([...known.within('/m/a')].map(({ path }) => path)).toEqual(
      ['/m/a', '/m/a/b'].sort().reverse(),
    );
    expect([...known.within('/m')].length).toBe(4);
    expect(known.forget('/m/a').sort()).toEqual(['/m/a/b/x', '/m/a/y']);
    expect([
      known.get('/m/a/b'),
      [...(known.get('/m')?.below ?? [])],
      known.forget('/m/a'),
    ]).toEqual([undefined, ['ab'], []]);
    expect(known.forget('/m')).toEqual(['/m/ab/z']);
    expect(known.size).toBe(0);
  });

  test('are the same while they look so', () => {
    const directory = new KnownFiles('/m').open('/m');
    directory.files.set('a', [1, 'x']);
    directory.files.set('b', null);
    expect([
      directory.holds('a', [1, 'x']),
      directory.holds('a', [2, 'x']),
      directory.holds('a', null),
      directory.holds('b', [1]),
      directory.holds('c', [1]),
    ]).toEqual([true, false, false, false, false]);
  });

  test.each([[[1, 2.5, 'a-b', '1x']], [[0]], [null]])('as text are %j', (identity) => {
    expect(identityOf(written(identity))).toEqual(identity);
  });
});
