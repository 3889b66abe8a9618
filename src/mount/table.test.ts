import { describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import type { Route } from './route.ts';
import { RouteTable } from './table.ts';

const PARAMS = {
  number: { matches: /^[1-9]\d*$/, example: '12' },
  name: { matches: /^[^/]+$/, example: 'some-name' },
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
});
