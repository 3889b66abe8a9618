/** Threads of mails, in the channel's own memory: which mail belongs to which, and who takes part. */
import { z } from 'zod';
import type { ChannelMemory } from '../../src/serve/channels/index.ts';
import type { Mail } from './mail.ts';

/** A mail is answered in its thread for so long. In ms. */
const KEPT_MS = 400 * 86_400_000;
/** The first mail of a thread, and so many of the last ones, are named in each answer. */
const MOST_REFERENCES = 20;

const threadSchema = z.strictObject({
  subject: z.string(),
  /** Its mails, oldest first. */
  mails: z.array(z.string()),
  /** To whom the next answer goes: of the last mail its sender, and those of the people who it went to. */
  to: z.string(),
  cc: z.array(z.string()),
  /** All of the people who were sent a mail of it, or sent one. */
  members: z.array(z.string()),
});
export type Thread = z.output<typeof threadSchema>;

const asked = z.strictObject({
  thread: z.string(),
  message: z.string(),
  to: z.array(z.string()),
});

/** What is known of threads. */
export class Threads {
  readonly #memory: ChannelMemory;

  constructor(memory: ChannelMemory) {
    this.#memory = memory;
  }

  get(id: string): Thread | null {
    const known = threadSchema.safeParse(this.#memory.get(`thread ${id}`));
    return known.success ? known.data : null;
  }

  /**
   * The thread that a mail of one of the people belongs to, in which it is noted. One who was sent
   * none of its mails begins one of their own.
   * @param people of those who it went to, those who are answered
   * @param forMs it is forgotten after so many ms
   */
  enter(
    mail: Mail,
    id: string,
    people: readonly string[],
    forMs = KEPT_MS,
  ): { thread: string; isNew: boolean } {
    const { address } = mail.from;
    const noted = this.#memory.get(`mail ${id}`);
    // It has come before, or the process ended before it was taken.
    if (typeof noted === 'string' && this.get(noted)?.members.includes(address) === true)
      return { thread: noted, isNew: noted === id };
    const found = mail.references
      .toReversed()
      .map((reference) => this.#memory.get(`mail ${reference}`))
      .find((thread) => typeof thread === 'string');
    const known = typeof found === 'string' ? this.get(found) : null;
    const isMember = known?.members.includes(address) === true;
    const thread = typeof found === 'string' && isMember ? found : id;
    const before = isMember ? known : null;
    const mails = [...new Set([...(before?.mails ?? mail.references), id])];
    const entered = {
      subject: mail.subject,
      mails,
      to: address,
      cc: people.filter((person) => person !== address),
      members: [...new Set([...(before?.members ?? []), address, ...people])],
    };
    this.#set(thread, entered, forMs);
    this.#memory.set(`mail ${id}`, thread, forMs);
    return { thread, isNew: thread === id };
  }

  /** Notes a mail that is about to be sent. */
  answered(thread: string, id: string): void {
    this.#memory.set(`mail ${id}`, thread, KEPT_MS);
    const known = this.get(thread);
    if (known !== null && !known.mails.includes(id))
      this.#set(thread, { ...known, mails: [...known.mails, id] });
  }

  /** Notes whom a code was sent to. */
  ask(token: string, meaning: z.output<typeof asked>): void {
    this.#memory.set(`code ${token}`, meaning, KEPT_MS);
  }

  /** Where a code was sent, if it was sent to a person. */
  askedOf(token: string, person: string): { thread: string; message: string } | null {
    const known = asked.safeParse(this.#memory.get(`code ${token}`));
    return known.success && known.data.to.includes(person) ? known.data : null;
  }

  #set(id: string, { mails, ...thread }: Thread, forMs = KEPT_MS): void {
    const [first = id, ...others] = mails;
    const kept = { ...thread, mails: [first, ...others.slice(-MOST_REFERENCES)] };
    this.#memory.set(`thread ${id}`, kept, forMs);
  }
}
