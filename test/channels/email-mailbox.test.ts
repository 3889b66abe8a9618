/** A mailbox that is watched: what comes is taken once and in its order, over new numbers, faults and restarts. */
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type FoundMail, Mailbox, type MailboxParts } from '../../channels/email/mailbox.ts';
import { emailSettings } from '../../channels/email/settings.ts';
import { MailServer } from './in-mailbox.ts';
import { memoryOf } from './memory.ts';

/** Pauses end when a test says so; each is noted with its length in ms. */
const pauses = vi.hoisted(() => ({ all: [] as { ms: number; end: () => void }[] }));
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: (ms: number, _value: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      const pause = { ms, end: resolve };
      pauses.all.push(pause);
      const leave = (): void => {
        pauses.all = pauses.all.filter((one) => one !== pause);
        reject(new Error('aborted'));
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave);
    }),
}));
beforeEach(() => {
  pauses.all = [];
});

let server: MailServer;

const settings = (more: object = {}) =>
  emailSettings.parse({
    address: 'desk@work.example',
    trust: 'mx.work.example',
    imap: { host: 'imap.work.example' },
    smtp: { host: 'smtp.work.example' },
    ...more,
  });

async function watched(parts: Partial<MailboxParts> & { uids?: readonly number[] } = {}) {
  server = new MailServer();
  server.mails = (parts.uids ?? []).map((uid) => ({ uid, source: `mail ${uid}` }));
  return again(parts);
}

async function again(parts: Partial<MailboxParts> = {}) {
  const taken: FoundMail[] = [];
  const faults: Error[] = [];
  const memory = parts.memory ?? memoryOf();
  const mailbox = new Mailbox({
    settings: settings(),
    password: 'secret',
    Imap: server.Imap,
    take: async (mail) => {
      taken.push(mail);
      return true;
    },
    onFault: (error) => void faults.push(error as Error),
    ...parts,
    memory,
  });
  onTestFinished(() => mailbox.close());
  await mailbox.open();
  await settled();
  return { mailbox, memory, taken, faults, uids: () => taken.map(({ place }) => place.uid) };
}

/** Nothing here waits for anything but promises. */
async function settled(): Promise<void> {
  for (let n = 0; n < 30; n++) await turn();
}

async function comes(...uids: number[]): Promise<void> {
  server.mails.push(...uids.map((uid) => ({ uid, source: `mail ${uid}` })));
  server.clients.at(-1)?.emit('exists');
  await settled();
}

const waits = (): number[] => pauses.all.map(({ ms }) => ms);
async function endPause(ms: number): Promise<void> {
  const pause = pauses.all.find((one) => one.ms === ms);
  if (pause === undefined) throw new Error(`nothing waits for ${ms} ms: ${waits()}`);
  pauses.all = pauses.all.filter((one) => one !== pause);
  pause.end();
  await settled();
}

test('what was there before is not taken; what comes is, in its order, once, and is marked as seen', async () => {
  const { uids, memory } = await watched({ uids: [3, 4] });
  expect(uids()).toEqual([]);
  expect(memory.get('mailbox')).toMatchObject({ validity: '7', uid: 4 });
  await comes(6, 5);
  expect(uids()).toEqual([5, 6]);
  expect(server.searches.at(-1)).toEqual({ uid: '5:*' });
  expect(server.mails.map(({ flags }) => flags)).toEqual([
    undefined,
    undefined,
    ['\\Seen'],
    ['\\Seen'],
  ]);
  await comes();
  expect(uids()).toEqual([5, 6]);
  expect(memory.get('mailbox')).toMatchObject({ uid: 6 });
});

test('a mail tells where it is, how large it is and its header; the rest comes when it is asked for', async () => {
  const { taken } = await watched();
  await comes(1);
  const [mail] = taken;
  expect(mail).toMatchObject({ place: { validity: '7', uid: 1 }, size: 6 });
  expect(String(mail?.header)).toBe('mail 1');
  expect(String(await mail?.whole())).toBe('mail 1');
  server.mails = [];
  expect(await mail?.whole()).toBeNull();
});

test('what is not for the agent is left unseen, and a mail that is gone by then is left out', async () => {
  const { memory } = await watched({ take: async () => false });
  await comes(1);
  expect(server.mails[0]?.flags).toBeUndefined();
  memory.set('mailbox', { validity: '7', uid: 0, at: 0 });
  const search = vi.spyOn(server.Imap.prototype, 'search').mockResolvedValueOnce([2, 1]);
  onTestFinished(() => search.mockRestore());
  await comes();
  expect(memory.get('mailbox')).toMatchObject({ uid: 2 });
});

test('a server that tells nothing is asked once in a minute', async () => {
  const { uids } = await watched();
  const [client] = server.clients;
  expect(client?.idles).toBe(1);
  server.mails.push({ uid: 1, source: 'x' });
  expect(waits()).toEqual([60_000]);
  await endPause(60_000);
  expect(uids()).toEqual([1]);
  expect(client?.idles).toBe(2);
  expect(waits()).toEqual([60_000]);
});

test('where mails got new numbers, those of the last two days are looked at once more', async () => {
  const { uids, memory } = await watched({ uids: [9] });
  const { at } = memory.get('mailbox') as { at: number };
  server.validity = 8n;
  server.mails = [
    { uid: 1, source: 'old', at: at - 3 * 86_400_000 },
    { uid: 2, source: 'new', at: at - 86_400_000 },
  ];
  server.clients[0]?.close();
  await settled();
  await endPause(1_000);
  expect(uids()).toEqual([2]);
  expect(memory.get('mailbox')).toMatchObject({ validity: '8', uid: 2 });
  expect(server.searches.at(-1)).toEqual({ since: new Date(at - 2 * 86_400_000) });
});

test('where mails got new numbers and none is of these days, the next to come is the next to be taken', async () => {
  const { uids, memory } = await watched({ uids: [9] });
  server.validity = 8n;
  server.mails = [{ uid: 4, source: 'old', at: 0 }];
  server.clients[0]?.close();
  await settled();
  await endPause(1_000);
  expect(uids()).toEqual([]);
  expect(memory.get('mailbox')).toMatchObject({ validity: '8', uid: 4 });
  await comes(5);
  expect(uids()).toEqual([5]);
});

test('a connection that ends is told of, and another one made, each time after twice as long up to a minute', async () => {
  const { faults, uids } = await watched();
  server.refusals = Array.from({ length: 8 }, (_, n) => new Error(`refused ${n}`));
  server.clients[0]?.close();
  await settled();
  expect(faults.map(({ message }) => message)).toEqual([
    'the mail server has ended the connection',
  ]);
  for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    expect(waits()).toEqual([ms]);
    await endPause(ms);
  }
  expect(faults.map(({ message }) => message).slice(1)).toEqual(
    Array.from({ length: 8 }, (_, n) => `refused ${n}`),
  );
  // Those that failed are not left open.
  expect(server.clients.map(({ isClosed }) => isClosed)).toEqual(server.clients.map(() => true));
  await endPause(60_000);
  await comes(1);
  expect(uids()).toEqual([1]);
  server.clients.at(-1)?.close();
  await settled();
  expect(waits()).toEqual([1_000]);
});

test('a mailbox that cannot be opened is told to whoever opens it, and its connection is closed', async () => {
  server = new MailServer();
  server.refusals = [new Error('no such user')];
  await expect(again()).rejects.toThrow('no such user');
  expect(server.clients.map(({ isClosed }) => isClosed)).toEqual([true]);
});

test('a mailbox that cannot be searched is a fault, and nothing of it is passed over', async () => {
  const { faults, uids, memory } = await watched();
  server.searchable = false;
  await comes(1);
  expect(faults.map(({ message }) => message)).toEqual(['the mailbox could not be searched']);
  expect(memory.get('mailbox')).toMatchObject({ uid: 0 });
  server.searchable = true;
  await endPause(1_000);
  expect(uids()).toEqual([1]);
});

test('a mail that fails three times is left in the mailbox, and those behind it are taken', async () => {
  const tries: number[] = [];
  const take = async ({ place }: FoundMail): Promise<boolean> => {
    tries.push(place.uid);
    if (place.uid === 1) throw new Error('broken');
    return true;
  };
  const { faults, memory } = await watched({ take });
  await comes(1, 2);
  for (const ms of [1_000, 2_000, 4_000]) await endPause(ms);
  expect(tries).toEqual([1, 1, 1, 2]);
  const said = faults.map(({ message }) => message);
  expect(said.slice(0, 3)).toEqual(['broken', 'broken', 'broken']);
  expect(said.at(3)).toContain('has the UID 1: taking it has failed 3 times');
  expect(memory.get('mailbox')).toMatchObject({ uid: 2 });
});

test('tries are counted over restarts, and each mail has its own', async () => {
  const take = async (): Promise<boolean> => {
    throw new Error('broken');
  };
  const first = await watched({ take });
  await comes(1);
  expect(first.memory.get('mail that is tried')).toEqual({ validity: '7', uid: 1, count: 1 });
  await first.mailbox.close();
  const second = await again({ take, memory: first.memory });
  expect(second.memory.get('mail that is tried')).toMatchObject({ uid: 1, count: 2 });
  await second.mailbox.close();
  // The same number in a mailbox that was made anew is another mail.
  first.memory.set('mailbox', { validity: '7', uid: 0, at: 0 });
  first.memory.set('mail that is tried', { validity: '6', uid: 1, count: 3 });
  const third = await again({ memory: first.memory });
  expect(third.uids()).toEqual([1]);
});

test('the end of the connection is no fault of the mail that was being taken', async () => {
  let isDown = true;
  const take = async (): Promise<boolean> => {
    if (!isDown) return true;
    server.clients.at(-1)?.close();
    throw new Error('gone');
  };
  const { memory } = await watched({ take });
  await comes(1);
  expect(memory.get('mail that is tried')).toMatchObject({ uid: 1, count: 0 });
  isDown = false;
  await endPause(1_000);
  expect(memory.get('mailbox')).toMatchObject({ uid: 1 });
});

test('once it is closed, nothing is told and no connection is made', async () => {
  const { mailbox, faults } = await watched();
  await mailbox.close();
  expect(faults).toEqual([]);
  expect(waits()).toEqual([]);
  expect(server.clients.map(({ isClosed }) => isClosed)).toEqual([true]);
});

test('a mail is read by a connection of its own, as long as its number means it', async () => {
  const { mailbox } = await watched({ uids: [3] });
  const place = { validity: '7', uid: 3 };
  expect(String(await mailbox.read(place))).toBe('mail 3');
  server.refusals = [new Error('refused')];
  await expect(mailbox.read(place)).rejects.toThrow('refused');
  server.clients.pop();
  expect(server.clients).toHaveLength(2);
  expect(server.clients[1]).toMatchObject({
    opened: [['INBOX', { readOnly: true }]],
    isClosed: true,
  });
  expect(server.clients[0]?.isClosed).toBe(false);
  expect(await mailbox.read({ ...place, uid: 4 })).toBeNull();
  expect(await mailbox.read({ ...place, validity: '6' })).toBeNull();
});

test('a mail is looked for where mails come, and where those that were sent are kept', async () => {
  const { mailbox } = await watched();
  server.folders['INBOX']?.ids.push('<came>');
  for (const [id, isThere] of [
    ['<came>', true],
    ['<sent>', true],
    ['<all>', true],
    ['<trash>', false],
  ] as const)
    expect([id, await mailbox.has(id)]).toEqual([id, isThere]);
  expect(server.clients.at(-1)).toMatchObject({
    opened: ['INBOX', 'Sent', 'All'].map((path) => [path, { readOnly: true }]),
    isClosed: true,
  });
});

test.each([
  [{}, { port: 993, secure: true, doSTARTTLS: undefined }],
  [{ tls: 'starttls' }, { port: 143, secure: false, doSTARTTLS: true }],
  [
    { tls: 'none', host: 'localhost' },
    { port: 143, secure: false, doSTARTTLS: false },
  ],
  [{ port: 1993 }, { port: 1993, secure: true }],
])('a server of %j is spoken to by %j', async (imap, wanted) => {
  await watched({
    settings: settings({ imap: { host: 'imap.work.example', ...imap }, mailbox: 'Desk' }),
  });
  expect(server.clients[0]?.options).toMatchObject({
    ...wanted,
    auth: { user: 'desk@work.example', pass: 'secret' },
    logger: false,
    disableAutoIdle: true,
  });
  expect(server.clients[0]?.opened).toEqual([['Desk', undefined]]);
});
