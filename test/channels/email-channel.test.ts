/** An e-mail channel without a server around it: which mails are taken, as what, and what is sent for an answer. */
import type { ImapFlowOptions } from 'imapflow';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openEmail } from '../../channels/email/channel.ts';
import { pageOf } from '../../channels/email/page.ts';
import type { ReaderQuestion } from '../../channels/email/reader.ts';
import { type EmailSettings, emailSettings } from '../../channels/email/settings.ts';
import {
  type ChannelHost,
  type IncomingMessage,
  NotSent,
  type OutgoingMessage,
  type PressedButton,
} from '../../src/serve/channels/index.ts';
import { PASSWORD } from '../stand-ins/mail/dovecot.ts';
import { startSmtp } from '../stand-ins/mail/smtp.ts';
import { MailServer } from './in-mailbox.ts';
import { memoryOf } from './memory.ts';

const met = vi.hoisted(() => ({
  server: null as MailServer | null,
  /** What happens while a copy is waited for. */
  waits: [] as (() => void)[],
}));
vi.mock('imapflow', () => ({
  // What a constructor returns stands for what it makes.
  ImapFlow: function (this: unknown, options: ImapFlowOptions) {
    return new (met.server as MailServer).Imap(options);
  },
}));
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout = (ms: number, value: unknown, options: { signal: AbortSignal }) => {
    if (ms !== 3_000) return real.setTimeout(ms, value, options);
    met.waits.shift()?.();
    return options.signal.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve();
  };
  return { ...real, setTimeout };
});
// As it is in its thread.
vi.mock('../../src/texts/reading-thread.ts', async () => {
  const { contentOf, fileIn } = await import('../../channels/email/content.ts');
  class ReadingThread {
    ask = async ({ source, file }: ReaderQuestion) =>
      file === null ? { content: await contentOf(source) } : { file: await fileIn(source, file) };
    close = async () => undefined;
  }
  return { ReadingThread };
});

const DESK = 'desk@work.example';
const ANA = 'ana@home.example';
const BEN = 'ben@home.example';
const EVE = 'eve@other.example';
const MX = 'mx.work.example';
const HOUR_MS = 3_600_000;

let server: MailServer;
beforeEach(() => {
  server = new MailServer();
  Object.assign(met, { server, waits: [] });
});

interface Written {
  from?: string;
  to?: string;
  subject?: string;
  id?: string | null;
  references?: string;
  text?: string;
  /** Other lines of the header, and what the mail server says of it; null for nothing. */
  more?: string[];
  results?: string | null;
  size?: number;
}

async function opened(given: Partial<ChannelHost<EmailSettings>> = {}) {
  const smtp = await startSmtp(DESK);
  onTestFinished(() => smtp.close());
  const received: IncomingMessage[] = [];
  const pressed: PressedButton[] = [];
  const faults: string[] = [];
  const memory = memoryOf();
  const settings = emailSettings.parse({
    ...{ address: DESK, name: 'Desk', trust: MX, imap: { host: 'imap.work.example' } },
    smtp: { host: '127.0.0.1', port: smtp.port, tls: 'none' },
  });
  const channel = await openEmail({
    ...{ name: 'mail', settings, memory, strangers: 'ignore', secret: () => PASSWORD },
    receive: (message) => void received.push(message),
    isKnown: (id) => [ANA, BEN, DESK].includes(id),
    pressed: (button) => void pressed.push(button),
    onFault: (error) => void faults.push(error instanceof Error ? error.message : String(error)),
    ...given,
  });
  onTestFinished(() => channel.close());
  let uid = 0;
  /** A mail comes. @returns once it was looked at: is it marked as seen? */
  async function comes({
    from = ANA,
    to = DESK,
    subject = '',
    id = `<m${uid + 1}@home.example>`,
    references = '',
    text = 'hello',
    more = [],
    results,
    size,
  }: Written = {}): Promise<boolean> {
    uid += 1;
    const domain = from.slice(from.lastIndexOf('@') + 1).replace('>', '');
    const verdict = `${MX}; spf=pass smtp.mailfrom=${domain}; dmarc=pass header.from=${domain}`;
    const lines = [
      ...(results === null ? [] : [`Authentication-Results: ${results ?? verdict}`]),
      ...[`From: ${from}`, `To: ${to}`],
      ...(subject === '' ? [] : [`Subject: ${subject}`]),
      ...(id === null ? [] : [`Message-ID: ${id}`]),
      ...(references === '' ? [] : [`References: ${references}`]),
      ...more,
    ];
    const source = `${lines.join('\r\n')}\r\n\r\n${text}\r\n`;
    server.mails.push({ uid, source, ...(size !== undefined && { size }) });
    server.clients[0]?.emit('exists');
    await expect.poll(() => memory.get('mailbox')).toMatchObject({ uid });
    return server.mails.at(-1)?.flags?.includes('\\Seen') === true;
  }
  const message = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
    ...{ key: 'key-1', thread: '', text: 'said', buttons: [], isExact: false, files: [] },
    ...more,
  });
  return { channel, smtp, received, pressed, faults, memory, comes, message };
}

describe('a mail', () => {
  test('of somebody known to the agent is taken, with its subject above what it says', async () => {
    const { comes, received, faults } = await opened();
    const from = `Ana A. <${ANA}>`;
    expect(await comes({ from, subject: 'Plan', id: '<a@x>', text: 'are you there?' })).toBe(true);
    expect(received).toEqual([
      {
        id: `<a@x> ${ANA}`,
        thread: `<a@x> ${ANA}`,
        sender: { id: ANA, name: 'Ana A.' },
        isAddressed: true,
        files: [],
        text: 'Plan\n\nare you there?',
      },
    ]);
    expect(faults).toEqual([]);
  });

  test.each([
    ['goes to others alone', { to: BEN }],
    ['is of a program', { more: ['Auto-Submitted: auto-replied'] }],
    ['is of the agent itself', { from: DESK }],
    ['is of somebody who is not known', { from: EVE }],
    ['has more than 25 MiB', { size: 25 * 1024 * 1024 + 1 }],
  ])('that %s is left unseen', async (_what, mail) => {
    const { comes, received, memory } = await opened();
    expect(await comes(mail)).toBe(false);
    expect(received).toEqual([]);
    expect(Object.keys(memory.terms()).filter((name) => /thread|stranger/.test(name))).toEqual([]);
  });

  test('of 25 MiB is taken, and of more is told of', async () => {
    const { comes, received, faults } = await opened();
    const most = 25 * 1024 * 1024;
    expect(await comes({ size: most })).toBe(true);
    expect([received.length, faults]).toEqual([1, []]);
    await comes({ size: most + 1 });
    expect(faults).toEqual([`a mail of ${ANA} is left alone: it has ${most + 1} bytes`]);
  });

  test('without a name is named by where it lies', async () => {
    const { comes, received } = await opened();
    await comes({ id: null });
    expect(received[0]?.id).toBe(`7:1 ${ANA}`);
  });

  test('that nobody vouches for is not taken; who is known is told of once an hour', async () => {
    const { comes, received, faults } = await opened();
    await comes({ results: null });
    expect(faults).toHaveLength(1);
    for (let n = 0; n < 2; n++) await comes({ results: null });
    await comes({ results: null, from: EVE });
    expect(received).toEqual([]);
    expect(faults).toEqual([
      `a mail in the name of ${ANA} is not taken: no Authentication-Results of ${MX} say that it is theirs, and came as they sent it`,
    ]);
  });

  test.each([
    ['Re: Plan', '<b@x>', { text: 'hello', quoted: 'Re: Plan' }],
    ['AW: Plan', '', { text: 'hello', quoted: 'AW: Plan' }],
    ['Plan', '<b@x>', { text: 'hello', quoted: 'Plan' }],
    ['Plan', '', { text: 'Plan\n\nhello' }],
    ['', '<b@x>', { text: 'hello' }],
    ['', '', { text: 'hello' }],
  ])('with the subject %j that answers %j says %j', async (subject, references, wanted) => {
    const { comes, received } = await opened();
    await comes({ subject, references });
    const { text, quoted } = received[0] ?? {};
    expect({ text, ...(quoted !== undefined && { quoted }) }).toEqual(wanted);
  });

  test('that is a command is that alone, whatever its subject', async () => {
    const { comes, received } = await opened();
    await comes({ subject: 'Plan', text: '/stop' });
    expect(received[0]).toMatchObject({ text: '/stop' });
    expect(received[0]).not.toHaveProperty('quoted');
  });

  test('that repeats others has their words apart; in a thread that goes on they are known', async () => {
    const { comes, received } = await opened();
    const text = 'mine\r\n\r\n> theirs';
    await comes({ text, id: '<a@x>', subject: 'Re: Plan' });
    await comes({ text, references: '<a@x>', subject: 'Re: Plan' });
    expect(received[0]).toMatchObject({ text: 'mine', quoted: 'Re: Plan\n\ntheirs' });
    expect(received[1]).toMatchObject({ text: 'mine', thread: received[0]?.thread });
    expect(received[1]).not.toHaveProperty('quoted');
  });

  test('with files names them and where they are, and each is fetched up to what may be', async () => {
    const { comes, received, channel } = await opened();
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: attachment; filename=${name}\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`;
    const text = `--b\r\nContent-Type: text/plain\r\n\r\nsee\r\n${part('a.txt', 'one')}${part('b.txt', 'three')}--b--`;
    await comes({ text, more: ['Content-Type: multipart/mixed; boundary=b'] });
    const files = received[0]?.files ?? [];
    expect(files.map(({ name, reference }) => [name, reference])).toEqual([
      ['a.txt', { index: '0', validity: '7', uid: '1' }],
      ['b.txt', { index: '1', validity: '7', uid: '1' }],
    ]);
    const [a, b] = files;
    if (a === undefined || b === undefined) throw new Error('no files');
    const bytes = await channel.fetch?.(b, 1_000);
    expect(String(Buffer.from(bytes ?? [])).trim()).toBe('three');
    const { length = 0 } = bytes ?? [];
    expect(await channel.fetch?.(b, length)).toHaveLength(length);
    const fault = (work: Promise<unknown> | undefined) => work?.then(String, (error) => error);
    expect(await fault(channel.fetch?.(b, length - 1))).toMatchObject({
      ...{ name: 'NotSent', message: 'b.txt is too large', againAfterMs: null },
    });
    const gone = { name: 'NotSent', message: 'a.txt is not there any more', againAfterMs: null };
    const third = { ...a, reference: { ...a.reference, index: '2' } };
    expect(await fault(channel.fetch?.(third, 1_000))).toMatchObject(gone);
    server.mails = [];
    expect(await fault(channel.fetch?.(a, 1_000))).toMatchObject(gone);
  });

  test('goes on with a thread of people: whoever it went to and is known gets the answers, too', async () => {
    const { comes, received, channel, smtp, message } = await opened();
    await comes({ to: `${DESK}, ${BEN}, ${EVE}` });
    const { thread = '' } = received[0] ?? {};
    await channel.send(message({ thread }));
    expect(smtp.mails[0]?.recipients).toEqual([ANA, BEN, DESK]);
  });
});

describe('of one person', () => {
  test('sixty mails are taken in an hour, and it is told once that no more are', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 * HOUR_MS });
    onTestFinished(() => void vi.useRealTimers());
    const { comes, received, faults } = await opened();
    for (let n = 0; n < 60; n++) await comes();
    expect([received.length, faults]).toEqual([60, []]);
    for (let n = 0; n < 2; n++) expect(await comes()).toBe(false);
    expect(await comes({ from: BEN })).toBe(true);
    expect(received).toHaveLength(61);
    expect(faults).toEqual([`${ANA} has sent 60 mails in an hour: no more are taken`]);
    vi.setSystemTime(1_001 * HOUR_MS);
    expect(await comes()).toBe(true);
  });

  test('who is not known is told so where that is wanted, twenty of them in an hour, for a day', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 * HOUR_MS });
    onTestFinished(() => void vi.useRealTimers());
    const { comes, received, memory } = await opened({ strangers: 'tell' });
    for (let n = 0; n < 21; n++) await comes({ from: `s${n}@other.example`, text: 'secret' });
    expect(received).toHaveLength(20);
    expect(received[0]).toEqual({
      id: '<m1@home.example> s0@other.example',
      thread: '<m1@home.example> s0@other.example',
      sender: { id: 's0@other.example', name: '' },
      text: '',
      isAddressed: true,
    });
    const terms = memory.terms();
    expect(terms['thread <m1@home.example> s0@other.example']).toBe(24 * HOUR_MS);
    expect(Object.keys(terms).filter((name) => name.startsWith('thread '))).toHaveLength(20);
  });
});

describe('an answer', () => {
  test('is a mail in the thread, named by its key, as text and as a page', async () => {
    const { comes, received, channel, smtp, message } = await opened();
    await comes({ subject: 'Plan', id: '<a@x>' });
    const { thread = '' } = received[0] ?? {};
    const files = [{ name: 'a.txt', bytes: Buffer.from('one') }];
    const id = await channel.send(message({ thread, text: 'It *is*', files }));
    expect(id).toBe('<key-1@work.example>');
    const [mail] = smtp.mails;
    expect(mail).toMatchObject({
      ...{ messageId: id, subject: 'Re: Plan', inReplyTo: '<a@x>', references: '<a@x>' },
      recipients: [ANA, DESK],
      attachments: [{ filename: 'a.txt' }],
    });
    expect(mail?.text?.trim()).toBe('It *is*');
    expect(mail?.html).toContain('<p>It <em>is</em></p>');
    // Sent once more it does not answer itself.
    await channel.send(message({ thread }));
    expect(smtp.mails[1]).toMatchObject({ references: '<a@x>' });
    await comes({ references: `<a@x> ${id}`, subject: 'Re: Plan' });
    await channel.send(message({ thread, key: 'key-2' }));
    expect(smtp.mails[2]).toMatchObject({
      ...{ subject: 'Re: Plan', references: '<a@x> <key-1@work.example> <m2@home.example>' },
    });
  });

  test.each([
    ['re: plan', 're: plan'],
    ['Report', 'Re: Report'],
    ['', 'Re:'],
  ])('to %j has the subject %j', async (subject, wanted) => {
    const { comes, received, channel, smtp, message } = await opened();
    await comes({ subject });
    await channel.send(message({ thread: received[0]?.thread ?? '' }));
    expect(smtp.mails[0]?.subject).toBe(wanted);
  });

  test('without a text names its files', async () => {
    const { comes, received, channel, smtp, message } = await opened();
    await comes();
    const { thread = '' } = received[0] ?? {};
    const files = ['a.txt', 'b.txt'].map((name) => ({ name, bytes: Buffer.from('x') }));
    await channel.send(message({ thread, text: '', files }));
    expect(smtp.mails[0]?.text?.trim()).toBe('`a.txt`, `b.txt`');
  });

  test('that asks says how it is answered, and each way is a link; a code is taken from whom it was sent to', async () => {
    const { comes, received, pressed, channel, smtp, message } = await opened();
    await comes({ subject: 'Plan & more', to: `${DESK}, ${BEN}` });
    const { thread = '' } = received[0] ?? {};
    const buttons = [
      { label: 'Yes', token: 'T1' },
      { label: 'No', token: 'T2' },
    ];
    const id = await channel.send(message({ thread, buttons }));
    const [mail] = smtp.mails;
    expect(mail?.text?.replaceAll('\r\n', '\n').trim()).toBe(
      'said\n\nAnswer by a reply that begins with\n\n- Yes: `/answer T1`\n- No: `/answer T2`',
    );
    expect(mail?.html).toContain(
      `<a href="mailto:${DESK}?subject=Re%3A%20Plan%20%26%20more&amp;body=%2Fanswer%20T1">Yes</a>`,
    );
    expect(await comes({ text: '/answer T1', from: BEN })).toBe(true);
    expect(await comes({ text: '/answer T2\r\n\r\nthank you' })).toBe(true);
    expect(pressed).toMatchObject([
      { thread, message: id, token: 'T1', sender: { id: BEN } },
      { thread, message: id, token: 'T2', sender: { id: ANA } },
    ]);
    // What is no code of theirs is a message.
    for (const text of ['/answer T9', 'say /answer T1', '/answer T1 and more']) {
      await comes({ text });
      expect(received.at(-1)?.text, text).toBe(text);
    }
    expect(pressed).toHaveLength(2);
  });

  test('into a thread that is forgotten is not sent', async () => {
    const { channel, smtp, message } = await opened();
    const failed = await channel.send(message({ thread: 'none' })).catch((error) => error);
    expect(failed).toBeInstanceOf(NotSent);
    expect(failed).toMatchObject({
      ...{ message: 'nobody knows any more whom it was for', againAfterMs: null },
    });
    expect(smtp.mails).toEqual([]);
  });

  test('is shown where its page has less than 90,000 bytes', async () => {
    const { channel } = await opened();
    const frame = Buffer.byteLength(pageOf({ micromark, gfm: { gfm, gfmHtml } }, 'x')) - 1;
    const most = 90_000 - frame;
    expect(channel.shows?.('x'.repeat(most - 1))).toBe(true);
    expect(channel.shows?.('x'.repeat(most))).toBe(false);
    expect(channel.shows?.('é'.repeat(Math.ceil(most / 2)))).toBe(false);
  });
});

describe('whether a mail has arrived', () => {
  const find = ({ channel, message }: Awaited<ReturnType<typeof opened>>, sentAt: number) =>
    channel.find?.(message(), sentAt);

  test('is told by its copy, which is waited for thirty seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 100_000 });
    onTestFinished(() => void vi.useRealTimers());
    const made = await opened();
    const id = '<key-1@work.example>';
    const comes = () => void server.folders['INBOX']?.ids.push(id);
    const elapse = (ms: number) => () => void vi.setSystemTime(Date.now() + ms);
    met.waits = [elapse(3_000), comes];
    expect(await find(made, 100_000)).toBe(id);
    expect(met.waits).toEqual([]);
    expect(await find(made, 0)).toBe(id);
    server.folders = { INBOX: { ids: [] } };
    met.waits = [elapse(27_000), elapse(1), comes];
    expect(await find(made, 100_000)).toBeUndefined();
    expect(met.waits).toEqual([comes]);
  });

  test('is asked no more once the channel is closed', async () => {
    const made = await opened();
    met.waits = [() => void made.channel.close()];
    await expect(find(made, Date.now())).rejects.toThrow('aborted');
    await made.channel.close();
    expect(server.clients.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });
});
