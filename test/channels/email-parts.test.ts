/** The parts of an e-mail channel by themselves: headers, bodies, pages, settings, and how mails are handed in. */
import { EventEmitter } from 'node:events';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import MailComposer from 'nodemailer/lib/mail-composer';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { contentOf, fileIn } from '../../channels/email/content.ts';
import { isAutomatic, isTo, readHeader } from '../../channels/email/mail.ts';
import { pageOf } from '../../channels/email/page.ts';
import { partsOf } from '../../channels/email/quotes.ts';
import { emailSettings } from '../../channels/email/settings.ts';
import { type OutgoingMail, submit } from '../../channels/email/submission.ts';
import { NotSent } from '../../src/serve/channels/index.ts';

const bytes = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n`);
const header = (...lines: string[]) => readHeader(bytes([...lines, '', '']));

describe('a header', () => {
  const FROM = 'From: "Ana A." <Ana@Home.example>';

  test('tells who wrote what to whom, and what it answers', async () => {
    const mail = await header(
      FROM,
      'To: Desk <DESK@work.example>, friends: Ben <ben@home.example>, Cy <cy@home.example>;',
      'Cc: Dan <dan@home.example>',
      'Subject:   a \t long\r\n   one  ',
      'Message-ID: <m@home.example> (said so)',
      'References: <a@x> <b@x> <a@x>',
      'In-Reply-To: <c@x> <b@x>',
    );
    expect(mail).toMatchObject({
      id: '<m@home.example>',
      from: { address: 'ana@home.example', name: 'Ana A.' },
      to: ['desk@work.example', 'ben@home.example', 'cy@home.example', 'dan@home.example'],
      subject: 'a long one',
      references: ['<a@x>', '<b@x>', '<c@x>'],
    });
    expect(await header(FROM)).toMatchObject({ id: null, to: [], subject: '', references: [] });
  });

  test('of nobody, or of more than one, is none', async () => {
    for (const from of ['Subject: x', 'From: Ana', 'From: a@x.example, b@x.example', 'From:'])
      expect([from, await header(from)]).toEqual([from, null]);
  });

  test('names the last fifty that it answers, and none that is longer than such names are', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `<${n}@x>`);
    expect((await header(FROM, `References: ${ids.join('\r\n ')}`))?.references).toEqual(
      ids.slice(10),
    );
    const long = (length: number): string => `<${'a'.repeat(length - 2)}>`;
    expect((await header(FROM, `Message-ID: ${long(500)}`))?.id).toBe(long(500));
    expect((await header(FROM, `Message-ID: ${long(501)}`))?.id).toBeNull();
  });

  test('is read up to its longest, and not a byte beyond', async () => {
    const most = 256 * 1024;
    const of = (length: number): Buffer => {
      const lines = `${FROM}\r\n\r\n`;
      return Buffer.from(lines + 'x'.repeat(length - lines.length));
    };
    expect(await readHeader(of(most - 1))).not.toBeNull();
    expect(await readHeader(of(most))).toBeNull();
  });

  test('with a NUL or a bare CR is none, wherever in the memory it lies', async () => {
    const part = Buffer.concat([Buffer.from('\0\r'), bytes([FROM, '', ''])]).subarray(2);
    expect(await readHeader(part)).not.toBeNull();
    expect(await readHeader(bytes([FROM, 'X: a\rb', '']))).toBeNull();
  });

  test.each([
    [true, 'Auto-Submitted: auto-replied'],
    [true, 'Auto-Submitted: nobody'],
    [false, 'Auto-Submitted: no'],
    [false, 'Auto-Submitted: No; reason=x'],
    [true, 'Precedence: bulk'],
    [true, 'Precedence:  LIST '],
    [true, 'Precedence: junk'],
    [true, 'Precedence: auto_reply'],
    [false, 'Precedence: first-class'],
    [true, 'Return-Path: <>'],
    [true, 'Return-Path: < >'],
    [false, 'Return-Path: <ana@home.example>'],
    [true, 'Content-Type: multipart/report; boundary=x'],
    [false, 'Content-Type: multipart/mixed; boundary=x'],
    [true, 'X-Auto-Response-Suppress: DR, AutoReply'],
    [true, 'X-Auto-Response-Suppress: All'],
    [false, 'X-Auto-Response-Suppress: DR'],
    [true, 'List-Id: <all.x>'],
    [true, 'X-Autoreply: yes'],
    [true, 'X-Autorespond: yes'],
    [true, 'X-Loop: x'],
    [false, 'X-Loops: x'],
    [false, 'X-List-Id: x'],
    [false, 'Subject: out of office'],
  ])('is a program’s: %j, by %j', async (wanted, line) => {
    const mail = await header(FROM, line);
    expect(mail && isAutomatic(mail)).toBe(wanted);
  });

  test.each([
    ['mailer-daemon', true],
    ['postmaster', true],
    ['no-reply', true],
    ['noreply', true],
    ['do-not-reply', true],
    ['donotreply', true],
    ['reply', false],
    ['a.noreply', false],
  ])('of %s@ is a program’s: %j', async (local, wanted) => {
    const mail = await header(`From: ${local}@home.example`);
    expect(mail && isAutomatic(mail)).toBe(wanted);
  });

  test('names an address by its own name, or by one with a tag', () => {
    const to = (...all: string[]) => isTo({ to: all }, 'desk@work.example');
    expect(to('ana@work.example', 'desk@work.example')).toBe(true);
    expect(to('desk+plan@work.example')).toBe(true);
    for (const other of [
      'desk+plan@other.example',
      'deskplan@work.example',
      'desk@work.example.other.example',
      'a+desk@work.example',
    ])
      expect([other, to(other)]).toEqual([other, false]);
    expect(to()).toBe(false);
  });
});

describe('the body of a mail', () => {
  const mixed = (...parts: string[][]): Buffer =>
    bytes([
      'From: ana@home.example',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...parts.flatMap((part) => ['--b', ...part]),
      '--b--',
    ]);

  const file = (type: string) => [`Content-Type: ${type}`, 'Content-Transfer-Encoding: base64'];
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('is its text, with its files by name and size', async () => {
    const source = mixed(
      ['Content-Type: text/plain', '', 'hello', '> quoted'],
      [...file('text/csv; name=a.csv'), 'Content-Disposition: attachment', '', base64('a,b')],
      [...file('image/png'), 'Content-Disposition: inline', 'Content-ID: <p>', '', base64('PNG!!')],
      [...file('application/vnd.x+json'), 'Content-Disposition: attachment', '', base64('{}')],
      ['Content-Type: message/rfc822', '', 'Subject: inner', '', 'not mine'],
    );
    const content = await contentOf(source);
    expect(content).toMatchObject({ own: 'hello', quoted: 'quoted', doubtful: '' });
    expect(content.files.map(({ name }) => name)).toEqual([
      'a.csv',
      'file.png',
      'file.bin',
      'message.eml',
    ]);
    expect(content.files.map(({ size }) => size).slice(0, 3)).toEqual([3, 5, 2]);
    expect(Buffer.from((await fileIn(source, 1)) ?? []).toString()).toBe('PNG!!');
    expect(await fileIn(source, 4)).toBeNull();
  });

  test('is that of its page where it has no text, or an empty one', async () => {
    const html = ['Content-Type: text/html', '', '<p>hello <b>you</b></p>'];
    const own = async (source: Buffer) => (await contentOf(source)).own;
    expect(await own(bytes(['From: a@x', ...html]))).toBe('hello **you**');
    const both = bytes([
      'From: a@x',
      'Content-Type: multipart/alternative; boundary=b',
      ...['', '--b', 'Content-Type: text/plain', '', '  ', '--b', ...html, '--b--'],
    ]);
    expect(await own(both)).toBe('hello **you**');
    expect(await own(bytes(['From: a@x', 'Content-Type: text/plain', '', 'plain']))).toBe('plain');
  });

  test('is cut off after half a million characters', async () => {
    const plain = bytes(['From: a@x', 'Content-Type: text/plain', '', 'x'.repeat(500_010)]);
    expect((await contentOf(plain)).own).toHaveLength(500_000);
  });
});

describe('what is repeated of others', () => {
  test.each([
    ['is marked up to three blanks in', '> a\n   > b\n    > c\nmine', '> c\nmine'],
    ['has its attribution above it, over empty lines', 'x\n\nAna, 10:04:\n\n> a', 'x'],
    [
      'has one of at most three lines',
      'x\n\nOn 3 Nov 2026 somebody\nof the desk\nwrote this:\n> a',
      'x',
    ],
    ['begins no earlier than a mark', '> z\nat 10:04 Ben wrote:\n> a\nmine', 'mine'],
    ['is known by an address alone', 'x\n\nben@home.example:\n> a', 'x'],
    ['is known by a year alone', 'x\n\nBen in 2026:\n> a', 'x'],
    ['ends with a signature', 'mine\n-- \nAna', 'mine'],
  ])('%s', (_what, text, own) => {
    expect(partsOf(text).own).toBe(own);
  });

  test('is what is marked, without its marks, and all that stands below a mail’s header', () => {
    expect(partsOf('mine\n> a\n>b\n> > c')).toEqual({
      own: 'mine',
      quoted: 'a\nb\n> c',
      doubtful: '',
    });
    const below = '_____\nFrom: Ben <ben@x.example>\nSent: now\nTo: Ana\n\nhello';
    expect(partsOf(`mine\n${below}`)).toEqual({ own: 'mine', quoted: below, doubtful: '' });
    expect(partsOf(below)).toEqual({ own: '', quoted: '', doubtful: below });
    expect(partsOf(`> a\n\n${below}`)).toEqual({ own: '', quoted: 'a', doubtful: below });
  });

  test('is read the same with any end of lines', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(partsOf(`mine${end}> a${end}yours`).own).toBe('mine\nyours');
  });
});

describe('a page', () => {
  const page = (text: string, links?: Parameters<typeof pageOf>[2]) =>
    pageOf({ micromark, gfm: { gfm, gfmHtml } }, text, links);

  test('shows tables and code as such, HTML as it is written, and fetches nothing', () => {
    const html = page('| a |\n|---|\n| 1 |\n\n<img src=x> ![p](https://x.example/p.png) `c`');
    expect(html).toContain('<td>1</td>');
    expect(html).toContain('&lt;img src=x&gt;');
    expect(html).toContain('!<a href="https://x.example/p.png">p</a>');
    expect(html).toContain('<code>c</code>');
    expect(html).not.toMatch(/<img|<script/);
    expect(html.startsWith('<!doctype html>\n')).toBe(true);
    expect(html).not.toContain('<p></p>');
  });

  test('has links for answers below, whose words are words', () => {
    const html = page('x', [
      { label: 'Yes & "<no>"', address: 'mailto:a?b="c"&d' },
      { label: 'No', address: 'mailto:n' },
    ]);
    expect(html).toContain(
      '<p><a href="mailto:a?b=&quot;c&quot;&amp;d">Yes &amp; &quot;&lt;no&gt;&quot;</a> &nbsp; <a href="mailto:n">No</a></p>',
    );
  });
});

const SETTINGS = {
  address: 'Desk@Work.example',
  trust: 'mx.work.example',
  imap: { host: 'imap.work.example' },
  smtp: { host: 'smtp.work.example' },
};

describe('settings', () => {
  test('have the usual values where none is said', () => {
    expect(emailSettings.parse(SETTINGS)).toEqual({
      address: 'desk@work.example',
      trust: 'mx.work.example',
      imap: { host: 'imap.work.example', tls: 'implicit' },
      smtp: { host: 'smtp.work.example', tls: 'implicit' },
      password: 'EMAIL_PASSWORD',
      mailbox: 'INBOX',
    });
  });

  test.each([
    [{ tls: 'none', host: 'localhost' }, true],
    [{ tls: 'none', host: '127.0.0.1' }, true],
    [{ tls: 'none', host: '127.9.9.9' }, true],
    [{ tls: 'none', host: '::1' }, true],
    [{ tls: 'none', host: '[::1]' }, true],
    [{ tls: 'none', host: 'smtp.work.example' }, false],
    [{ tls: 'none', host: '127.0.0.1.other.example' }, false],
    [{ tls: 'starttls', host: 'smtp.work.example' }, true],
    [{ tls: 'ssl', host: 'x' }, false],
    [{ host: '' }, false],
    [{ host: 'x', port: 0 }, false],
    [{ host: 'x', port: 1 }, true],
    [{ host: 'x', port: 65_535 }, true],
    [{ host: 'x', port: 65_536 }, false],
  ])('take a server of %j: %j', (smtp, isTaken) => {
    expect(emailSettings.safeParse({ ...SETTINGS, smtp }).success).toBe(isTaken);
  });

  test.each([
    [{ address: 'desk' }],
    [{ name: 'x'.repeat(101) }],
    [{ user: '' }],
    [{ password: '' }],
    [{ mailbox: '' }],
    [{ trust: 'mx; work' }],
    [{ trust: '' }],
    [{ other: 1 }],
  ])('refuse %j', (more) => {
    expect(emailSettings.safeParse({ ...SETTINGS, ...more }).success).toBe(false);
  });
});

describe('a mail is handed in', () => {
  const MAIL: OutgoingMail = {
    id: '<key@work.example>',
    to: 'ana@home.example',
    cc: ['ben@home.example'],
    subject: 'Re: plan',
    references: ['<a@x>', '<b@x>'],
    text: 'hello',
    html: '<p>hello</p>',
    files: [{ name: 'a.txt', bytes: Buffer.from('file') }],
  };

  interface Behaviour {
    connect?: Error;
    login?: Error;
    send?: Error;
    /** It breaks instead of answering. */
    breaks?: 'connect' | 'login' | 'send';
    accepted?: string[];
  }

  async function handedIn(behaviour: Behaviour, more: object = {}) {
    const said: unknown[] = [];
    let isClosed = false;
    class Connection extends EventEmitter {
      constructor(options: object) {
        super();
        said.push(options);
      }
      #step(
        name: 'connect' | 'login' | 'send',
        done: (error: Error | null, value?: object) => void,
      ) {
        if (behaviour.breaks === name) this.emit('error', new Error('broken pipe'));
        else done(behaviour[name] ?? null, { accepted: behaviour.accepted ?? [MAIL.to] });
      }
      connect(done: () => void): void {
        this.#step('connect', done);
      }
      login(who: object, done: () => void): void {
        said.push(who);
        this.#step('login', done);
      }
      send(envelope: object, source: Buffer, done: () => void): void {
        said.push(envelope, source);
        this.#step('send', done);
      }
      close(): void {
        isClosed = true;
      }
    }
    const library = {
      MailComposer,
      SmtpConnection: Connection as unknown as typeof SmtpConnection,
    };
    const settings = emailSettings.parse({ ...SETTINGS, ...more });
    const failure = await submit(library, settings, 'secret', MAIL).catch(
      (error: unknown) => error,
    );
    expect(isClosed).toBe(true);
    return { said, failure: failure as undefined | (Error & { againAfterMs?: number | null }) };
  }

  test('with a copy to the agent itself, as an answer of a program, in its thread', async () => {
    const { said, failure } = await handedIn({}, { name: 'Desk', user: 'desk-login' });
    expect(failure).toBeUndefined();
    const [options, login, envelope, source] = said;
    expect(options).toMatchObject({
      host: 'smtp.work.example',
      port: 465,
      secure: true,
      requireTLS: false,
      ignoreTLS: false,
      name: 'work.example',
      connectionTimeout: 20_000,
      greetingTimeout: 20_000,
      socketTimeout: 60_000,
    });
    expect(login).toEqual({ user: 'desk-login', pass: 'secret' });
    expect(envelope).toEqual({
      from: 'desk@work.example',
      to: ['ana@home.example', 'ben@home.example', 'desk@work.example'],
    });
    const mail = await PostalMime.parse(source as Buffer);
    expect(mail).toMatchObject({
      from: { name: 'Desk', address: 'desk@work.example' },
      to: [{ address: 'ana@home.example' }],
      cc: [{ address: 'ben@home.example' }],
      subject: 'Re: plan',
      messageId: '<key@work.example>',
      inReplyTo: '<b@x>',
      references: '<a@x> <b@x>',
      attachments: [{ filename: 'a.txt' }],
    });
    expect(mail.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-replied' }),
    );
    expect([mail.text?.trim(), mail.html?.trim()]).toEqual(['hello', '<p>hello</p>']);
  });

  test.each([
    [{ tls: 'starttls' }, { port: 587, secure: false, requireTLS: true, ignoreTLS: false }],
    [
      { tls: 'none', host: 'localhost' },
      { port: 587, secure: false, requireTLS: false, ignoreTLS: true },
    ],
    [{ port: 2525 }, { port: 2525, secure: true }],
  ])('to a server of %j by %j', async (smtp, wanted) => {
    const { said } = await handedIn({}, { smtp: { ...SETTINGS.smtp, ...smtp } });
    expect(said[0]).toMatchObject(wanted);
    expect(said[1]).toMatchObject({ user: 'desk@work.example' });
  });

  const answer = (responseCode: number) => Object.assign(new Error('said'), { responseCode });
  test.each<[string, Behaviour, number | null | undefined]>([
    ['before it was reached', { connect: new Error('no route') }, 30_000],
    ['before it let us in', { login: answer(535) }, 30_000],
    ['while it was reached', { breaks: 'connect' }, 30_000],
    ['that took nobody but the agent', { accepted: ['desk@work.example'] }, null],
    [
      'that took it for somebody',
      { accepted: ['desk@work.example', 'ben@home.example'] },
      undefined,
    ],
    ['that refuses for now', { send: answer(451) }, 30_000],
    ['that refuses', { send: answer(550) }, null],
    ['that refuses at the edge of it', { send: answer(500) }, null],
    ['that refuses by the lowest code', { send: answer(400) }, 30_000],
  ])('to a server %s: it is certain what came of it', async (_what, behaviour, againAfterMs) => {
    const { failure } = await handedIn(behaviour);
    if (againAfterMs === undefined) expect(failure).toBeUndefined();
    else {
      expect(failure).toBeInstanceOf(NotSent);
      expect(failure?.againAfterMs).toBe(againAfterMs);
    }
  });

  test.each<[string, Behaviour]>([
    ['is silent at the end', { breaks: 'send' }],
    ['says something else', { send: answer(354) }],
    ['says nothing that is a code', { send: new Error('odd') }],
  ])('to a server that %s: it may have been taken', async (_what, behaviour) => {
    const { failure } = await handedIn(behaviour);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(NotSent);
  });
});
