/** Around a whole run of the tests: what their worlds and processes run from. */
import type { TestProject } from 'vitest/node';
import { bundle } from './build.ts';
import { BUNDLE } from './use.ts';

export default async function setup(project: TestProject): Promise<void> {
  // For whoever looks for a fault, and wants the lines of the sources.
  if (process.env['DIRIGENT_TEST_SOURCES'] !== undefined) return;
  const make = async (): Promise<void> => {
    process.env[BUNDLE] = await bundle();
  };
  await make();
  project.onTestsRerun(make);
}
