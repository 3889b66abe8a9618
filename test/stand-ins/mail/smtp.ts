/** An SMTP server of nodemailer's authors, on loopback: what it takes is kept, and faults are as networks and servers have them. */
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { PASSWORD } from './dovecot.ts';

/** A mail that was taken. */
export interface TakenMail extends Email {
  /** From whom, and to whom, as the envelope has it. */
  envelopeFrom: string;
  recipients: string[];
  source: Buffer;
}

/**
 * What becomes of the next mail:
 * - `lost`: it is taken, and the connection breaks before the answer;
 * - `silent`: it is taken, and no answer comes;
 * - `cut`: the connection breaks, and it is not taken;
 * - `later`: a status of 451;
 * - `refused`: a status of 550.
 */
export type MailFault = 'lost' | 'silent' | 'cut' | 'later' | 'refused';

export interface SmtpStandIn {
  port: number;
  /** Oldest first. */
  mails: TakenMail[];
  /** Each mail that it takes. */
  onMail: (mail: TakenMail) => void;
  fault(fault: MailFault): void;
  close(): Promise<void>;
}

export async function startSmtp(user: string): Promise<SmtpStandIn> {
  const faults: MailFault[] = [];
  const mails: TakenMail[] = [];
  const standIn = { onMail: (): void => undefined } as Pick<SmtpStandIn, 'onMail'>;
  const server = new SMTPServer({
    secure: false,
    disabledCommands: ['STARTTLS'],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) => {
      if (username === user && password === PASSWORD) done(null, { user });
      else done(new Error('wrong password'));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const fault = faults.shift();
        const broken = (): void => {
          for (const client of server.connections) client.close();
        };
        if (fault === 'cut') return broken();
        if (fault === 'later' || fault === 'refused') {
          const status = fault === 'later' ? 451 : 550;
          return done(Object.assign(new Error('not now'), { responseCode: status }));
        }
        const source = Buffer.concat(chunks);
        void PostalMime.parse(source).then((email) => {
          const { mailFrom, rcptTo } = session.envelope;
          const mail = {
            ...email,
            source,
            envelopeFrom: mailFrom === false ? '' : mailFrom.address,
            recipients: rcptTo.map(({ address }) => address),
          };
          mails.push(mail);
          standIn.onMail(mail);
          if (fault === 'lost') broken();
          else if (fault !== 'silent') done();
        });
      });
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => listening.once('listening', () => resolve()));
  return Object.assign(standIn, {
    port: (listening.address() as AddressInfo).port,
    mails,
    fault: (fault: MailFault) => void faults.push(fault),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}
