// Adds up what .ci/reporter.mjs wrote to a directory, and the steps that failed with
// no failed test to show for it. Prints what failed, so that the end of a long
// log tells it, and "N passed, N failed" last. What was begun or waited for when a
// run was ended has failed, by its name; runs on Node 20.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.argv[2] ?? '.';
const failedSteps = linesOf('failed-steps');
/** The steps that run tests. */
const RUNS = ['npm test', 'npm run test:long'];

let passed = 0;
let failed = 0;
function fail(what, why = []) {
  failed += 1;
  console.log(['failed: '.concat(what), ...why].join('\n'));
}

for (const name of RUNS) {
  const before = failed;
  const events = linesOf(`${name}.jsonl`).flatMap(parsed);
  for (const file of filesOf(events)) {
    const tests = [...file.tests.values()];
    passed += tests.filter((test) => test.state === 'passed').length;
    const failures = tests.filter((test) => test.state === 'failed');
    for (const test of failures) fail(`${file.name} > ${test.test}`, test.errors);
    const open = tests.filter((test) => test.state === 'running');
    if (file.state === 'waiting') fail(`${file.name}, which was never begun`);
    else if (file.state === 'begun') {
      for (const test of open) fail(`${file.name} > ${test.test}, which was still running`);
      if (open.length === 0) fail(`${file.name}, which was still running`);
    }
    // A file that does not even load, or whose hooks fail, has no failed test.
    else if (file.state === 'failed' && failures.length === 0) fail(file.name, file.errors);
  }
  const step = failedSteps.indexOf(name);
  if (step >= 0) failedSteps.splice(step, 1);
  // The types, the linter, or vitest itself.
  if (failed === before && (step >= 0 || events.length === 0))
    fail(`${name}, though no test of it. Its last lines:`, lastWords(name));
}
for (const step of failedSteps) fail(`${step}. Its last lines:`, lastWords(step));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Every file of a run with its tests, as the last event of each left it. */
function filesOf(events) {
  const files = new Map();
  for (const event of events) {
    for (const name of event.files ?? [])
      files.set(name, { name, state: 'waiting', tests: new Map() });
    const file = files.get(event.file);
    if (file === undefined) continue;
    if (event.id === undefined) Object.assign(file, { state: event.state, errors: event.errors });
    else file.tests.set(event.id, event);
  }
  return files.values();
}

/** A run that was ended may have ended within a line. */
function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** The end of what a step printed: where no test tells why it failed, this does. */
function lastWords(step) {
  return linesOf(`${step}.log`).slice(-60);
}

function linesOf(file) {
  const path = join(directory, file);
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}
