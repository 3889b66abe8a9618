/**
 * A process of its own that writes through a mount on a bench's state: what the tests of several
 * writers, and of killed ones, start. Arguments: directory, base URL, path, rounds, name.
 */
import { join } from 'node:path';
import { ChangeJournal } from '../../src/changes/journal.ts';
import { isFsError } from '../../src/errors.ts';
import { Replica } from '../../src/replica/replica.ts';
import { createGithubMount } from './index.ts';
import { TOKEN } from './testing.ts';

const [directory = '', baseUrl = '', path = '', rounds = '1', name = ''] = process.argv.slice(2);
const mount = createGithubMount({
  token: TOKEN,
  baseUrl,
  repository: 'octo/hello',
  stage: false,
  freshMs: 0,
  onNotice: () => undefined,
  replica: new Replica(join(directory, 'replica.sqlite')),
  changes: new ChangeJournal(join(directory, 'changes.sqlite')),
});

const said: string[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const before = Buffer.from(await mount.read(path)).toString();
  try {
    await mount.write(path, Buffer.from(`${before}${name}${round}\n`));
    said.push(`${name}${round}`);
  } catch (error) {
    if (!isFsError(error) || error.code !== 'ESTALE') throw error;
  }
}
process.stdout.write(JSON.stringify(said));
