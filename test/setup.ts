/** Every test file keeps its state in a directory of its own, never in the user's; what it writes and prints is searched for credentials. */
import { mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefenseInDepthBox } from 'just-bash';
import { afterAll, expect } from 'vitest';
import { useBundle } from './bundle/use.ts';
import { noteWatched, watch } from './credentials/watch.ts';
import { endFile } from './file-end.ts';

watch();
useBundle();
// Files of tests follow one another in a process: each finds what the run was started with.
const environment = { ...process.env };
const directory = mkdtempSync(join(tmpdir(), 'dirigent-test-state-'));
process.env['XDG_STATE_HOME'] = directory;
// Whatever keys and models this machine has, the tests have none but their own.
for (const name of ['OPENAI', 'ANTHROPIC', 'GOOGLE_GENERATIVE_AI', 'OPENROUTER'])
  delete process.env[`${name}_API_KEY`];
process.env['OLLAMA_HOST'] = 'http://127.0.0.1:1';
// What messages suggest is the same, however the tests call the command line.
process.env['DIRIGENT_COMMAND'] = 'dirigent';

// Each world has a worker, and some 300 modules to compile for it. A process that a test starts has
// it by the variable, before its first file: without, Node loads its compiler of types for that one.
const compiled = join(import.meta.dirname, '..', 'node_modules', '.cache', 'dirigent');
process.env['NODE_COMPILE_CACHE'] = compiled;
enableCompileCache(compiled);

afterAll(async () => {
  await endFile();
  // A line that was stopped may be ending still, and the interpreter guards the process's globals until it has.
  DefenseInDepthBox.resetInstance();
  for (const name of Object.keys({ ...process.env, ...environment })) {
    const value = environment[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(directory, { recursive: true, force: true });
  noteWatched(expect.getState().testPath ?? '');
});
