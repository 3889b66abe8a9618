/** A process that writes one file through a Linear mount, to be killed on the way: URL DIRECTORY PATH TEXT. */
import { join } from 'node:path';
import { ChangeJournal } from '../../src/changes/journal.ts';
import { Replica } from '../../src/replica/replica.ts';
import { createLinearMount } from './index.ts';
import { TOKEN } from './testing.ts';

const [baseUrl = '', directory = '', path = '', text = ''] = process.argv.slice(2);
const mount = createLinearMount({
  token: TOKEN,
  baseUrl,
  stage: false,
  replica: new Replica(join(directory, 'replica.sqlite')),
  changes: new ChangeJournal(join(directory, 'changes.sqlite')),
  onNotice: () => undefined,
});
await mount.write?.(path, Buffer.from(text));
