/** A mail that came in: who sent it, and what of it they have written themselves. */
import PostalMime, { type Address, type Attachment, addressParser, type Email } from 'postal-mime';
import { htmlToMarkdown } from '../../src/texts/convert/markdown.ts';
import { LARGEST_HEADERS, MOST_NESTED } from '../../src/texts/limits.ts';
import { isAuthentic } from './authentication.ts';

/** Longer pages are not read. In characters. */
const MOST_HTML = 500_000;
/** Identifiers of mails are no longer, and there are no more of them behind one. */
const MOST_ID = 500;
const MOST_REFERENCES = 50;
/** Of an attachment that is a picture in the text, or has no name. */
const UNNAMED = 'file';

/** A mail. */
export interface Mail {
  /** What its sender has named it by, in angle brackets. */
  id: string | null;
  from: { address: string; name: string };
  /** To whom it was sent openly, in small letters. */
  to: readonly string[];
  subject: string;
  /** Those before it in its thread, oldest first. */
  references: readonly string[];
  attachments: readonly Attachment[];
  email: Email;
}

/** Reads a mail. @returns null where nobody, or more than one, says to have written it @throws where it is no mail */
export async function readMail(source: Uint8Array): Promise<Mail | null> {
  const email = await PostalMime.parse(source, {
    attachmentEncoding: 'arraybuffer',
    // The words of a mail that is sent along are not its sender's.
    forceRfc822Attachments: true,
    maxNestingDepth: MOST_NESTED,
    maxHeadersSize: LARGEST_HEADERS,
  });
  const authors = valuesOf(email, 'from').flatMap((value) => addressParser(value));
  const [from] = authors;
  if (from?.address === undefined || authors.length !== 1) return null;
  const { references = '', inReplyTo = '', messageId = '' } = email;
  return {
    id: idsIn(messageId)[0] ?? null,
    from: { address: from.address.toLowerCase(), name: from.name },
    to: [...addressesIn(email.to), ...addressesIn(email.cc)],
    subject: (email.subject ?? '').replaceAll(/\s+/g, ' ').trim(),
    references: idsIn(`${references} ${inReplyTo}`).slice(-MOST_REFERENCES),
    attachments: email.attachments,
    email,
  };
}

/** Its text; of one that has none, that of its page. Nobody's pages are read before it is known who sent them. */
export const textIn = ({ email: { html = '', text = '' } }: Mail): string =>
  text.trim() !== '' ? text : htmlToMarkdown(html.slice(0, MOST_HTML));

/** Does the trusted server say that it is its author's? */
export const isProven = ({ email, from }: Mail, trusted: string): boolean =>
  isAuthentic(valuesOf(email, 'authentication-results'), trusted, from.address);

/** What programs send is never answered (RFC 3834): two of them would talk forever. */
export function isAutomatic({ email, from }: Mail): boolean {
  const has = (name: string, pattern: RegExp): boolean =>
    valuesOf(email, name).some((value) => pattern.test(value.trim()));
  return (
    has('auto-submitted', /^(?!no\b)/i) ||
    has('precedence', /^(?:bulk|list|junk|auto_reply)$/i) ||
    has('return-path', /^<\s*>$/) ||
    has('content-type', /^multipart\/report\b/i) ||
    has('x-auto-response-suppress', /\b(?:all|autoreply)\b/i) ||
    email.headers.some(({ key }) => /^(?:list-|x-autoreply|x-autorespond|x-loop$)/.test(key)) ||
    /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply)@/.test(from.address)
  );
}

/** Was it sent to an address, by its own name or one with a tag behind it? */
export function isTo({ to }: Pick<Mail, 'to'>, address: string): boolean {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at)];
  return to.some((one) => one === address || (one.startsWith(`${local}+`) && one.endsWith(domain)));
}

/** Files that came with it. */
export const filesOf = ({ attachments }: Mail) =>
  attachments.map((attachment, index) => ({
    name: attachment.filename ?? nameOf(attachment.mimeType),
    size: bytesOf(attachment).length,
    reference: { index: String(index) },
  }));

const nameOf = (type: string): string =>
  type === 'message/rfc822'
    ? 'message.eml'
    : `${UNNAMED}.${/^[a-z]+\/([a-z0-9]+)$/.exec(type)?.[1] ?? 'bin'}`;

export const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

const valuesOf = ({ headers }: Email, name: string): string[] =>
  headers.flatMap(({ key, value }) => (key === name ? [value] : []));

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
