/** A mail server with mailboxes in memory, as imapflow's client sees it. */
import { EventEmitter } from 'node:events';
import type { ImapFlow, ImapFlowOptions } from 'imapflow';
import { expect } from 'vitest';

interface Kept {
  uid: number;
  source: string;
  at?: number;
  /** What the server says of it; by default that of its source. */
  size?: number;
  flags?: string[];
}

/** A server with one mailbox, and two more in which copies are kept. */
export class MailServer {
  validity = 7n;
  mails: Kept[] = [];
  folders: Record<string, { specialUse?: string; ids: string[] }> = {
    INBOX: { ids: [] },
    Sent: { specialUse: '\\Sent', ids: ['<sent>'] },
    All: { specialUse: '\\All', ids: ['<all>'] },
    Trash: { specialUse: '\\Trash', ids: ['<trash>'] },
  };
  /** What the next connections meet, the first first. */
  refusals: Error[] = [];
  clients: Client[] = [];
  searches: unknown[] = [];
  searchable = true;
  /** What connects to it: the constructor of imapflow's client. */
  readonly Imap: typeof ImapFlow;

  constructor() {
    const server = this;
    this.Imap = class extends Client {
      constructor(options: ImapFlowOptions) {
        super(server, options);
      }
    } as unknown as typeof ImapFlow;
  }
}

class Client extends EventEmitter {
  readonly server: MailServer;
  readonly options: ImapFlowOptions;
  readonly opened: [string, { readOnly?: boolean } | undefined][] = [];
  usable = false;
  mailbox: { uidValidity: bigint; uidNext: number } | false = false;
  isClosed = false;
  idles = 0;

  constructor(server: MailServer, options: ImapFlowOptions) {
    super();
    this.server = server;
    this.options = options;
    server.clients.push(this);
  }

  async connect(): Promise<void> {
    const refusal = this.server.refusals.shift();
    if (refusal !== undefined) {
      this.emit('error', refusal);
      throw refusal;
    }
    this.usable = true;
  }

  async mailboxOpen(path: string, options?: { readOnly?: boolean }) {
    this.opened.push([path, options]);
    const next = Math.max(0, ...this.server.mails.map(({ uid }) => uid)) + 1;
    this.mailbox = { uidValidity: this.server.validity, uidNext: next };
    return this.mailbox;
  }

  async list() {
    return Object.entries(this.server.folders).map(([path, { specialUse }]) => ({
      path,
      specialUse,
    }));
  }

  async search(
    range: { uid?: string; since?: Date; header?: { 'message-id': string } },
    { uid }: { uid: boolean },
  ): Promise<number[] | false> {
    expect(uid).toBe(true);
    this.server.searches.push(range);
    if (!this.server.searchable) return false;
    if (range.header !== undefined) {
      const path = this.opened.at(-1)?.[0] ?? '';
      return this.server.folders[path]?.ids.includes(range.header['message-id']) === true
        ? [1]
        : [];
    }
    const all = this.server.mails.map((one) => one.uid).toReversed();
    if (range.since !== undefined) {
      const since = range.since.getTime();
      return all.filter((one) => (this.server.mails.find((m) => m.uid === one)?.at ?? 0) >= since);
    }
    const from = Number(range.uid?.split(':')[0]);
    const within = all.filter((one) => one >= from);
    // The last one is in every range that has no end (RFC 9051).
    return within.length === 0 && all.length > 0 ? [Math.max(...all)] : within;
  }

  async fetchOne(
    range: string,
    asked: { source?: boolean; bodyParts?: readonly { maxLength: number }[] },
  ) {
    const found = this.server.mails.find(({ uid }) => String(uid) === range);
    if (found === undefined) return false;
    const source = Buffer.from(found.source);
    return asked.source === true
      ? { source }
      : {
          size: found.size ?? source.length,
          headers: source.subarray(0, asked.bodyParts?.[0]?.maxLength),
        };
  }

  async messageFlagsAdd(range: string, flags: string[], options: { uid: boolean }) {
    expect(options).toEqual({ uid: true });
    const found = this.server.mails.find(({ uid }) => String(uid) === range);
    if (found !== undefined) found.flags = flags;
  }

  async idle(): Promise<void> {
    this.idles += 1;
  }

  close(): void {
    this.isClosed = true;
    this.usable = false;
    this.emit('close');
  }
}
