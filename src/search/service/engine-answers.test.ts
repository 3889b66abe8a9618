/** What a reply says beside its lines, which of them come first, and whose the places of an index are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readWordTable } from '../static/table.ts';
import { SearchEngine, type SearchRequest } from './engine.ts';

const words = readFileSync(join(import.meta.dirname, '../../../data/words.bin'));
let engine: SearchEngine;

const TEXTS = [
  {
    path: '/mnt/docs/tokens.md',
    text: '---\ntitle: Expired tokens\nassignee: zebulon\n---\n\nIntro\n\nHow to renew an expired token.\n',
    kind: 'page',
    updated: '2024-06-03T00:00:00Z',
  },
  { path: '/mnt/docs/billing.md', text: '# Billing\n\nWe mention a token here.\n', kind: 'page' },
  { path: '/mnt/docs-old/x.md', text: 'error 502\nfrom the gateway: refund twice', kind: 'file' },
  {
    path: '/mnt/docs-old/y.md',
    text: 'a refund, error of the 502 kind\nTo be or not to be',
    kind: 'file',
  },
  {
    path: '/mnt/issues/ABC-12.md',
    text: '# Printer\n\nThe printer is on fire, see ABC-12 and PrinterError.\n',
    kind: 'issue',
  },
] as const;

beforeEach(() => {
  engine = new SearchEngine(':memory:', readWordTable(words));
  engine.update(TEXTS, []);
});
afterEach(() => engine.close());

const reply = (query: string, more: Partial<SearchRequest> = {}) =>
  engine.search({ query, paths: ['/'], limit: 10, ...more });
const paths = (query: string, more: Partial<SearchRequest> = {}): string[] =>
  reply(query, more).answers.map(({ path }) => path);

describe('a reply', () => {
  it('counts the documents that were searched, and says nothing where all is well', () => {
    const { answers, relevance, ...rest } = reply('how do I renew an expired token?');
    expect(answers[0]?.path).toBe('/mnt/docs/tokens.md');
    expect(rest).toEqual({ documents: 5 });
    expect(reply('token', { paths: ['/mnt/docs'] }).documents).toBe(2);
    expect(reply('token', { kind: 'issue' }).documents).toBe(1);
    expect(reply('token', { since: '2024-06-03T00:00:00Z' }).documents).toBe(1);
    expect(reply('token', { since: '2024-06-03T00:00:01Z' }).documents).toBe(0);
    expect(relevance).toEqual({ reached: expect.any(Number), needed: 0.82 });
  });

  it('says how a slip of the keyboard was read', () => {
    const { answers, notes, missing } = reply('which tokens has zeublon?');
    expect(answers[0]?.path).toBe('/mnt/docs/tokens.md');
    expect(notes).toEqual(['zeublon was read as zebulon']);
    expect(missing).toBeUndefined();
  });

  it('says that nobody writes in the language of the question', () => {
    const german = 'Wie erneuere ich ein abgelaufenes Zeichen?';
    expect(reply(german).notes).toEqual(['the question is in German, and no document is']);
    const text = 'So erneuere ich ein abgelaufenes Zeichen: das steht auf der nächsten Seite.';
    engine.update([{ path: '/mnt/de.md', text }], []);
    expect(reply(german)).not.toHaveProperty('notes');
  });

  it('says that no word of a question tells anything, where nothing was found nor is missing', () => {
    const note = 'no word of it tells texts apart, grep -rn finds it as it stands';
    expect(reply('to be or not to be')).toMatchObject({ answers: [], notes: [note] });
    expect(reply('"to be or not"')).not.toHaveProperty('notes');
    expect(reply('?!')).toMatchObject({ missing: ['?!'] });
    expect(reply('?!')).not.toHaveProperty('notes');
    expect(reply('seasonal allergies')).not.toHaveProperty('notes');
  });

  it('names the words that nothing has, in what was asked', () => {
    expect(reply('zeppelin refund').missing).toEqual(['zeppelin']);
    expect(reply('refund token', { paths: ['/mnt/docs'] }).missing).toEqual(['refund']);
    expect(reply('ABC-99')).toMatchObject({ answers: [], missing: ['ABC-99'] });
    expect(reply('"no such token"')).toMatchObject({ answers: [], missing: ['"no such token"'] });
  });

  it('says how much spoke for an answer, unless it was meant to the letter', () => {
    const none = reply('symptoms of seasonal allergies in children');
    expect(none.answers).toEqual([]);
    const { reached = -1, needed = -1 } = none.relevance ?? {};
    expect(reached).toBeGreaterThanOrEqual(0);
    expect(reached).toBeLessThan(needed);
    expect(reply('ABC-12')).not.toHaveProperty('relevance');
    expect(reply('"error 502" refund')).not.toHaveProperty('relevance');
    expect(reply('"error 404" refund')).not.toHaveProperty('relevance');
    // Nothing speaks for a question without words.
    expect(reply('the of and').relevance).toEqual({ reached: 0, needed: 0.82 });
  });
});

describe('the lines', () => {
  it('are as many as were asked for, at most', () => {
    expect(paths('token refund')).toHaveLength(4);
    expect(paths('token refund', { limit: 2 })).toHaveLength(2);
    expect(paths('tokens.md', { limit: 1 })).toEqual(['/mnt/docs/tokens.md']);
    expect(paths('tokens.md', { limit: 2 })).toEqual([
      '/mnt/docs/tokens.md',
      '/mnt/docs/billing.md',
    ]);
  });

  it('of an id come first, and alone where the whole question is one', () => {
    expect(paths('ABC-12')).toEqual(['/mnt/issues/ABC-12.md']);
    expect(paths('ABC-12 refund')[0]).toBe('/mnt/issues/ABC-12.md');
    // In quotes, too.
    expect(paths('"ABC-12"')).toEqual(['/mnt/issues/ABC-12.md']);
  });

  it('of a phrase that has no telling word are found by reading', () => {
    const { answers, missing } = reply('"to be or not"');
    expect(answers).toMatchObject([
      { path: '/mnt/docs-old/y.md', line: 2, text: 'To be or not to be' },
    ]);
    expect(answers[0]).not.toHaveProperty('evidence');
    expect(missing).toBeUndefined();
    // Each of several phrases must be in a passage.
    expect(paths('"to be" "or not"')).toEqual(['/mnt/docs-old/y.md']);
    expect(paths('"to be" "for all"')).toEqual([]);
    expect(paths('"to be or not"', { paths: ['/mnt/docs'] })).toEqual([]);
  });

  it('show the field that is asked for, of a document that is named and of one that is found', () => {
    for (const query of ['who is the assignee of expired tokens', 'assignee of tokens.md'])
      expect(reply(query).answers[0]).toMatchObject({
        path: '/mnt/docs/tokens.md',
        line: 3,
        text: 'assignee: zebulon',
      });
  });
});

describe('what is below some paths', () => {
  it('is what is at or below one of them, and nothing that only begins alike', () => {
    const documents = (...below: string[]) => engine.status(below).documents;
    expect(documents('/')).toBe(5);
    expect(documents('/mnt/docs')).toBe(2);
    expect(documents('/mnt/docs/')).toBe(2);
    expect(documents('/mnt/docs/tokens.md')).toBe(1);
    expect(documents('/mnt/docs', '/mnt/issues', '/mnt/docs/tokens.md')).toBe(3);
    expect(documents('/mnt/doc')).toBe(0);
    expect(documents()).toBe(0);
  });

  it('has at least a passage a document', () => {
    const { documents, chunks } = engine.status(['/mnt/issues']);
    expect([documents, chunks]).toEqual([1, 1]);
    const section = (at: number): string =>
      `# Part ${at}\n\n${`Words of part ${at}. `.repeat(60)}\n`;
    const text = [1, 2, 3, 4].map(section).join('\n');
    engine.update([{ path: '/mnt/issues/long.md', text }], []);
    expect(engine.status(['/mnt/issues']).chunks).toBeGreaterThan(4);
    expect(engine.status(['/mnt/docs']).chunks).toBe(2);
  });

  it('is told with what it looked like when it was read', () => {
    engine.update([{ path: '/mnt/docs/seen.md', text: 'x', seen: '1 2 3' }], []);
    expect(new Map(engine.seen('/mnt/docs'))).toEqual(
      new Map([
        ['/mnt/docs/billing.md', ''],
        ['/mnt/docs/seen.md', '1 2 3'],
        ['/mnt/docs/tokens.md', ''],
      ]),
    );
  });
});

describe('a source at its place', () => {
  const text = (path: string) => ({ path, text: 'the secret launch date' });

  it('is followed from where it was, and from the beginning where it is another', () => {
    expect(engine.followed('one', '/mnt/gh', [])).toBe(0);
    engine.update([text('/mnt/gh/a.md')], [], { name: 'one', point: '/mnt/gh', seq: 7 });
    expect(engine.followed('one', '/mnt/gh', [])).toBe(7);
    expect(engine.followed('one', '/mnt/elsewhere', [])).toBe(0);
    expect(engine.followed('two', '/mnt/gh', [])).toBe(0);
    expect(engine.followed('two', '/mnt/gh', [])).toBe(0);
    expect(engine.followed('one', '/mnt/gh', [])).toBe(0);
  });

  it('takes away what another one has left there, and nothing of what is its neighbour’s', () => {
    const left = ['/mnt/gh', '/mnt/gh/a.md', '/mnt/gh/b/c.md'];
    const kept = ['/mnt/gh2/a.md', '/mnt/gh/inner/a.md', '/mnt/gha.md'];
    engine.followed('one', '/mnt/gh', []);
    engine.update([...left, ...kept].map(text), [], { name: 'one', point: '/mnt/gh', seq: 1 });
    engine.followed('two', '/mnt/gh', ['/mnt/gh', '/mnt/gh/inner']);
    const there = engine.seen('/').map(([path]) => path);
    expect(there.filter((path) => path.startsWith('/mnt/gh')).toSorted()).toEqual(kept.toSorted());
    expect(engine.status(['/mnt/docs']).documents).toBe(2);
  });

  it('is its own before anything of it is there: what another one writes late is not taken', () => {
    engine.followed('one', '/mnt/gh', []);
    engine.update([text('/mnt/gh/a.md')], [], { name: 'two', point: '/mnt/gh', seq: 3 });
    expect(engine.status(['/mnt/gh']).documents).toBe(0);
    expect(engine.followed('one', '/mnt/gh', [])).toBe(0);
  });
});

describe('a question asked again', () => {
  it('of something else has its own answer', () => {
    const of = (more: Partial<SearchRequest>) => paths('token refund error', more).toSorted();
    const docs = ['/mnt/docs/billing.md', '/mnt/docs/tokens.md'];
    const old = ['/mnt/docs-old/x.md', '/mnt/docs-old/y.md'];
    for (let turn = 0; turn < 2; turn++) {
      expect(of({ paths: ['/mnt/docs'] })).toEqual(docs);
      expect(of({ paths: ['/mnt/docs-old'] })).toEqual(old);
      expect(of({ kind: 'page' })).toEqual(docs);
      expect(of({ kind: 'file' })).toEqual(old);
      expect(of({ kind: 'page', since: '2024-01-01' })).toEqual(['/mnt/docs/tokens.md']);
    }
  });
});

describe('an index', () => {
  it('is put in order when it is said that all is taken in', () => {
    const settle = vi.spyOn(engine.index, 'settle');
    engine.settle();
    expect(settle).toHaveBeenCalledOnce();
  });

  it('that was closed takes nothing in', () => {
    const other = new SearchEngine(':memory:', null);
    other.close();
    expect(() => other.update([{ path: '/a', text: 'x' }], [])).toThrow();
  });
});
