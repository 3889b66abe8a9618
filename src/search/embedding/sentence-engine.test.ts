/** Vectors of a sentence model through the real SDK, over loopback, and every way in which that fails. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credential } from '../../../test/credentials/tokens.ts';
import { toyModel } from '../../../test/stand-ins/embeddings/models.ts';
import {
  type EmbeddingServer,
  type EmbeddingServerOptions,
  startEmbeddingServer,
} from '../../../test/stand-ins/embeddings/server.ts';
import { SearchEngine } from '../service/engine.ts';
import type { ServerModel } from './model-spec.ts';
import { openEmbedder } from './open-embedder.ts';
import { SentenceEngine } from './sentence-engine.ts';

let directory: string;
const servers: EmbeddingServer[] = [];
const engines: SentenceEngine[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-sentences-'));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const server of servers.splice(0)) await server.close();
  rmSync(directory, { recursive: true });
});

async function serve(options: Partial<EmbeddingServerOptions> = {}): Promise<EmbeddingServer> {
  const server = await startEmbeddingServer({ embed: toyModel(), model: 'toy', ...options });
  servers.push(server);
  return server;
}

const KEY = credential('sk-', 'of_the_test');

function open(server: { baseUrl: string }, more: Partial<ServerModel> = {}): SentenceEngine {
  const file = join(directory, 'index.sqlite');
  const model: ServerModel = {
    kind: 'server',
    id: 'toy',
    baseUrl: server.baseUrl,
    keyEnv: null,
    dimensions: null,
    queryPrefix: '',
    documentPrefix: '',
    batch: 8,
    concurrency: 2,
    timeoutMs: 5_000,
    ...more,
  };
  const env = { TOY_KEY: KEY };
  const engine = new SentenceEngine(new SearchEngine(file, null), {
    model,
    weight: 0.4,
    env,
    file,
    open: openEmbedder,
    backoffMs: 5,
  });
  engines.push(engine);
  return engine;
}

async function shut(engine: SentenceEngine): Promise<void> {
  engines.splice(engines.indexOf(engine), 1);
  await engine.close();
}

const documents = (count: number, about = 'tea') =>
  Array.from({ length: count }, (_, n) => ({
    path: `/mnt/${about}/${n}.txt`,
    text: `document number${n} about ${about}`,
  }));

const ask = (engine: SentenceEngine, query: string) =>
  engine.search({ query, paths: ['/'], limit: 10 });

/** Every text that vectors were sent of, but for the probe's. */
const embedded = (server: EmbeddingServer): string[] =>
  server.answered.flat().filter((text) => text.includes('document'));

describe('vectors', () => {
  it('are made in batches, a few at a time, each text once, over restarts, moves and edits', async () => {
    const server = await serve({ delayMs: 20 });
    const engine = open(server);
    await engine.update(documents(50), []);
    expect(await engine.sentences(true)).toMatchObject({
      model: 'toy',
      vectors: 50,
      pending: 0,
      refused: 0,
      replaces: null,
      trouble: null,
    });
    expect(new Set(embedded(server)).size).toBe(50);
    expect(embedded(server)).toHaveLength(50);
    expect(server.answered.every((texts) => texts.length <= 8)).toBe(true);
    expect(server.mostAtOnce).toBe(2);
    await shut(engine);

    const again = open(server);
    const [first, second, ...rest] = documents(50);
    // The same text elsewhere, an edit, a deletion, and it is back.
    await again.update([{ path: '/mnt/moved/0.txt', text: first?.text ?? '' }], []);
    await again.update([{ path: second?.path ?? '', text: 'document that was edited' }], []);
    await again.update(rest.slice(0, 5), [first?.path ?? '', rest[7]?.path ?? '']);
    await again.sentences(true);
    await again.update(rest, []);
    expect(await again.sentences(true)).toMatchObject({ vectors: 50, pending: 0 });
    // The name of the file is part of what a text file's passage says of itself.
    expect(embedded(server).slice(50)).toEqual([expect.stringContaining('that was edited')]);
  });

  it('put what the words do not find among the answers, and say how near it is', async () => {
    // Three directions: what it calls a beverage, stones, and everything else.
    const pure = (text: string): number[] =>
      /tea\b|thirsty/.test(text) ? [1, 0, 0.1] : /stone/.test(text) ? [0, 1, 0.1] : [0, 0.1, 1];
    // As real models have it, no two texts point the same way.
    const nudged = (text: string): number[] => pure(text).map((x) => x + text.length / 1_000);
    const server = await serve({ embed: (texts) => texts.map(nudged) });
    const engine = open(server);
    await engine.update([...documents(3, 'tea'), ...documents(30, 'stones')], []);
    await engine.sentences(true);
    const { answers, notes } = await ask(engine, 'thirsty');
    expect(answers.slice(0, 3).map(({ path }) => path.slice(0, 9))).toEqual(
      new Array(3).fill('/mnt/tea/'),
    );
    expect(answers[0]?.parts?.sentence).toBeGreaterThan(0.2);
    expect(answers[0]?.evidence?.sentence).toBeCloseTo(1, 2);
    expect(notes).toEqual([]);
    expect((await ask(engine, 'when do ships sail')).answers).toEqual([]);
  });

  it('of a text that is too long are made of its beginning; one that is refused is left out', async () => {
    const server = await serve({ longestText: 400 });
    const engine = open(server);
    await engine.update(
      [
        ...documents(6),
        { path: '/mnt/long.txt', text: `document ${'of many words '.repeat(100)}` },
      ],
      [],
    );
    expect(await engine.sentences(true)).toMatchObject({ vectors: 7, pending: 0, refused: 0 });
    const picky = await serve({ longestText: 25 });
    const other = open(picky, { documentPrefix: 'x ' });
    expect(await other.sentences(true)).toMatchObject({ gaveUp: true, pending: 7 });
  });
});

describe('a failure', () => {
  it('that passes is waited for: limits, outages, broken answers', async () => {
    const server = await serve();
    server.fail(
      { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
      { kind: 'status', status: 500 },
      { kind: 'cut' },
    );
    const engine = open(server);
    await engine.update(documents(40), []);
    await engine.sentences(true);
    server.fail(
      { kind: 'dimension', dimensions: 7 },
      { kind: 'fewer' },
      { kind: 'status', status: 503, headers: { 'retry-after': '0.02' } },
    );
    await engine.update(documents(40, 'coffee'), []);
    expect(await engine.sentences(true)).toMatchObject({ vectors: 80, pending: 0, trouble: null });
    expect(embedded(server)).toHaveLength(80);
  });

  it('to answer in time is one, and is asked again', async () => {
    const server = await serve();
    server.fail({ kind: 'hang' });
    const engine = open(server, { timeoutMs: 100 });
    await engine.update(documents(5), []);
    expect(await engine.sentences(true)).toMatchObject({ vectors: 5, pending: 0 });
  });

  it('holds back all requests until the time that the service names', async () => {
    const server = await serve();
    server.fail({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
    const engine = open(server);
    await engine.update(documents(40), []);
    const state = await engine.sentences(true);
    expect(state).toMatchObject({ gaveUp: true, pending: 40 });
    expect(state.trouble).toContain('answered 429');
    expect(Date.parse(state.holdsUntil ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    const { requests } = server;
    const { answers, notes } = await ask(engine, 'document number7 tea');
    expect(answers[0]?.path).toBe('/mnt/tea/7.txt');
    expect(notes?.[0]).toBe('40 of 40 passages have no vector of toy yet');
    expect(server.requests).toBe(requests);
  });

  it('that lasts is told at once, with what to do, and answers go on without the model', async () => {
    const closed = await serve();
    await closed.close();
    servers.pop();
    const server = await serve({ key: KEY });
    const cases: [Partial<ServerModel>, RegExp][] = [
      [
        { id: 'nomic', keyEnv: 'TOY_KEY' },
        /answered 404: model "nomic" not found, .*"ollama pull"/,
      ],
      [{ baseUrl: `${server.baseUrl}/typo` }, /answered 404: no such route; .*ends in \/v1/],
      [{}, /answered 401: .*search\.model\.keyEnv/],
      [{ keyEnv: 'NO_SUCH' }, /^toy needs a key: set NO_SUCH in the environment/],
      [{ baseUrl: closed.baseUrl }, /cannot be reached \(ECONNREFUSED\); is it running/],
    ];
    for (const [more, sentence] of cases) {
      const engine = open(server, more);
      await engine.update(documents(3), []);
      const state = await engine.sentences(true);
      expect(state).toMatchObject({ gaveUp: true, pending: 3 });
      expect(state.trouble).toMatch(sentence);
      expect(state.trouble).not.toContain(KEY);
      const { answers, notes } = await ask(engine, 'document number2 tea');
      expect(answers[0]?.path).toBe('/mnt/tea/2.txt');
      expect(notes?.join('; ')).toMatch(sentence.source.startsWith('^') ? /needs a key/ : sentence);
      await shut(engine);
    }
    const right = open(server, { keyEnv: 'TOY_KEY' });
    expect(await right.sentences(true)).toMatchObject({ vectors: 3, pending: 0 });
    await shut(right);
    for (const name of ['index.sqlite', 'index.sqlite-wal', 'index.sqlite.embedding']) {
      const file = join(directory, name);
      if (existsSync(file)) expect(readFileSync(file).includes(KEY)).toBe(false);
    }
  });

  it('of a question is said, and the answer comes all the same', async () => {
    const server = await serve();
    const engine = open(server);
    await engine.update(documents(3), []);
    await engine.sentences(true);
    server.fail({ kind: 'status', status: 500, message: 'out of memory' });
    const { answers, notes } = await ask(engine, 'document number2 tea');
    expect(answers[0]?.path).toBe('/mnt/tea/2.txt');
    expect(notes).toEqual([
      expect.stringMatching(/^ranked without toy: .* answered 500: out of memory$/),
    ]);
    expect((await ask(engine, 'document number2 tea')).notes).toEqual([]);
  });
});

describe('another model', () => {
  it('is built beside the one in use, which stays in use until then, and is removed', async () => {
    const old = await serve();
    const first = open(old);
    await first.update(documents(40), []);
    await first.sentences(true);
    await shut(first);

    const server = await serve({ model: 'better', embed: toyModel(32, 7), delayMs: 20 });
    server.fail({ kind: 'status', status: 429, headers: { 'retry-after': '0.5' } });
    const second = open(server, { id: 'better' });
    const before = old.requests;
    const during = await ask(second, 'tea number5');
    expect(during.answers[0]?.parts?.sentence).toBeGreaterThan(0);
    expect(during.notes?.[0]).toBe('toy is in use until better has all passages (0 of 40)');
    expect(old.requests).toBeGreaterThan(before);
    expect(await second.sentences(true)).toMatchObject({
      model: 'better',
      vectors: 40,
      replaces: null,
    });
    const asked = old.requests;
    const after = await ask(second, 'tea number6');
    expect(after.answers[0]?.parts?.sentence).toBeGreaterThan(0);
    expect(after.notes).toEqual([]);
    expect(old.requests).toBe(asked);
    await shut(second);

    const back = open(old);
    expect(await back.sentences(false)).toMatchObject({ pending: 40, replaces: 'better' });
  });

  it('under the same name is noticed, and nothing of the two is mixed', async () => {
    const server = await serve();
    const first = open(server);
    await first.update(documents(20), []);
    await first.sentences(true);
    await shut(first);
    server.become(toyModel(48, 99));
    const second = open(server);
    const { notes } = await ask(second, 'tea number5');
    expect(notes).toEqual([
      'ranked without toy: toy is not the model any more that the vectors were made with',
    ]);
    await second.update(documents(1, 'coffee'), []);
    expect(await second.sentences(true)).toMatchObject({ vectors: 21, pending: 0 });
    expect((await ask(second, 'tea number5')).notes).toEqual([]);
    expect(embedded(server)).toHaveLength(41);
  });

  it('that another process has put in its place is not fought over', async () => {
    const [server, theirs] = [
      await serve(),
      await serve({ model: 'better', embed: toyModel(32, 7) }),
    ];
    const mine = open(server);
    await mine.update(documents(20), []);
    await mine.sentences(true);
    const other = open(theirs, { id: 'better' });
    expect(await other.sentences(true)).toMatchObject({ vectors: 20, replaces: null });
    const { requests } = server;
    const paid = embedded(theirs).length;
    for (const query of ['tea number5', 'tea number6']) {
      expect((await ask(mine, query)).answers[0]?.path).toContain('/mnt/tea/');
    }
    const state = await mine.sentences(true);
    expect(state).toMatchObject({ pending: 20, gaveUp: true });
    expect(state.trouble).toContain('another process has given this index the model better');
    expect(server.requests).toBe(requests);
    expect(await other.sentences(true)).toMatchObject({ vectors: 20, pending: 0 });
    expect(embedded(theirs)).toHaveLength(paid);
  });

  it('at another address that answers alike is the same one', async () => {
    const first = open(await serve());
    await first.update(documents(20), []);
    await first.sentences(true);
    await shut(first);
    const moved = await serve();
    const second = open(moved);
    expect(await second.sentences(true)).toMatchObject({ vectors: 20, pending: 0 });
    await second.update(documents(1, 'coffee'), []);
    await second.sentences(true);
    expect(embedded(moved)).toHaveLength(1);
  });
});

it('two processes share the vectors, and pay for each once', async () => {
  const server = await serve({ delayMs: 10 });
  const [one, two] = [open(server), open(server)];
  await one.update(documents(60), []);
  await Promise.all([one.sentences(true), two.sentences(true)]);
  expect(await two.sentences(true)).toMatchObject({ vectors: 60, pending: 0 });
  expect(embedded(server)).toHaveLength(60);
  expect((await ask(two, 'tea number5')).notes).toEqual([]);
});
