/** Every test file keeps its state in a directory of its own, never in the user's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-test-state-'));
process.env['XDG_STATE_HOME'] = directory;

// Each world has a worker, and some 300 modules to compile for it.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'dirigent'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));
