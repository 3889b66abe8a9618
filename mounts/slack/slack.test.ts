/** The Slack mount against its stand-in: what is listed, read, posted, reworded, removed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, names, ServiceBench, text, write } from '../../test/services/testing.ts';
import { type SlackStandIn, startSlackStandIn } from '../../test/stand-ins/slack/index.ts';
import { createSlackMount, type SlackMountOptions } from './index.ts';
import { ADA, GENERAL, ME, tsOf, workspace } from './testing.ts';
import { slackOf, textOf } from './text.ts';

// On one day, at whatever hour this runs.
const NOON = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
const [OLD, FIRST, MINE, ANSWER] = [
  tsOf(60 * 24 * 200, NOON),
  tsOf(90, NOON),
  tsOf(60, NOON),
  tsOf(30, NOON),
];
const seed = workspace([
  { ts: OLD, text: 'Long ago' },
  { ts: FIRST, text: 'Hello &lt;all&gt; &amp; <@U0ME00001>, see <https://example.com/a|the page>' },
  { ts: MINE, user: ME, text: 'Here I am' },
  { ts: ANSWER, text: 'An answer', thread_ts: FIRST },
]);

let slack: SlackStandIn;
beforeAll(async () => {
  slack = await startSlackStandIn({ seed });
});
afterAll(() => slack.close());

async function opened() {
  await slack.reseed(seed);
  const own = { baseUrl: slack.url, token: slack.token, point: '/mnt/slack' };
  const bench = new ServiceBench<SlackMountOptions>('slack', createSlackMount, own);
  return Object.assign(bench, { [Symbol.dispose]: () => bench.end() });
}
const messages = '/general/messages';
const threads = '/general/threads';
const day = new Date(Number(FIRST) * 1000).toISOString().slice(0, 10);
const called = async () => (await slack.requests()).map(({ method }) => method);

describe('reading', () => {
  it('a channel is its days, its messages and its threads; what we are no member of is found when named', async () => {
    using bench = await opened();
    const mount = bench.mount();
    expect(await names(mount, '/')).toEqual([
      'README.md',
      'channels.tsv',
      'general',
      'random',
      'users.tsv',
    ]);
    expect(await names(mount, '/general')).toEqual(['days', 'messages', 'threads']);
    expect(await names(mount, messages)).toEqual([`${FIRST}.md`, `${MINE}.md`]);
    expect(await names(mount, threads)).toEqual([FIRST, `${FIRST}.md`]);
    expect(await names(mount, '/closed')).toEqual(['days', 'messages', 'threads']);
    expect((await failure(mount.readdir('/closed/messages'))).code).toBe('EACCES');
    expect((await failure(mount.readdir('/nowhere'))).code).toBe('ENOENT');
    expect(await text(mount, '/users.tsv')).toContain(`${ADA}\tada\tAda Lovelace\t\n`);
    expect(await text(mount, '/channels.tsv')).toContain(`general\t${GENERAL}\tyes\tAll\t\n`);
  });

  it('a day shows names and plain text; a message has Slack’s own marks, as it is to be written', async () => {
    using bench = await opened();
    const mount = bench.mount();
    const whole = await text(mount, `/general/days/${day}.md`);
    expect(whole).toContain('Hello <all> & @dirigent, see the page (https://example.com/a)');
    expect(whole).toContain(`1 answers: threads/${FIRST}/`);
    expect(await text(mount, `${messages}/${FIRST}.md`)).toContain(
      'Hello <all> & <@U0ME00001>, see <https://example.com/a|the page>',
    );
    expect(await text(mount, `${threads}/${FIRST}.md`)).toMatch(/Hello <all>[\s\S]*An answer/);
  });

  it('a listing is of the last days and says so; an older message is found by its name', async () => {
    using bench = await opened();
    const mount = bench.mount();
    await mount.readdir(messages);
    expect(bench.notices.join()).toContain('is found by its name alone');
    expect(await text(mount, `${messages}/${OLD}.md`)).toContain('Long ago');
    expect((await failure(mount.read(`${messages}/${tsOf(999)}.md`))).code).toBe('ENOENT');
  });

  it('pages follow each other, and a walk through what is held asks nothing', async () => {
    using bench = await opened();
    const many = Array.from({ length: 450 }, (_, n) => ({ ts: tsOf(n + 1), text: `said ${n}` }));
    await slack.reseed(workspace(many));
    const mount = bench.mount();
    await slack.resetRequests();
    expect(await names(mount, messages)).toHaveLength(450);
    expect((await called()).filter((one) => one === 'conversations.history')).toHaveLength(3);
    await slack.resetRequests();
    for (const name of (await names(mount, messages)).slice(0, 50))
      await text(mount, `${messages}/${name}`);
    expect(await called()).toEqual([]);
    // What came since is on the first page; so is what was reworded lately.
    const third = many[2]?.ts ?? '';
    await slack.edit({ op: 'reword', channel: GENERAL, ts: third, text: 'reworded' });
    const added = await slack.edit({ op: 'post', channel: GENERAL, text: 'new' });
    bench.move(11_000);
    expect(await names(mount, messages)).toContain(`${added}.md`);
    expect(await text(mount, `${messages}/${third}.md`)).toContain('reworded');
    expect(await called()).toEqual(['conversations.history']);
  });

  it('a renamed channel is found by its old name, too, and its feed follows', async () => {
    using bench = await opened();
    const mount = bench.mount();
    await mount.prefetch('/general/days');
    const before = mount.feed(0).at(-1)?.seq ?? 0;
    await slack.edit({ op: 'rename-channel', id: GENERAL, name: 'lobby' });
    bench.move(61_000);
    expect(await names(mount, '/')).toContain('lobby');
    expect(await text(mount, `/lobby/days/${day}.md`)).toContain('Here I am');
    expect(await text(mount, `/general/messages/${MINE}.md`)).toContain('Here I am');
    const told = mount.feed(before).map(({ path, op }) => `${op} ${path}`);
    expect(told).toContain(`delete /general/days/${day}.md`);
    expect(told).toContain(`upsert /lobby/days/${day}.md`);
  });
});

describe('writing', () => {
  it('new.md posts, in a thread answers; both are read at once', async () => {
    using bench = await opened();
    const mount = bench.mount();
    await write(mount, `${messages}/new.md`, 'First <post> & https://example.com\n');
    const path = (await text(mount, `${messages}/.last`)).trim().replace('/mnt/slack', '');
    expect(await text(mount, path)).toContain('\n\nFirst <post> & https://example.com\n');
    await write(mount, `${threads}/${MINE}/new.md`, 'An answer to me\n');
    expect(await names(mount, threads)).toContain(MINE);
    expect(await text(mount, `${threads}/${MINE}.md`)).toContain('An answer to me');
    const held = await slack.dump();
    expect(held.map((one) => one.text)).toContain('First &lt;post&gt; &amp; <https://example.com>');
    expect(held.find((one) => one.text === 'An answer to me')?.thread_ts).toBe(MINE);
    expect((await failure(mount.write?.(`${messages}/new.md`, Buffer.from('\n')))).code).toBe(
      'EINVAL',
    );
  });

  it('one’s own message is reworded and reacted to; of another’s only the reactions', async () => {
    using bench = await opened();
    const mount = bench.mount();
    const own = await text(mount, `${messages}/${MINE}.md`);
    const edited = own
      .replace('Here I am', 'There')
      .replace('my_reactions: []', 'my_reactions: [eyes, tada]');
    await write(mount, `${messages}/${MINE}.md`, edited);
    expect(await text(mount, `${messages}/${MINE}.md`)).toMatch(
      /my_reactions: \[eyes, tada\]\n---\n\nThere\n/,
    );
    const theirs = await text(mount, `${messages}/${FIRST}.md`);
    await write(
      mount,
      `${messages}/${FIRST}.md`,
      theirs.replace('my_reactions: []', 'my_reactions: [eyes]'),
    );
    const refused = await failure(
      mount.write?.(`${messages}/${FIRST}.md`, Buffer.from(`${theirs}more\n`)),
    );
    expect([refused.code, refused.reason]).toEqual([
      'EINVAL',
      expect.stringContaining('answer in threads/'),
    ]);
    const held = new Map((await slack.dump()).map((one) => [one.ts, one]));
    expect(held.get(MINE)).toMatchObject({ text: 'There', reactions: { eyes: [ME], tada: [ME] } });
    expect(held.get(FIRST)?.reactions).toEqual({ eyes: [ME] });
  });

  it('one’s own message is removed, another’s is not, and says what to do', async () => {
    using bench = await opened();
    const mount = bench.mount();
    await mount.readdir(messages);
    await mount.unlink?.(`${messages}/${MINE}.md`);
    expect(await names(mount, messages)).not.toContain(`${MINE}.md`);
    const refused = await failure(mount.unlink?.(`${messages}/${FIRST}.md`));
    expect([refused.code, refused.reason]).toEqual(['EPERM', expect.stringContaining('your own')]);
  });

  it('a dry run posts nothing, and shows what would be sent', async () => {
    using bench = await opened();
    const mount = bench.mount({ stage: true });
    await write(mount, `${messages}/new.md`, 'Staged\n');
    const [change] = mount.journal.list({ state: 'pending' });
    expect(change?.request).toMatchObject({
      url: 'chat.postMessage',
      body: { channel: GENERAL, text: 'Staged' },
    });
    expect(await called()).not.toContain('chat.postMessage');
    await mount.journal.apply([change?.id ?? '']);
    expect((await slack.dump()).map((one) => one.text)).toContain('Staged');
  });
});

describe('refusals', () => {
  it.each([
    ['invalid_auth', 'EACCES'],
    ['missing_scope', 'EACCES'],
    ['internal_error', 'EIO'],
    ['something_new', 'EINVAL'],
  ])('%s is %s, with Slack’s own word', async (error, code) => {
    using bench = await opened();
    await slack.fault({ kind: 'refused', error, path: 'conversations.list' });
    const refused = await failure(bench.mount().readdir('/'));
    expect([refused.code, refused.reason]).toEqual([code, expect.stringContaining(error)]);
  });

  it('a limit holds for its method alone, and says when to come back', async () => {
    using bench = await opened();
    const mount = bench.mount();
    await mount.readdir('/');
    await slack.fault({
      kind: 'rate-limited',
      retryAfter: 30,
      path: 'conversations.history',
      times: 1,
    });
    expect((await failure(mount.readdir(messages))).code).toBe('EAGAIN');
    await slack.resetRequests();
    const refused = await failure(mount.readdir(messages));
    expect(refused.reason).toContain('asked us to wait');
    expect(await called()).toEqual([]);
    await write(mount, '/random/messages/new.md', 'posted all the same\n');
    expect((await slack.dump()).map((one) => one.text)).toContain('posted all the same');
  });
});

it('texts go to Slack and back unchanged', () => {
  for (const one of [
    'a < b && c > d',
    '<@U123> and <#C1|general>, <!here>',
    '> quoted\n&amp; &lt;b&gt;',
    'https://example.com/?a=1&b=2 and <https://example.com|this>',
    '&lt;@U123>',
  ])
    expect(textOf(slackOf(one))).toBe(one);
  expect(textOf('&lt;@U123&gt;')).toBe('&lt;@U123>');
});
