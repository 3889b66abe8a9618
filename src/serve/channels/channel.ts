/**
 * One channel at work: who wrote a message is looked up, what they may do is done, and what
 * becomes of it is put down to be sent. Nobody who is not among its people moves anything.
 */
import { isFsError, sentenceOf } from '../../errors.ts';
import { personAuthor } from '../../policy/author.ts';
import { hasEnded, type QueuedTurn, type TurnDraft } from '../queue/turn.ts';
import { type Caller, may } from '../rights.ts';
import type { Service } from '../service.ts';
import { Asking } from './asking.ts';
import { commandIn } from './commands.ts';
import type { IncomingFile, IncomingMessage, OpenChannel, PressedButton } from './contract.ts';
import type { ChannelFile, ChannelPerson } from './file.ts';
import { type ChannelFiles, filesNamed, filesText, placed } from './files.ts';
import type { ChannelLedger, PostDraft } from './ledger.ts';
import { LiveTurn, liveOf } from './live.ts';
import { answerAs, answerQuestion } from './questions.ts';
import { splitMarkdown } from './split.ts';
import {
  BUSY,
  CHANGED,
  DOUBTS,
  endText,
  HELP,
  notYours,
  saidText,
  strangerText,
  UNKNOWN,
} from './words.ts';

/** What a channel works with. */
export interface ChannelParts {
  file: ChannelFile;
  service: Pick<Service, 'conversations' | 'decisions' | 'queue' | 'journal' | 'feeds'>;
  ledger: ChannelLedger;
  /** Whose a shared session is where the file does not say. */
  inCharge: string;
  files: ChannelFiles;
  /** There is something to send. */
  wake(): void;
  now(): number;
  /** Told of what goes wrong in the channel, and concerns nobody else. */
  onFault(error: unknown): void;
}

/** Messages of one person that wait, at most. */
const MOST_WAITING = 20;
/** Strangers who are told in an hour, at most. */
const MOST_TOLD = 20;
const HOUR_MS = 60 * 60 * 1000;
/** Longer messages are cut: services have limits far below. */
const MOST_TEXT = 64 * 1024;
/** A text that is not shown as it is in so few characters is not so in fewer. */
const SHORTEST = 256;

/** The source of a channel's messages in the queue. */
const sourceOf = (name: string): string => `channel ${name}`;

/** A channel of a deployment that is served. */
export class Channel {
  readonly #parts: ChannelParts;
  readonly #asking: Asking;
  readonly #live = new Map<string, LiveTurn>();
  /** Those whose last edit is under way. */
  readonly #ending = new Map<string, Promise<void>>();
  #open: OpenChannel | null = null;
  #hasBegun = false;
  #isClosed = false;
  /** Files that are on their way in. */
  readonly #taking = new Set<Promise<void>>();

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    const { file, ledger, service } = parts;
    this.#asking = new Asking({
      channel: file.name,
      ledger,
      decisions: service.decisions,
      shows: (text) => this.#shows(text),
      post: (draft) => this.#post(draft),
    });
  }

  /** From now on what runs is shown. */
  attach(open: OpenChannel): void {
    this.#open = open;
  }

  /** Takes a message. It is on the disk when this returns. */
  receive(message: IncomingMessage): void {
    const { file, ledger } = this.#parts;
    if (ledger.knows(file.name, message.id)) return;
    const person = file.people.get(message.sender.id);
    if (person === undefined) this.#tellStranger(message);
    else if (message.isAddressed) this.#take(message, person);
    this.#parts.wake();
  }

  /** Answers what the button belongs to, if whoever pressed it may. */
  pressed({ id: press = '', token, thread, message, sender, doubt }: PressedButton): void {
    const { file, ledger } = this.#parts;
    const meaning = ledger.button(file.name, token);
    const person = file.people.get(sender.id);
    if (meaning === null || person === undefined || meaning.post.thread !== thread) return;
    // The message whose answer was lost has arrived, as it shows.
    if (meaning.post.remote === null) ledger.sent(meaning.post.id, message);
    else if (meaning.post.remote !== message) return;
    const refused = `refused:${meaning.post.id}:${person.actor}:${press}`;
    if (doubt !== undefined) {
      this.#post({ purpose: refused, thread, text: DOUBTS[doubt] });
      return;
    }
    const { decisions } = this.#parts.service;
    const { id, digest, decision } = meaning;
    const caller = callerOf(person);
    if (decision === 'answer') {
      const { said, answered } = answerAs(caller, meaning, decisions);
      if (answered !== undefined) this.#asking.settle(answered);
      else this.#post({ purpose: refused, thread, text: said });
      return;
    }
    if (!may(caller, 'decide')) {
      this.#post({ purpose: refused, thread, text: notYours(person.actor) });
      return;
    }
    try {
      this.#asking.close(decisions.decide(caller, id, digest, { decision }));
    } catch (error) {
      if (!isFsError(error)) throw error;
      const text = error.code === 'ESTALE' ? CHANGED : sentenceOf(error);
      // Where messages stay as they are it is said below.
      if (this.#open?.edit === undefined) this.#post({ purpose: refused, thread, text });
      else this.#asking.replace(`approval:${id}`, `answered:${id}`, text);
    }
  }

  /** A message of the queue has taken a step. The queue goes on, whatever becomes of it here. */
  step(turn: QueuedTurn): void {
    if (turn.source !== sourceOf(this.#parts.file.name)) return;
    try {
      this.#step(turn);
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  #step(turn: QueuedTurn): void {
    const { file, ledger } = this.#parts;
    this.#asking.settleAll(turn);
    const came = ledger.openMessage(file.name, turn.sourceId);
    if (came === null) return;
    this.#asking.questions(turn, came.thread);
    if (turn.state === 'running') this.#show(turn, came.thread);
    else this.#hide(turn.id);
    if (hasEnded(turn)) ledger.answer(file.name, turn.sourceId, this.#answer(turn, came.thread));
    this.#parts.wake();
  }

  /** Goes on with what an earlier process had begun. The queue has begun. */
  recover(): void {
    const { file, ledger, service } = this.#parts;
    this.#hasBegun = true;
    for (const { sourceId, draft, files } of ledger.openMessages(file.name)) {
      if (draft === null) continue;
      const turn = service.journal.find(sourceOf(file.name), sourceId);
      if (turn === null || turn.heldBy !== null) this.#queue(draft, files);
      else this.step(turn);
    }
  }

  /** Waits until nothing edits a message any more that is about to be replaced. */
  async settled(purpose: string): Promise<void> {
    await this.#ending.get(purpose);
  }

  /** Of a message nobody knows whether it arrived: whoever reads the thread is told. */
  unknown(purpose: string, thread: string): void {
    if (/^(?:answer|approval|file):/.test(purpose))
      this.#post({ purpose: `unknown:${purpose}`, thread, text: UNKNOWN });
  }

  async close(): Promise<void> {
    for (const turn of this.#live.keys()) this.#hide(turn);
    this.#isClosed = true;
    await Promise.all([...this.#ending.values(), ...this.#taking]);
  }

  #post(draft: PostDraft): void {
    this.#parts.ledger.post(this.#parts.file.name, draft);
    this.#parts.wake();
  }

  /** Notes it, and says something to it: once, however often it is delivered. */
  #reply({ id, thread }: IncomingMessage, text: string): void {
    const { file, ledger } = this.#parts;
    ledger.receive(file.name, { sourceId: id, thread, draft: null, files: [] }, true);
    this.#post({ purpose: `reply:${id}`, thread, text });
  }

  /** Once for each stranger and thread, and of all together so many an hour. */
  #tellStranger({ thread, sender, isAddressed }: IncomingMessage): void {
    const { file, ledger, now } = this.#parts;
    if (file.strangers === 'ignore' || !isAddressed) return;
    if (ledger.countSince(file.name, 'stranger:', now() - HOUR_MS) >= MOST_TOLD) return;
    this.#post({
      purpose: `stranger:${sender.id}:${thread}`,
      thread,
      text: strangerText(sender.id),
    });
  }

  #take(message: IncomingMessage, person: ChannelPerson): void {
    const { command, said } = commandIn(message.text);
    switch (command) {
      case 'start':
      case 'help':
        this.#reply(message, HELP);
        return;
      case 'new':
        this.#parts.ledger.setSession(this.#placeOf(message), this.#begin(person));
        this.#reply(message, 'A new session has begun.');
        return;
      case 'stop': {
        const stopped = this.#parts.service.queue.stop(this.#sessionOf(message, person).id);
        this.#reply(message, stopped ? 'Stopped.' : 'Nothing is under way.');
        return;
      }
      case 'answer':
        this.#reply(message, this.#answerQuestion(message, person, said));
        return;
      case 'again':
        this.#sendAgain(message);
        return;
      default:
        this.#submit(message, person, said, command);
    }
  }

  #answerQuestion(
    { thread, doubt }: IncomingMessage,
    person: ChannelPerson,
    typed: string,
  ): string {
    if (doubt !== undefined) return DOUBTS[doubt];
    const { file, ledger, service } = this.#parts;
    const shown = ledger.shownFor(file.name, thread, 'question:');
    const { said, answered } = answerQuestion(typed, callerOf(person), shown, service.decisions);
    if (answered !== undefined) this.#asking.settle(answered);
    return said;
  }

  #submit(
    message: IncomingMessage,
    person: ChannelPerson,
    said: string,
    command: string | undefined,
  ): void {
    const { file, ledger, service } = this.#parts;
    const source = sourceOf(file.name);
    const files = placed(message.id, message.files ?? []);
    if (said.trim() === '' && message.quoted === undefined && files.length === 0) {
      this.#reply(message, HELP);
      return;
    }
    if (service.journal.waitingOf(source, person.actor) >= MOST_WAITING) {
      this.#reply(message, BUSY);
      return;
    }
    const session = this.#sessionOf(message, person);
    const isOwn = session.actor === person.actor;
    const { quoted } = message;
    const text = saidText({ said, quoted, speaker: isOwn ? null : person.actor });
    const first = session.isNew && file.instructions !== '' ? `${file.instructions}\n\n` : '';
    const draft: TurnDraft = {
      session: session.id,
      source,
      sourceId: message.id,
      actor: session.actor,
      agent: session.agent,
      text: `${first}${text}`.slice(0, MOST_TEXT).toWellFormed() + filesText(files),
      mode: command === 'steer' ? 'steer' : 'queue',
      plan: command === 'plan',
      untrusted: quoted === undefined ? [] : [originOf(file.name)],
      ...(isOwn ? {} : { author: personAuthor(person.actor) }),
    };
    const came = {
      sourceId: message.id,
      thread: message.thread,
      draft,
      files: message.files ?? [],
    };
    ledger.receive(file.name, came);
    // What comes while the server begins is queued with what an earlier one has left.
    if (this.#hasBegun) this.#queue(draft, came.files);
  }

  /** A message waits in the queue until its files are there. */
  #queue(draft: TurnDraft, files: readonly IncomingFile[]): void {
    const { file, service } = this.#parts;
    const fetch = this.#open?.fetch;
    if (files.length === 0 || fetch === undefined) {
      service.queue.submit(draft);
      return;
    }
    const { turn } = service.journal.add(draft, sourceOf(file.name));
    const taking = this.#parts.files
      .take(draft, placed(draft.sourceId, files), fetch)
      .then((faults) => {
        if (this.#isClosed) return;
        if (faults.length > 0)
          service.journal.reword(turn.id, `${draft.text}${faults.join('\n')}\n`);
        service.queue.release(turn.id);
      })
      .finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
  }

  #sendAgain(message: IncomingMessage): void {
    const { file, ledger } = this.#parts;
    const lost = ledger.unknownPosts(file.name, message.thread);
    for (const post of lost) {
      ledger.ended(post.id, 'failed', 'it was sent again, as somebody asked');
      const { thread, text, files, turn, buttons } = post;
      const purpose = `again:${post.id}`;
      // Its buttons are those of a message that may be there.
      const closed =
        buttons.length > 0
          ? `${text}\n\nAnswer it in the console, or with \`approvals\` at the command line.`
          : text;
      this.#post({ purpose, thread, text: closed, files, turn });
    }
    const text = lost.length === 0 ? 'All of my messages have arrived.' : 'Here it is once more.';
    this.#reply(message, text);
  }

  /** Where a message belongs: a thread, or what all share. */
  #placeOf({ thread }: IncomingMessage): string {
    const { name, shared } = this.#parts.file;
    return shared === null ? `thread ${name} ${thread}` : `shared ${shared}`;
  }

  #begin(person: ChannelPerson): string {
    const { file, inCharge, service } = this.#parts;
    const actor = file.shared === null ? person.actor : (file.owner ?? inCharge);
    return service.conversations.create({ actor, role: 'user', agent: null }, file.agent).id;
  }

  #sessionOf(message: IncomingMessage, person: ChannelPerson) {
    const { ledger, service } = this.#parts;
    const place = this.#placeOf(message);
    const known = ledger.session(place);
    const isNew = known === null || !this.#goesOnIn(known);
    const id = isNew ? this.#begin(person) : known;
    if (isNew) ledger.setSession(place, id);
    const actor = service.conversations.ownerOf(id) ?? person.actor;
    return { id, actor, agent: this.#agentOf(id, actor), isNew };
  }

  /** It is there, and no other agent's than the one that the file names by now. */
  #goesOnIn(session: string): boolean {
    const { file, service } = this.#parts;
    const owner = service.conversations.ownerOf(session);
    if (owner === null) return false;
    return file.agent === null || file.agent === this.#agentOf(session, owner);
  }

  #agentOf(session: string, owner: string): string | null {
    const caller: Caller = { actor: owner, role: 'user', agent: null };
    return this.#parts.service.conversations.get(caller, session).agent;
  }

  /** The answer takes the place of the message that grew, and goes on behind it. */
  #answer(turn: QueuedTurn, thread: string): PostDraft[] {
    const { file, ledger } = this.#parts;
    // What was said to a turn that ran is answered by that turn.
    const isSteered = turn.mode === 'steer' && turn.outcome?.text === undefined;
    if (isSteered && turn.state === 'done') return [];
    const said = turn.outcome?.text ?? '';
    const text = turn.state === 'done' && said.trim() !== '' ? said : endText(turn);
    const hasGrown = ledger.find(file.name, liveOf(turn.id)) !== null;
    const answers = this.#messages(text).map((part, index) => ({
      purpose: `answer:${turn.id}:${index}`,
      thread,
      text: part,
      ...(hasGrown && index === 0 ? { edits: liveOf(turn.id) } : {}),
    }));
    const named = turn.state === 'done' ? filesNamed(said) : [];
    const files = named.map((path, index) => ({
      purpose: `file:${turn.id}:${index}`,
      thread,
      text: '',
      files: [path],
      turn: turn.id,
    }));
    return [...answers, ...files];
  }

  /** A text in messages that are shown whole. */
  #messages(text: string, most = this.#parts.file.kind.mostText): string[] {
    return splitMarkdown(text, most).flatMap((part) =>
      this.#shows(part) || most < SHORTEST ? [part] : this.#messages(part, most / 2),
    );
  }

  #shows(text: string): boolean {
    if (text.length > this.#parts.file.kind.mostText) return false;
    try {
      return this.#open?.shows?.(text) ?? true;
    } catch (error) {
      this.#parts.onFault(error);
      return false;
    }
  }

  #show(turn: QueuedTurn, thread: string): void {
    const { file, ledger, service } = this.#parts;
    const open = this.#open;
    if (open === null || this.#live.has(turn.id)) return;
    const live = new LiveTurn({
      channel: file.name,
      turn: turn.id,
      thread,
      open,
      ledger,
      follow: (signal) => service.feeds.follow(turn.session, null, signal),
      begin: (text) => this.#post({ purpose: liveOf(turn.id), thread, text }),
      mostText: file.kind.mostText,
    });
    this.#live.set(turn.id, live);
  }

  #hide(turn: string): void {
    const live = this.#live.get(turn);
    if (live === undefined) return;
    this.#live.delete(turn);
    const purpose = liveOf(turn);
    this.#ending.set(
      purpose,
      live.end().finally(() => this.#ending.delete(purpose)),
    );
  }
}

/** What text of others in a channel is labelled with. */
export const originOf = (name: string): string => `channels/${name}`;

const callerOf = ({ actor, role }: ChannelPerson): Caller => ({ actor, role, agent: null });
