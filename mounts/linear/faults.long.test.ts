/** Every place that can be read, under every fault: the right errno and a sentence, or what is held; never nothing. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FaultInput } from '../../test/stand-ins/linear/index.ts';
import { type Bench, failure, IDS, ISSUES, Server, TEAM, uuid } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

/** One of everything. */
async function filled(): Promise<Bench> {
  const bench = await server.bench({ issues: 2, commentsEach: 1 });
  const add = (table: 'relations' | 'attachments' | 'documents' | 'updates', fields: object) =>
    bench.linear.edit({ op: 'add', table, fields: { ...fields } });
  const [one, two] = [uuid(IDS.issue + 1), uuid(IDS.issue + 2)];
  await add('relations', { issueId: one, relatedIssueId: two, type: 'blocks' });
  await add('attachments', { issueId: one, title: 'Fix', url: 'https://x.example/pull/1' });
  await add('documents', { slugId: 'aaaa0001', title: 'Plan', teamId: uuid(1) });
  await add('updates', { projectId: uuid(IDS.project), userId: uuid(IDS.user), body: 'Well' });
  await bench.linear.edit({
    op: 'add',
    table: 'initiatives',
    fields: { slugId: 'feed0001', name: 'Grow' },
  });
  await bench.linear.edit({
    op: 'add',
    table: 'notifications',
    fields: { userId: uuid(IDS.user), type: 'issueMention', title: 'Named', issueId: one },
  });
  await bench.linear.edit({
    op: 'set',
    table: 'issues',
    id: 'ENG-1',
    fields: { assigneeId: uuid(IDS.user) },
  });
  return bench;
}

/** Directories, with something in each that must be there. */
const PLACES: readonly [directory: string, entry: string][] = [
  [`${ISSUES}`, 'ENG-1.md'],
  [`${ISSUES}/ENG-1`, 'attachments.tsv'],
  [`${TEAM}/projects`, 'abc0def'],
  [`${TEAM}/projects/abc0def/updates`, 'index.tsv'],
  ['/documents', 'aaaa0001.md'],
  ['/initiatives', 'feed0001.md'],
  ['/inbox', 'index.tsv'],
  ['/me/assigned', 'ENG-1.md'],
  ['/search/Number 1', 'ENG-1.md'],
];

const FAULTS: readonly [fault: FaultInput, code: string, says: RegExp][] = [
  [{ kind: 'server-error', status: 503 }, 'EIO', /Linear answered 503; try again later/],
  [{ kind: 'cut' }, 'EIO', /the connection to Linear broke off/],
  [{ kind: 'cut-body' }, 'EIO', /the connection to Linear broke off/],
  [{ kind: 'limited', retryAfter: 60 }, 'EAGAIN', /RATELIMITED.* try again after/],
  [{ kind: 'forbidden' }, 'EACCES', /Linear answered/],
  [{ kind: 'slow', ms: 3_000 }, 'ETIMEDOUT', /did not answer within 0\.2 s/],
];

describe.each(FAULTS)('%o', (fault, code, says) => {
  it('is told where nothing is held, and at none of the places is it an empty directory', async () => {
    using bench = await filled();
    await bench.linear.fault(fault);
    for (const [directory] of PLACES) {
      // Where there is another limit nothing is asked in vain: each begins anew.
      const timeoutMs = fault.kind === 'slow' ? 200 : 10_000;
      const refused = await failure(bench.empty({ timeoutMs }).readdir(directory));
      expect(refused, directory).toMatchObject({ code });
      expect(refused.reason, directory).toMatch(says);
    }
  });

  it('leaves what is held to be read, and a notice', async () => {
    using bench = await filled();
    const notices: string[] = [];
    const onNotice = (text: string) => notices.push(text);
    let mount = bench.mount({ freshMs: 5_000, timeoutMs: 10_000, onNotice });
    const names = async (directory: string) =>
      (await mount.readdir(directory)).map(({ name }) => name);
    for (const [directory, entry] of PLACES) expect(await names(directory)).toContain(entry);
    bench.move(120_000);
    await bench.linear.fault(fault);
    if (fault.kind === 'slow') mount = bench.mount({ freshMs: 5_000, timeoutMs: 200, onNotice });
    for (const [directory, entry] of PLACES) {
      notices.length = 0;
      expect(await names(directory), directory).toContain(entry);
      expect(notices.join(), directory).toContain('showing data from');
      bench.move(120_000);
    }
  });
});
