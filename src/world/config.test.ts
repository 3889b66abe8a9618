/** What a config may say, to its limits; each fault is told with its place in it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import type { MountSource, SourceTable } from '../sources/source.ts';
import { checkConfig } from './config.ts';

const memory = {
  name: 'memory',
  forms: ['memory'],
  title: 'memory',
  isService: false,
  tokenEnv: null,
  ownSettings: ['maxBytes'],
  settings: { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } },
  parse: () => ({}),
  plan: () => ({ kind: 'memory' }),
} as unknown as MountSource;
const table: SourceTable = {
  sources: [memory],
  settings: { maxBytes: z.number().optional() },
  url: 'about:none',
  sourceOf: (text) => (text === 'memory' ? { source: memory, settings: {} } : null),
};

const check = (config: unknown) => checkConfig(table, config);
/** The faults of a config, a line each; none where it is valid. */
function faults(config: unknown): string[] {
  try {
    check(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n  ').slice(1);
  }
  return [];
}
/** A config with one setting, by its path. */
function having(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

const MIB = 1024 * 1024;

describe.each([
  ['timeoutMs', 1],
  ['operationTimeoutMs', 1],
  ['maxMemoryBytes', 64 * MIB],
  ['jobs.max', 0, 64],
  ['jobs.timeoutMs', 1],
  ['jobs.maxMemoryBytes', 64 * MIB],
  ['jobs.maxOutputBytes', 1024],
  ['agent.contextWindow', 1],
  ['agent.maxSteps', 2],
  ['agent.budget.tokensPerTurn', 1],
  ['agent.budget.tokensPerSession', 1],
  ['agent.budget.requestsPerTurn', 1],
  ['agent.budget.tokensPerDay', 1],
  ['agent.budget.modelRequestsPerDay', 1],
] as [string, number, number?][])('%s', (path, least, most) => {
  it(`is a whole number from ${least}${most === undefined ? '' : ` to ${most}`}`, () => {
    const right = [least, most ?? least + 1];
    for (const value of right) expect(faults(having(path, value))).toEqual([]);
    const wrong = [
      least - 1,
      least + 0.5,
      `${least}`,
      null,
      ...(most === undefined ? [] : [most + 1]),
    ];
    for (const value of wrong)
      expect(faults(having(path, value))).toEqual([
        expect.stringMatching(new RegExp(`^${path}: `)),
      ]);
  });
});

describe('a config', () => {
  it.each([
    ['agent.budget.moneyPerTurn', 0.01, 0],
    ['agent.budget.moneyPerSession', 0.01, -1],
    ['agent.budget.moneyPerDay', 0.01, 0],
    ['agent.budget.agents.helper.tokensPerDay', 1, 0],
    ['agent.budget.principals.*.moneyPerDay', 1, 0],
    ['agent.model', 'a/b', ''],
    ['agent.providers.house', './x.ts', ''],
    ['agent.telemetry', true, 'yes'],
    ['agent.telemetry.content', false, 'yes'],
    ['search.model', 'a/b', ''],
    ['search.weight', 0, -0.1],
    ['search.weight', 1, 1.1],
    ['search.background', false, 0],
    ['session.past', false, 'no'],
    ['session.snapshots', false, 'no'],
    ['readme', '', 7],
    ['cwd', '/workspace', 'workspace'],
    ['cwd', '/', '/a/'],
    ['cwd', '/a/b', '/a//b'],
    ['cwd', '/a/b', '/a/../b'],
    ['cwd', '/a/b', '/a/./b'],
    ['cwd', '/a/b', '/a\0b'],
    ['env.A_1', '', 7],
    ['harness.directory', './h', ''],
    ['harness.mode', 'rw', 'append'],
    ['harness.mode', ['*.md'], ['']],
    ['harness.tools', ['./t.ts'], ['']],
    ['programs.python', true, 'yes'],
    ['programs.node', true, 'yes'],
    ['programs.host', ['git', 'python3.12', 'g++'], []],
    ['programs.host', ['git'], ['-git']],
    ['programs.host', ['git'], ['a/b']],
    ['network.allow', ['*.example.com', '[::1]:80'], ['a b']],
    ['channels', ['./c.ts'], ['']],
    ['shims', ['./s.ts'], ['']],
    ['documents.ocr', ['tesseract', '-'], []],
    ['hooks', './h.ts', ''],
    ['memory', false, 'no'],
    ['dryRun', true, 'yes'],
    ['state', './s', ''],
  ])('has %s as %o, and not as %o', (path, right, wrong) => {
    expect(faults(having(path, right))).toEqual([]);
    expect(faults(having(path, wrong))).toHaveLength(1);
  });

  it.each([
    'agent',
    'agent.budget',
    'search',
    'session',
    'harness',
    'jobs',
    'programs',
    'network',
    'documents',
    'agent.budget.agents.helper',
  ])('has no other setting in %s', (path) => {
    expect(faults(having(`${path}.other`, 1))).toContain(`${path}.other: there is no such setting`);
    expect(faults({ other: 1 })).toEqual(['other: there is no such setting']);
  });

  it('that is none is told so, and every fault of one at once', () => {
    expect(faults(null)).toEqual([expect.stringMatching(/^\(the config\): /)]);
    expect(faults({ timeoutMs: 0, jobs: { max: 65 } })).toHaveLength(2);
    expect(faults({ env: { '1A': 'x' } })).toEqual([expect.stringMatching(/^env\.1A: the name /)]);
    expect(faults({ mounts: { x: 'memory' } })).toEqual([
      expect.stringMatching(/^mounts\.x: the name must be an absolute path/),
    ]);
    expect(faults({ mounts: { '/x': 7 } })).toEqual([
      expect.stringMatching(/^mounts\.\/x: .*; or /),
    ]);
    expect(faults({ mounts: { '/x': { source: 'memory', mode: 'odd', freshMs: -1 } } })).toEqual([
      expect.stringMatching(/^mounts\.\/x\.mode: /),
      expect.stringMatching(/^mounts\.\/x\.freshMs: /),
    ]);
  });
});

describe('a model of the search', () => {
  it.each([
    [{ id: 'a/b' }],
    [{ id: 'a', baseUrl: 'http://127.0.0.1:1/v1', keyEnv: 'KEY' }],
    [{ onnx: './m', pooling: 'last_token', dtype: 'q8', queryPrefix: '', documentPrefix: '' }],
    [{ table: './t', dimensions: 1 }],
    [{ id: 'a/b', dimensions: 8_192, batch: 2_048, concurrency: 64, timeoutMs: 1, env: ['A'] }],
    [{ id: 'a/b', batch: 1, concurrency: 1 }],
  ])('may be %o', (model) => {
    expect(faults({ search: { model } })).toEqual([]);
  });

  const ONE = 'give one of id, the name of a model, onnx and table, directories that hold one';
  it.each([
    [{}, ONE],
    [{ id: 'a', onnx: './m' }, ONE],
    [{ onnx: './m', table: './t' }, ONE],
    [{ onnx: './m', baseUrl: 'http://x' }, 'a model in a directory (onnx, table) has no baseUrl'],
    [{ table: './m', baseUrl: 'http://x' }, 'a model in a directory (onnx, table) has no baseUrl'],
    [
      { id: 'a', keyEnv: 'KEY' },
      'keyEnv belongs to baseUrl; variables for a provider are named in env',
    ],
  ])('may not be %o: %s', (model, fault) => {
    expect(faults({ search: { model } })).toEqual([`search.model: ${fault}`]);
  });

  it.each([
    ['dimensions', 0],
    ['dimensions', 8_193],
    ['batch', 0],
    ['batch', 2_049],
    ['concurrency', 0],
    ['concurrency', 65],
    ['timeoutMs', 0],
    ['pooling', 'odd'],
    ['dtype', ''],
    ['env', ['']],
    ['baseUrl', 'no address'],
    ['keyEnv', ''],
  ])('has no %s of %o', (name, value) => {
    const model = { id: 'a', [name]: value };
    expect(faults({ search: { model } })[0]).toMatch(new RegExp(`^search\\.model\\.${name}`));
  });
});

describe('a mount', () => {
  it('is checked with the settings of its source, by its point', () => {
    const { mounts, dryRun } = check({
      mounts: { '/mnt/a': 'memory', '/x': { source: 'memory', mode: 'ro', maxBytes: 7 } },
      dryRun: true,
    });
    expect([...mounts.keys()]).toEqual(['/mnt/a', '/x']);
    expect(mounts.get('/x')).toMatchObject({ source: memory, mode: 'ro' });
    expect(dryRun).toBe(true);
    expect(check({}).mounts.size).toBe(0);
    expect(faults({ mounts: { '/x': { source: 'memory', minBytes: 7 } } })).toEqual([
      'mounts./x.minBytes: there is no such setting',
    ]);
  });

  it.each([
    ['/', 'would hide /harness'],
    ['/harness', 'would hide /harness'],
    ['/harness/x', 'would be hidden in /harness'],
    ['/session', 'would hide /session'],
    ['/session/x/y', 'would be hidden in /session'],
    ['/bin', 'would hide /bin'],
    ['/usr', 'would hide /usr/bin'],
    ['/usr/bin/x', 'would be hidden in /usr/bin'],
    ['/dev/x', 'would be hidden in /dev'],
  ])('at %s %s', (point, how) => {
    expect(() => check({ mounts: { [point]: 'memory' } })).toThrow(
      `mounts.${point}: a mount at ${point} ${how}`,
    );
  });

  it.each(['/harnesses', '/usr/lib', '/b', '/mnt/bin', '/devices', '/tmp'])(
    'at %s hides nothing',
    (point) => {
      expect(check({ mounts: { [point]: 'memory' } }).mounts.has(point)).toBe(true);
    },
  );
});
