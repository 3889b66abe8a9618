/** Hands mails in, by SMTP: what was certainly not taken is told from what may have been. */
import type MailComposer from 'nodemailer/lib/mail-composer';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { NotSent } from '../../src/serve/channels/index.ts';
import type { EmailSettings } from './settings.ts';

/** What mails are made and sent with. */
export interface MailLibrary {
  MailComposer: typeof MailComposer;
  SmtpConnection: typeof SmtpConnection;
}

/** A mail that goes out. */
export interface OutgoingMail {
  /** With its angle brackets. */
  id: string;
  to: string;
  cc: readonly string[];
  subject: string;
  /** Those before it in its thread, oldest first. */
  references: readonly string[];
  text: string;
  html: string;
  files: readonly { name: string; bytes: Uint8Array }[];
}

/** In ms. */
const CONNECT_MS = 20_000;
const SILENCE_MS = 60_000;
/** Before something is tried again that a server did not take for now, or that did not reach it. In ms. */
const AGAIN_MS = 30_000;

/**
 * Sends a mail, and a copy to the agent's own address, by which it is seen that it was taken.
 * @throws NotSent where it certainly was not
 */
export async function submit(
  { MailComposer, SmtpConnection }: MailLibrary,
  settings: EmailSettings,
  password: string,
  mail: OutgoingMail,
): Promise<void> {
  const { address, name = '', smtp, user = address } = settings;
  const { id, to, cc, subject, references, text, html, files } = mail;
  const composed = new MailComposer({
    from: { name, address },
    to,
    cc: [...cc],
    subject,
    text,
    html,
    messageId: id,
    inReplyTo: references.at(-1),
    references: [...references],
    // Of a program, and an answer: programs are not to answer it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-replied' },
    attachments: files.map((file) => ({ filename: file.name, content: Buffer.from(file.bytes) })),
  });
  const bytes = await composed.compile().build();
  const connection = new SmtpConnection({
    host: smtp.host,
    port: smtp.port ?? (smtp.tls === 'implicit' ? 465 : 587),
    secure: smtp.tls === 'implicit',
    requireTLS: smtp.tls === 'starttls',
    ignoreTLS: smtp.tls === 'none',
    name: address.slice(address.lastIndexOf('@') + 1),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  const failed = new Promise<never>((_, reject) => connection.once('error', reject));
  // Where nobody waits for it any more it is nobody's.
  failed.catch(() => undefined);
  const step = <T>(begin: (done: (error?: Error | null, value?: T) => void) => void) =>
    Promise.race([
      failed,
      new Promise<T | undefined>((resolve, reject) => {
        begin((error, value) => (error == null ? resolve(value) : reject(error)));
      }),
    ]);
  try {
    try {
      await step((done) => connection.connect(done));
      await step((done) => connection.login({ user, pass: password }, done));
    } catch (error) {
      throw new NotSent(`the mail server was not reached: ${messageOf(error)}`, AGAIN_MS, error);
    }
    const sent = await step<{ accepted: string[] }>((done) =>
      connection.send({ from: address, to: [to, ...cc, address] }, bytes, done as never),
    );
    const isTaken = sent?.accepted.some((one) => one !== address) === true;
    if (!isTaken) throw new NotSent(`nobody was found there: ${to}`, null);
  } catch (error) {
    throw failureOf(error);
  } finally {
    connection.close();
  }
}

/** A server that has answered has not taken it; one that is silent may have. */
function failureOf(error: unknown): unknown {
  const { responseCode: status } = error as { responseCode?: unknown };
  if (typeof status !== 'number' || status < 400) return error;
  return new NotSent(messageOf(error), status < 500 ? AGAIN_MS : null, error);
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
