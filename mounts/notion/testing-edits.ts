/** Generated edits of a row, half of them invalid: for the tests of this folder. */
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  failure,
  id,
  named,
  page,
  TASKS,
  text,
  type Workbench,
  workspace,
  write,
} from './testing.ts';

interface Valid {
  field: string;
  /** As the file has it. */
  line: string;
  /** As the stand-in has it, under the property's type. */
  stored: unknown;
}

const text20 = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{0,18}[A-Za-z0-9]$/);
const option = (name: string) => expect.objectContaining({ name });

const VALID: fc.Arbitrary<Valid> = fc.oneof(
  fc
    .constantFrom('Open', 'Doing', 'Done')
    .map((name) => ({ field: 'Status', line: name, stored: option(name) })),
  fc
    .constantFrom('bug', 'idea')
    .map((name) => ({ field: 'Kind', line: name, stored: option(name) })),
  fc
    .subarray(['api', 'docs', 'web'], { minLength: 1 })
    .map((names) => ({ field: 'Areas', line: `[${names.join(', ')}]`, stored: names.map(option) })),
  fc.integer({ min: -1e6, max: 1e6 }).map((n) => ({ field: 'Points', line: String(n), stored: n })),
  fc.boolean().map((value) => ({ field: 'Urgent', line: String(value), stored: value })),
  fc
    .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => {
      const day = date.toISOString().slice(0, 10);
      return { field: 'Due', line: day, stored: { start: day, end: null, time_zone: null } };
    }),
  text20.map((value) => ({
    field: 'Notes',
    line: JSON.stringify(value),
    stored: [expect.objectContaining({ plain_text: value })],
  })),
  text20.map((value) => ({
    field: 'title',
    line: JSON.stringify(value),
    stored: [expect.objectContaining({ plain_text: value })],
  })),
);

const INVALID: fc.Arbitrary<{ field: string; line: string }> = fc.oneof(
  text20.map((name) => ({ field: 'Status', line: `no ${name}` })),
  text20.map((name) => ({ field: 'Areas', line: `[api, no ${name}]` })),
  text20.map((value) => ({ field: 'Points', line: `x${value}` })),
  text20.map((value) => ({ field: 'Urgent', line: `x${value}` })),
  fc
    .constantFrom('2025-13-01', '2025-02-30', 'tomorrow', '5')
    .map((line) => ({ field: 'Due', line })),
  fc.constantFrom('""', '"a\\nb"', 'null', '[a]').map((line) => ({ field: 'title', line })),
  fc.nat().map((n) => ({ field: 'Mail', line: `${'x'.repeat(201)}${n}` })),
  text20.map((value) => ({ field: 'Made', line: `x${value}` })),
  text20.map((value) => ({ field: 'Sattus', line: value })),
);

const ROW = `${TASKS}/${named('First')}.md`;

/** The file with a field's line replaced, or added. */
function edited(before: string, field: string, line: string): string {
  const at = new RegExp(`^${field}: .*$`, 'm');
  return at.test(before)
    ? before.replace(at, () => `${field}: ${line}`)
    : before.replace('---\n', () => `---\n${field}: ${line}\n`);
}

/** So many edits one after the other: what is invalid sends nothing, what is valid changes exactly its field. */
export async function checkEdits(
  workbench: Workbench,
  runs: number,
): Promise<{ valid: number; invalid: number }> {
  using bench = await workbench.bench(
    workspace([], [page('First', { markdown: 'text', values: { Status: 'Open' } })]),
  );
  const mount = bench.mount({ freshMs: 60_000 });
  const counted = { valid: 0, invalid: 0 };
  await fc.assert(
    fc.asyncProperty(VALID, INVALID, fc.boolean(), async (right, wrong, isRight) => {
      const before = await text(mount, ROW);
      const stored = (await bench.notion.dump()).find((one) => one.id === id('First'));
      await bench.notion.resetRequests();
      if (!isRight) {
        counted.invalid++;
        const refused = await failure(write(mount, ROW, edited(before, wrong.field, wrong.line)));
        expect(refused.code).toBe('EINVAL');
        expect(refused.reason).toContain(`${wrong.field}: `);
        expect(await bench.mutations()).toEqual([]);
        return;
      }
      counted.valid++;
      await write(mount, ROW, edited(before, right.field, right.line));
      const after = (await bench.notion.dump()).find((one) => one.id === id('First'));
      const name = right.field === 'title' ? 'Name' : right.field;
      const { [name]: own, ...others } = after?.properties ?? {};
      const { [name]: _, ...same } = stored?.properties ?? {};
      expect(Object.values(own as object)).toContainEqual(right.stored);
      expect(others).toEqual(same);
      expect(after?.blocks).toEqual(stored?.blocks);
      expect((await bench.mutations()).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: runs },
  );
  return counted;
}
