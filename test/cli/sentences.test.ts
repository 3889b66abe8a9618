/** A deployment with a sentence model, as a person meets it: indexing, asking, and what is said when it cannot be asked. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credential } from '../credentials/tokens.ts';
import { toyModel } from '../stand-ins/embeddings/models.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../stand-ins/embeddings/server.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { cli } from './run-cli.ts';

const KEY = credential('sk-', 'known_to_the_host_alone');
let server: EmbeddingServer;
let deployment: string;

beforeEach(async () => {
  server = await startEmbeddingServer({ embed: toyModel(), model: 'toy', key: KEY });
  deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'docs'));
  for (const [name, text] of Object.entries({ tea: 'green tea', wool: 'wool of sheep' })) {
    writeFileSync(join(deployment, 'docs', `${name}.md`), `# ${name}\n\nAbout ${text}.\n`);
  }
});
afterEach(() => server.close());

function configure(model: unknown, more = ''): void {
  const search = JSON.stringify({ model });
  writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    `export default { mounts: { '/mnt/docs': './docs:ro' }, search: ${search}${more} };\n`,
  );
}

/** Everything that was written below a directory. */
function filesBelow(directory: string): Buffer[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

describe('a deployment with a sentence model', () => {
  it('is indexed with its vectors, and ranks by them; the key is in no file', async () => {
    configure({ id: 'toy', baseUrl: server.baseUrl, keyEnv: 'TOY_KEY' });
    const env = { TOY_KEY: KEY };
    const indexed = await cli(['index', '--deployment', deployment, '/mnt/docs'], { env });
    expect(indexed.stderr).toBe('');
    expect(indexed.stdout.toString()).toMatch(
      /^\/mnt\/docs: 2 documents in 2 chunks indexed\n2 vectors of toy, \d+ tokens so far\n$/,
    );
    const { requests } = server;
    const command = 'search --explain "green tea" /mnt/docs; index /mnt; env';
    const asked = await cli(['sh', '--deployment', deployment, '-c', command], { env });
    expect(asked.stdout.toString()).toMatch(/sentence 0\.04, .*cosine of sentence 0\.\d\d/);
    expect(asked.stdout.toString()).toContain('vectors of toy: 2 of 2\n');
    expect(asked.stderr).toMatch(
      /^searched 2 documents by meaning, index \d+ s old\nsearch: \d\.\d\d speaks for an answer, /,
    );
    // Who is there, and the question.
    expect(server.requests - requests).toBe(2);
    expect(asked.stdout.includes(KEY)).toBe(false);
    for (const content of filesBelow(deployment)) expect(content.includes(KEY)).toBe(false);
  });

  it('without its key says which variable to set, and answers without the model', async () => {
    configure({ id: 'toy', baseUrl: server.baseUrl, keyEnv: 'TOY_KEY' });
    const indexed = await cli(['index', '--deployment', deployment, '/mnt/docs']);
    expect(indexed.status).toBe(1);
    expect(indexed.stderr).toBe(
      'index: toy needs a key: set TOY_KEY in the environment that dirigent is started in\n',
    );
    expect(indexed.stdout.toString()).toContain('0 vectors of toy, 2 missing\n');
    const command = 'grep "green tea" /mnt/docs';
    const asked = await cli(['sh', '--deployment', deployment, '-c', command]);
    expect(asked.stdout.toString()).toMatch(/^\/mnt\/docs\/tea\.md:3:About green tea\.\n/);
    expect(asked.stderr).toContain('2 of 2 passages have no vector of toy yet');
    expect(asked.status).toBe(0);
  });

  it('takes models of a provider of the AI SDK, which sees the variables that it was promised', async () => {
    const file = join(deployment, 'provider.mjs');
    const sdk = new URL('../../node_modules/@ai-sdk/openai/dist/index.js', import.meta.url).href;
    writeFileSync(
      file,
      `import { createOpenAI } from ${JSON.stringify(sdk)};
       const { THEIR_KEY: apiKey, SECRET } = process.env;
       if (SECRET !== undefined) throw new Error('it sees more');
       export default createOpenAI({ apiKey, baseURL: ${JSON.stringify(server.baseUrl)} });\n`,
    );
    const agent = ', agent: { providers: { theirs: "./provider.mjs" } }';
    configure({ id: 'theirs/toy', env: ['THEIR_KEY'] }, agent);
    const env = { THEIR_KEY: KEY, SECRET: 'x' };
    const indexed = await cli(['index', '--deployment', deployment, '/mnt/docs'], { env });
    expect(indexed.stderr).toBe('');
    expect(indexed.stdout.toString()).toContain('2 vectors of theirs/toy');
  });
});

describe('a config is refused, with the path of what is wrong:', () => {
  it.each([
    [{ model: 'voyage/x' }, /search\.model: "voyage\/x" is no model .* provider of openai/],
    [{ model: {} }, /search\.model: give one of id, .* onnx and table/],
    [{ model: { id: 'x', onnx: 'y' } }, /search\.model: give one of id, .* onnx and table/],
    [{ model: { id: 'x', baseUrl: 'here' } }, /search\.model\.baseUrl: Invalid URL/],
    [{ model: { id: 'openai/x', keyEnv: 'Y' } }, /search\.model: keyEnv belongs to baseUrl/],
    [{ model: { onnx: 'nowhere' } }, /search\.model\.onnx: .*nowhere should be a directory/],
    [{ model: { id: 'openai/x', batch: 0 } }, /search\.model\.batch: /],
    [{ weight: 2 }, /search\.weight: /],
    [{ modle: 'x' }, /search\.modle: there is no such setting/],
  ])('%j', (search, message) => {
    expect(() => testWorld({ search: search as never })).toThrow(message);
  });
});
