import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_MIGRATIONS } from './schema.ts';
import { SearchIndex } from './search-index.ts';

let directory: string;
const open: SearchIndex[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-index-'));
});
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(directory, { recursive: true });
});

function index(): SearchIndex {
  const made = new SearchIndex(join(directory, 'index.sqlite'), null);
  open.push(made);
  return made;
}

const paths = (one: SearchIndex, query: string): string[] => [
  ...new Set(one.find(query, () => true, 100).map(({ document }) => document.path)),
];
const put = (one: SearchIndex, path: string, text: string): void =>
  one.update([{ path, text }], []);

describe('the index', () => {
  it('finds a text by its words, in other forms too, and forgets what was replaced', () => {
    const one = index();
    put(one, '/a.md', 'renewing an expired token');
    put(one, '/b.md', 'something else');
    expect(paths(one, 'how do tokens expire?')[0]).toBe('/a.md');
    put(one, '/a.md', 'nothing of that');
    expect(paths(one, 'expired token')).toEqual([]);
    one.update([], ['/b.md']);
    expect(paths(one, 'something')).toEqual([]);
  });

  it('brings the first indexes forward, which had a table of vectors', () => {
    const file = new DatabaseSync(join(directory, 'index.sqlite'));
    file.exec(`${INDEX_MIGRATIONS[0]}; CREATE TABLE vectors (model TEXT, hash TEXT, vector BLOB);
      PRAGMA user_version = 1`);
    file.close();
    const one = index();
    put(one, '/a.md', 'alpha');
    expect(paths(one, 'alpha')).toEqual(['/a.md']);
  });

  it('does all of a batch or none of it, and what it holds says the same', () => {
    const one = index();
    put(one, '/a.md', 'old words');
    const bad = { path: '/b.md', text: null as unknown as string };
    expect(() => one.update([{ path: '/a.md', text: 'new words' }, bad], [])).toThrow();
    expect(paths(one, 'old')).toEqual(['/a.md']);
    expect(paths(one, 'new')).toEqual([]);
    put(one, '/c.md', 'new things');
    expect(paths(index(), 'new')).toEqual(['/c.md']);
  });

  it('shows to one process what another has written', () => {
    const [one, two] = [index(), index()];
    put(one, '/a.md', 'alpha beta');
    expect(paths(two, 'alpha')).toEqual(['/a.md']);
    put(two, '/b.md', 'gamma alpha');
    put(one, '/c.md', 'delta');
    expect(paths(one, 'gamma')).toEqual(['/b.md']);
    expect(paths(two, 'delta')).toEqual(['/c.md']);
    two.update([], ['/a.md']);
    expect(paths(one, 'beta')).toEqual([]);
  });

  it('is, after any edits and a restart, what it would be if made at once', () => {
    const word = fc.constantFrom('apple', 'pear', 'plum', 'quince', 'fig', 'date');
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const path = fc.constantFrom('/a.md', '/b.md', '/c.txt', '/d/e.md');
    const step = fc.record({ path, text: fc.option(text) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const one = new SearchIndex(':memory:', null);
        const expected = new Map<string, string>();
        for (const { path: at, text: now } of steps) {
          if (now === null) one.update([], [at]);
          else put(one, at, now);
          if (now === null) expected.delete(at);
          else expected.set(at, now);
        }
        const whole = new SearchIndex(':memory:', null);
        whole.update(
          [...expected].map(([at, now]) => ({ path: at, text: now })),
          [],
        );
        for (const query of ['apple', 'pear plum', 'fig date quince']) {
          expect(paths(one, query).sort()).toEqual(paths(whole, query).sort());
        }
        one.close();
        whole.close();
      }),
      { numRuns: 60 },
    );
  });

  it('keeps its latent space over a restart', () => {
    const one = index();
    const texts = Array.from({ length: 60 }, (_, n) => ({
      path: `/${n}.md`,
      text: n % 2 === 0 ? `engine wheel road number${n % 7}` : `flour oven sugar number${n % 5}`,
    }));
    one.update(texts, []);
    const before = one.find('wheel', () => true, 5).map(({ score }) => score);
    expect(one.memory.signals().latent).not.toBeNull();
    const two = index();
    expect(two.find('wheel', () => true, 5).map(({ score }) => score)).toEqual(before);
    expect(two.memory.refit()).toBe(false);
  });

  it('opened as it was kept, with edits before and after, answers as if read row by row', () => {
    const file = join(directory, 'index.sqlite');
    const subjects = ['engine wheel road', 'flour oven sugar', 'court judge law', 'tide reef sand'];
    const text = (n: number): string => `${subjects[n % 4]} number${n % 11} thing${n % 3}`;
    const steps = fc.array(fc.record({ at: fc.nat(60), text: fc.option(fc.nat(20)) }), {
      maxLength: 30,
    });
    const answers = (one: SearchIndex) =>
      ['wheel number3', 'sugar', 'a law of thing2'].map((query) =>
        one
          .find(query, () => true, 50)
          .map(({ score, chunk, document }) => `${document.path} ${score} ${chunk?.text}`)
          .sort(),
      );
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        rmSync(file, { force: true });
        const edit = (one: SearchIndex, edits: typeof before): void => {
          for (const { at, text: now } of edits) {
            if (now === null) one.update([], [`/${at}.md`]);
            else put(one, `/${at}.md`, text(now));
          }
        };
        const one = new SearchIndex(file, null);
        one.update(
          Array.from({ length: 60 }, (_, n) => ({ path: `/${n}.md`, text: text(n) })),
          [],
        );
        edit(one, before);
        one.settle();
        edit(one, after);
        one.close();
        const kept = new SearchIndex(file, null);
        const held = answers(kept);
        kept.close();
        const database = new DatabaseSync(file);
        const { count } = database.prepare('SELECT count(*) AS count FROM held').get() ?? {};
        expect(count).toBeGreaterThan(0);
        database.exec('DELETE FROM held');
        database.close();
        const read = new SearchIndex(file, null);
        expect(held).toEqual(answers(read));
        read.close();
      }),
      { numRuns: 15 },
    );
  });
});
