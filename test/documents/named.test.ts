/** The text of a document is found beside it when it is named, and nowhere else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InProcessWorld, inProcessWorld } from '../world/in-process.ts';
import { docx, pdf } from './make.ts';

const REPORT = pdf(['First page', 'The tenant pays the rent\non the third day', 'Third'], {
  Title: 'Lease: of a house',
});

let world: InProcessWorld;
beforeAll(async () => {
  world = await inProcessWorld({
    roots: ['/d', '/e'],
    cwd: '/d',
    files: {
      '/d/report.pdf': REPORT,
      '/d/plan.docx': docx(['# Plan', 'We build in spring.', '## Cost', 'Nothing & more.']),
      '/d/both.pdf': REPORT,
      '/d/both.pdf.md': 'a file of its own\n',
      '/d/broken.pdf': 'no such thing',
      '/d/sub/deep.pdf': REPORT,
    },
  });
});
afterAll(() => world.texts.close());

const out = async (command: string): Promise<string> => {
  const { stdout, stderr, exitCode } = await world.run(command);
  expect({ stderr, exitCode }, command).toEqual({ stderr: '', exitCode: 0 });
  return stdout;
};

test('the text has front matter, and a line for each page', async () => {
  expect(await out('cat report.pdf.md')).toBe(
    '---\ntitle: "Lease: of a house"\npages: 3\n---\n\n<!-- p1 -->\n\nFirst page\n\n<!-- p2 -->\n\nThe tenant pays the rent\non the third day\n\n<!-- p3 -->\n\nThird\n',
  );
  expect(await out('cat plan.docx.md')).toBe(
    '---\nsections: 2\n---\n\n<!-- s1 -->\n\n# Plan\n\nWe build in spring.\n\n<!-- s2 -->\n\n## Cost\n\nNothing & more.\n',
  );
});

test('a page is a file of its own, with its own lines', async () => {
  expect(await out('cat report.pdf:p2; sed -n 2p report.pdf:p2; cat sub/deep.pdf:p1')).toBe(
    'The tenant pays the rent\non the third day\non the third day\nFirst page\n',
  );
  const beyond = await world.run('cat report.pdf:p4');
  expect(beyond).toMatchObject({ stdout: '', exitCode: 1 });
  expect(beyond.stderr).toContain('/d/report.pdf has p1 to p3');
});

test('the document itself stays its bytes', async () => {
  const bytes = await world.agent.readFileBuffer('/d/report.pdf');
  expect(Buffer.compare(bytes, REPORT)).toBe(0);
});

test('no listing, walk or glob has it', async () => {
  const listed = await out('ls -aR; find . ; echo *; echo *.md report*; grep -rl tenant . || true');
  expect(listed).not.toContain('report.pdf.md');
  expect(listed).not.toContain(':p');
  expect(await out('find report.pdf.md -type f')).toBe('report.pdf.md\n');
});

test('a file of that name wins, and can be written', async () => {
  expect(await out('cat both.pdf.md; echo x >> both.pdf.md; tail -1 both.pdf.md')).toBe(
    'a file of its own\nx\n',
  );
  expect(await out('cat both.pdf:p1')).toBe('First page\n');
});

test('links lead to texts, and the text of a link is that of what it leads to', async () => {
  expect(
    await out(
      'ln -s /d/report.pdf /e/l.pdf; ln -s /d/report.pdf.md /e/t; ln -s /d /e/dir; cat /e/l.pdf:p1 /e/dir/report.pdf:p3; grep -c tenant /e/t',
    ),
  ).toBe('First page\nThird\n1\n');
});

test('its size is true once it was read', async () => {
  expect(await out('cat report.pdf.md | wc -c; stat -c %s report.pdf.md')).toMatch(/^(\d+)\n\1\n$/);
});

describe('every change is refused, and says why', () => {
  const changes = [
    'echo x > report.pdf.md',
    'echo x >> report.pdf:p1',
    ': > report.pdf.md',
    'sed -i s/a/b/ report.pdf.md',
    'rm report.pdf.md',
    'mv report.pdf.md x.md',
    'mv both.pdf.md report.pdf.md',
    'cp both.pdf.md report.pdf.md',
    'chmod 600 report.pdf.md',
    'touch report.pdf.md',
    'ln report.pdf.md x.md',
    'tee report.pdf:p1 < /dev/null',
    'dd if=/dev/null of=report.pdf.md',
  ];
  test.each(changes)('%s', async (change) => {
    const { stderr, exitCode } = await world.run(change);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/Read-only file system/);
    expect(stderr).toContain('this is the text of /d/report.pdf');
    expect(await out('ls -A | grep -c "pdf.md\\|x.md\\|:p"')).toBe('1\n');
  });
});

test('a document that cannot be read says so, again and again', async () => {
  for (const command of ['cat broken.pdf.md', 'cat broken.pdf.md']) {
    const { stdout, stderr, exitCode } = await world.run(command);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(
      /^cat: broken\.pdf\.md: Invalid argument\ndirigent: \/d\/broken\.pdf is broken/,
    );
  }
});

test('names that are of no document, or of one that is not there, are missing', async () => {
  for (const name of [
    'gone.pdf.md',
    'gone.pdf:p1',
    'report.pdf.md.md',
    'report.pdf:q1',
    'report.pdf:p0',
    'sub.md',
  ]) {
    const { stderr, exitCode } = await world.run(`cat ${name}`);
    expect({ stderr, exitCode }).toEqual({
      stderr: `cat: ${name}: No such file or directory\n`,
      exitCode: 1,
    });
  }
});

test('it is that of the document as it is now', async () => {
  await world.agent.writeFile('/e/now.pdf', pdf(['one']));
  expect(await out('cat /e/now.pdf:p1')).toBe('one\n');
  await world.agent.writeFile('/e/now.pdf', pdf(['two']));
  expect(await out('cat /e/now.pdf:p1')).toBe('two\n');
});

test('it can be copied, and the copy is a file', async () => {
  expect(
    await out(
      'cp report.pdf.md /e/copy.md; chmod 644 /e/copy.md; echo x >> /e/copy.md; head -2 /e/copy.md',
    ),
  ).toBe('---\ntitle: "Lease: of a house"\n');
});
