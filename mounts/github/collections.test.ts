/** Labels and milestones: conditional listings, one copy whatever the case, and nothing of a repository that is gone. */
import { expect, it } from 'vitest';
import { Bench, failure, REPO, text } from './testing.ts';

const SIZE = { issues: 2, commentsEach: 0 };
const OCTO = { owner: 'octo', repo: 'hello' };
/** What is held is believed for a minute. */
const LATER_MS = 120_000;

it('of one page are asked for by their ETag, also under a name in another case', async () => {
  await using bench = await Bench.start(SIZE);
  const mount = bench.mount({ repository: undefined });
  const labels = await text(mount, `${REPO}/labels.tsv`);
  expect(labels).toBe(
    'name\tcolor\tdescription\nbug\td73a4a\t\ndocs\td73a4a\t\nhelp wanted\td73a4a\t\n',
  );
  expect(await bench.asked()).toContain('GET /repos/octo/hello/labels?per_page=100&page=1 200');
  expect(await text(mount, '/Octo/HELLO/labels.tsv')).toBe(labels);
  expect((await bench.asked()).filter((row) => row.includes('labels'))).toEqual([]);
  bench.move(LATER_MS);
  expect(await text(mount, `${REPO}/labels.tsv`)).toBe(labels);
  expect(await bench.asked()).toEqual(['GET /repos/octo/hello/labels?per_page=100&page=1 304']);
});

it('a milestone is a file by its number; one that is not listed is not there, without another question', async () => {
  await using bench = await Bench.start(SIZE);
  const mount = bench.mount();
  expect(await text(mount, `${REPO}/milestones/index.tsv`)).toBe(
    'number\tstate\ttitle\tdue\n1\topen\tv1.0\t\n',
  );
  const file = await text(mount, `${REPO}/milestones/1.md`);
  expect(file).toMatch(/^---\nnumber: 1\ntitle: v1\.0\nstate: open\nopen_issues: 0\n/);
  expect((await failure(mount.read(`${REPO}/milestones/9.md`))).code).toBe('ENOENT');
  expect(await bench.asked()).toEqual([
    'GET /repos/octo/hello/milestones?state=all&per_page=100&page=1 200',
  ]);
});

it('go with their repository, in the feed as well', async () => {
  await using bench = await Bench.start(SIZE);
  let gone = false;
  const mount = bench.mount({
    repository: undefined,
    fetch: async (input, init) =>
      gone ? Response.json({}, { status: 404 }) : fetch(input as string, init),
  });
  await text(mount, `${REPO}/milestones/1.md`);
  await text(mount, `${REPO}/labels.tsv`);
  const path = `${REPO}/milestones/1.md`;
  expect(mount.feed(0)).toContainEqual(expect.objectContaining({ path, op: 'upsert' }));
  gone = true;
  bench.move(LATER_MS);
  expect((await failure(mount.read(`${REPO}/repo.json`))).code).toBe('ENOENT');
  expect(mount.feed(0)).toContainEqual(expect.objectContaining({ path, op: 'delete' }));
});

it('an earlier version kept elsewhere are dropped', async () => {
  await using bench = await Bench.start(SIZE);
  const options = bench.memory();
  await text(bench.mount(options), `${REPO}/labels.tsv`);
  const { replica } = options;
  const [{ mount: name = '' } = {}] = replica.held();
  const left = { key: 'bug', updatedAt: '', size: 1, path: null, value: {} };
  for (const kind of ['labels', 'milestones', 'releases', 'assignees', 'names'])
    replica.upsert(name, `${kind}:${OCTO.owner}/${OCTO.repo}`, left);
  await text(bench.mount(options), `${REPO}/labels.tsv`);
  expect(replica.collections(name, '').filter((one) => one.includes(':'))).toEqual([]);
  expect(replica.collections(name, 'labels')).toEqual(['labels/octo/hello']);
});
