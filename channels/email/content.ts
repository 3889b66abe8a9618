/** The body of a mail: what its sender wrote, what they repeat of others, and the files that came with it. */
import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { htmlToMarkdown } from '../../src/texts/convert/markdown.ts';
import { LARGEST_HEADERS, MOST_NESTED } from '../../src/texts/limits.ts';
import { type Parts, partsOf } from './quotes.ts';

/** Longer texts, and pages, are cut off. In characters. */
const MOST_TEXT = 500_000;
/** Of an attachment that is a picture in the text, or has no name. */
const UNNAMED = 'file';

/** What is in a mail. */
export interface Content extends Parts {
  files: { name: string; size: number }[];
}

/** Reads a mail, of whatever size and form: for a thread of its own. */
export async function contentOf(source: Uint8Array): Promise<Content> {
  const email = await parse(source);
  const files = email.attachments.map((attachment) => ({
    name: attachment.filename ?? nameOf(attachment.mimeType),
    size: bytesOf(attachment).length,
  }));
  return { ...partsOf(textIn(email)), files };
}

/** The bytes of one of its files. @returns null where it has none at that place */
export async function fileIn(source: Uint8Array, index: number): Promise<Uint8Array | null> {
  const attachment = (await parse(source)).attachments[index];
  return attachment === undefined ? null : bytesOf(attachment);
}

const parse = (source: Uint8Array): Promise<Email> =>
  PostalMime.parse(source, {
    attachmentEncoding: 'arraybuffer',
    // The words of a mail that is sent along are not its sender's.
    forceRfc822Attachments: true,
    maxNestingDepth: MOST_NESTED,
    maxHeadersSize: LARGEST_HEADERS,
  });

/** Its text; of one that has none, that of its page. */
const textIn = ({ html = '', text = '' }: Email): string =>
  text.trim() !== '' ? text.slice(0, MOST_TEXT) : htmlToMarkdown(html.slice(0, MOST_TEXT));

const nameOf = (type: string): string =>
  type === 'message/rfc822'
    ? 'message.eml'
    : `${UNNAMED}.${/^[a-z]+\/([a-z0-9]+)$/.exec(type)?.[1] ?? 'bin'}`;

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
