/** How a mount is written down: its source, its mode, and the settings that belong to it. */
import { expect, test } from 'vitest';
import type { MountSource, Settings, SourceTable } from '../sources/source.ts';
import { type MountObject, parseMount, splitMountOption } from './mount-string.ts';

const source = (name: string, more: Partial<MountSource> = {}): MountSource => ({
  name,
  forms: [`${name}:X`],
  title: name,
  isService: true,
  tokenEnv: null,
  ownSettings: [],
  settings: {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value: value as Settings }),
    },
  },
  parse: (rest) => (rest === null ? null : { rest }),
  plan: () => ({ kind: 'memory' }),
  ...more,
});

const picky = source('picky', {
  ownSettings: ['depth', 'team'],
  settings: {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) =>
        (value as Settings)['depth'] === 0
          ? { issues: [{ message: 'too shallow', path: ['depth'] }, { message: 'really' }] }
          : { value: { ...(value as Settings), checked: true } },
    },
  },
});
const sources = [
  source('tracker'),
  source('memory', { isService: false, parse: () => ({}) }),
  picky,
];
const table: SourceTable = {
  sources,
  settings: { depth: {}, team: {}, loose: {} } as unknown as SourceTable['settings'],
  url: 'about:none',
  sourceOf: (text) => {
    const [name, rest = null] = text.split(/:(.*)/s);
    const found = sources.find((each) => each.name === name);
    return found === undefined ? null : { source: found, settings: found.parse(rest) };
  },
};
const parse = (value: string | MountObject) => parseMount(table, value, 'mounts./mnt/x');
const said = (value: string | MountObject): string => {
  try {
    parse(value);
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
};

test.each<[string | MountObject, string, string, Settings]>([
  ['tracker:a', 'tracker', 'ro', { rest: 'a' }],
  ['tracker:a:rw', 'tracker', 'rw', { rest: 'a' }],
  ['tracker:a:b', 'tracker', 'ro', { rest: 'a:b' }],
  ['tracker:a:stage', 'tracker', 'stage', { rest: 'a' }],
  ['memory', 'memory', 'rw', {}],
  ['memory:append', 'memory', 'append', {}],
  [{ source: 'tracker:a', mode: 'rw' }, 'tracker', 'rw', { rest: 'a' }],
  [{ source: 'tracker:a:rw', mode: 'rw' }, 'tracker', 'rw', { rest: 'a' }],
  [{ source: 'picky:a', depth: 2 }, 'picky', 'ro', { depth: 2, checked: true, rest: 'a' }],
  [{ source: 'picky:a', rest: 'b' }, 'picky', 'ro', { checked: true, rest: 'a' }],
])(
  '%j is a mount of its source, with the mode that it says or that its kind has',
  (value, name, mode, settings) => {
    expect(parse(value)).toMatchObject({ source: { name }, mode, settings });
    expect(parse(value).settings).toEqual(settings);
  },
);

test('what every mount may say is kept as it is', () => {
  const common = {
    search: false,
    baseUrl: 'http://x',
    tokenEnv: 'T',
    freshMs: 5,
    rules: [{ pattern: '/a', mode: 'ro' as const }],
  };
  expect(parse({ source: 'tracker:a', ...common })).toMatchObject(common);
});

test.each<[string | MountObject, string]>([
  [{ source: 'tracker:a:rw', mode: 'ro' }, 'source says rw and mode says ro'],
  ['memory:stage', 'stage is for services'],
  [
    { source: 'tracker:a:rw', rules: [{ pattern: '/a', mode: 'stage' }] },
    'stage holds for a whole mount',
  ],
  ['tracker', '"tracker" should be tracker:X'],
  ['traker:a', 'did you mean tracker?'],
  ['zzzzzz', 'a source is tracker:X, memory:X, picky:X'],
  [':rw', '":rw" is no source'],
  [{ source: 'tracker:a', depth: 1 }, 'a setting of picky, and not of tracker'],
  [{ source: 'tracker:a', loose: 1 }, 'a setting of services, and not of tracker'],
  [{ source: 'memory', baseUrl: 'http://x' }, 'mounts./mnt/x.baseUrl: it is a setting of services'],
  [{ source: 'memory', freshMs: 0 }, 'mounts./mnt/x.freshMs'],
  [{ source: 'memory', tokenEnv: 'T' }, 'mounts./mnt/x.tokenEnv'],
  [{ source: 'picky:a', depth: 0 }, 'depth: too shallow; really'],
])('what is wrong with %j is said', (value, message) => {
  expect(said(value)).toContain(message);
  expect(said(value)).toContain('mounts./mnt/x');
});

test('a wrong name that resembles none is compared with none', () => {
  expect(said('zzzzzz')).not.toContain('did you mean');
});

test('stage may be said of rules where the whole mount is staged', () => {
  const rules = [{ pattern: '/a', mode: 'stage' as const }];
  expect(parse({ source: 'tracker:a:stage', rules }).mode).toBe('stage');
});

test('--mount is a path and a source, of which neither is empty', () => {
  expect(splitMountOption('/mnt/a=tracker:a=b:ro')).toEqual(['/mnt/a', 'tracker:a=b:ro']);
  expect(splitMountOption('a=b')).toEqual(['a', 'b']);
  for (const wrong of ['', '=', 'a', 'a=', '=b'])
    expect(() => splitMountOption(wrong)).toThrow('PATH=SOURCE');
});
