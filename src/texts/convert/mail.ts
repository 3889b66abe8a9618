/** E-mail: the message first, then each attachment; those that are documents with their text. */
import PostalMime, { type Address, type Attachment } from 'postal-mime';
import { DocumentFault } from '../fault.ts';
import { LARGEST_HEADERS, MOST_NESTED } from '../limits.ts';
import { type DocumentFormat, documentFormat } from '../names.ts';
import type { Converted } from '../pages.ts';
import { parseHtml } from './html.ts';
import { htmlToMarkdown } from './markdown.ts';

/** Reads a document of any format: what is attached to a mail. */
type ReadAttached = (format: DocumentFormat, bytes: Uint8Array) => Promise<Converted>;

export const mailConverter =
  (read: ReadAttached) =>
  (bytes: Uint8Array): Promise<Converted> =>
    mailOf(bytes, read, 0);

async function mailOf(bytes: Uint8Array, read: ReadAttached, depth: number): Promise<Converted> {
  const mail = await PostalMime.parse(bytes, {
    attachmentEncoding: 'arraybuffer',
    maxNestingDepth: MOST_NESTED,
    maxHeadersSize: LARGEST_HEADERS,
  });
  const { subject, from, to, cc, date, text, html, attachments } = mail;
  if (mail.headers.length === 0)
    throw new DocumentFault('EINVAL', 'is no e-mail: it has no headers');
  const body =
    text?.trim() || (html === undefined ? '' : htmlToMarkdown(parseHtml(html).body ?? ''));
  const files: string[] = [];
  for (const attachment of attachments) files.push(await attachedText(attachment, read, depth));
  return {
    fields: {
      title: subject,
      from: from === undefined ? undefined : addressOf(from),
      to: to?.map(addressOf).join(', '),
      cc: cc?.map(addressOf).join(', '),
      created: date,
    },
    unit: 'part',
    pages: [body, ...files],
  };
}

const addressOf = ({ name, address, group }: Address): string =>
  group !== undefined
    ? `${name}: ${group.map(addressOf).join(', ')}`
    : name === '' || name === address
      ? (address ?? '')
      : `${name} <${address ?? ''}>`;

async function attachedText(
  { filename, mimeType, content }: Attachment,
  read: ReadAttached,
  depth: number,
): Promise<string> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  const name = filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : 'without a name');
  const head = `## Attachment: ${name.replace(/\s+/g, ' ')}\n\n${mimeType}, ${bytes.length} bytes`;
  if (/^text\/(?:plain|markdown|csv|calendar)/.test(mimeType))
    return `${head}\n\n${Buffer.from(bytes).toString('utf8')}`;
  const format = documentFormat(name);
  if (format === null || depth >= MOST_NESTED_MAILS) return head;
  try {
    const { pages } =
      format === 'eml' ? await mailOf(bytes, read, depth + 1) : await read(format, bytes);
    return [head, ...pages].join('\n\n');
  } catch (error) {
    // The message can be read all the same, and says what cannot.
    return `${head}\n\n[its text cannot be read: ${error instanceof Error ? error.message : String(error)}]`;
  }
}

const MOST_NESTED_MAILS = 3;
