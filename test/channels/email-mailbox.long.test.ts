/** A mailbox with mails that nobody can read: they are left in it, and those behind them are taken. Debian's Dovecot. */
import { ImapFlow } from 'imapflow';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type FoundMail, Mailbox } from '../../channels/email/mailbox.ts';
import { Reader } from '../../channels/email/reader.ts';
import { emailSettings } from '../../channels/email/settings.ts';
import { atEndOfFile } from '../file-end.ts';
import { type Dovecot, hasDovecot, PASSWORD, startDovecot } from '../stand-ins/mail/dovecot.ts';

const DESK = 'desk@work.example';

let imap: Dovecot;
beforeAll(async () => {
  if (!hasDovecot()) return;
  imap = await startDovecot(DESK);
  atEndOfFile(() => imap.close());
});

describe.skipIf(!hasDovecot())('with Dovecot', () => {
  test('a mail that cannot be taken is tried three times, and left; the next one is taken', async () => {
    const values = new Map<string, unknown>();
    const faults: string[] = [];
    const begun: string[] = [];
    const lengths: number[] = [];
    const server = { host: '127.0.0.1', port: imap.port, tls: 'none' };
    const done = Promise.withResolvers<void>();
    const mailbox = new Mailbox({
      settings: emailSettings.parse({ address: DESK, imap: server, smtp: server, trust: 'mx' }),
      password: PASSWORD,
      memory: {
        get: (name) => values.get(name),
        set: (name, value) => void values.set(name, value),
        delete: (name) => void values.delete(name),
      },
      Imap: ImapFlow,
      take: async ({ header, size, whole }: FoundMail) => {
        const [, subject = ''] = /^Subject: (.*)\r$/m.exec(Buffer.from(header).toString()) ?? [];
        begun.push(subject);
        lengths.push(header.length);
        if (subject === 'bad') throw new Error('it cannot be read');
        if (subject === 'good') {
          expect((await whole())?.length).toBe(size);
          done.resolve();
        }
        return true;
      },
      onFault: (error) => void faults.push(String(error)),
    });
    await mailbox.open();
    onTestFinished(() => mailbox.close());
    const body = 'x\r\n'.repeat(200_000);
    imap.deliver(`Subject: first\r\n\r\n${body}`);
    imap.deliver(`Subject: long\r\n${'X-Long: a\r\n'.repeat(40_000)}\r\n`);
    imap.deliver('Subject: bad\r\n\r\nhello');
    imap.deliver('Subject: good\r\n\r\nhello');
    await done.promise;
    expect(begun).toEqual(['first', 'long', 'bad', 'bad', 'bad', 'good']);
    // Of a mail its header alone has come, and of that no more than is read.
    expect(lengths.slice(0, 2)).toEqual([18, 256 * 1024]);
    expect(faults.slice(0, 3)).toEqual(Array(3).fill('Error: it cannot be read'));
    expect(faults.slice(3)).toEqual([expect.stringMatching(/a mail is left .* failed 3 times/)]);
  });
});

test('a mail that takes more memory than there is ends its thread alone, and the next one is read', async () => {
  const reader = new Reader();
  onTestFinished(() => reader.close());
  const mail = (body: string): Buffer => Buffer.from(`From: ana@home.example\r\n\r\n${body}`);
  await expect(reader.content(mail('\n'.repeat(4_000_000)))).rejects.toMatchObject({
    code: 'EFBIG',
  });
  expect((await reader.content(mail('hello'))).own).toBe('hello');
});
