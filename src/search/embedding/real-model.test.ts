/** A real sentence model, small, behind a server on loopback: what it finds that words do not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { universalSentenceEncoder } from '../../../test/stand-ins/embeddings/models.ts';
import { startEmbeddingServer } from '../../../test/stand-ins/embeddings/server.ts';
import { SearchEngine } from '../service/engine.ts';
import { readWordTable } from '../static/table.ts';
import { openEmbedder } from './open-embedder.ts';
import { SentenceEngine } from './sentence-engine.ts';

const TEXTS = {
  '/kb/password.md': 'To reset your password, open the account page and choose a new one.',
  '/kb/refund.md': 'Customers get their money back when the parcel was damaged.',
  '/kb/backup.md': 'Every night a copy of the database is written to another data centre.',
  '/kb/printer.md': 'The printer on the second floor takes A4 paper only.',
  '/kb/vacation.md': 'Ask your manager two weeks before you take days off.',
  '/kb/coffee.md': 'The espresso machine is descaled on the first Monday of the month.',
};

it('answers in other words than the text, and refuses what nothing is about', async () => {
  const embed = await universalSentenceEncoder();
  const server = await startEmbeddingServer({ embed, model: 'use-lite' });
  const words = readWordTable(readFileSync(join(import.meta.dirname, '../../../data/words.bin')));
  const engine = new SentenceEngine(new SearchEngine(':memory:', words), {
    model: {
      kind: 'server',
      id: 'use-lite',
      baseUrl: server.baseUrl,
      keyEnv: null,
      dimensions: null,
      queryPrefix: '',
      documentPrefix: '',
      batch: 16,
      concurrency: 1,
      timeoutMs: 60_000,
    },
    weight: 0.3,
    env: {},
    file: ':memory:',
    open: openEmbedder,
  });
  try {
    await engine.update(
      Object.entries(TEXTS).map(([path, text]) => ({ path, text })),
      [],
    );
    expect(await engine.sentences(true)).toMatchObject({ vectors: 6, pending: 0 });
    const first = async (query: string): Promise<string | undefined> => {
      const { answers } = await engine.search({ query, paths: ['/kb'], limit: 3 });
      return answers[0]?.path;
    };
    expect(await first('I forgot how to log in')).toBe('/kb/password.md');
    expect(await first('I would like to go on holiday')).toBe('/kb/vacation.md');
    expect(await first('what was broken in the mail is reimbursed')).toBe('/kb/refund.md');
    expect(await first('who won the chess tournament in Reykjavik')).toBeUndefined();
  } finally {
    await engine.close();
    await server.close();
  }
});
