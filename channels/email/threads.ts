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
   * @param entry the mail, as nobody but its sender can have named it
   * @param people of those who it went to, those who are answered
   * @param forMs it is forgotten after so many ms
   */
  enter(
    mail: Mail,
    entry: string,
    people: readonly string[],
    forMs = KEPT_MS,
  ): { thread: string; isNew: boolean } {
    const { id, from, subject, references } = mail;
    const noted = this.#memory.get(`entry ${entry}`);
    // It has come before, or the process ended before it was taken.
    if (typeof noted === 'string' && this.get(noted) !== null)
      return { thread: noted, isNew: noted === entry };
    const found = references
      .toReversed()
      .map((reference) => this.#memory.get(`mail ${reference}`))
      .find((thread) => typeof thread === 'string');
    const named = typeof found === 'string' ? this.get(found) : null;
    const known = named?.members.includes(from.address) === true ? named : null;
    const thread = known !== null && typeof found === 'string' ? found : entry;
    const mails = [...(known?.mails ?? references), ...(id === null ? [] : [id])];
    const entered = {
      subject,
      mails: [...new Set(mails)],
      to: from.address,
      cc: people.filter((person) => person !== from.address),
      members: [...new Set([...(known?.members ?? []), from.address, ...people])],
    };
    this.#set(thread, entered, forMs);
    this.#memory.set(`entry ${entry}`, thread, forMs);
    // Whoever names a mail as another one is named does not take its place.
    if (id !== null && this.#memory.get(`mail ${id}`) === undefined)
      this.#memory.set(`mail ${id}`, thread, forMs);
    return { thread, isNew: thread === entry };
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
    const last = mails.slice(1).slice(-MOST_REFERENCES);
    const kept = { ...thread, mails: [...mails.slice(0, 1), ...last] };
    this.#memory.set(`thread ${id}`, kept, forMs);
  }
}
