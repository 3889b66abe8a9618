/** When GitHub is down, slow, cut off, full or refuses: the errno, the sentence, and what is served. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultInput } from '../../test/stand-ins/github/index.ts';
import { Bench, failure, REPO, TOKEN, text, write } from './testing.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 5, commentsEach: 1 });
});
beforeEach(async () => {
  await bench.github.clearFaults();
  bench.notices.length = 0;
  await bench.asked();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** A mount whose replica is its own, so that it holds nothing yet. */
function emptyMount(options: Parameters<Bench['mount']>[0] = {}) {
  return bench.mount({ ...options, ...bench.memory() });
}

const OUTAGES: { fault: FaultInput; code: string; says: RegExp }[] = [
  { fault: { kind: 'server-error', status: 502 }, code: 'EIO', says: /GitHub answered 502/ },
  { fault: { kind: 'cut' }, code: 'EIO', says: /broke off/ },
  {
    fault: { kind: 'taken-down' },
    code: 'EACCES',
    says: /451: Repository access blocked; it was taken down \(dmca\); see https:.*dmca/,
  },
  {
    fault: { kind: 'taken-down', status: 403 },
    code: 'EACCES',
    says: /403: Repository access blocked; it was taken down \(tos\)/,
  },
  { fault: { kind: 'cut-body' }, code: 'EIO', says: /broke off/ },
  { fault: { kind: 'slow', ms: 2_000 }, code: 'ETIMEDOUT', says: /within 0\.5 s/ },
  {
    fault: { kind: 'secondary-limit', retryAfter: 42 },
    code: 'EAGAIN',
    says: /try again after \d\d:\d\d:\d\d UTC \(in 4\d s\)/,
  },
  {
    fault: { kind: 'primary-limit', retryAfter: 42 },
    code: 'EAGAIN',
    says: /try again after \d\d:\d\d:\d\d UTC/,
  },
];

describe.each(OUTAGES)('$fault.kind', ({ fault, code, says }) => {
  // On a busy machine an answer takes longer than one should wait for the slow one.
  const timeoutMs = fault.kind === 'slow' ? 500 : 20_000;

  it(`is ${code} where nothing is held, never "no such file" and never an empty listing`, async () => {
    const mount = emptyMount({ timeoutMs });
    await bench.github.fault(fault);
    for (const work of [
      () => mount.readdir(`${REPO}/issues`),
      () => mount.read(`${REPO}/issues/1.md`),
      () => mount.lstat(REPO),
    ]) {
      const refused = await failure(work());
      expect(refused.code).toBe(code);
      expect(refused.reason).toMatch(says);
    }
  });

  it('leaves what is held to be served, and says how old it is', async () => {
    const mount = emptyMount({ timeoutMs });
    const before = await mount.readdir(`${REPO}/issues`);
    await bench.asked();
    await bench.github.fault(fault);
    bench.move(60_000);
    expect(await mount.readdir(`${REPO}/issues`)).toEqual(before);
    expect(await text(mount, `${REPO}/issues/1.md`)).toContain('Number 1');
    expect(bench.notices.at(-1)).toMatch(/^showing data from \d\d:\d\d:\d\d UTC: /);
    expect(bench.notices.at(-1)).toMatch(says);
    // One failure, of three tries at most, is not asked for again for every file.
    expect((await bench.asked()).length).toBeLessThanOrEqual(3);
  });
});

describe('a limit', () => {
  it('keeps every request back until it ends', async () => {
    const mount = emptyMount();
    await bench.github.fault({ kind: 'secondary-limit', retryAfter: 30, times: 1 });
    expect(await failure(mount.readdir(`${REPO}/issues`))).toMatchObject({ code: 'EAGAIN' });
    await bench.asked();
    const refused = await failure(write(mount, `${REPO}/issues/new.md`, '---\ntitle: x\n---\n'));
    expect(refused).toMatchObject({ code: 'EAGAIN' });
    expect(refused.reason).toContain('no request was sent');
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'failed' });
    expect(await bench.asked()).toEqual([]);
    bench.move(31_000);
    expect(await mount.readdir(`${REPO}/issues`)).toHaveLength(11);
  });
});

describe('a limit that comes near', () => {
  it('leaves the last requests to writes, and says until when', async () => {
    const mount = emptyMount();
    const path = `${REPO}/issues/1.md`;
    const before = await text(mount, path);
    await bench.github.setRateLimit({ limit: 5000, remaining: 40, resetInSeconds: 600 });
    // The answer to this one tells how little is left.
    await mount.lstat(`${REPO}/issues/2.md`);
    await bench.asked();
    const refused = await failure(mount.readdir(`${REPO}/pulls`));
    expect(refused).toMatchObject({ code: 'EAGAIN' });
    expect(refused.reason).toMatch(/kept for writes: try again after [\d:]{8} UTC/);
    expect(await bench.asked()).toEqual([]);
    expect(await text(mount, path)).toBe(before);
    await bench.github.setRateLimit({ limit: 5000, remaining: 5000, resetInSeconds: 3600 });
  });
});

describe('a token that is refused', () => {
  it('is EACCES and says what to check', async () => {
    const mount = emptyMount({ token: 'ghp_wrong' });
    const refused = await failure(mount.readdir(`${REPO}/issues`));
    expect(refused).toMatchObject({ code: 'EACCES' });
    expect(refused.reason).toContain('the token was refused: check GITHUB_TOKEN');
  });

  it('appears in no error, no notice and no database', async () => {
    const mount = bench.mount({ token: TOKEN });
    await mount.prefetch(REPO);
    await bench.github.fault({ kind: 'server-error', method: 'PATCH' });
    const path = `${REPO}/issues/1.md`;
    const refused = await failure(
      write(mount, path, (await text(mount, path)).replace('Number', 'No')),
    );
    await bench.github.fault({ kind: 'server-error' });
    bench.move(60_000);
    await mount.readdir(`${REPO}/issues`);
    expect(inspect(refused, { depth: 12, showHidden: true })).not.toContain(TOKEN);
    expect(bench.notices.join('\n')).not.toContain(TOKEN);
    for (const file of readdirSync(bench.directory)) {
      expect(readFileSync(join(bench.directory, file)).includes(TOKEN)).toBe(false);
    }
  });
});

describe('a repository that is gone', () => {
  it('takes everything that was held of it along, and is "no such file" from then on', async () => {
    const gone = { now: false };
    const answer: typeof fetch = (input, init) =>
      gone.now
        ? Promise.resolve(new Response('{"message":"Not Found"}', { status: 404 }))
        : fetch(input, init);
    const mount = emptyMount({ fetch: answer });
    await mount.prefetch(REPO);
    const seq = mount.feed(0).at(-1)?.seq ?? 0;
    gone.now = true;
    bench.move(60_000);
    expect(await failure(mount.readdir(`${REPO}/issues`))).toMatchObject({ code: 'ENOENT' });
    expect(await failure(mount.lstat(REPO))).toMatchObject({ code: 'ENOENT' });
    expect(mount.feed(seq).every(({ op }) => op === 'delete')).toBe(true);
    expect([...mount.documents()]).toEqual([]);
  });
});

describe('an unreachable service', () => {
  it('fails a write for certain: nothing was sent, nothing is unknown', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const mount = emptyMount({ baseUrl: `http://127.0.0.1:${port}` });
    const refused = await failure(write(mount, `${REPO}/issues/new.md`, '---\ntitle: x\n---\n'));
    expect(refused).toMatchObject({ code: 'EIO' });
    expect(refused.reason).toContain('could not be reached');
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'failed' });
  });
});

describe('a write that GitHub refuses', () => {
  it('is EINVAL with its words, and the change has failed', async () => {
    const answer = () =>
      new Response(JSON.stringify({ message: 'Validation Failed', errors: [{ field: 'title' }] }), {
        status: 422,
        headers: { 'content-type': 'application/json' },
      });
    const mount = emptyMount({ fetch: async () => answer() });
    const refused = await failure(write(mount, `${REPO}/issues/new.md`, '---\ntitle: x\n---\n'));
    expect(refused).toMatchObject({ code: 'EINVAL' });
    expect(refused.reason).toContain('Validation Failed; {"field":"title"}');
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'failed' });
  });

  it('is EIO when the answer is not what was expected', async () => {
    const mount = emptyMount({
      fetch: async () =>
        new Response('[{"number":"x"}]', { headers: { 'content-type': 'application/json' } }),
    });
    expect(await failure(mount.prefetch(`${REPO}/issues`))).toMatchObject({ code: 'EIO' });
  });
});

describe('a listing that lags', () => {
  it('takes back neither an own new issue nor an own edit', async () => {
    const mount = emptyMount();
    await mount.readdir(`${REPO}/issues`);
    await write(mount, `${REPO}/issues/new.md`, '---\ntitle: Fresh\n---\n');
    const name = (await text(mount, `${REPO}/issues/.last`)).trim();
    await write(mount, `${REPO}/issues/3.md`, '---\ntitle: Third\n---\n');
    await bench.github.fault({ kind: 'lag', ms: 3_600_000 });
    bench.move(20_000);
    const names = (await mount.readdir(`${REPO}/issues`)).map((entry) => entry.name);
    expect(names).toContain(name);
    expect(await text(mount, `${REPO}/issues/3.md`)).toContain('title: Third');
  });
});
