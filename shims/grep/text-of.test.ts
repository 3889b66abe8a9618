/** `--text-of` searches documents by their texts; without it every option is GNU's to the letter. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, pdf } from '../../test/documents/make.ts';
import { type InProcessWorld, inProcessWorld } from '../../test/world/in-process.ts';

let world: InProcessWorld;
beforeAll(async () => {
  world = await inProcessWorld({
    roots: ['/d'],
    cwd: '/d',
    files: {
      '/d/lease.pdf': pdf(['Nothing', 'first\nThe tenant pays\nlast'], { Title: 'A house' }),
      '/d/sub/plan.docx': docx(['# Plan', 'A tenant moves in.', '## Later', 'He stays.']),
      '/d/note.txt': 'a tenant in plain text\n',
      '/d/broken/x.pdf': 'nothing at all, tenant',
    },
  });
});
afterAll(() => world.texts.close());

const run = (command: string) => world.run(command);

test('lines of pages are told by their pages, of other files as ever', async () => {
  expect(await run('grep -r --text-of tenant . --exclude-dir=broken')).toEqual({
    stdout:
      './lease.pdf:p2:The tenant pays\n./note.txt:a tenant in plain text\n./sub/plan.docx:s1:A tenant moves in.\n',
    stderr: '',
    exitCode: 0,
  });
});

test('what is printed is a path that can be read, and a line of it', async () => {
  const { stdout } = await run('grep -rn --text-of "tenant pays" . --exclude-dir=broken');
  expect(stdout).toBe('./lease.pdf:p2:2:The tenant pays\n');
  expect((await run('sed -n 2p lease.pdf:p2')).stdout).toBe('The tenant pays\n');
});

test('a single document is told by its page, too; -h tells none', async () => {
  expect((await run('grep --text-of -c tenant lease.pdf')).stdout).toBe(
    'lease.pdf.md:0\nlease.pdf:p1:0\nlease.pdf:p2:1\n',
  );
  expect((await run('grep --text-of -h tenant lease.pdf sub/plan.docx')).stdout).toBe(
    'The tenant pays\nA tenant moves in.\n',
  );
  expect((await run('grep -l --text-of tenant lease.pdf note.txt')).stdout).toBe(
    'lease.pdf:p2\nnote.txt\n',
  );
  expect((await run('grep --text-of "^title: A house" lease.pdf')).stdout).toBe(
    'lease.pdf.md:title: A house\n',
  );
});

test('a document that cannot be read is told, with status 2, and the rest is searched', async () => {
  const { stdout, stderr, exitCode } = await run('grep -r --text-of tenant .');
  expect(stdout.split('\n')).toHaveLength(4);
  expect(stderr).toMatch(
    /^grep: \.\/broken\/x\.pdf: Invalid argument\ndirigent: \/d\/broken\/x\.pdf is broken/,
  );
  expect(exitCode).toBe(2);
});

test('without it documents are their bytes, and no abbreviation of GNU’s means another thing', async () => {
  expect((await run('grep -rl tenant .')).stdout).toContain('./broken/x.pdf');
  expect((await run('grep -r --tex "tenant moves" .')).stdout).toBe('');
  expect((await run('grep --tex tenant note.txt')).stdout).toBe('a tenant in plain text\n');
  const { stderr, exitCode } = await run('grep --text-o tenant note.txt');
  expect(stderr).toContain("unrecognized option '--text-o'");
  expect(exitCode).toBe(2);
});

test('a change of the document changes what is found', async () => {
  await world.agent.writeFile('/d/now.pdf', pdf(['alpha']));
  expect((await run('grep -r --text-of alpha now.pdf')).exitCode).toBe(0);
  await world.agent.writeFile('/d/now.pdf', pdf(['omega']));
  expect((await run('grep -r --text-of alpha now.pdf')).exitCode).toBe(1);
  await world.agent.rm('/d/now.pdf');
});
