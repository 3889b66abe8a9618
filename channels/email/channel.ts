/** A mailbox that people write to, and that answers. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ChannelHost,
  type IncomingFile,
  NotSent,
  type OpenChannel,
  type OutgoingMessage,
} from '../../src/serve/channels/index.ts';
import { answerLines, fileNames } from '../comments.ts';
import { load } from '../library.ts';
import { isAutomatic, isProven, isTo, type Mail, readHeader } from './mail.ts';
import { type FoundMail, Mailbox } from './mailbox.ts';
import { type AnswerLink, type PageMaker, pageOf } from './page.ts';
import type { Parts } from './quotes.ts';
import { Reader } from './reader.ts';
import type { EmailSettings } from './settings.ts';
import { type MailLibrary, submit } from './submission.ts';
import { Threads } from './threads.ts';

type Host = ChannelHost<EmailSettings>;

/** Readers cut longer pages off. Bytes. */
const MOST_PAGE = 90_000;
/** A copy comes sooner, as a rule. In ms. */
const COPY_MS = 30_000;
const LOOK_MS = 3_000;
/** Of one person, in an hour: a program that answers programs is not stopped by anything else. */
const MOST_AN_HOUR = 60;
const HOUR_MS = 3_600_000;
/** Strangers who are noted in an hour, at most: nobody vouches for how many there are. */
const MOST_STRANGERS = 20;
/** Larger mails are left alone. Bytes. */
const MOST_BYTES = 25 * 1024 * 1024;
/** So long somebody can be told that they are a stranger. In ms. */
const STRANGER_MS = 86_400_000;
/** A code, at the beginning of an answer. */
const ANSWER = /^\/answer ([A-Za-z0-9]{1,24})\s*(?:$|\n)/;

const PACKAGES = ['imapflow', 'nodemailer', 'micromark', 'micromark-extension-gfm'];

async function libraries(channel: string): Promise<{
  Imap: typeof import('imapflow').ImapFlow;
  mail: MailLibrary;
  page: PageMaker;
}> {
  const [imap, composer, connection, { micromark }, gfm] = await load(channel, PACKAGES, () =>
    Promise.all([
      import('imapflow'),
      import('nodemailer/lib/mail-composer'),
      import('nodemailer/lib/smtp-connection'),
      import('micromark'),
      import('micromark-extension-gfm'),
    ]),
  );
  const mail = { MailComposer: composer.default, SmtpConnection: connection.default };
  return { Imap: imap.ImapFlow, mail, page: { micromark, gfm } };
}

export async function openEmail(host: Host): Promise<OpenChannel> {
  const { settings, memory, onFault } = host;
  const { address } = settings;
  const password = host.secret(settings.password);
  const { Imap, mail, page } = await libraries(host.name);
  const threads = new Threads(memory);
  const ended = new AbortController();
  const reader = new Reader();
  const take = (found: FoundMail): Promise<boolean> => taken(host, threads, reader, found);
  const mailbox = new Mailbox({ settings, password, memory, Imap, take, onFault });
  await mailbox.open();
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const idOf = ({ key }: OutgoingMessage): string => `<${key}@${domain}>`;
  return {
    send: async (message) => {
      const thread = threads.get(message.thread);
      if (thread === null) throw new NotSent('nobody knows any more whom it was for', null);
      const { to, cc, subject, mails } = thread;
      const id = idOf(message);
      const links = linksOf(message, address, subject);
      for (const { token } of message.buttons)
        threads.ask(token, { thread: message.thread, message: id, to: [to, ...cc] });
      // Whoever answers may be sooner than the mail server says that it has it.
      threads.answered(message.thread, id);
      const text = textOf(message);
      await submit(mail, settings, password, {
        ...{ id, to, cc, text, files: message.files, html: pageOf(page, text, links) },
        subject: replyTo(subject),
        references: mails.filter((one) => one !== id),
      });
      return id;
    },
    find: async (message, sentAt) => {
      const id = idOf(message);
      for (;;) {
        if (await mailbox.has(id)) return id;
        if (Date.now() - sentAt > COPY_MS) return undefined;
        await delay(LOOK_MS, undefined, { signal: ended.signal, ref: false });
      }
    },
    shows: (text) => Buffer.byteLength(pageOf(page, text)) < MOST_PAGE,
    fetch: async ({ name, reference }, most) => {
      const { validity = '', uid, index } = reference;
      const source = await mailbox.read({ validity, uid: Number(uid) });
      const bytes = source === null ? null : await reader.file(source, Number(index));
      if (bytes === null) throw new NotSent(`${name} is not there any more`, null);
      if (bytes.length > most) throw new NotSent(`${name} is too large`, null);
      return bytes;
    },
    close: async () => {
      ended.abort();
      await mailbox.close();
      await reader.close();
    },
  };
}

/** Takes a mail, if it is one of a person to the agent. Until that is known, its header alone is read. */
async function taken(
  host: Host,
  threads: Threads,
  reader: Reader,
  found: FoundMail,
): Promise<boolean> {
  const { settings, receive, pressed, isKnown, onFault } = host;
  const { place } = found;
  const mail = await provenMail(host, found.header);
  // What was said to others, and sent on, is not said to the agent.
  if (mail === null || !isTo(mail, settings.address)) return false;
  const { address, name } = mail.from;
  const sender = { id: address, name };
  // Whoever was sent a mail can send another one of the same name, which is not that one.
  const id = `${mail.id ?? `${place.validity}:${place.uid}`} ${address}`;
  if (!isKnown(address)) {
    if (host.strangers === 'ignore' || countOf(host, 'strangers') > MOST_STRANGERS) return false;
    const { thread } = threads.enter(mail, id, [], STRANGER_MS);
    receive({ id, thread, sender, text: '', isAddressed: true });
    return false;
  }
  if (isTooMuch(host, address)) return false;
  if (found.size > MOST_BYTES) {
    onFault(new Error(`a mail of ${address} is left alone: it has ${found.size} bytes`));
    return false;
  }
  const source = await found.whole();
  if (source === null) return false;
  const { files, ...parts } = await reader.content(source);
  const [, token = ''] = ANSWER.exec(parts.own) ?? [];
  const asked = threads.askedOf(token, address);
  if (asked !== null) {
    pressed({ ...asked, sender, token });
    return true;
  }
  const people = mail.to.filter((one) => one !== settings.address && isKnown(one));
  const { thread, isNew } = threads.enter(mail, id, people);
  const at = { validity: place.validity, uid: String(place.uid) };
  const incoming: IncomingFile[] = files.map((file, index) => ({
    ...file,
    reference: { index: String(index), ...at },
  }));
  const said = isNew ? beginning(mail, parts) : continued(parts);
  receive({ id, thread, sender, isAddressed: true, files: incoming, ...said });
  return true;
}

/** Reads a header; null for that of a program, and for one that may be anybody's. */
async function provenMail(host: Host, header: Uint8Array): Promise<Mail | null> {
  const { settings, isKnown, onFault } = host;
  const mail = await readHeader(header);
  if (mail === null || isAutomatic(mail) || mail.from.address === settings.address) return null;
  if (isProven(mail, settings.trust)) return mail;
  const { address } = mail.from;
  // Anybody can write a name above a mail, and make this be said.
  if (isKnown(address) && countOf(host, `unproven ${address}`) === 1)
    onFault(
      new Error(
        `a mail in the name of ${address} is not taken: no Authentication-Results of ${settings.trust} say that it is theirs, and came as they sent it`,
      ),
    );
  return null;
}

/** The first mail of a thread has a subject, and that of one that is answered or passed on is others' words. */
function beginning({ subject, references }: Mail, { own, quoted, doubtful }: Parts) {
  const isOthers = references.length > 0 || /^\p{L}{1,5}\s?[:：]/u.test(subject);
  const before = subject === '' || own.startsWith('/') ? '' : subject;
  const text = isOthers ? own : `${before}\n\n${own}`.trim();
  const all = [isOthers ? before : '', quoted, doubtful];
  const theirs = all.filter((part) => part !== '').join('\n\n');
  return theirs === '' ? { text } : { text, quoted: theirs };
}

/** In a thread of the agent's what is repeated was said before; not so what may be no repetition. */
const continued = ({ own, doubtful }: Parts) =>
  doubtful === '' ? { text: own } : { text: own, quoted: doubtful };

function isTooMuch(host: Host, address: string): boolean {
  const count = countOf(host, `rate ${address}`);
  if (count === MOST_AN_HOUR + 1)
    host.onFault(
      new Error(`${address} has sent ${MOST_AN_HOUR} mails in an hour: no more are taken`),
    );
  return count > MOST_AN_HOUR;
}

/** How often something has happened in this hour. */
function countOf({ memory }: Host, what: string): number {
  const name = `${what} ${Math.floor(Date.now() / HOUR_MS)}`;
  const count = Number(memory.get(name) ?? 0) + 1;
  memory.set(name, count, HOUR_MS);
  return count;
}

const replyTo = (subject: string): string =>
  /^re:/i.test(subject) ? subject : `Re: ${subject}`.trimEnd();

/** The text of a mail, and by which words it is answered. */
function textOf(message: OutgoingMessage): string {
  const [answers, names] = [answerLines(message), fileNames(message)];
  const asking =
    answers.length === 0 ? '' : `\n\nAnswer by a reply that begins with\n\n${answers.join('\n')}\n`;
  const { text } = message;
  return `${text === '' && names !== '' ? names : text}${asking}`;
}

/** What most readers of mail make of a press. */
const linksOf = ({ buttons }: OutgoingMessage, address: string, subject: string): AnswerLink[] =>
  buttons.map(({ label, token }) => {
    const query = new URLSearchParams({ subject: replyTo(subject), body: `/answer ${token}` });
    return { label, address: `mailto:${address}?${query.toString().replaceAll('+', '%20')}` };
  });
