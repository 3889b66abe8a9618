// Adds up the reports of vitest in a directory, and the steps that failed with
// no failed test to show for it. Prints what failed, so that the end of a long
// log tells it, and "N passed, N failed" last; runs on Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.argv[2] ?? '.';
const steps = join(directory, 'failed-steps');
const failedSteps = existsSync(steps) ? readFileSync(steps, 'utf8').split('\n').slice(0, -1) : [];
/** The end of what a step printed: where no test tells why it failed, this does. */
function lastWords(step) {
  const log = join(directory, `${step}.log`);
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-60).join('\n') : '';
}

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
  for (const each of report?.testResults ?? []) {
    for (const test of each.assertionResults)
      if (test.status === 'failed')
        console.log(`failed: ${each.name} > ${test.fullName}\n${test.failureMessages.join('\n')}`);
  }
  for (const each of broken) console.log(`failed: ${each.name}\n${each.message}`);
  const failures = (report?.numFailedTests ?? 0) + broken.length;
  passed += report?.numPassedTests ?? 0;
  failed += failures;
  const step = failedSteps.indexOf(name);
  if (step >= 0) failedSteps.splice(step, 1);
  // The types, the linter, or vitest itself.
  if (failures === 0 && (step >= 0 || report === null)) {
    failed += 1;
    console.log(`failed: ${name}, whose tests did not fail. Its last lines:\n${lastWords(name)}`);
  }
}
for (const step of failedSteps) console.log(`failed: ${step}. Its last lines:\n${lastWords(step)}`);
failed += failedSteps.length;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
