import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readWordTable } from '../static/table.ts';
import { SearchEngine } from './engine.ts';

const table = readWordTable(readFileSync(join(import.meta.dirname, '../../../data/words.bin')));
let engine: SearchEngine;

afterEach(() => engine.close());

function holding(texts: Readonly<Record<string, string>>): void {
  engine = new SearchEngine(':memory:', table);
  engine.update(
    Object.entries(texts).map(([path, text]) => ({ path, text })),
    [],
  );
}

const answered = (query: string): boolean =>
  engine.search({ query, paths: ['/'], limit: 10 }).answers.length > 0;

const IRRELEVANT = [
  'how to bake sourdough bread',
  'who painted the mona lisa',
  'cheap flights to Tokyo',
  'my landlord keeps the deposit',
  'calculateMortgageRate',
];

describe('a single short file', () => {
  it('answers what it says and nothing else', () => {
    holding({
      '/notes.md': '# Deploy\n\nRun the migration first, then restart both workers.\n',
    });
    expect(answered('restart the workers')).toBe(true);
    expect(answered('migration')).toBe(true);
    expect(answered('in which order do I deploy')).toBe(true);
    expect(IRRELEVANT.filter(answered)).toEqual([]);
  });
});

describe('a handful of files', () => {
  it('answers what they say and nothing else', () => {
    holding({
      '/a.md': '# Invoices\n\nAn invoice is sent on the first of the month.\n',
      '/b.md': '# Refunds\n\nCustomers are paid back within ten days.\n',
      '/c.md': '# Passwords\n\nTo reset a password, ask for a link by mail.\n',
      '/d.ts':
        'export function parseInvoice(text: string): Invoice {\n  return JSON.parse(text);\n}\n',
      '/e.md': '# Holidays\n\nThe office is closed between Christmas and New Year.\n',
    });
    for (const query of [
      'when are invoices sent',
      'reset password',
      'parseInvoice',
      'I forgot my password',
      'how long does a refund take',
    ]) {
      expect([query, answered(query)]).toEqual([query, true]);
    }
    expect(IRRELEVANT.filter(answered)).toEqual([]);
  });
});

describe('an identifier', () => {
  it('is not answered by one word of it', () => {
    const texts = Array.from({ length: 60 }, (_, index): [string, string] => [
      `/${index}.md`,
      `# Rate limits ${index}\n\nThe rate of requests is limited for customer ${index}.\n`,
    ]);
    holding(Object.fromEntries(texts));
    expect(answered('rate limit')).toBe(true);
    expect(answered('calculateMortgageRate')).toBe(false);
  });
});

describe('a slip of the keyboard', () => {
  it('is answered, and told', () => {
    holding({ '/hooks.md': '# Webhooks\n\nA webhook is delivered at least once.\n' });
    const reply = engine.search({ query: 'webook', paths: ['/'], limit: 10 });
    expect(reply.answers[0]?.path).toBe('/hooks.md');
    expect(reply.notes).toEqual(['webook was read as webhook']);
  });
});

it('what spoke for an answer is told beside what is needed', () => {
  holding({ '/hooks.md': '# Webhooks\n\nA webhook is delivered at least once.\n' });
  const of = (query: string) => engine.search({ query, paths: ['/'], limit: 1 }).relevance;
  const [found, missed] = [of('webhook delivery'), of('roast a turkey')];
  expect(found?.reached).toBeGreaterThan(found?.needed ?? Number.NaN);
  expect(missed?.reached).toBeLessThan(missed?.needed ?? Number.NaN);
});
