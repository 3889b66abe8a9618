// Adds up the reports of vitest in a directory, and the steps that failed with
// no failed test to show for it. Prints "N passed, N failed"; runs on Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.argv[2] ?? '.';
const steps = join(directory, 'failed-steps');
const failedSteps = existsSync(steps) ? readFileSync(steps, 'utf8').split('\n').slice(0, -1) : [];
const reports = { 'npm test': 'test.json', 'npm run test:long': 'long.json' };

let passed = 0;
let failed = 0;
for (const [name, file] of Object.entries(reports)) {
  const path = join(directory, file);
  const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
  // A file that does not even load has no failed test.
  const broken = (report?.testResults ?? []).filter(
    (each) =>
      each.status === 'failed' && each.assertionResults.every((test) => test.status !== 'failed'),
  );
  const failures = (report?.numFailedTests ?? 0) + broken.length;
  passed += report?.numPassedTests ?? 0;
  failed += failures;
  const step = failedSteps.indexOf(name);
  if (step >= 0) failedSteps.splice(step, 1);
  // The types, the linter, or vitest itself.
  if (failures === 0 && (step >= 0 || report === null)) failed += 1;
}
failed += failedSteps.length;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
