/** What the package exports is written down, so that a changed export is a diff that somebody reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiReports } from '../scripts/api-report.mjs';

const ROOT = join(import.meta.dirname, '..');
const ADVICE =
  'the exports have changed: run "npm run api", read the diff of api/, and tell of it in CHANGELOG.md';

const reports = apiReports();

test('there is a report of every door of the package', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const doors = Object.keys(exports).filter((door) => door !== './package.json');
  const named = doors.map(
    (door) => `api/${`dirigent${door.slice(1)}`.replaceAll('/', '-')}.api.md`,
  );
  expect(reports.map(({ report }) => report).sort()).toEqual(named.sort());
});

describe.each(reports)('$report', ({ report, text }) => {
  test('says what is exported now', () => {
    const committed = readFileSync(join(ROOT, report), 'utf8');
    expect(text.split('\n'), ADVICE).toEqual(committed.split('\n'));
  });

  test('shows declarations, and no private member', () => {
    expect(text).toMatch(/^(?:interface|type|class|function) \w+/m);
    expect(text).not.toMatch(/^ +(?:private |#)/m);
  });
});
