import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWordTable } from '../static/table.ts';
import { SearchEngine } from './engine.ts';

const words = readFileSync(join(import.meta.dirname, '../../../data/words.bin'));
let engine: SearchEngine;

beforeEach(() => {
  engine = new SearchEngine(':memory:', readWordTable(words));
  engine.update(
    [
      {
        path: '/mnt/docs/tokens.md',
        text: '---\ntitle: Expired tokens\nstate: open\n---\n\nIntro\n\nHow to renew an expired token.\n',
        updated: '2024-06-03T00:00:00Z',
        kind: 'page',
      },
      {
        path: '/mnt/docs/billing.md',
        text: '# Billing\n\nWe mention a token here.\n',
        kind: 'page',
      },
      {
        path: '/mnt/docs-old/x.md',
        text: 'error 502\nfrom the gateway: refund twice',
        kind: 'file',
      },
      { path: '/mnt/docs-old/y.md', text: 'a refund, error of the 502 kind', kind: 'file' },
    ],
    [],
  );
});
afterEach(() => engine.close());

const ask = (query: string, more: object = {}) =>
  engine.search({ query, paths: ['/'], limit: 10, ...more }).answers;

describe('an answer', () => {
  it('is the most telling line of the best passage', () => {
    expect(ask('how do I renew expired tokens?')[0]).toMatchObject({
      path: '/mnt/docs/tokens.md',
      line: 8,
      text: 'How to renew an expired token.',
      crumb: 'Expired tokens',
    });
  });

  it('is found in other words', () => {
    engine.update([{ path: '/mnt/mail.txt', text: 'the automobile would not start' }], []);
    expect(ask('my car does not start')[0]?.path).toBe('/mnt/mail.txt');
  });

  it('is under the paths, of the kind, and as new as was asked', () => {
    const found = (more: object) => ask('token refund', more).map(({ path }) => path);
    expect(found({ paths: ['/mnt/docs'] }).every((path) => path.startsWith('/mnt/docs/'))).toBe(
      true,
    );
    expect(found({ paths: [] })).toEqual([]);
    expect(found({ since: '2024-06-01T00:00:00Z' })).toEqual(['/mnt/docs/tokens.md']);
    expect(found({ kind: 'file' }).every((path) => path.startsWith('/mnt/docs-old/'))).toBe(true);
    expect(found({ kind: 'file' })).not.toEqual([]);
  });

  it('has every phrase in inner quotes, over the end of a line too', () => {
    expect(ask('"error 502" refund').map(({ path }) => path)).toEqual(['/mnt/docs-old/x.md']);
    expect(ask('"502 from the"').map(({ path }) => path)).toEqual(['/mnt/docs-old/x.md']);
    expect(ask('"no such words"')).toEqual([]);
  });

  it('is none where nothing is relevant', () => {
    expect(ask('symptoms of seasonal allergies in children')).toEqual([]);
    expect(ask('')).toEqual([]);
    expect(ask('?!')).toEqual([]);
  });
});

describe('of an issue and what was said of it', () => {
  const issue = '/mnt/github/o/r/issues/7.md';
  const said = (text: string, id: number) => ({
    path: `/mnt/github/o/r/issues/7/comments/${id}.md`,
    text,
    context: 'Umlauts are broken in the export',
  });
  beforeEach(() =>
    engine.update(
      [
        {
          path: issue,
          text: '---\ntitle: Umlauts are broken in the export\n---\n\nSee the file.\n',
        },
        said('Distroless? People will complain.', 1),
        said('Umlauts need a byte order mark in the export.', 2),
        said('The export drops umlauts on macOS as well.', 3),
        said('No umlauts in the export on Windows.', 4),
      ],
      [],
    ),
  );

  it('three lines are shown at most, and of comments those that tell by themselves', () => {
    const answers = ask('umlauts export').filter(({ path }) => path.startsWith('/mnt/github/'));
    expect(answers).toHaveLength(3);
    expect(answers.map(({ path }) => path)).not.toContain('/mnt/github/o/r/issues/7/comments/1.md');
  });

  it('what has hardly a word of the question is left out, where all of it is found elsewhere', () => {
    expect(ask('umlauts').every(({ evidence }) => (evidence?.covered ?? 0) > 0)).toBe(true);
  });
});

describe('the line', () => {
  it('is a field of the front matter where nothing else has the words', () => {
    engine.update(
      [{ path: '/mnt/p.md', text: '---\ntitle: Plan\nowner: zebulon\n---\n\nSoon.\n' }],
      [],
    );
    expect(ask('zebulon')[0]).toMatchObject({ path: '/mnt/p.md', line: 3, text: 'owner: zebulon' });
  });

  it('tells where in it the sentence begins that was found, when it is long', () => {
    const before = 'Nothing of this is what anybody wants to know about. '.repeat(12);
    const sentence = 'The zeppelin departs at noon.';
    engine.update(
      [{ path: '/mnt/long.md', text: `# Long\n\n${before}${sentence} ${before}\n` }],
      [],
    );
    const [found] = ask('when does the zeppelin depart');
    expect(found?.text.slice(found.from)).toMatch(/^The zeppelin departs at noon\./);
  });
});

describe('a phrase in quotes', () => {
  it('must occur in a search, and need not in prose, where it is speech', () => {
    expect(ask('"error 502" refund').map(({ path }) => path)).toEqual(['/mnt/docs-old/x.md']);
    expect(ask('"error 404" refund')).toEqual([]);
    const prose =
      'the gateway gave error 502, and a refund came twice; "all is well" is what the gateway says of that error';
    expect(ask(prose)[0]?.path).toBe('/mnt/docs-old/x.md');
  });
});

describe('an identifier of the question', () => {
  it('as it stands comes before its words, in the passages and in the lines', () => {
    const title = 'Type checks: an error of a type is an error';
    engine.update(
      [
        {
          path: '/mnt/types.md',
          text: `# ${title}\n\nEach type error is an error of some type.\n`,
        },
        {
          path: '/mnt/log.md',
          text: '# Log\n\nAn error of this type:\n\n    TypeError: x is not a function\n',
        },
      ],
      [],
    );
    expect(ask('TypeError')[0]).toMatchObject({
      path: '/mnt/log.md',
      text: '    TypeError: x is not a function',
    });
  });
});

describe('a place in the index', () => {
  const text = { path: '/mnt/gh/a.md', text: 'the secret launch date', kind: 'file' } as const;
  const mine = { name: 'mine', point: '/mnt/gh', seq: null };

  it('is of the account that follows it, also where all that it has is in no feed', () => {
    engine.followed('mine', '/mnt/gh', []);
    engine.update([text], [], mine);
    expect(ask('secret launch date')[0]?.path).toBe(text.path);
    engine.followed('theirs', '/mnt/gh', []);
    expect(ask('secret launch date').map(({ path }) => path)).not.toContain(text.path);
    // Another process that still shows the first one's writes late.
    engine.update([text], [], mine);
    expect(ask('secret launch date').map(({ path }) => path)).not.toContain(text.path);
  });
});
