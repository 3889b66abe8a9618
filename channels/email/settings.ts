/** The fields of an e-mail channel. */
import { z } from 'zod';

/** Machines to which nothing leaves this one. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/;

const server = z
  .strictObject({
    host: z.string().min(1),
    port: z.int().min(1).max(65_535).optional(),
    /** `implicit`: TLS from the first byte; `starttls`: before anything is said; `none`: on this machine alone. */
    tls: z.enum(['implicit', 'starttls', 'none']).default('implicit'),
  })
  .refine(({ host, tls }) => tls !== 'none' || LOOPBACK.test(host), {
    path: ['tls'],
    message: 'none is for a server on this machine: a password would be read on the way',
  });

export const emailSettings = z.strictObject({
  /** The agent's own address. */
  address: z.email().toLowerCase(),
  /** The name beside it. */
  name: z.string().max(100).optional(),
  imap: server,
  smtp: server,
  /** As whom it logs in, at both; by default its address. */
  user: z.string().min(1).optional(),
  /** The variable of the environment that has the password. */
  password: z.string().min(1).default('EMAIL_PASSWORD'),
  mailbox: z.string().min(1).default('INBOX'),
  /**
   * By which name the mail server that receives the agent's mail signs its `Authentication-Results`:
   * what these say of a sender is believed, and nothing else is.
   */
  trust: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, 'should be the name of a mail server'),
});

export type EmailSettings = z.output<typeof emailSettings>;
