import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type HeldDocument, HeldDocuments } from './documents.ts';

interface Told extends HeldDocument {
  /** The ids of its chunks. */
  chunks: number[];
}

const document = fc.record({
  path: fc.constantFrom('/a/1.md', '/a/2.md', '/b/3.md'),
  updated: fc.constantFrom('2026-01-01', '2026-02-02'),
  kind: fc.constantFrom('file' as const, 'page' as const, 'issue' as const),
  language: fc.constantFrom('en' as const, 'de' as const, 'fr' as const),
  gap: fc.integer({ min: 1, max: 3 }),
  chunks: fc.integer({ min: 0, max: 3 }),
});

/** Documents with ids that rise and leave some out, each with its chunks. */
const documents = fc.array(document, { maxLength: 12 }).map((all) => {
  let id = 0;
  return all.map(({ gap, chunks, ...facts }): Told => {
    id += gap;
    return { id, ...facts, chunks: Array.from({ length: chunks }, (_, at) => 100 * id + at) };
  });
});

function add(held: HeldDocuments, told: readonly Told[]): void {
  for (const { chunks, ...facts } of told) {
    held.add(facts);
    for (const chunk of chunks) held.addChunk(chunk);
  }
}

/** All that the documents say of themselves, as far as they are there. */
function shown(held: HeldDocuments) {
  const all = [...held.all()].map(({ document, first, end }) => {
    const slots = Array.from({ length: end - first }, (_, index) => first + index);
    expect(held.slots(document.id)).toEqual({ first, end });
    for (const slot of slots) expect(held.owner(slot)).toEqual(document);
    return { ...document, chunks: slots.map((slot) => held.chunkId(slot)) };
  });
  return { all, living: held.living, languages: [...held.languages].sort() };
}

function expected(there: readonly Told[]) {
  const languages = [...new Set(there.map(({ language }) => language))].sort();
  return { all: there, living: there.length, languages };
}

it('what was added and not removed is there with its chunks, and so it is when it was kept and put back', () => {
  fc.assert(
    fc.property(documents, fc.array(fc.nat(40)), documents, (told, gone, later) => {
      const held = new HeldDocuments();
      add(held, told);
      for (const id of gone) {
        const known = told.find((each) => each.id === id);
        const isFirst = gone.indexOf(id) === gone.lastIndexOf(id);
        const { first, end } = held.slots(id);
        const slots = held.remove(id);
        if (known === undefined) expect([first, end, ...slots]).toEqual([0, 0]);
        if (known !== undefined && isFirst) {
          expect(slots.map((slot) => held.chunkId(slot))).toEqual(known.chunks);
          expect([slots[0] ?? first, first + slots.length]).toEqual([first, end]);
        }
        expect(held.remove(id)).toEqual([]);
      }
      const there = told.filter(({ id }) => !gone.includes(id));
      expect(shown(held)).toEqual(expected(there));
      expect([held.size, held.lastId]).toEqual([told.length, told.at(-1)?.id ?? 0]);
      expect([...held.alive]).toEqual(told.map(({ id }) => (gone.includes(id) ? 0 : 1)));
      expect([...held.owners]).toEqual(told.flatMap(({ chunks }, row) => chunks.map(() => row)));
      told.forEach(({ id }, row) => {
        expect({ first: held.firstSlot(row), end: held.endSlot(row) }).toEqual(held.slots(id));
      });

      const again = new HeldDocuments();
      // What was there before is no part of what is put back.
      add(again, later);
      again.restore(held.parts());
      expect(shown(again)).toEqual(expected(there));
      const more = later.map((each) => ({ ...each, id: each.id + held.lastId }));
      add(again, more);
      expect(shown(again)).toEqual(expected([...there, ...more]));
    }),
    { numRuns: 60 },
  );
});

it('a search below a folder is handed the documents there alone', () => {
  const held = new HeldDocuments();
  const facts = { updated: '', kind: 'file', language: 'en' } as const;
  for (const [at, path] of ['/a/1', '/b/2', '/a/3'].entries())
    held.add({ ...facts, id: at + 1, path });
  const found = [...held.all((path) => path.startsWith('/a/'))].map(({ document }) => document.id);
  expect(found).toEqual([1, 3]);
});
