/** Every link of the documents leads somewhere. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { documents, ROOT } from './documents.ts';

/** Links of the text: code is no text. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^(```|~~~).*?^\1/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors of a page, as renderers of markdown name its headings. */
function anchorsOf(text: string): string[] {
  const prose = text.replace(/^(```|~~~).*?^\1/gms, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const all = documents().flatMap((page) =>
  linksOf(readFileSync(page, 'utf8')).map((target) => ({ page, target })),
);
const local = all.filter(({ target }) => !/^[a-z]+:/.test(target));

test('every link of the documents leads to a file that is there', () => {
  expect(local.length).toBeGreaterThan(40);
  const broken = local.filter(({ page, target }) => {
    const [path = ''] = target.split('#');
    return path !== '' && !existsSync(resolve(dirname(page), path));
  });
  expect(broken.map(({ page, target }) => `${relative(ROOT, page)}: ${target}`)).toEqual([]);
});

test('every anchor that a link names is a heading of its page', () => {
  const broken = local.filter(({ page, target }) => {
    const [path = '', anchor] = target.split('#');
    if (anchor === undefined) return false;
    const file = path === '' ? page : resolve(dirname(page), path);
    return !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
  });
  expect(broken.map(({ page, target }) => `${relative(ROOT, page)}: ${target}`)).toEqual([]);
});

test('every page of docs/ is linked from another document', () => {
  const linked = new Set(
    local.map(({ page, target }) => join(dirname(page), target.split('#')[0] ?? '')),
  );
  const pages = documents().filter((page) => relative(ROOT, page).startsWith('docs/'));
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((page) => !linked.has(page)).map((page) => relative(ROOT, page))).toEqual([]);
});
