/** `npm run docs`: a site that stands on its own, and knows every page and every export. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from './documents.ts';

const site = join(ROOT, 'site');
let pages: { file: string; html: string }[] = [];

// A fault of a link, or an export that says nothing of itself, is an error of the generator.
beforeAll(() => {
  const run = spawnSync('npm', ['run', 'docs'], { cwd: ROOT, encoding: 'utf8' });
  expect(run.stdout + run.stderr, run.stderr).toContain('html generated');
  expect(run.status).toBe(0);
  pages = globSync('**/*.html', { cwd: site }).map((name) => {
    const file = join(site, name);
    return { file, html: readFileSync(file, 'utf8') };
  });
  expect(pages.length).toBeGreaterThan(60);
});

const targetsOf = (html: string): string[] =>
  [...html.matchAll(/\b(?:href|src)="([^"#][^"]*)"/g)].map(([, target = '']) => target);

test('every link of the site leads to a file of the site', () => {
  const broken = pages.flatMap(({ file, html }) =>
    targetsOf(html)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => resolve(dirname(file), decodeURIComponent(target.replace(/[?#].*/, ''))))
      .filter((path) => !existsSync(path)),
  );
  expect(broken).toEqual([]);
});

test('no page loads anything from another host', () => {
  const foreign = pages.flatMap(({ html }) =>
    [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(\w+:[^"]*)"/g)].map(
      ([, url]) => url,
    ),
  );
  expect(foreign).toEqual([]);
});

test('the search of the site finds pages, errors and exports', () => {
  const script = readFileSync(join(site, 'assets', 'search.js'), 'utf8');
  const packed = /"([A-Za-z0-9+/=]{100,})"/.exec(script)?.[1] ?? '';
  const index = inflateSync(Buffer.from(packed, 'base64')).toString('utf8');
  for (const name of ['The policy', 'EACCES: Permission denied', 'createWorld', 'HttpClient']) {
    expect(index).toContain(name);
  }
});
