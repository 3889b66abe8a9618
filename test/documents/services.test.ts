/** What people uploaded to a service has its text beside it, as any document. */
import { expect, test } from 'vitest';
import { Bench, REPO, TOKEN } from '../../mounts/github/testing.ts';
import { testWorld } from '../world/harness.ts';
import { pdf } from './make.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const UPLOAD = '/user-attachments/files/1877243/lease.pdf';

test('an attachment is read by its text, of one request for both', async () => {
  await using bench = await Bench.start({ issues: 3, commentsEach: 0 });
  const { edit, url } = bench.github;
  const base64 = pdf(['One', 'The tenant pays on the third day.']).toString('base64');
  await edit({ op: 'upload', ...OCTO, path: UPLOAD, base64, contentType: 'application/pdf' });
  await edit({
    op: 'edit-issue',
    ...OCTO,
    number: 1,
    fields: { body: `[lease.pdf](${url}${UPLOAD})` },
  });
  const source = {
    source: 'github',
    mode: 'rw',
    baseUrl: url,
    tokenEnv: 'T',
    freshMs: 60_000,
  } as const;
  const world = testWorld({ mounts: { '/mnt/github': source } }, { env: { T: TOKEN } });
  const at = `/mnt/github${REPO}/issues/1/attachments/1877243-lease.pdf`;
  const run = async (command: string) => {
    const { stdout, stderr, exitCode } = await world.exec(command);
    return { stdout, stderr, exitCode };
  };
  expect(await run(`cat ${at}:p2`)).toEqual({
    stdout: 'The tenant pays on the third day.\n',
    stderr: '',
    exitCode: 0,
  });
  await bench.asked();
  expect(
    (
      await run(
        `grep -c tenant ${at}.md; grep --text-of tenant ${at}; ls ${at.replace(/[^/]*$/, '')}`,
      )
    ).stdout,
  ).toBe(`1\n${at}:p2:The tenant pays on the third day.\n1877243-lease.pdf\n`);
  expect(await bench.asked()).toEqual([]);
  const refused = await run(`echo x > ${at}.md`);
  expect(refused.stderr).toContain('Read-only file system');
  expect(await bench.asked()).toEqual([]);
});
