/** The house stands as ARCHITECTURE.md draws it: nothing lower knows anything higher. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { schemes } from '../mounts/schemes.ts';

const root = join(import.meta.dirname, '..');

/** The wings of `src/mount`, from the lowest up. */
const WINGS = [
  ...['contract', 'client', 'record', 'table', 'writing', 'reading', 'service', 'resource'],
];

/** From the lowest up: a room imports from itself and from rooms before it. */
const ROOMS = [
  'src/errors.ts',
  'src/nearest.ts',
  'src/json-schema.ts',
  'src/slices.ts',
  'src/decoded.ts',
  'src/visible.ts',
  'src/conceal.ts',
  'src/patch.ts',
  'src/yaml.ts',
  'src/version.ts',
  'src/paths.ts',
  'src/command-line.ts',
  'src/module-advice.ts',
  'src/like-path.ts',
  'src/schema-faults.ts',
  'src/config-path.ts',
  'src/parts',
  'src/credentials',
  'src/ulid.ts',
  'src/webassembly.ts',
  'src/state.ts',
  'src/zip.ts',
  'src/vendored.ts',
  'src/texts',
  'src/replica',
  'src/changes',
  ...WINGS.map((wing) => `src/mount/${wing}`),
  'src/mount/index.ts',
  'src/memory-tree',
  'src/disk',
  'src/system',
  'src/sources',
  'mounts',
  'src/policy',
  'src/namespace',
  'src/session',
  'src/parts-testing',
  'src/citations',
  'src/search',
  'src/shell',
  'src/command.ts',
  'src/harness',
  'src/schedule',
  'shims',
  'src/world',
  'src/mount-testing',
  'src/telemetry',
  'src/agent',
  'src/library.ts',
  'src/doors',
  'src/serve',
  'channels',
  'src/cli',
  'entry',
];

/** Files that tests alone load. */
const FOR_TESTS = /\.test\.ts$|\/testing\b/;

interface Import {
  from: string;
  to: string;
}

function filesBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((name) => name.endsWith('.ts') && !FOR_TESTS.test(name))
    .filter((name) => statSync(join(root, name)).isFile());
}

const files = ['src', 'shims', 'mounts', 'channels', 'entry'].flatMap(filesBelow);
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

const STATEMENT = /^(?:import|export)\s[^;'"]*?'(\.[^']+)';|\bimport\(\s*'(\.[^']+)'/gms;

function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(STATEMENT)].map(([, whole, lazy]) => ({
    from: file,
    to: normalize(join(dirname(file), whole ?? lazy ?? '')),
  }));
}

const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));

const levelOf = (file: string): number =>
  ROOMS.findIndex((room) => file === room || file.startsWith(`${room}/`));

test('every file is in a room, and every room has files', () => {
  expect(files.filter((file) => levelOf(file) === -1)).toEqual([]);
  const inhabited = new Set(files.map(levelOf));
  expect(ROOMS.filter((_, level) => !inhabited.has(level))).toEqual([]);
  expect(imports.length).toBeGreaterThan(files.length);
});

test('nothing lower imports anything higher, not even a type', () => {
  const upward = imports
    .filter(({ from, to }) => levelOf(to) === -1 || levelOf(to) > levelOf(from))
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(upward).toEqual([]);
});

test('a service knows of the house its door alone, as one from outside does', () => {
  // What loads the module of a deployment is no service.
  const services = imports.filter(
    ({ from }) => /^mounts\/[^/]+\//.test(from) && !from.startsWith('mounts/module/'),
  );
  const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');
  const past = services
    .filter(({ from, to }) => folderOf(to) !== folderOf(from) && to !== 'src/mount/index.ts')
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(past).toEqual([]);
  expect(new Set(services.map(({ from }) => folderOf(from))).size).toBeGreaterThanOrEqual(3);
});

test('nothing of src knows a service by its name: what there is, mounts/schemes.ts says', () => {
  const services = schemes.filter(({ setup }) => setup !== undefined);
  expect(services.length).toBeGreaterThanOrEqual(3);
  const named = services
    .map(({ name, title }) => `\\b${title}\\b|(?<=['"\`/])${name}(?![\\w-])`)
    .join('|');
  const names = new RegExp(named);
  const lines = [...sources]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, source]) => source.split('\n').map((line) => [file, line] as const))
    .filter(([, line]) => names.test(line.replaceAll(/https?:\/\/\S+/g, '')))
    .map(([file, line]) => `${file}: ${line}`);
  expect(lines).toEqual([]);
});

/** An import of the package by its own name, or by an alias. */
const OWN_NAME =
  /(?:^(?:import|export)\s[^;'"]*?\bfrom\s|^import\s|\bimport\(\s*)'((?:#|dirigent\b)[^']*)'/gms;

test('nothing of src names a file of mounts: what can be mounted, it is handed', () => {
  const named = [...sources]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, source]) =>
      [
        // A path that is made into an address (`new URL`) is an import by another name …
        ...[...source.matchAll(/(['"`])(\.{1,2}\/[^'"`\n]*)\1/g)]
          .map(([, , path = '']) => normalize(join(dirname(file), path)))
          .filter((path) => /^(?:mounts|entry)\//.test(path)),
        // … and so is the package's own name, or an alias.
        ...[...source.matchAll(OWN_NAME)].map(([, name = '']) => name),
      ].map((path) => `${file}: ${path}`),
    );
  expect(named).toEqual([]);
});

test('what is mounted comes through the door of src/mount: no file of mounts goes past it', () => {
  const past = imports
    .filter(({ from, to }) => from.startsWith('mounts/') && to.startsWith('src/mount/'))
    .filter(({ to }) => to !== 'src/mount/index.ts')
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(past).toEqual([]);
});

test('no file needs itself, through whatever others, not even for a type', () => {
  const needs = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, above: readonly string[]): void => {
    const at = above.indexOf(file);
    if (at !== -1) circles.push([...above.slice(at), file].join(' -> '));
    if (at !== -1 || done.has(file)) return;
    for (const { to } of needs.get(file) ?? []) visit(to, [...above, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test('no module keeps state of its own', () => {
  const state = [...sources].flatMap(([file, source]) =>
    [...source.matchAll(/^(?:export )?(?:let|var) .*$/gm)].map(([line]) => `${file}: ${line}`),
  );
  expect(state).toEqual([]);
});

/** The most lines of a file and of a function: what is longer is two things. */
const MOST_LINES = { file: 480, function: 150 };

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/** The places of a syntax tree where a function is, from its first to its last character. */
function functionsIn(node: unknown): { start: number; end: number }[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, start, end } = node as { type?: unknown; start: number; end: number };
  const inner = Object.values(node).flatMap(functionsIn);
  return /Function/.test(String(type)) && /^(?!TS)/.test(String(type))
    ? [{ start, end }, ...inner]
    : inner;
}

test('a file and a function have no more lines than a reader keeps in mind', () => {
  const tooLong = [...sources].flatMap(([file, source]) => {
    const whole = linesOf(source);
    // A function is as long as its file at most: only files that are longer are parsed.
    const functions =
      whole > MOST_LINES.function ? functionsIn(parseSync(file, source).program) : [];
    return [
      ...(whole > MOST_LINES.file ? [`${file}: ${whole} lines`] : []),
      ...functions
        .map(({ start, end }) => ({ start, lines: linesOf(source.slice(start, end)) }))
        .filter(({ lines }) => lines > MOST_LINES.function)
        .map(({ start, lines }) => `${file}:${linesOf(source.slice(0, start))}: ${lines} lines`),
    ];
  });
  expect(tooLong).toEqual([]);
});

describe('a command', () => {
  const folders = readdirSync(join(root, 'shims')).filter(
    (name) => name !== 'support' && statSync(join(root, 'shims', name)).isDirectory(),
  );

  test.each(folders)('%s is a folder with its tests', (name) => {
    const inside = readdirSync(join(root, 'shims', name));
    expect(inside).toContain('index.ts');
    expect(inside.some((file) => file.endsWith('.test.ts'))).toBe(true);
  });
});

test('the documents name files that exist', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'THREAT_MODEL.md',
    ...readdirSync(join(root, 'docs')).map((p) => `docs/${p}`),
  ];
  const missing = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) => {
      // An example in code is no link.
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/`[^`\n]*`/g, '');
      const targets = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = '']) => to);
      return targets
        .filter((to) => !existsSync(join(root, dirname(page), to)))
        .map((to) => `${page}: ${relative('.', to)} (${basename(to)})`);
    });
  expect(missing).toEqual([]);
});

test('globs become expressions in one place, which knows that a name may hold any character', () => {
  const others = [...sources].filter(([, source]) => /\bpicomatch\b/.test(source));
  expect(others.map(([file]) => file)).toEqual(['src/policy/glob.ts']);
});

test('the command line prints visible text alone, and in one place', () => {
  const OTHER_WAYS =
    /process\.(?:stdout|stderr|emitWarning)\b|\}\s*=\s*process\s*;|\bconsole\.|\bwriteSync\(|createWriteStream|fs\.write\(/;
  const printing = [...sources]
    .filter(([file]) => file.startsWith('src/cli/') && file !== 'src/cli/output.ts')
    .filter(([, source]) => OTHER_WAYS.test(source))
    .map(([file]) => file);
  expect(printing).toEqual([]);
  // What a command of the shell printed is the one thing that goes out as it came.
  const raw = [...sources]
    .filter(([file, source]) => file.startsWith('src/cli/') && /\.bytes\(/.test(source))
    .map(([file]) => file);
  expect(raw).toEqual(['src/cli/printer.ts']);
  // readline draws its prompts itself, and is handed visible text.
  const streams = [...sources]
    .filter(([file, source]) => file.startsWith('src/cli/') && /output\.write\((?!')/.test(source))
    .map(([file]) => file);
  expect(streams).toEqual([]);
  // Only the module itself can make visible text of what it has not looked at.
  expect(sources.get('src/visible.ts')).not.toMatch(/export (?:class |\{[^}]*)\bVisible\b/);
});
