import { afterEach, beforeEach, expect, it } from 'vitest';
import { SearchEngine } from './engine.ts';

let engine: SearchEngine;
beforeEach(() => {
  engine = new SearchEngine(':memory:', null);
});
afterEach(() => engine.close());

const section = (n: number): string =>
  `## Part ${n}\n\nThe gateway times out, says part ${n}.\n\n${`More of part ${n} follows. `.repeat(30)}\n`;

it('each thread has a line before any has a second; where there are few, one has three at most', () => {
  const long = Array.from({ length: 6 }, (_, n) => section(n)).join('\n');
  const ask = (limit: number): string[] =>
    engine
      .search({ query: 'gateway times out', paths: ['/'], limit })
      .answers.map(({ path }) => path);
  engine.update([{ path: '/issues/1.md', text: long }], []);
  expect(ask(10)).toEqual(['/issues/1.md', '/issues/1.md', '/issues/1.md']);
  const others = Array.from({ length: 6 }, (_, n) => ({
    path: `/issues/${n + 2}.md`,
    text: `A gateway that times out, case ${n}.`,
  }));
  engine.update(others, []);
  engine.update([{ path: '/issues/1/comments/1.md', text: 'The gateway times out here.' }], []);
  expect(new Set(ask(7).map((path) => path.replace('/comments/1', ''))).size).toBe(7);
  const all = ask(10);
  expect(new Set(all).size).toBeGreaterThanOrEqual(7);
  expect(all.length).toBeGreaterThan(7);
});
