/** A process that is killed while it indexes leaves an index that the next one can go on with. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SearchIndex } from './search-index.ts';

const DOCUMENTS = 600;
const text = (n: number): string => `document number${n} about ${n % 2 === 0 ? 'tea' : 'coffee'}`;

/** Indexes on from where the feed was left, a document a transaction. */
const CHILD = `
  const { SearchIndex } = await import(process.argv[1]);
  const index = new SearchIndex(process.argv[2], null);
  for (let n = index.store.followed('feed', '/'); n < ${DOCUMENTS}; n++) {
    const text = 'document number' + n + ' about ' + (n % 2 === 0 ? 'tea' : 'coffee');
    index.update([{ path: '/' + n + '.md', text }], [], { name: 'feed', point: '/', seq: n + 1 });
    if (n % 5 === 0) process.stdout.write('.');
  }
`;

it('killed 50 times, the index has every document once, and no other', {
  timeout: 200_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-kill-'));
  const file = join(directory, 'index.sqlite');
  const module = new URL('./search-index.ts', import.meta.url).href;
  try {
    for (let kill = 0; kill < 50; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, module, file]);
      // Killed somewhere within a transaction, at another place each time.
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      await new Promise((resolve) => setTimeout(resolve, kill % 10));
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    const index = new SearchIndex(file, null);
    const reached = index.store.followed('feed', '/');
    expect(reached).toBeGreaterThan(50);
    expect([...index.memory.documents.all()].map(({ document }) => document.path).sort()).toEqual(
      Array.from({ length: reached }, (_, n) => `/${n}.md`).sort(),
    );
    for (let n = reached; n < DOCUMENTS; n++) {
      index.update([{ path: `/${n}.md`, text: text(n) }], []);
    }
    for (let n = 0; n < DOCUMENTS; n += 7) {
      const found = index.find(`number${n}`, () => true, 3);
      expect(found.map(({ document }) => document.path)).toContain(`/${n}.md`);
    }
    expect(index.memory.corpus.living).toBe(DOCUMENTS);
    index.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
