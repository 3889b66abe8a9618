/** The header of a mail that came in: who sent it, to whom, and whether that is so. Its body is not read here. */
import PostalMime, { type Address, addressParser, type Email } from 'postal-mime';
import { isAuthentic, isHandedOver, resultsOf } from './authentication.ts';
import { isCovered } from './signatures.ts';

/** Longer headers are not read. Bytes. */
export const MOST_HEADER = 256 * 1024;
/** Identifiers of mails are no longer, and there are no more of them behind one. */
const MOST_ID = 500;
const MOST_REFERENCES = 50;
/** A mail has these once at most (RFC 5322, RFC 2045): of two, one program reads the one and another the other. */
const ONCE = [
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date'],
  ...['message-id', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding'],
];
/** The name of a field. */
const NAME = /^[!-9;-~]+$/;

/** What the header of a mail says. */
export interface Mail {
  /** What its sender has named it by, in angle brackets. */
  id: string | null;
  from: { address: string; name: string };
  /** To whom it was sent openly, in small letters. */
  to: readonly string[];
  subject: string;
  /** Those before it in its thread, oldest first. */
  references: readonly string[];
  /** The topmost first, their names in small letters. */
  fields: Email['headers'];
}

/**
 * Reads the header of a mail.
 * @returns null where it is too long, can be read in more than one way, or names nobody, or more
 * than one, as who has written it
 */
export async function readHeader(source: Uint8Array): Promise<Mail | null> {
  if (source.length >= MOST_HEADER || isAmbiguous(source)) return null;
  const email = await PostalMime.parse(source, { maxHeadersSize: MOST_HEADER });
  const { headers: fields } = email;
  const isOnce = ONCE.every((name) => valuesOf(fields, name).length < 2);
  if (!isOnce || !fields.every(({ key }) => NAME.test(key))) return null;
  const authors = valuesOf(fields, 'from').flatMap((value) => addressParser(value));
  const [from] = authors;
  // A name alone is nobody.
  if (!from?.address || authors.length !== 1) return null;
  const { references = '', inReplyTo = '', messageId = '' } = email;
  return {
    id: idsIn(messageId)[0] ?? null,
    from: { address: from.address.toLowerCase(), name: from.name },
    to: [...addressesIn(email.to), ...addressesIn(email.cc)],
    subject: (email.subject ?? '').replaceAll(/\s+/g, ' ').trim(),
    references: idsIn(`${references} ${inReplyTo}`).slice(-MOST_REFERENCES),
    fields,
  };
}

/** Programs do not agree on where a line ends that has a bare CR or a NUL. */
const isAmbiguous = (source: Uint8Array): boolean =>
  /\r(?!\n)|\0/.test(
    Buffer.from(source.buffer, source.byteOffset, source.length).toString('latin1'),
  );

/**
 * Does the trusted server say that it is its author's, and is all that is read of it theirs? What
 * came by way of others is so far only as its signature goes.
 */
export function isProven({ fields, from: { address } }: Mail, trusted: string): boolean {
  const results = resultsOf(fields, trusted);
  return (
    isAuthentic(results, address) && (isHandedOver(results, address) || isCovered(fields, address))
  );
}

/** What programs send is never answered (RFC 3834): two of them would talk forever. */
export function isAutomatic({ fields, from }: Mail): boolean {
  const has = (name: string, pattern: RegExp): boolean =>
    valuesOf(fields, name).some((value) => pattern.test(value.trim()));
  return (
    has('auto-submitted', /^(?!no\b)/i) ||
    has('precedence', /^(?:bulk|list|junk|auto_reply)$/i) ||
    has('return-path', /^<\s*>$/) ||
    has('content-type', /^multipart\/report\b/i) ||
    has('x-auto-response-suppress', /\b(?:all|autoreply)\b/i) ||
    fields.some(({ key }) => /^(?:list-|x-autoreply|x-autorespond|x-loop$)/.test(key)) ||
    /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply)@/.test(from.address)
  );
}

/** Was it sent to an address, by its own name or one with a tag behind it? */
export function isTo({ to }: Pick<Mail, 'to'>, address: string): boolean {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at)];
  return to.some((one) => one === address || (one.startsWith(`${local}+`) && one.endsWith(domain)));
}

const valuesOf = (fields: Email['headers'], name: string): string[] =>
  fields.flatMap(({ key, value }) => (key === name ? [value] : []));

function addressesIn(addresses: readonly Address[] = []): string[] {
  return addresses.flatMap((one) =>
    one.group === undefined ? [one.address.toLowerCase()] : addressesIn(one.group),
  );
}

/** Identifiers in a header, each once. */
function idsIn(text: string): string[] {
  const ids = text.match(/<[^<>\s]+>/g) ?? [];
  return [...new Set(ids)].filter((id) => id.length <= MOST_ID);
}
