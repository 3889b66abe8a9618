/** A directory of a test's own. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** By its real path; it goes when the test ends. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'dirigent-test-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
