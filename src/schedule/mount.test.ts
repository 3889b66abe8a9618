/** The schedule as files: what is shown where, whose it is, and what may be written. */
import { expect, onTestFinished, test } from 'vitest';
import { isFsError } from '../errors.ts';
import { type Author, personAuthor } from '../policy/author.ts';
import { ScheduleJournal } from './journal.ts';
import { createScheduleMount } from './mount.ts';

const LARGEST = 256 * 1024;

/** A mount over a journal with a clock of its own; without `of` it shows what everybody has scheduled. */
function open(of?: string) {
  const clock = { now: 1_000 };
  const journal = new ScheduleJournal(':memory:', () => clock.now);
  onTestFinished(() => journal.close());
  const needed: boolean[] = [];
  const by: { author: Author } = { author: personAuthor(of ?? 'user') };
  const mount = createScheduleMount(
    (isNeeded) => {
      needed.push(isNeeded);
      return journal;
    },
    () => by.author,
    of,
  );
  const names = async (path: string) =>
    (await mount.readdir(path)).map(({ name, type }) => (type === 'directory' ? `${name}/` : name));
  const write = (path: string, text: string) => mount.write?.(path, Buffer.from(text));
  const text = async (path: string) => Buffer.from(await mount.read(path)).toString();
  /** Takes what waits, and ends it. */
  const run = (name: string, outcome?: string) => {
    const entry = journal.find('waiting', name) ?? expect.fail(`${name} does not wait`);
    expect(journal.take(entry)).toBe(true);
    if (outcome !== undefined) journal.end(entry, outcome);
  };
  return { clock, journal, needed, by, mount, names, write, text, run };
}

/** What an operation is refused with. */
async function refusal(work: Promise<unknown> | undefined): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isFsError(error)) return `${error.code} ${error.op} ${error.path}`;
    throw error;
  }
  return 'done';
}

test('what waits is in the root, what was begun in running, what was carried out in done by its time', async () => {
  const { clock, journal, names, write, text, run, mount } = open();
  for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) await write(`/${name}`, name);
  expect(await names('/')).toEqual(['a.md', 'b.md', 'c.md', 'd.md']);
  run('a.md');
  clock.now = Date.parse('2026-01-02T03:04:05.678Z');
  run('b.md', 'ok');
  const series = journal.find('waiting', 'c.md');
  expect(series && journal.fall(series, clock.now)).toMatchObject({ state: 'due' });
  expect(await names('/')).toEqual(['c.md', 'd.md', 'running/', 'done/']);
  expect(await names('/running')).toEqual(['a.md', 'c.md']);
  expect(await names('/done')).toEqual(['2026-01-02T030405678Z-b.md']);
  expect(await text('/done/2026-01-02T030405678Z-b.md')).toBe('b.md');
  expect(await text('/running/a.md')).toBe('a.md');
  expect(await mount.lstat('/running/a.md')).toMatchObject({ mode: 0o444 });
  await mount.unlink?.('/running/a.md');
  await mount.unlink?.('/done/2026-01-02T030405678Z-b.md');
  await mount.unlink?.('/running/c.md');
  expect(await names('/')).toEqual(['c.md', 'd.md']);
});

test('of several times of one prompt the last is the file of its name, listed once', async () => {
  const { clock, journal, names, write, text, run } = open();
  await write('/a.md', 'one');
  run('a.md');
  await write('/a.md', 'two');
  run('a.md');
  expect(journal.list()).toHaveLength(2);
  expect(await names('/running')).toEqual(['a.md']);
  expect(await text('/running/a.md')).toBe('two');
  clock.now += 1;
});

test('a file is as large as its bytes, as old as its last writing, and keeps its number', async () => {
  const { clock, mount, write } = open();
  await write('/a.md', 'é\n');
  const before = await mount.lstat('/a.md');
  clock.now = 5_000;
  await write('/b.md', '');
  expect(before).toEqual({
    ...{ type: 'file', mode: 0o644, size: 3, mtime: new Date(1_000), ino: expect.any(Number) },
  });
  expect((await mount.lstat('/b.md')).ino).not.toBe(before.ino);
  expect(await mount.lstat('/')).toEqual({
    ...{ type: 'directory', mode: 0o755, size: 4096, mtime: new Date(5_000), ino: '/' },
  });
});

test('looking makes no journal, and without one there is nothing to see', async () => {
  const { needed, names, mount, write } = open();
  await names('/');
  await mount.lstat('/');
  await refusal(mount.read('/a.md'));
  expect(new Set(needed)).toEqual(new Set([false]));
  await write('/a.md', 'x');
  expect(needed).toContain(true);
  const empty = createScheduleMount(
    () => null,
    () => personAuthor('user'),
  );
  expect(await empty.readdir('/')).toEqual([]);
  expect((await empty.lstat('/')).mtime).toEqual(new Date(0));
  await expect(empty.write?.('/a.md', Buffer.from('x'))).rejects.toThrow('was not opened');
});

test('it is no place to search or to link from, and says whose its files are', async () => {
  const { mount } = open();
  const { kind, local, searchable, authored } = mount;
  expect({ kind, local, searchable, authored }).toEqual({
    ...{ kind: 'schedule', local: true, searchable: false, authored: true },
  });
  expect(await mount.hasLinks?.('/')).toBe(false);
});

test.each([
  ['none.md', 'ENOENT'],
  ['running', 'ENOENT'],
  ['done', 'ENOENT'],
  ['running/none.md', 'ENOENT'],
  ['other/a.md', 'ENOENT'],
  ['running/a.md/below', 'ENOENT'],
  ['a.md/below', 'ENOENT'],
])('there is no %s', async (path, code) => {
  const { mount, write, run } = open();
  await write('/b.md', 'x');
  expect(await refusal(mount.lstat(`/${path}`))).toBe(`${code} lstat /${path}`);
  expect(await refusal(mount.read(`/${path}`))).toBe(`${code} open /${path}`);
  expect(await refusal(mount.readdir(`/${path}`))).toBe(`${code} scandir /${path}`);
  expect(await refusal(mount.unlink?.(`/${path}`))).toBe(`${code} unlink /${path}`);
  expect(await refusal(mount.rename?.(`/${path}`, '/c.md'))).toBe(`${code} rename /${path}`);
  run('b.md');
  expect(await refusal(mount.read('/running'))).toBe('EISDIR read /running');
});

test('directories are no files, and files no directories', async () => {
  const { mount, write, run } = open();
  await write('/a.md', 'x');
  await write('/b.md', 'x');
  run('b.md');
  for (const path of ['/', '/running']) {
    expect(await refusal(mount.read(path))).toBe(`EISDIR read ${path}`);
    expect(await refusal(write(path, 'x'))).toBe(`EISDIR open ${path}`);
    expect(await refusal(mount.unlink?.(path))).toBe(`EISDIR unlink ${path}`);
  }
  expect(await refusal(mount.readdir('/a.md'))).toBe('ENOTDIR scandir /a.md');
});

test.each(['/running', '/done', '/running/x.md', '/done/x.md', '/other/x.md'])(
  'nothing is scheduled as %s',
  async (path) => {
    const { mount, write, journal } = open();
    await write('/a.md', 'x');
    expect(await refusal(write(path, 'x'))).toBe(`EPERM open ${path}`);
    expect(await refusal(mount.append?.(path, Buffer.from('x')))).toBe(`EPERM open ${path}`);
    expect(await refusal(mount.rename?.('/a.md', path))).toBe(`EPERM open ${path}`);
    expect(journal.list().map(({ name }) => name)).toEqual(['a.md']);
  },
);

test('what was begun is not made to wait again by a new name', async () => {
  const { mount, write, run, names } = open();
  await write('/a.md', 'x');
  run('a.md');
  expect(await refusal(mount.rename?.('/running/a.md', '/b.md'))).toBe('EPERM open /running/a.md');
  expect(await names('/running')).toEqual(['a.md']);
});

test('a prompt has 256 KiB of UTF-8 at most, however it is written', async () => {
  const { mount, write, text } = open();
  await write('/a.md', 'x'.repeat(LARGEST));
  expect(await refusal(write('/b.md', 'x'.repeat(LARGEST + 1)))).toBe('EFBIG write /b.md');
  expect(await refusal(mount.append?.('/a.md', Buffer.from('x')))).toBe('EFBIG write /a.md');
  expect(await refusal(mount.append?.('/a.md', Buffer.from('')))).toBe('done');
  expect(await text('/a.md')).toHaveLength(LARGEST);
  expect(await refusal(mount.write?.('/b.md', Buffer.from([0xff])))).toBe('EINVAL write /b.md');
  expect(await refusal(mount.read('/b.md'))).toMatch(/^ENOENT/);
});

test('who writes, adds or renames has a hand in the prompt', async () => {
  const { by, mount, write, journal } = open();
  const actors = (name: string) => journal.find('waiting', name)?.author.actors;
  by.author = personAuthor('ann');
  await write('/a.md', 'x');
  by.author = personAuthor('bob');
  await mount.append?.('/a.md', Buffer.from('y'));
  expect(actors('a.md')).toEqual(['ann', 'bob']);
  by.author = personAuthor('eve');
  await mount.rename?.('/a.md', '/b.md');
  expect(actors('b.md')).toEqual(['ann', 'bob', 'eve']);
  await write('/b.md', 'z');
  expect(actors('b.md')).toEqual(['eve']);
});

test('a person sees and changes their own prompts alone, and takes nobody’s name', async () => {
  const { journal, mount, names, write } = open('ann');
  journal.write('theirs.md', 'secret', personAuthor('bob'));
  await write('/own.md', 'x');
  expect(await names('/')).toEqual(['own.md']);
  for (const work of [mount.read('/theirs.md'), mount.unlink?.('/theirs.md')])
    expect(await refusal(work)).toMatch(/^ENOENT/);
  for (const work of [
    write('/theirs.md', 'mine'),
    mount.append?.('/theirs.md', Buffer.from('mine')),
    mount.rename?.('/own.md', '/theirs.md'),
  ])
    expect(await refusal(work)).toBe('EACCES open /theirs.md');
  await write('/own.md', 'y');
  expect(journal.list().map(({ name, text }) => [name, text])).toEqual([
    ['theirs.md', 'secret'],
    ['own.md', 'y'],
  ]);
});
