/** The depot as the trials see it. */
import { onTestFinished } from 'vitest';
import { testSubject } from '../../../src/mount-testing/index.ts';
import { idOf, type Product, startDepot } from './depot-server.ts';

export const fileOf = (n: number): string => `/products/${idOf(n)}.md`;
const called = (wanted: string) => (held: readonly Product[]) =>
  held.filter(({ name }) => name === wanted).length;

export const WRITES = [
  {
    what: 'a new product',
    path: '/products/new.md',
    content: () => '---\nname: Fender\nstock: 3\n---\n',
    made: called('Fender'),
  },
  {
    what: 'an edit',
    path: fileOf(1),
    content: (before: string) => before.replace('name: Anchor', 'name: Grapnel'),
    made: called('Grapnel'),
  },
  {
    what: 'a removal',
    path: fileOf(2),
    content: () => null,
    made: (held: readonly Product[]) => 1 - called('Buoy')(held),
  },
];

/** The depot with its mount, for as long as a test runs. */
export async function depotSubject() {
  const made = await testSubject<readonly Product[]>({
    name: 'depot',
    module: new URL('./depot.ts', import.meta.url),
    start: startDepot,
    places: { list: '/products', record: fileOf(1) },
    writes: WRITES,
    isWrite: ({ body }) => body.includes('"mutation '),
  });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}
