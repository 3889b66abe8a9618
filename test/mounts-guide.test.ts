/** What docs/mounts.md says of answers and of pages holds. That its steps lead to a mount is test/package's. */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testedServer } from '../mounts/mcp/testing.ts';
import * as door from '../src/mount/index.ts';
import { programs } from '../src/mount-testing/index.ts';
import { blocksOf, GUIDE } from './package/guide.ts';

const MOUNT = join(import.meta.dirname, '..', 'src', 'mount');
const guide = readFileSync(GUIDE, 'utf8');

async function serve(listener: RequestListener, timeoutMs = 60_000) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = () => new Date();
  return new door.HttpClient({ service: 'it', baseUrl, now, timeoutMs, fetch });
}

const rows = [...guide.matchAll(/^\| ([^|]+) \| `(\w+)` \| (E\w+) \|$/gm)].map(
  ([, answer = '', kind = '', errno = '']) => [answer, kind, errno] as const,
);

/** `unfinished` is no answer: it is what a listing says that goes on. */
const KINDS: Record<Exclude<door.FailureKind, 'unfinished'>, true> = {
  auth: true,
  forbidden: true,
  missing: true,
  gone: true,
  invalid: true,
  stale: true,
  limited: true,
  server: true,
  network: true,
  timeout: true,
  protocol: true,
};

test('the table of errors has a row for every kind that an answer comes to', () => {
  expect(rows.map(([, kind]) => kind).sort()).toEqual(Object.keys(KINDS).sort());
});

test.each(rows)('an answer %s is %s and %s', async (answer, kind, errno) => {
  const statuses = /^\d/.test(answer) ? answer.split(', ').map(Number.parseFloat) : [200];
  const ifMatch = answer.includes('If-Match') ? '"1"' : null;
  for (const status of statuses) {
    const client = await serve(
      ({ socket }, response) => {
        if (answer === 'none') socket.destroy();
        else if (answer !== 'none in time') response.writeHead(status).end('no JSON');
      },
      answer === 'none in time' ? 100 : undefined,
    );
    const failure = await client.send({ method: 'PATCH', url: 'x', body: {} }, ifMatch).then(
      () => null,
      (error: unknown) => error,
    );
    if (!(failure instanceof door.ServiceFailure))
      throw new Error(`no failure: ${String(failure)}`);
    expect(failure.kind).toBe(kind);
    expect(failure.at('/x', 'open').code).toBe(errno);
  }
});

test('the listing by pages brings every row of every page', async () => {
  const asked: string[] = [];
  const client = await serve(({ url = '' }, response) => {
    asked.push(url);
    const at = Number(new URL(url, 'http://it').searchParams.get('cursor') ?? 0);
    response.end(JSON.stringify({ items: [at], ...(at < 2 ? { next: String(at + 1) } : {}) }));
  });
  const code = blocksOf().find(({ text }) => text.startsWith('await client.rows('))?.text ?? '';
  const run = new Function('client', 'byCursor', `return (async () => { return ${code} })()`);
  expect(await run(client, door.byCursor)).toEqual([0, 1, 2]);
  expect(asked[0]).toBe('/items?limit=100');

  // The same page by page, and on from where it was left.
  const paged = blocksOf().find(({ text }) => text.startsWith('list: ('))?.text ?? '';
  const { list } = new Function('byCursor', `return { ${paged} }`)(door.byCursor);
  const pages: { rows: unknown[]; next: string | null }[] = [];
  for await (const page of list({ client }, null, null)) pages.push(page);
  expect(pages.map(({ rows }) => rows)).toEqual([[0], [1], [2]]);
  for await (const page of list({ client }, null, pages[1]?.next)) expect(page.rows).toEqual([2]);
});

test('the trial of programs runs as it is shown, against a service that has one', async () => {
  const code = blocksOf().find(({ text }) => text.startsWith('await programs('))?.text ?? '';
  await using subject = await testedServer();
  const run = new Function('programs', 'subject', `return (async () => { return ${code} })()`);
  expect(await run(programs, subject)).toBeGreaterThanOrEqual(4);
});

/** What an interface of the sources names, those that it picks from another included. */
function membersOf(file: string, name: string): string[] {
  const source = readFileSync(join(MOUNT, file), 'utf8');
  const own = new RegExp(`^export interface ${name}\\b.*?^}`, 'ms').exec(source)?.[0] ?? '';
  const members = own.matchAll(/^ {2}(\w+)[?(:]|'(\w+)'/gm);
  return [...members].flatMap(([, named, picked]) => named ?? picked ?? []);
}

test('the contract has a row for all that a service and its records say, and for nothing else', () => {
  const contract = readFileSync(join(GUIDE, '..', 'mount-contract.md'), 'utf8');
  const named = [...contract.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
  const said = [
    ...membersOf('resource/opening.ts', 'ServiceSpec'),
    ...['Writing', 'Shape', 'ResourceSpec'].flatMap((of) =>
      membersOf('resource/definition.ts', of),
    ),
  ];
  expect(said.length).toBeGreaterThan(40);
  expect(said.filter((name) => !named.includes(name))).toEqual([]);
  // The door's own names, of types, too; and what a listing brings.
  const exports = readFileSync(join(MOUNT, 'index.ts'), 'utf8').match(/\w+/g) ?? [];
  const known = new Set([...said, ...exports, ...membersOf('resource/definition.ts', 'Listing')]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
