/** What a service finds among its records: a directory a question, which is asked when it is entered. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ServiceFailure } from '../client/failure.ts';
import { resource } from './definition.ts';
import { finding } from './questions.ts';
import { FRESH_MS, opened } from './testing.ts';

const HOUR_MS = 3_600_000;
const schema = z.object({ id: z.string(), title: z.string() });

/** Rooms with notes in them, of which the service finds those with a word. */
function made() {
  const asked: string[] = [];
  const client = {
    usage: () => ({ requests: asked.length, bytes: 0 }),
    send: async () => null,
  };
  const rooms = resource('rooms', {
    about: 'a room',
    path: '/rooms/:room',
    schema,
    key: ({ id }) => id,
    list: async () => [
      { id: 'r', title: 'a room' },
      { id: 's', title: 'another' },
    ],
  });
  const notes = resource('notes', {
    about: 'a note',
    path: '/rooms/:room/notes/:id.md',
    schema,
    key: ({ id }) => id,
    list: async () => [
      { id: 'a', title: 'one' },
      { id: 'b', title: 'two words' },
    ],
    text: ({ title }) => `${title}\n`,
  });
  const found = finding<z.infer<typeof schema>, typeof client>({
    about: 'notes with a word',
    path: '/rooms/:room/search',
    of: notes,
    columns: ['id', 'title'],
    row: ({ id, title }) => [id, title],
    find: async (query, { params }) => {
      asked.push(`${query} in ${params['room']}`);
      if (query === 'broken') throw new ServiceFailure('server', 'the index is down');
      return {
        rows: [
          { id: 'b', title: query },
          { id: 'a', title: 'one' },
        ],
        ...(query === 'much' && { lacking: 'only the first 2' }),
      };
    },
  });
  const word = { matches: /^\w+$/, example: 'r' };
  const params = { room: word, id: word };
  return { asked, ...opened(client, { params, resources: [rooms, notes], findings: [found] }) };
}

test('a question is asked once, and gives its records in the order of the service, and links to them', async () => {
  const { asked, mount, names, text } = made();
  expect(await names('/rooms/r/search')).toEqual([]);
  expect(await text('/rooms/r/search/two words/index.tsv')).toBe(
    'file\tid\ttitle\nb.md\tb\ttwo words\na.md\ta\tone\n',
  );
  expect(await names('/rooms/r/search/two words')).toEqual(['a.md', 'b.md', 'index.tsv']);
  expect(await mount.readlink?.('/rooms/r/search/two words/b.md')).toBe('../../notes/b.md');
  // What it found is held, and may be read without another question.
  expect(await text('/rooms/r/notes/b.md')).toBe('two words\n');
  expect(asked).toEqual(['two words in r']);
});

test('the questions of the last hour are listed, at the place that they were asked for', async () => {
  const { move, names, text } = made();
  await text('/rooms/r/search/one/index.tsv');
  move(HOUR_MS / 2);
  await text('/rooms/r/search/two%2Fthree/index.tsv');
  expect(await names('/rooms/r/search')).toEqual(['one', 'two%2Fthree']);
  expect(await names('/rooms/s/search')).toEqual([]);
  move(HOUR_MS / 2);
  expect(await names('/rooms/r/search')).toEqual(['two%2Fthree']);
});

test('a question is asked anew once its answer is old; while it is fresh it costs nothing', async () => {
  const { asked, mount, move, text } = made();
  const path = '/rooms/r/search/x/index.tsv';
  expect([mount.costly?.(path), mount.costly?.('/rooms/r/search/x')]).toEqual([true, true]);
  await text(path);
  expect([mount.costly?.(path), mount.costly?.('/rooms/r/search/x')]).toEqual([false, false]);
  expect(mount.costly?.('/rooms/s/search/x')).toBe(true);
  move(FRESH_MS - 1);
  await text(path);
  expect(asked).toHaveLength(1);
  move(HOUR_MS);
  expect(mount.costly?.(path)).toBe(true);
  await text(path);
  expect(asked).toHaveLength(2);
});

test('what an answer lacks is said whenever it is read, and why there is none', async () => {
  const { mount, notices, text } = made();
  await text('/rooms/r/search/x/index.tsv');
  expect(notices).toEqual([]);
  await text('/rooms/r/search/much/index.tsv');
  expect(new Set(notices)).toEqual(new Set(['only the first 2']));
  await expect(mount.read('/rooms/r/search/broken/index.tsv')).rejects.toMatchObject({
    code: 'EIO',
    reason: expect.stringContaining('the index is down'),
  });
  await expect(mount.read('/rooms/none/search/x/index.tsv')).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
