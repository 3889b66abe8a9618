/** Every store of sessions passes the same trials: the house's files, and the example's database. */
import { AssertionError } from 'node:assert';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type SessionStoreSubject, sessionStoreTrials } from '../../src/parts-testing/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { EXAMPLES } from './support.ts';

const SUBJECTS: Record<string, () => SessionStoreSubject> = {
  'files of the state directory': () => ({
    module: join(import.meta.dirname, 'stores/directory.ts'),
    directory: temporaryDirectory(),
  }),
  'one file of SQLite': () => {
    const directory = temporaryDirectory();
    return {
      module: join(EXAMPLES, 'sessions.ts'),
      directory,
      lapse: (session) => {
        const database = new DatabaseSync(join(directory, '.dirigent/sessions.sqlite'));
        database.prepare('UPDATE writers SET until = 0 WHERE session = ?').run(session);
        database.close();
      },
    };
  },
};

describe.each(Object.keys(SUBJECTS))('%s', (name) => {
  test.each(sessionStoreTrials)('$name', async ({ run }) => {
    await run((SUBJECTS[name] as () => SessionStoreSubject)());
  });
});

/** What a broken store is, and what of the trials tells it. */
const BROKEN: Record<string, RegExp> = {
  nothing: /^$/,
  'expects no length': /where the log is thought to end/,
  'forgets to undo': /where the log is thought to end/,
  'keeps no head': /the head/,
  'cuts nothing': /not ended is cut off/,
  'removes nothing': /what was removed/,
  'loses what was not synced in time': /killed/,
  'lets anybody write': /one writes a session at a time/,
  'reads one byte off': /from any offset/,
};

test.each(Object.entries(BROKEN))('a store that %s is told by its trial', async (fault, told) => {
  const subject = (): SessionStoreSubject => ({
    module: join(import.meta.dirname, 'stores/broken.ts'),
    options: fault,
    directory: temporaryDirectory(),
  });
  for (const { name, run } of sessionStoreTrials) {
    if (told.test(name)) await expect(run(subject()), name).rejects.toThrow(AssertionError);
  }
  // What breaks nothing passes: it is the fault that was told.
  if (fault === 'nothing') await sessionStoreTrials[2]?.run(subject());
});
