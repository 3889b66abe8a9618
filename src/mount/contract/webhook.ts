/**
 * How a service says by itself that something happened: what it sends, who can
 * tell that it did, and which paths of a mount that is about. Nothing of this
 * asks the service, or keeps anything.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';

/** One delivery, as it came. */
export interface Delivery {
  /** The value of a header, whatever case its name is in; null where there is none. */
  header(name: string): string | null;
  /** The bytes that were sent: what is signed. */
  body: Uint8Array;
}

/** What a delivery is checked by. */
export interface DeliveryCheck {
  secret: string;
  now: Date;
}

/** What a delivery says, once it is known who sent it. */
export interface WebhookEvent {
  /** The service's own id of the delivery: one that comes again is not taken again. */
  id: string;
  /** What happened, in the service's words: `issues.opened`. */
  type: string;
  /** When it happened, as the service says; null where it does not. */
  at: Date | null;
  /** Who did it, as the name of the replica's account begins; null where that is not told. */
  by: string | null;
  /** The same for a person to read. */
  actor: string | null;
  /** What it is about: paths in the mount, or links to them. */
  paths: readonly string[];
  /** Of these, what is not there any more. */
  gone?: readonly string[];
  /** What whoever acts on it has to know, in a few lines: text of the service. */
  text: string;
}

/** What a service's deliveries are. It is found at `/hooks/NAME` of a server. */
export interface Webhook {
  readonly name: string;
  /** The variable of the host's environment with the secret that deliveries are signed with. */
  readonly secretEnv: string;
  /**
   * Checks and reads a delivery.
   * @throws DeliveryRefusal
   */
  receive(delivery: Delivery, check: DeliveryCheck): WebhookEvent;
  /**
   * Of a service that makes the secret itself, and sends it first: the secret, in the delivery that
   * brings it; null for any other. Nobody has signed it: a person has to confirm it to the service.
   */
  offered?(delivery: Delivery): string | null;
}

/** Why a delivery is not taken: `unsigned` by whoever has the secret, `stale`, or `malformed`. */
export class DeliveryRefusal extends Error {
  override readonly name = 'DeliveryRefusal';
  readonly kind: 'unsigned' | 'stale' | 'malformed';

  constructor(kind: DeliveryRefusal['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Is it a refusal, whichever copy of the package a mount from outside brings along? */
export const isDeliveryRefusal = (error: unknown): error is DeliveryRefusal =>
  error instanceof Error && error.name === 'DeliveryRefusal' && 'kind' in error;

/**
 * Is a signature the HMAC-SHA256 of a body? It takes as long whatever of it is wrong.
 * @param signature hexadecimal, without what a service puts before it
 * @throws DeliveryRefusal
 */
export function requireSignature(
  { body }: Delivery,
  { secret }: DeliveryCheck,
  signature: string | null,
): void {
  const expected = createHmac('sha256', secret).update(body).digest();
  const isHex = signature !== null && /^[0-9a-f]{64}$/i.test(signature);
  const given = isHex ? Buffer.from(signature, 'hex') : Buffer.alloc(expected.length);
  if (timingSafeEqual(expected, given) && isHex) return;
  throw new DeliveryRefusal(
    'unsigned',
    'the signature is not that of this body by the secret of this server',
  );
}

/** @param mostMs how far the two clocks, and the time on the way, may be apart. @throws DeliveryRefusal */
export function requireRecent(at: number, { now }: DeliveryCheck, mostMs: number): void {
  if (Math.abs(now.getTime() - at) <= mostMs) return;
  throw new DeliveryRefusal(
    'stale',
    `it was sent at ${Number.isFinite(at) ? new Date(at).toISOString() : 'no time'}, and by this server’s clock it is ${now.toISOString()}`,
  );
}

/** What a delivery has to say in a header: a plain word, such as an id. @throws DeliveryRefusal */
export function requireHeader(delivery: Delivery, name: string): string {
  const value = delivery.header(name);
  if (value !== null && /^[\w.-]{1,100}$/.test(value)) return value;
  throw new DeliveryRefusal('malformed', `the header ${name} is missing`);
}

/** Of the text of an event, in characters. */
const LONGEST = 4_000;

/** The text of an event: a line for each thing that is known of it, and below them what was written, cut where it is long. */
export function eventText(
  said: Readonly<Record<string, string | null | undefined>>,
  body: string,
): string {
  const head = Object.entries(said).flatMap(([name, value]) =>
    (value ?? null) === null ? [] : [`${name}: ${value}`],
  );
  const cut = body.length > LONGEST ? `${body.slice(0, LONGEST)} […]` : body;
  return [...head, ...(cut === '' ? [] : ['', cut])].join('\n');
}

/** Reads a body that is JSON. @throws DeliveryRefusal */
export function readBody<T extends z.ZodType>({ body }: Delivery, schema: T): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new DeliveryRefusal('malformed', `the body is no JSON: ${error.message}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new DeliveryRefusal('malformed', `${issue?.path.join('.') ?? 'body'}: ${issue?.message}`);
}

/** What a mount is told of an event. */
export type Told = Pick<WebhookEvent, 'by' | 'paths'> & {
  gone: readonly string[];
  /** When it happened, ms. */
  at: number;
};

/** What a mount makes of what it was told. */
export interface Heard {
  /** The paths, as they are found here. */
  paths: readonly string[];
  /** Was it done through this very mount, or another one of its account, of this state? */
  isOwn: boolean;
}
