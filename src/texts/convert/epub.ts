/** Books: a page a chapter, in the order of reading. */
import { posix } from 'node:path';
import { broken } from '../fault.ts';
import type { Converted } from '../pages.ts';
import { decodeHtml, parseHtml } from './html.ts';
import { htmlToMarkdown } from './markdown.ts';
import { part } from './office.ts';
import { childOf, elementsBelow, elementsIn, textIn } from './xml.ts';
import { DocumentArchive } from './zip.ts';

export async function convertEpub(bytes: Uint8Array): Promise<Converted> {
  const archive = new DocumentArchive(bytes);
  const container = part(archive, 'META-INF/container.xml');
  const [root] = container === null ? [] : elementsBelow(container, 'rootfile');
  const name = root?.attributes['full-path'];
  const book = name === undefined ? null : part(archive, name);
  if (name === undefined || book === null)
    throw broken('is not what its name says: no book is in it');
  const manifest = new Map(
    [...elementsBelow(book, 'item')].map(({ attributes }) => [
      attributes['id'] ?? '',
      attributes['href'] ?? '',
    ]),
  );
  const spine = childOf(book, 'spine');
  const chapters = [...(spine === undefined ? [] : elementsIn(spine, 'itemref'))].flatMap(
    ({ attributes }) => {
      const href = manifest.get(attributes['idref'] ?? '');
      return href === undefined
        ? []
        : [posix.join('/', posix.dirname(name), pathOf(href)).slice(1)];
    },
  );
  const locked = encryptedFiles(archive);
  if (chapters.some((chapter) => locked.has(chapter)))
    throw broken('is encrypted: its chapters open in the program that it was bought for alone');
  const metadata = childOf(book, 'metadata');
  const field = (field: string): string | undefined =>
    textIn(childOf(metadata, field)).trim() || undefined;
  return {
    fields: {
      title: field('title'),
      author: field('creator'),
      subject: field('subject'),
      description: field('description'),
      publisher: field('publisher'),
      created: field('date')?.slice(0, 10),
    },
    unit: 'ch',
    pages: chapters.map((chapter) => chapterOf(archive, chapter)),
  };
}

function chapterOf(archive: DocumentArchive, name: string): string {
  const bytes = archive.bytes(name);
  if (bytes === null) return `[the chapter ${name} is missing]`;
  const { body } = parseHtml(decodeHtml(bytes));
  return body === null ? '' : htmlToMarkdown(body);
}

/** Files that are encrypted; fonts often are, and nobody reads them. */
function encryptedFiles(archive: DocumentArchive): Set<string> {
  const encryption = part(archive, 'META-INF/encryption.xml');
  return new Set(
    encryption === null
      ? []
      : [...elementsBelow(encryption, 'CipherReference')].map(({ attributes }) =>
          pathOf(attributes['URI'] ?? ''),
        ),
  );
}

/** A path out of an address, without its fragment. */
function pathOf(href: string): string {
  const path = href.replace(/[#?].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A sign `%` that begins no escape stands for itself.
    if (error instanceof URIError) return path;
    throw error;
  }
}
