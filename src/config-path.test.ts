/** What a config names on the host is found, or it is said what is wrong. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  databaseAt,
  directoryAt,
  fileAt,
  moduleFile,
  namesModule,
  packageFile,
  programAt,
} from './config-path.ts';

let base = '';
beforeAll(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'config-')));
  const write = (path: string, text = '') => {
    fs.mkdirSync(dirname(join(base, path)), { recursive: true });
    fs.writeFileSync(join(base, path), text);
  };
  write('docs/page.md');
  write('data.sqlite');
  write('.dirigent/data.sqlite');
  write('mount.mjs');
  write('bin/tool');
  write('more/tool');
  write('more/other');
  write('plain.js');
  const manifest = (more: object) => JSON.stringify({ name: 'p', version: '1.0.0', ...more });
  write('node_modules/plain/package.json', manifest({ main: 'm.js' }));
  write('node_modules/plain/m.js');
  write('node_modules/plain/part.js');
  const exports = { '.': { import: './i.mjs', require: './r.cjs' }, './part': './p.mjs' };
  write('node_modules/@s/parts/package.json', manifest({ exports }));
});
afterAll(() => fs.rmSync(base, { recursive: true }));

test('directories and files are looked up beside the config', () => {
  expect(directoryAt('docs', base, 'w')).toBe(join(base, 'docs'));
  expect(directoryAt(join(base, 'docs'), '/', 'w')).toBe(join(base, 'docs'));
  expect(databaseAt('data.sqlite', base, 'w')).toBe(join(base, 'data.sqlite'));
  expect(fileAt('./docs/page.md', base, 'w')).toBe(join(base, 'docs/page.md'));
  expect(() => directoryAt('dosc', base, 'mounts[0]')).toThrow(
    `mounts[0]: ${base}/dosc is not a directory (did you mean ${base}/docs?); make it, or name another one`,
  );
  expect(() => directoryAt('data.sqlite', base, 'w')).toThrow('is not a directory');
  expect(() => databaseAt('docs', base, 'w')).toThrow(
    `${base}/docs is no file; make it, or name another one`,
  );
  expect(() => fileAt('none/x', base, 'w')).toThrow('name the file that is meant');
  for (const find of [databaseAt, fileAt])
    expect(() => find('.dirigent/data.sqlite', base, 'w')).toThrow('which no mount shows');
});

test('a program is a path, or the first of its name on the PATH', () => {
  const path = `:${base}/none:${base}/bin:${base}/more`;
  expect(programAt('tool', base, path, 'w')).toBe(join(base, 'bin/tool'));
  expect(programAt('other', base, path, 'w')).toBe(join(base, 'more/other'));
  expect(programAt('./more/tool', base, '', 'w')).toBe(join(base, 'more/tool'));
  expect(() => programAt('plain.js', base, path, 'w')).toThrow(
    'plain.js, in no directory of PATH, is not there',
  );
  expect(() => programAt('./none', base, path, 'w')).toThrow(`${base}/none is not there`);
  expect(() => programAt('bin', base, base, 'w')).toThrow('is not there');
});

test('a module is a file, or a package that is installed, by what it exports', () => {
  expect(moduleFile('./mount.mjs', base, 'w')).toBe(join(base, 'mount.mjs'));
  expect(moduleFile(join(base, 'mount.mjs'), '/', 'w')).toBe(join(base, 'mount.mjs'));
  expect(() => moduleFile('./mout.mjs', base, 'w')).toThrow(
    `is no file (did you mean ${base}/mount.mjs?); name the file of the module`,
  );
  const of = (name: string) => moduleFile(name, base, 'w').slice(base.length);
  expect(of('plain')).toBe('/node_modules/plain/m.js');
  expect(of('plain/part.js')).toBe('/node_modules/plain/part.js');
  expect(of('@s/parts')).toBe('/node_modules/@s/parts/i.mjs');
  expect(of('@s/parts/part')).toBe('/node_modules/@s/parts/p.mjs');
  expect(() => packageFile('@s/parts/other', base, 'w')).toThrow('is not installed');
  expect(() => packageFile('plain.js', base, 'w')).toThrow('; the file beside it is ./plain.js');
  expect(() => packageFile('absent', base, 'w')).toThrow(
    `w: absent is not installed in ${base}: install it there`,
  );
});

test.each([
  ['./a', true],
  ['../a', true],
  ['/a', true],
  ['a', true],
  ['@s/a', true],
  ['@s/a/part', true],
  ['a/part', true],
  ['', false],
  ['@s', false],
  ['a b', false],
  ['a:b', false],
  ['.a', false],
])('%j names a module: %s', (name, does) => {
  expect(namesModule(name)).toBe(does);
});
