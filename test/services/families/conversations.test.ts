/** What follows of `people` and `conversations`, on a chat that has little of the first one's ways. */
import { expect, test } from 'vitest';
import { failure, names, text, write } from '../../../src/mount-testing/index.ts';
import { chatSubject, WRITES } from './chat-subject.ts';

test('a channel is its days, messages and threads, with names; what we are not in is found when named', async () => {
  using bench = await (await chatSubject()).bench();
  const mount = bench.mount();
  expect(await names(mount, '/')).toEqual(['README.md', 'channels.tsv', 'dock', 'users.tsv']);
  expect(await names(mount, '/dock')).toEqual(['days', 'messages', 'threads']);
  expect(await names(mount, '/dock/messages')).toEqual([
    'om_2.md',
    'om_4.md',
    'om_5.md',
    'om_6.md',
  ]);
  expect(await names(mount, '/gate/messages')).toEqual([]);
  expect(await text(mount, '/users.tsv')).toContain('ou_ada\tada\tAda Lovelace\t\n');
  expect(await text(mount, '/channels.tsv')).toContain('gate\toc_gate\t\t\t\n');
  expect(bench.notices.join('\n')).toMatch(/before \d{4}-\d\d-\d\d is found by its name alone/);
  expect(await text(mount, '/dock/messages/om_1.md')).toContain('Long ago');
  const asked = await text(mount, '/dock/messages/om_2.md');
  expect(asked).toMatch(
    /author: ada\nat: [^\n]*T[^\n]*\nthread: 1\nreactions: \[\]\n---\n\nWho has the key\?\n$/,
  );
  expect(await names(mount, '/dock/threads')).toEqual(['om_2', 'om_2.md']);
  expect(await text(mount, '/dock/threads/om_2.md')).toMatch(
    /Who has the key\?[\s\S]*dirigent[\s\S]*I do/,
  );
  const days = await names(mount, '/dock/days');
  expect(await text(mount, `/dock/days/${days.at(-1)}`)).toContain('Said 1');
});

test('messages are posted, answered, reworded and removed; those of others stay', async () => {
  const one = await chatSubject();
  using bench = await one.bench();
  const mount = bench.mount();
  for (const { path, content } of WRITES.slice(0, 3))
    await write(mount, path, content(await text(mount, path)) ?? '');
  const held = await one.held();
  expect(WRITES.slice(0, 3).map(({ made }) => made(held))).toEqual([1, 1, 1]);
  const own = await text(mount, '/dock/messages/om_4.md');
  expect(own).toMatch(/edited: [\s\S]*thread: 1\n[\s\S]*Reworded/);
  const refused = async (path: string, from: string, to: string) => {
    const before = await text(mount, path);
    return (await failure(mount.write?.(path, Buffer.from(before.replace(from, to))))).reason;
  };
  expect(await refused('/dock/messages/om_2.md', 'Who', 'Which')).toContain('answer in threads/');
  expect(await refused('/dock/messages/om_4.md', '---\n', '---\nmy_reactions: [eyes]\n')).toContain(
    'no such field',
  );
  expect(await refused('/dock/messages/om_4.md', 'Reworded', 'x'.repeat(501))).toContain('500');
  expect((await failure(mount.unlink?.('/dock/messages/om_2.md'))).reason).toContain('your own');
  await mount.unlink?.('/dock/messages/om_4.md');
  expect(await names(mount, '/dock/messages')).not.toContain('om_4.md');
});

test.each([
  [99991663, 'EACCES'],
  [230002, 'EACCES'],
  [230110, 'ENOENT'],
  [1, 'EINVAL'],
])('a code in an answer, %i, is %s, with what the service says', async (code, errno) => {
  const one = await chatSubject();
  using bench = await one.bench();
  const mount = bench.mount();
  one.refuses(code);
  const refused = await failure(mount.readdir('/'));
  expect([refused.code, refused.reason]).toEqual([
    errno,
    expect.stringContaining(`${code}: as the test`),
  ]);
});
