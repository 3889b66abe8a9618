/** The agent's mailbox, by IMAP: what comes is taken in its order, and what was sent is looked for. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ImapFlow, ImapFlowOptions } from 'imapflow';
import { z } from 'zod';
import type { ChannelMemory } from '../../src/serve/channels/index.ts';
import { MOST_HEADER } from './mail.ts';
import type { EmailSettings } from './settings.ts';

/** What a mailbox is watched with. */
export interface MailboxParts {
  settings: EmailSettings;
  password: string;
  memory: ChannelMemory;
  Imap: typeof ImapFlow;
  /** Takes a mail. It is on the disk when this is done. @returns was it for the agent? */
  take(mail: FoundMail): Promise<boolean>;
  onFault(error: unknown): void;
}

/** Where a mail lies in the mailbox. */
export interface MailPlace {
  /** Numbers of mails mean what they do as long as this is the same. */
  validity: string;
  uid: number;
}

/** A mail that has come. */
export interface FoundMail {
  place: MailPlace;
  /** Bytes. */
  size: number;
  /** No more than its first `MOST_HEADER` bytes. */
  header: Uint8Array;
  /** All of it, which comes over the network only then; null where it is not there any more. */
  whole(): Promise<Uint8Array | null>;
}

/** How far the mailbox was read. */
const reached = z.strictObject({ validity: z.string(), uid: z.int(), at: z.int() });
const REACHED = 'mailbox';
/** The mail that is being taken, and how often that was begun. */
const tried = z.strictObject({ validity: z.string(), uid: z.int(), count: z.int() });
const TRIED = 'mail that is tried';
/** A mail that fails so often, or ends the process, is left alone. */
const MOST_TRIES = 3;

/** Servers that do not tell of what comes are asked. In ms. */
const LOOK_MS = 60_000;
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** When the mails of a mailbox got new numbers, those of so long before are looked at once more. In ms. */
const OVERLAP_MS = 2 * 86_400_000;

/** The mailbox, watched until it is closed. */
export class Mailbox {
  readonly #parts: MailboxParts;
  readonly #ended = new AbortController();
  #client: ImapFlow | null = null;
  #running: Promise<void> | null = null;

  constructor(parts: MailboxParts) {
    this.#parts = parts;
  }

  /** @throws where it cannot be opened */
  async open(): Promise<void> {
    const client = await this.#connect();
    this.#running = this.#run(client);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.#client?.close();
    await this.#running;
  }

  /** The bytes of a mail. @returns null where it is not there any more */
  async read({ validity, uid }: MailPlace): Promise<Uint8Array | null> {
    return this.#within(async (client) => {
      const mailbox = await client.mailboxOpen(this.#parts.settings.mailbox, { readOnly: true });
      if (String(mailbox.uidValidity) !== validity) return null;
      const found = await client.fetchOne(String(uid), { source: true }, { uid: true });
      return found === false ? null : (found.source ?? null);
    });
  }

  /** Is a mail among those that came, or that were sent? */
  async has(id: string): Promise<boolean> {
    return this.#within(async (client) => {
      const all = await client.list();
      const kept = all.filter(
        ({ specialUse }) => specialUse === '\\Sent' || specialUse === '\\All',
      );
      for (const path of [this.#parts.settings.mailbox, ...kept.map((one) => one.path)]) {
        await client.mailboxOpen(path, { readOnly: true });
        const found = await client.search({ header: { 'message-id': id } }, { uid: true });
        if (Array.isArray(found) && found.length > 0) return true;
      }
      return false;
    });
  }

  /** By a connection of its own: the other one waits for what comes. */
  async #within<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new this.#parts.Imap(this.#options());
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }

  #options(): ImapFlowOptions {
    const { settings, password } = this.#parts;
    const { imap, address, user = address } = settings;
    return {
      host: imap.host,
      port: imap.port ?? (imap.tls === 'implicit' ? 993 : 143),
      secure: imap.tls === 'implicit',
      doSTARTTLS: imap.tls === 'implicit' ? undefined : imap.tls === 'starttls',
      auth: { user, pass: password },
      logger: false,
      disableAutoIdle: true,
    };
  }

  async #connect(): Promise<ImapFlow> {
    const client = new this.#parts.Imap(this.#options());
    // It is told by the close that comes with it.
    client.on('error', () => undefined);
    this.#client = client;
    try {
      await client.connect();
      await client.mailboxOpen(this.#parts.settings.mailbox);
      return client;
    } catch (error) {
      // One that has logged in and has no mailbox stays, and a server lets in few of one person.
      client.close();
      throw error;
    }
  }

  async #run(first: ImapFlow): Promise<void> {
    const { signal } = this.#ended;
    let client: ImapFlow | null = first;
    for (let wait = FIRST_MS; !signal.aborted; ) {
      try {
        client ??= await this.#connect();
        await this.#follow(client, () => {
          wait = FIRST_MS;
        });
      } catch (error) {
        if (!signal.aborted) this.#parts.onFault(error);
      }
      client?.close();
      client = null;
      await delay(wait, undefined, { signal, ref: false }).catch(() => undefined);
      wait = Math.min(2 * wait, LONGEST_MS);
    }
  }

  /** Takes what comes, until the connection ends. */
  async #follow(client: ImapFlow, onTaken: () => void): Promise<void> {
    let wake: () => void = () => undefined;
    client.on('exists', () => wake());
    client.on('close', () => wake());
    while (client.usable) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await this.#takeNew(client);
      onTaken();
      // It ends with the next command, or the connection, which is told then.
      client.idle().catch(() => undefined);
      const timer = new AbortController();
      const waited = delay(LOOK_MS, undefined, { signal: timer.signal, ref: false });
      await Promise.race([news, waited.catch(() => undefined)]);
      timer.abort();
    }
    if (!this.#ended.signal.aborted) throw new Error('the mail server has ended the connection');
  }

  async #takeNew(client: ImapFlow): Promise<void> {
    const { memory } = this.#parts;
    const { mailbox } = client;
    if (mailbox === false) throw new Error('the mailbox is closed');
    const validity = String(mailbox.uidValidity);
    const note = (uid: number): void =>
      memory.set(REACHED, { validity, uid, at: Date.now() } satisfies z.output<typeof reached>);
    const known = reached.safeParse(memory.get(REACHED)).data;
    // What was there before there was a channel is not answered.
    if (known === undefined) return note(mailbox.uidNext - 1);
    const isSame = known.validity === validity;
    const range = isSame
      ? { uid: `${known.uid + 1}:*` }
      : { since: new Date(known.at - OVERLAP_MS) };
    const found = await client.search(range, { uid: true });
    if (!Array.isArray(found)) throw new Error('the mailbox could not be searched');
    // The last mail is in every range that has no end.
    const uids = found.filter((uid) => !isSame || uid > known.uid).sort((a, b) => a - b);
    for (const uid of uids) {
      await this.#tryOne(client, { validity, uid });
      note(uid);
    }
    if (!isSame && uids.length === 0) note(mailbox.uidNext - 1);
  }

  /** Takes a mail, unless it was tried too often: the others behind it wait. */
  async #tryOne(client: ImapFlow, place: MailPlace): Promise<void> {
    const { memory, onFault } = this.#parts;
    const last = tried.safeParse(memory.get(TRIED)).data;
    const count = last?.uid === place.uid && last.validity === place.validity ? last.count : 0;
    if (count >= MOST_TRIES) {
      const text = `a mail is left in the mailbox, where it has the UID ${place.uid}: taking it has failed ${MOST_TRIES} times`;
      onFault(new Error(text));
      return;
    }
    const note = (tries: number): void =>
      memory.set(TRIED, { ...place, count: tries } satisfies z.output<typeof tried>);
    note(count + 1);
    try {
      await this.#takeOne(client, place);
    } catch (error) {
      // The network's fault is not the mail's.
      if (!client.usable) note(count);
      throw error;
    }
  }

  async #takeOne(client: ImapFlow, place: MailPlace): Promise<void> {
    const range = String(place.uid);
    const header = [{ key: 'HEADER', start: 0, maxLength: MOST_HEADER }];
    const about = await client.fetchOne(range, { size: true, bodyParts: header }, { uid: true });
    if (about === false) return;
    const mail: FoundMail = {
      place,
      size: about.size ?? 0,
      header: about.headers ?? new Uint8Array(),
      whole: async () => {
        const found = await client.fetchOne(range, { source: true }, { uid: true });
        return found === false ? null : (found.source ?? null);
      },
    };
    if (await this.#parts.take(mail))
      await client.messageFlagsAdd(range, ['\\Seen'], { uid: true });
  }
}
