/** The mounts of a world, as its plan names them, and what they share. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { MountTable } from '../namespace/table.ts';
import { PERSON } from '../policy/author.ts';
import { sessionPlace } from '../session/place.ts';
import { type AttachOptions, attachMounts, pointOf } from './attach.ts';
import type { MountSpec, SourceSpec } from './protocol.ts';

/** What a source gives its mount is kept by it. */
const SOURCES = `
const stat = { type: 'directory', mode: 0o755, size: 0, mtime: new Date(0) };
const mount = (given) => ({
  given, kind: 'tracker', name: 'of ' + given.options.team, searchable: false,
  hasLinks: () => false, canHave: () => true,
  lstat: async () => stat, readdir: async () => [], read: async () => Buffer.alloc(0),
  usage: () => ({ requests: 2, bytes: 30 }),
  close: async () => void given.options.closed?.push(given.point),
  ...(given.options.documents ? { documents: async () => [], feed: () => undefined } : {}),
});
export const sourceTable = { sources: [
  { name: 'tracker', load: async (file) => (given) => mount({ ...given, file }) },
  { name: 'empty' },
  { name: 'faulty', load: async () => { throw new TypeError('fault'); } },
] };
`;

async function attached(
  mounts: readonly [point: string, source: SourceSpec, searchable?: boolean][],
  more: Partial<AttachOptions> = {},
) {
  const at = temporaryDirectory();
  writeFileSync(join(at, 'sources.mjs'), SOURCES);
  const log: string[] = [];
  const table = new MountTable();
  const all = await attachMounts({
    mounts: mounts.map(
      ([point, source, searchable = false]): MountSpec => ({
        point,
        source,
        searchable,
        access: { mode: 'rw' },
      }),
    ),
    sources: pathToFileURL(join(at, 'sources.mjs')).href,
    table,
    commands: ['ls', 'cat'],
    state: null,
    marks: join(at, 'changes.sqlite'),
    conceal: (text) => text.replaceAll('secret', '***'),
    sessions: sessionPlace(at),
    approvals: () => Promise.reject(new Error('nobody asks')),
    questions: () => Promise.reject(new Error('nobody asks')),
    schedule: () => null,
    author: () => PERSON,
    search: {
      follow: (point: string) => log.push(`follow ${point}`),
      close: async () => void log.push('search closed'),
    } as unknown as AttachOptions['search'],
    onMemoryChange: (point, change) => log.push(`${change.op} ${point}`),
    onChange: (change, point) => log.push(`change ${change.state} ${point}`),
    onNotice: (text, point) => log.push(`${point}: ${text}`),
    ...more,
  });
  const mountAt = (point: string) => table.at(point)?.mount as unknown as Record<string, never>;
  return { at, all, table, log, mountAt };
}

const service = (more: object = {}): SourceSpec<'service'> => ({
  kind: 'service',
  scheme: 'tracker',
  title: 'Tracker',
  settings: { team: 'ENG' },
  stage: false,
  ...more,
});

test('mounts of the house are made as they are planned, and none of them needs a journal', async () => {
  const { all, table, mountAt, log } = await attached([
    ['/', { kind: 'root', readme: { name: 'README.md', text: 'read me\n', made: 0 } }],
    ['/w', { kind: 'memory', initial: [] }, true],
    ['/bin', { kind: 'bin' }],
    ['/dev', { kind: 'dev' }],
    ['/session/changes', { kind: 'changes' }],
  ]);
  expect(table.attachments.map(({ point }) => point).sort()).toEqual([
    '/',
    '/bin',
    '/dev',
    '/session/changes',
    '/w',
  ]);
  const names = async (point: string) =>
    ((await table.at(point)?.mount.readdir('/')) ?? []).map(({ name }) => name);
  expect(await names('/bin')).toEqual(expect.arrayContaining(['cat', 'ls']));
  await table.at('/w')?.mount.mkdir?.('/d');
  expect(log).toEqual(['mkdir /w']);
  expect(mountAt('/w')).toMatchObject({ searchable: true });
  await all.recovered;
  expect(all.usage()).toEqual({});
  await all.close();
  expect(log.at(-1)).toBe('search closed');
});

describe('a service', () => {
  test('is opened with what its mount says, and nothing else', async () => {
    const { all, table, mountAt, log } = await attached([
      ['/mnt/t', service()],
      [
        '/mnt/u',
        service({
          settings: { team: 'OPS', documents: true },
          module: { name: './m', file: '/m.mjs' },
          stage: true,
          baseUrl: 'https://own',
          token: 'secret',
          freshMs: 5,
        }),
        true,
      ],
      ['/mnt/v', service({ settings: { team: 'X', documents: true } })],
    ]);
    const { onNotice, replica, changes, ...given } = mountAt('/mnt/t')['given'] as unknown as {
      onNotice(text: string): void;
      replica: object;
      changes: object;
    };
    expect(given).toEqual({
      point: '/mnt/t',
      background: true,
      options: { team: 'ENG' },
      stage: false,
      file: undefined,
    });
    expect(mountAt('/mnt/u')['given']).toMatchObject({
      stage: true,
      baseUrl: 'https://own',
      token: 'secret',
      freshMs: 5,
      file: '/m.mjs',
      replica,
      changes,
    });
    expect([all.replica(), all.changes()]).toEqual([replica, changes]);
    onNotice('the secret was refused');
    expect(log).toEqual(['follow /mnt/u', '/mnt/t: the *** was refused']);
    expect(all.usage()).toEqual({
      '/mnt/t': { requests: 2, bytes: 30 },
      '/mnt/u': { requests: 2, bytes: 30 },
      '/mnt/v': { requests: 2, bytes: 30 },
    });
    expect([pointOf(table, 'of OPS'), pointOf(table, 'of nobody')]).toEqual(['/mnt/u', null]);
    await all.close();
  });

  test('has the credential that the deployment keeps, and asks again where it was rejected', async () => {
    const asked: unknown[] = [];
    const held = new Map([['/mnt/t', { value: 'kept', expiresAt: null }]]);
    const { mountAt, all } = await attached(
      [
        ['/mnt/t', service({ variable: 'TRACKER_TOKEN', token: 'env', baseUrl: 'https://own' })],
        ['/mnt/u', service({ variable: 'TRACKER_TOKEN', token: 'env' })],
        ['/mnt/v', service({ token: 'env' })],
      ],
      {
        askCredential: (async (request: { name: string }, rejected: boolean) => {
          asked.push([request, rejected]);
          return held.get(request.name) ?? null;
        }) as never,
      },
    );
    onTestFinished(() => all.close());
    const given = (point: string) =>
      mountAt(point)['given'] as unknown as { token?: string; credential?: object };
    expect(given('/mnt/t').token).toBe('kept');
    expect(given('/mnt/t').credential).toBeDefined();
    for (const point of ['/mnt/u', '/mnt/v']) {
      expect(given(point).token).toBe('env');
      expect(given(point)).not.toHaveProperty('credential');
    }
    const request = { for: 'mount', service: 'tracker', variable: 'TRACKER_TOKEN' };
    expect(asked).toEqual([
      [{ ...request, name: '/mnt/t', baseUrl: 'https://own' }, false],
      [{ ...request, name: '/mnt/u', baseUrl: null }, false],
    ]);
  });

  test('that cannot be opened is told with its point; what is no fault of the config is not', async () => {
    const open = (scheme: string, more: Partial<AttachOptions> = {}) =>
      attached([['/mnt/t', service({ scheme })]], more);
    await expect(open('empty')).rejects.toThrow('the source empty opens no mount');
    await expect(open('gone')).rejects.toThrow('the source gone opens no mount');
    await expect(open('faulty')).rejects.toThrow(TypeError);
    await expect(open('tracker', { sources: undefined })).rejects.toThrow(
      'a world with services was planned without a table',
    );
  });

  test('is closed with the world', async () => {
    const closed: string[] = [];
    const { all } = await attached([
      ['/mnt/t', service({ settings: { team: 'A', closed } })],
      ['/mnt/u', service({ settings: { team: 'B', closed } })],
    ]);
    await all.close();
    expect(closed.sort()).toEqual(['/mnt/t', '/mnt/u']);
  });
});

test('what another program has open of a directory is asked for where that can be', async () => {
  const able: unknown[] = [];
  const buffers = (given: unknown) => {
    able.push(given);
    return {} as never;
  };
  const disk = (more: object) =>
    ({ kind: 'disk', root: temporaryDirectory(), hidden: [], ...more }) as SourceSpec;
  const { table } = await attached(
    [
      ['/a', disk({})],
      ['/b', disk({ buffers: { reads: true, writes: false } })],
    ],
    { buffers },
  );
  expect(able).toEqual([{ reads: true, writes: false }]);
  expect(table.at('/a')?.mount.constructor).not.toBe(table.at('/b')?.mount.constructor);
});
