import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../errors.ts';
import type { Route } from './route.ts';
import { RouteTable } from './table.ts';

const PARAMS = {
  number: { matches: /^[1-9]\d*$/, example: '12' },
  name: { matches: /^[^/]+$/, example: 'some-name' },
  place: { matches: /^[^/]*--[0-9a-f]{4}$/, example: 'home--12ab' },
};

function table(...patterns: string[]): RouteTable {
  const routes = patterns.map(
    (pattern): Route => ({
      pattern,
      type: pattern.endsWith('/') ? 'directory' : 'file',
      about: '',
    }),
  );
  return new RouteTable(routes, PARAMS);
}

describe('a table of routes', () => {
  it.each([
    ['/:name.md', '/:number.md'],
    ['/:name', '/readme.md'],
    ['/a/', '/a'],
    ['/:name/', '/:name.md'],
  ])('refuses two rows for one path: %s and %s', (one, two) => {
    expect(() => table(one, two)).toThrow(ConfigError);
    expect(() => table(two, one)).toThrow('collides with');
  });

  it('takes rows that no path can confuse', () => {
    const made = table('/issues/', '/issues/:number.md', '/issues/:number/', '/issues/new.md');
    expect(made.match('/issues/12.md')?.params).toEqual({ number: '12' });
    expect(made.match('/issues/new.md')?.route.pattern).toBe('/issues/new.md');
    expect(made.match('/issues/012.md')).toBeNull();
    expect(made.match('/issues/.md')).toBeNull();
  });

  it('refuses a row without a directory above it, and a parameter without a type', () => {
    expect(() => table('/a/b.md')).toThrow('no directory above');
    for (const rows of [['/a'], ['/b/'], ['/b/', '/b/a/'], ['/:number/']])
      expect(() => table(...rows, '/a/b.md'), rows.join()).toThrow('no directory above');
    expect(() => table('/:what')).toThrow(':what has no type');
  });

  it('finds what lies under a path, with what the path fixes', () => {
    const made = table('/:name/', '/:name/issues/', '/:name/issues/:number.md');
    expect(made.under('/octo').map(({ params }) => params)).toEqual([
      { name: 'octo' },
      { name: 'octo' },
      { name: 'octo' },
    ]);
    expect(made.under('/octo/issues/3.md')[0]?.params).toEqual({ name: 'octo', number: '3' });
  });

  describe('with a rest parameter', () => {
    const rows = ['/:place+/', '/:place+.md', '/:place+/new.md', '/:place+/notes/'];
    const made = table(...rows, '/:place+/notes/:number.md');

    it('finds a row at any depth, with the whole path as its value', () => {
      const found = (path: string) => {
        const match = made.match(path);
        return match === null ? null : [match.route.pattern, match.params['place']];
      };
      expect(found('/a--0000')).toEqual(['/:place+/', 'a--0000']);
      expect(found('/a--0000/b--1111/--2222.md')).toEqual([
        '/:place+.md',
        'a--0000/b--1111/--2222',
      ]);
      expect(found('/a--0000/b--1111/new.md')).toEqual(['/:place+/new.md', 'a--0000/b--1111']);
      expect(made.match('/a--0000/b--1111/notes/3.md')?.params).toEqual({
        place: 'a--0000/b--1111',
        number: '3',
      });
      expect(found('/a--0000/b/c--1111')).toBeNull();
      expect(found('/a--0000.md/b--1111')).toBeNull();
      expect(found('/a--0000/notes/b--1111')).toBeNull();
    });

    it('has its own rows below it again', () => {
      const place = made.match('/a--0000')?.route ?? null;
      expect(made.children(place).map(({ route }) => route.pattern)).toEqual(rows);
      expect(made.children(null).map(({ route }) => route.pattern)).toEqual(rows.slice(0, 2));
    });

    it('is under a path with as much of it as the path has', () => {
      expect(made.under('/a--0000/b--1111').map(({ params }) => params)).toEqual(
        Array.from({ length: 5 }, () => ({ place: 'a--0000/b--1111' })),
      );
      expect(made.under('/').map(({ params }) => params)).toEqual(
        Array.from({ length: 5 }, () => ({})),
      );
      expect(made.under('/a--0000/notes').map(({ route }) => route.pattern)).toEqual([
        '/:place+/notes/',
        '/:place+/notes/:number.md',
      ]);
    });

    it('refuses what one path could stand for twice, at any depth', () => {
      expect(() => table('/:place+.md', '/:place+/', '/:place+/:name.md')).toThrow('collides with');
      expect(() => table('/:name/', '/:name/:place+/', '/:place+/')).toThrow('collides with');
    });
  });
});
