/** Messages as records: one's own can be reworded and removed, all can be reacted to. */
import { foundIn } from '../client/http-pages.ts';
import { list, listChanges, prose, shown } from '../record/fields.ts';
import type { RecordType, Values } from '../record/record.ts';
import type { Place, Resource, ResourceSpec, Scope } from './definition.ts';
import { readingOf } from './fields-of.ts';
import { readRows } from './pages.ts';
import {
  type Channel,
  type Conversations,
  type Message,
  messageSchema,
  type Said,
  type Talk,
} from './talk.ts';

/** How far the clocks of a service and of this machine may be apart, ms. */
const CLOCKS_MS = 60_000;
const NOT_REMOVED = 'only your own messages can be removed';

const asItIs = (text: string): string => text;

/** What the messages of a channel share with the answers in its threads. */
export class Messages<S, C> {
  readonly #service: Conversations<S, C>;
  readonly #channels: Resource<Channel>;
  readonly #read: (raw: unknown, before?: Message | null) => Message;

  constructor(service: Conversations<S, C>, channels: Resource<Channel>) {
    this.#service = service;
    this.#channels = channels;
    const {
      messages: { fields },
      timeForm,
    } = service;
    const times = ['at', 'edited'] as const;
    const what = 'one of the messages';
    this.#read = readingOf({ schema: messageSchema, fields, times, timeForm, what });
  }

  /** Of a place: page by page. @param threadParam names the thread in its path; '' for the channel itself */
  pages(
    threadParam: string,
    at: Scope<C>,
    which: Omit<Said, keyof Talk>,
    from: string | null = null,
  ) {
    const said = { ...this.#talk(threadParam, at), ...which };
    return readRows(this.#service.messages.pages(said, at, from), this.#read);
  }

  /** What holds wherever messages are. */
  resource(threadParam: string) {
    const { self, people, messages: said } = this.#service;
    const { url } = said;
    const talkOf = (place: Place) => this.#talk(threadParam, place);
    const asked = async (which: Omit<Said, keyof Talk>, at: Scope<C>): Promise<Message[]> => {
      const all: Message[] = [];
      for await (const { rows } of this.pages(threadParam, at, which))
        all.push(...(rows as Message[]));
      return all;
    };
    return {
      schema: messageSchema,
      with: [self, people.of],
      type: this.#type(),
      key: ({ id }) => id,
      updatedAt: ({ at, edited }) => edited ?? at,
      ...(url && { url: (one, place) => url.call(said, one, talkOf(place).channel) }),
      fixed: (one, place) =>
        said.reword && this.#isOurs(one, place) ? null : { body: this.#notReworded() },
      values: (one, place) => this.#values(one, place),
      get: async (id, at) => ({ data: (await asked({ id }, at)).find((one) => one.id === id) }),
      create: ({ body }, at, key) => said.post({ ...talkOf(at), text: this.#sent(body), key }),
      // A service that keeps the key with a message finds it; else it is the only one of ours with its text since.
      find: async ({ body }, at, sentAt) => {
        const [text, key] = [said.posted.text, said.posted.key].map(
          (where) => where && foundIn(body, where),
        );
        const all = await asked({ since: sentAt - CLOCKS_MS }, at);
        const own = all.filter((one) => this.#isOurs(one, at));
        const alike = own.filter((one) => one.text === text && one.key === undefined);
        const byKey = own.find((one) => one.key !== undefined && one.key === key);
        return byKey ?? (alike.length === 1 ? alike[0] : null);
      },
      ...(said.repeatable === true && { repeatable: true }),
      ...((said.reword ?? said.react) && {
        update: (one, delta, at) => this.#changes(one, delta, at, talkOf(at)),
      }),
      ...(said.remove && {
        remove: (one, at) =>
          this.#isOurs(one, at) ? (said.remove?.(one, talkOf(at)) ?? NOT_REMOVED) : NOT_REMOVED,
      }),
      made: (answer, _request, one) => {
        const found = foundIn(answer, said.answered);
        return typeof found === 'object' && found !== null ? this.#read(found, one) : null;
      },
    } satisfies Partial<ResourceSpec<Message, C>>;
  }

  /** A message to be read. @param hasAnswers is it said how many there are? */
  paragraph({ id, at, authors, text, answers }: Message, place: Place, hasAnswers = true): string {
    const { messages, people } = this.#service;
    const { readable = messages.shown ?? asItIs } = messages;
    const name = people.nameAt(place);
    const head = `## ${at.slice(11, 19)} ${name(authors[0] ?? '')} (${id})`;
    const more = hasAnswers && answers > 0 ? `\n${answers} answers: threads/${id}/\n` : '';
    return `${head}\n\n${readable(text, name)}\n${more}`;
  }

  /** What may be done with one, for README.md. */
  get rights(): string {
    const { reword, remove, react } = this.#service.messages;
    const own = [reword && 'reworded', remove && 'removed'].filter(Boolean).join(' and ');
    const all = react ? ', all can be reacted to' : '';
    return own === '' ? `it stays as it is${all}` : `your own can be ${own}${all}`;
  }

  // --- within

  #talk(threadParam: string, place: Place): Talk {
    return { channel: place.record(this.#channels), thread: place.params[threadParam] };
  }

  #sent(body: unknown): string {
    const { sent = asItIs } = this.#service.messages;
    return sent(String(body));
  }

  #ourIds(place: Place): readonly string[] {
    const { self, idsOf } = this.#service;
    const me = place.only(self as Resource<S>);
    return me === null ? [] : idsOf(me).filter((id) => id !== '');
  }

  #isOurs({ authors }: Message, place: Place): boolean {
    const ids = this.#ourIds(place);
    return authors.some((id) => ids.includes(id));
  }

  #ownReactions({ reactions }: Message, place: Place): string[] {
    const ids = this.#ourIds(place);
    return reactions.filter(({ by }) => by.some((id) => ids.includes(id))).map(({ name }) => name);
  }

  #notReworded(): string {
    const { messages, threads } = this.#service;
    if (messages.reword === undefined) return 'what was said stays as it is';
    const instead = threads === true ? ': answer in threads/ID/new.md' : '';
    return `only your own messages can be reworded${instead}`;
  }

  #changes(one: Message, { body, my_reactions }: Values, place: Place, talk: Talk) {
    const { reword, react } = this.#service.messages;
    const { added, removed } = listChanges(this.#ownReactions(one, place), my_reactions);
    const reacted = (isGiven: boolean) => (name: string) =>
      react?.request(one, name, isGiven, talk) ?? false;
    return [
      body !== undefined && (reword?.(one, this.#sent(body), talk) ?? false),
      ...added.map(reacted(true)),
      ...removed.map(reacted(false)),
    ];
  }

  #type(): RecordType {
    const {
      messages: { text, react },
      threads,
    } = this.#service;
    return {
      name: 'message',
      fields: {
        author: shown('who wrote it'),
        at: shown('when'),
        edited: shown('when it was reworded last'),
        ...(threads === true && { thread: shown('how many answers it has, in threads/') }),
        reactions: shown('who reacted with what'),
        ...(react && {
          my_reactions: list('names of emoji without colons, in brackets', {
            access: 'edit',
            item: react.named,
          }),
        }),
        body: prose(text.about, { ...text, required: true }),
      },
    };
  }

  #values(one: Message, place: Place): Values {
    const {
      people,
      messages: { shown: shownText = asItIs, react },
    } = this.#service;
    const name = people.nameAt(place);
    return {
      author: name(one.authors[0] ?? ''),
      at: one.at,
      edited: one.edited,
      thread: one.answers || undefined,
      reactions: one.reactions.map((each) => `${each.name}: ${each.by.map(name).join(', ')}`),
      ...(react && { my_reactions: this.#ownReactions(one, place) }),
      body: shownText(one.text),
    };
  }
}
