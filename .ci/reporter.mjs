// A reporter of vitest that appends what happens to the file that CI_REPORT names, as it
// happens: .ci/sum.mjs adds it up, also when the run never came to its end.
import { appendFileSync } from 'node:fs';

const file = process.env.CI_REPORT;

export default class Reporter {
  onTestRunStart(specifications) {
    write({ files: specifications.map((each) => relative(each.moduleId)) });
  }

  onTestModuleQueued(module) {
    write({ file: relative(module.moduleId), state: 'begun' });
  }

  onTestCaseReady(test) {
    write(testLine(test, 'running'));
  }

  onTestCaseResult(test) {
    const { state, errors } = test.result();
    write({ ...testLine(test, state), errors: errors?.map(said) });
  }

  onTestModuleEnd(module) {
    // A hook that failed is no test's, but its suite's.
    const suites = [...module.children.allSuites()];
    const errors = [module, ...suites].flatMap((each) => each.errors().map(said));
    write({ file: relative(module.moduleId), state: module.state(), errors });
  }
}

function testLine(test, state) {
  return { file: relative(test.module.moduleId), id: test.id, test: test.fullName, state };
}

function relative(path) {
  return path.replace(`${process.cwd()}/`, '');
}

function said(error) {
  return error.stack ?? error.message;
}

function write(line) {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
