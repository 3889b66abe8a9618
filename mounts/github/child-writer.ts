/**
 * A process of its own that writes through a mount on a bench's state: what the tests of several
 * writers, and of killed ones, start. Arguments: directory, base URL, path, rounds, name,
 * and the step at which it is to be killed, if any.
 */
import { join } from 'node:path';
import { ChangeJournal } from '../../src/changes/journal.ts';
import { isFsError } from '../../src/errors.ts';
import { Replica } from '../../src/replica/replica.ts';
import { createGithubMount } from './index.ts';
import { TOKEN } from './testing.ts';

const [directory = '', baseUrl = '', path = '', rounds = '1', name = '', step = ''] =
  process.argv.slice(2);
const changes = new ChangeJournal(join(directory, 'changes.sqlite'));

/** Ends this process as a crash does, when it is at the step. */
function reached(now: string): void {
  if (now === step) process.kill(process.pid, 'SIGKILL');
}

changes.onChange(({ state }) => reached(state));
const watched: typeof fetch = async (input, init) => {
  const writes = init?.method !== undefined && init.method !== 'GET';
  if (writes) reached('before the request');
  const answer = await fetch(input, init);
  if (writes) reached('after the answer');
  return answer;
};

const mount = createGithubMount({
  token: TOKEN,
  baseUrl,
  repository: 'octo/hello',
  stage: false,
  freshMs: 0,
  onNotice: () => undefined,
  replica: new Replica(join(directory, 'replica.sqlite')),
  changes,
  fetch: watched,
});

const said: string[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const before = path.endsWith('/new.md') ? '' : Buffer.from(await mount.read(path)).toString();
  try {
    await mount.write?.(path, Buffer.from(`${before}${name}${round}\n`));
    said.push(`${name}${round}`);
  } catch (error) {
    if (!isFsError(error) || error.code !== 'ESTALE') throw error;
  }
}
process.stdout.write(JSON.stringify(said));
