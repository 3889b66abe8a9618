/** The sheets as the trials see them. */
import { onTestFinished } from 'vitest';
import { testSubject } from '../../../src/mount-testing/index.ts';
import { type Sheets, startSheets } from './sheets-server.ts';

export const stock = (held: Sheets) => held['stock'] ?? [];
export const WRITES = [
  {
    what: 'a new row',
    path: '/sheets/stock/rows/new.json',
    content: () => '{"sku": "c1", "what": "once"}',
    made: (held: Sheets) => stock(held).filter(({ what }) => what === 'once').length,
  },
  {
    what: 'an edit',
    path: '/sheets/stock/rows/a1.json',
    content: (before: string) => before.replace('"bolt"', '"long bolt"'),
    made: (held: Sheets) => stock(held).filter(({ what }) => what === 'long bolt').length,
  },
  {
    what: 'a removal',
    path: '/sheets/stock/rows/a2.json',
    content: () => null,
    made: (held: Sheets) => (stock(held).some(({ sku }) => sku === 'a2') ? 0 : 1),
  },
];

/** The sheets with their mount, for as long as a test runs. */
export async function sheetsSubject() {
  const made = await testSubject<Sheets>({
    name: 'sheets',
    module: new URL('./sheets.ts', import.meta.url),
    start: startSheets,
    places: { list: '/sheets/stock/rows', record: '/sheets/stock/rows/a1.json' },
    writes: WRITES,
  });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}
