/** What a service says of its conversations: see `conversations`. */
import { z } from 'zod';
import type { ServiceRequest } from '../../changes/change.ts';
import type { Within } from '../client/http-pages.ts';
import type { FieldOptions } from '../record/fields.ts';
import type { ParamType } from '../table/route.ts';
import type { Identity, ListedPage, ResourceSpec, Scope } from './definition.ts';
import { type FieldsOf, idSchema, type TimeForm } from './fields-of.ts';
import type { People } from './people.ts';

export const channelSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** Names that it had, which still lead to it. */
  formerNames: z.array(z.string()).default([]),
  /** Are we in it? What we are not in is found when it is named. */
  isMember: z.boolean().default(false),
  /** ISO 8601; '' where the service does not tell. */
  createdAt: z.string().default(''),
  topic: z.string().default(''),
  purpose: z.string().default(''),
});
/** A place in which people write. */
export type Channel = z.infer<typeof channelSchema>;

/** Ids of people are the service's own. */
export const messageSchema = z.object({
  /** Stays. */
  id: idSchema,
  /** ISO 8601. */
  at: z.string(),
  /** Sorts as they were written; where `at` is fine enough, that does. */
  order: z.string().optional(),
  /** Whoever wrote it: who is shown first, others are the same by another name. */
  authors: z.array(idSchema).default([]),
  /** As the service keeps it. */
  text: z.string().default(''),
  /** When it was reworded last, ISO 8601. */
  edited: z.string().optional(),
  /** How many there are in its thread. */
  answers: z.number().default(0),
  reactions: z.array(z.object({ name: z.string(), by: z.array(idSchema) })).default([]),
  /** What it was posted with, where the service keeps that. */
  key: z.string().optional(),
});
/** What somebody wrote in a channel. */
export type Message = z.infer<typeof messageSchema>;

/** Where messages are: in a channel, or in the thread of one of its messages. */
export interface Talk {
  channel: Channel;
  /** The id of the message that it begins with; absent of the channel itself. */
  thread?: string | undefined;
}

/** Which of them are asked for: all, those since then (ms), or one. */
export interface Said extends Talk {
  since?: number;
  id?: string;
}

/** How messages are read and written. What is absent cannot be done, and is not offered. */
export interface MessagesSpec<C> {
  fields: FieldsOf<z.input<typeof messageSchema>>;
  /** What the name of a message, its id, may be. */
  named: ParamType;
  /** Page by page, those of a channel with the newest first. Throws ServiceFailure, as all that asks. */
  pages(
    which: Said,
    scope: Scope<C>,
    from: string | null,
  ): AsyncIterable<ListedPage<never>> | Promise<readonly unknown[]>;
  /** Of a text: what it is in, in a line, and how long it may be. */
  text: Pick<FieldOptions, 'most'> & { about: string };
  /** A text of the service as it stands in a file; the same by default. */
  shown?(text: string): string;
  /** A text of a file as the service takes it. */
  sent?(text: string): string;
  /** A text of the service to be read, with names in it. */
  readable?(text: string, nameOf: (id: string) => string): string;
  /** Where people see a message. */
  url?(one: Message, channel: Channel): string;
  /** `key` (a UUID) is the change's own. */
  post(what: { text: string; key: string } & Talk): ServiceRequest;
  /** Where the body of such a request, which may come from the journal, has both. */
  posted: FieldsOf<Partial<Pick<Message, 'key'>> & Pick<Message, 'text'>>;
  /** Is what is sent with the same key again not posted twice? */
  repeatable?: boolean;
  /** Gives a message of our own another text. */
  reword?(one: Message, text: string, talk: Talk): ServiceRequest;
  /** Removes a message of our own. */
  remove?(one: Message, talk: Talk): ServiceRequest;
  /** Gives or takes back a reaction of our own. */
  react?: {
    /** The name of one, such as `thumbsup`. */
    named: z.ZodType;
    /**
     * Gives a reaction, or takes it back.
     * @param isGiven false where it is taken back
     */
    request(one: Message, name: string, isGiven: boolean, talk: Talk): ServiceRequest;
  };
  /** Where an answer to a write has the message; what it leaves out is as before. Where it has none, it is asked for. */
  answered: Within<unknown>;
}

/** A service with channels. */
export interface Conversations<S, C> {
  /** Who we are, and by which ids messages say that; empty ones are none. */
  self: Identity<S, C>;
  /** All by which messages say that they are ours. */
  idsOf(me: S): readonly string[];
  people: People;
  channels: Required<Pick<ResourceSpec<never, C>, 'list'>> &
    Pick<ResourceSpec<never, C>, 'freshMs'> & {
      fields: FieldsOf<z.input<typeof channelSchema>>;
      /** What the name of a channel may be. */
      named: ParamType;
    };
  messages: MessagesSpec<C>;
  /** Do messages have threads? */
  threads?: boolean;
  /** How the service writes times; ISO 8601 by default. */
  timeForm?: TimeForm;
  /** How far back a channel is listed; 90 by default. */
  days?: number | undefined;
}
