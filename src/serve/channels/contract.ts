/**
 * What a channel is: a service in which people write messages. A kind opens one,
 * hands on what comes in, and sends what it is given; who may say and decide
 * what, the queue, and what was sent already are not its business.
 */
import type { z } from 'zod';

/** A file that came with a message, fetched only where its sender may send one. */
export interface IncomingFile {
  name: string;
  /** Bytes; null where the service does not say. */
  size: number | null;
  /** What {@link OpenChannel.fetch} finds it by. It is kept on the disk. */
  reference: Readonly<Record<string, string>>;
}

/** Somebody of the service. */
export interface Sender {
  /** The service's own id, which nobody chooses. */
  id: string;
  /** What they call themselves. It proves nothing. */
  name: string;
}

/**
 * Why an answer cannot be held against what was sent, which is what it answers:
 * - `edited`: what whoever answers has read is something else;
 * - `unseen`: that could not be looked at.
 */
export type Doubt = 'edited' | 'unseen';

/** A message that came in. */
export interface IncomingMessage {
  /** The service's own id of it, the same each time that it is delivered: it is taken once. */
  id: string;
  /** Where it was said, and where the answer goes. */
  thread: string;
  sender: Sender;
  text: string;
  /** Was it said to the agent: in a conversation of two, or naming it? What was not is left alone. */
  isAddressed: boolean;
  /** What it repeats of others, such as a message that was forwarded: it gives no orders. */
  quoted?: string | undefined;
  /** Where it answers something: then it answers nothing. */
  doubt?: Doubt | undefined;
  files?: readonly IncomingFile[] | undefined;
}

/** A button that was pressed. */
export interface PressedButton {
  /** The service's own id of the press, where each has one: what is refused is told of once for each. */
  id?: string | undefined;
  thread: string;
  /** The id of the message that it is under. */
  message: string;
  sender: Sender;
  /** As {@link OutgoingButton.token} was. */
  token: string;
  /** With one it answers nothing. */
  doubt?: Doubt | undefined;
}

/** A button under a message. */
export interface OutgoingButton {
  label: string;
  /** At most 24 letters and digits. */
  token: string;
}

/** A file that is sent. */
export interface OutgoingFile {
  name: string;
  bytes: Uint8Array;
}

/** A message to be sent. */
export interface OutgoingMessage {
  /** Tells it from every other, over restarts: a key for services that take a message with one once. A UUID. */
  key: string;
  thread: string;
  /** Markdown, no longer than the kind said. May be empty where there are files. */
  text: string;
  buttons: readonly OutgoingButton[];
  /** It shows what somebody is to decide on: nothing in it may look like anything that it is not. */
  isExact: boolean;
  files: readonly OutgoingFile[];
}

/** A channel that is open. */
export interface OpenChannel {
  /**
   * Sends a message, once.
   * @returns the service's id of it
   * @throws NotSent where it is certain that it did not arrive; after any other error it may have
   */
  send(message: OutgoingMessage): Promise<string>;
  /** Puts other content into a message that was sent; the same content twice is no error. Absent where messages stay as they are. */
  edit?(id: string, message: OutgoingMessage): Promise<void>;
  /**
   * Asks whether a message has arrived of which no answer came. Absent where that cannot be asked.
   * @param sentAt ms since the epoch
   * @returns its id; null where it certainly has not; undefined where that cannot be told
   */
  find?(message: OutgoingMessage, sentAt: number): Promise<string | null | undefined>;
  /** Would a text be shown whole, and as it is? By default it is, where it is no longer than the kind said. */
  shows?(text: string): boolean;
  /** Shows for some seconds that an answer is being made. */
  showTyping?(thread: string): Promise<void>;
  /** Fetches a file that came in, no larger than `most` bytes. */
  fetch?(file: IncomingFile, most: number): Promise<Uint8Array>;
  /** Answers a request of the service's to `/channels/NAME`. Absent where it sends none. */
  respond?(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** What a channel is opened with. */
export interface ChannelHost<Settings> {
  /** Its name: that of its file. */
  name: string;
  settings: Settings;
  /** A secret from the environment of the host. @throws ConfigError where it is not there */
  secret(variable: string): string;
  /**
   * Takes a message. It is on the disk when this returns: only then may the service be told
   * that it was received. @throws where it could not be kept
   */
  receive(message: IncomingMessage): void;
  /** Is somebody with this id among those who may speak? For services that tell more than is to be kept. */
  isKnown(sender: string): boolean;
  /** Is anybody else told that the agent takes nothing from them? Where not, nothing has to be noted of them. */
  strangers: 'ignore' | 'tell';
  /** Somebody pressed a button. Throws nothing; whoever pressed is told by a message. */
  pressed(button: PressedButton): void;
  /** What the channel itself has to remember over restarts, as JSON by name. */
  memory: ChannelMemory;
  /** Told of what nobody who wrote can be told. */
  onFault(error: unknown): void;
}

/** What a channel remembers. */
export interface ChannelMemory {
  get(name: string): unknown;
  /** @param forMs it is forgotten after so many ms */
  set(name: string, value: unknown, forMs?: number): void;
  delete(name: string): void;
}

/** A kind of channel: what `kind` of a `channels/NAME.md` names, or the default of a module of the config. */
export interface ChannelKind<Settings = unknown> {
  /** The fields of the file that are this kind's own. */
  settings: z.ZodType<Settings>;
  /** The longest text of one message, in characters. */
  mostText: number;
  /** @throws ConfigError */
  open(host: ChannelHost<Settings>): Promise<OpenChannel>;
}

/** A message certainly did not arrive. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  /** It may be tried again after so many ms; null where trying again is no use. */
  readonly againAfterMs: number | null;

  constructor(message: string, againAfterMs: number | null, cause?: unknown) {
    super(message, { cause });
    this.againAfterMs = againAfterMs;
  }
}

/** Is it that? Modules from outside make it themselves, with its name. */
export const isNotSent = (error: unknown): error is NotSent =>
  error instanceof Error && error.name === 'NotSent' && 'againAfterMs' in error;
