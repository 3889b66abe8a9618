/**
 * Descriptions that strangers have published in packages: twelve of them, with at most 40 lines of
 * hints each. What is listed is complete over its pages, each id leads to its record, and a record
 * is what the service gave; every request is one that the description allows.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileNameOf, parseFrontmatter } from '../../src/mount/index.ts';
import { names, ServiceBench, text } from '../../test/services/testing.ts';
import { readDocument } from './description.ts';
import { createOpenapiMount, type OpenapiMountOptions } from './index.ts';
import { type Data, type Mock, startMock } from './testing-mock.ts';
import { STRANGERS, type Stranger } from './testing-strangers.ts';

const HINTS = join(import.meta.dirname, '..', '..', 'examples', 'openapi', 'hints');
const MOST_LINES = 40;
const directory = mkdtempSync(join(tmpdir(), 'dirigent-strangers-'));
const run = (file: string, args: readonly string[]) =>
  execFileSync(file, args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  run('npm', [
    'install',
    '--silent',
    '--ignore-scripts',
    '--no-save',
    '--no-package-lock',
    '--prefix',
    directory,
    'json-schema-faker@0.6.3',
    'openapi-backend@5.21.2',
  ]);
});
const table: string[] = [];
afterAll(() => {
  rmSync(directory, { recursive: true });
  process.stdout.write(`${table.join('\n')}\n`);
});

/** The file of the description, out of its package. */
function fetched({ name, package: from, file }: Stranger): string {
  const packed = run('npm', ['pack', '--silent', from]).trim().split('\n').at(-1) ?? '';
  const to = mkdtempSync(join(directory, `${name}-`));
  run('tar', ['xzf', packed, '-C', to, `package/${file}`]);
  rmSync(join(directory, packed));
  return join(to, 'package', file);
}

/** Names of a directory's records, without what stands beside them. */
async function recordsIn(mount: Parameters<typeof names>[0], place: string): Promise<string[]> {
  const all = (await names(mount, place)).filter((name) => /\.(?:md|json)$/.test(name));
  return all.map((name) => name.replace(/\.(?:md|json)$/, ''));
}

/** A record as its file has it, and as the service gave it. */
async function compared(
  mount: Parameters<typeof text>[0],
  path: string,
  given: Record<string, unknown>,
) {
  const content = await text(mount, path);
  if (path.endsWith('.json')) return [JSON.parse(content), given];
  const { fields, body } = parseFrontmatter(content);
  const field = Object.keys(given).find((name) => !(name in fields)) ?? 'body';
  return [
    { ...fields, [field]: body },
    { ...given, [field]: given[field] ?? '' },
  ];
}

const nameOf = (id: unknown) =>
  fileNameOf([String(id)], (name) => ['new', 'index', 'README'].includes(name));

async function checked(
  stranger: Stranger,
  mock: Mock,
  mount: Parameters<typeof names>[0],
): Promise<number> {
  let read = 0;
  for (const { truth, rows, whole } of mock.data) {
    const above = mock.data.find((one) => truth.list.startsWith(`${one.truth.list}/{`));
    const place = truth.directory.replace('*', nameOf(firstOf(above, truth.id)));
    const listed = await recordsIn(mount, place);
    const isName = (one: unknown): boolean => listed.includes(nameOf(one));
    const lost = rows
      .filter((row) => !isName(row[truth.id]))
      .map((row) => row[truth.id])
      .slice(0, 9);
    expect([place, lost]).toEqual([place, []]);
    expect((await text(mount, `${place}/index.tsv`)).split('\n')).toHaveLength(rows.length + 2);
    const files = (await names(mount, place)).filter((name) => /\.(?:md|json)$/.test(name));
    const some = rows.filter((_, index) => index < 12 || index % 40 === 0);
    for (const row of some) {
      const file = files.find(
        (name) => name.replace(/\.(?:md|json)$/, '') === nameOf(row[truth.id]),
      );
      const given = whole.get(String(row[truth.id])) ?? row;
      const [shown, meant] = await compared(mount, `${place}/${file}`, given);
      expect([`${stranger.name} ${place}/${file}`, shown]).toEqual([
        `${stranger.name} ${place}/${file}`,
        meant,
      ]);
      read += 1;
    }
  }
  return read;
}

const firstOf = (data: Data | undefined, id: string): unknown =>
  data?.rows[0]?.[data.truth.id] ?? id;

it.each(STRANGERS)('$name', async (stranger) => {
  const file = fetched(stranger);
  const own = join(HINTS, `${stranger.name}.yaml`);
  const hints = existsSync(own) ? { hints: own } : {};
  const lines = existsSync(own) ? readFileSync(own, 'utf8').trimEnd().split('\n').length : 0;
  expect(lines).toBeLessThanOrEqual(MOST_LINES);
  const open = (baseUrl: string) =>
    new ServiceBench<OpenapiMountOptions>('openapi', createOpenapiMount, {
      file,
      baseUrl,
      point: '/mnt/it',
      ...hints,
    });
  if (stranger.refused !== undefined) {
    const bench = open('http://127.0.0.1:9');
    expect(() => bench.mount()).toThrow(stranger.refused);
    bench.end();
    table.push(`${stranger.name}\tnot mounted, and says why`);
    return;
  }
  const description = readDocument(file) as Record<string, unknown>;
  const mock = await startMock(description, stranger, join(directory, 'node_modules'));
  const bench = open(mock.url);
  try {
    const mount = bench.mount();
    const read = await checked(stranger, mock, mount);
    expect(mock.wrong).toEqual([]);
    const paths = Object.keys(description['paths'] as object).length;
    table.push(
      `${stranger.name}\t${paths} paths\t${lines} lines of hints\t${mock.data.length} listings complete\t${read} records equal\t${mock.requests} requests`,
    );
  } finally {
    bench.end();
    mock.close();
  }
});
