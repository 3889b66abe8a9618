/** What the formats of Office Open XML have in common: parts, relations, properties. */
import { posix } from 'node:path';
import { broken } from '../fault.ts';
import { childOf, elementsIn, parseXml, textIn, type XmlElement } from './xml.ts';
import { DocumentArchive } from './zip.ts';

/** Opens a document. @param main a part that every one of its format has */
export function openOffice(bytes: Uint8Array, main: string): DocumentArchive {
  const archive = new DocumentArchive(bytes);
  if (archive.names.includes(main) || mainPart(archive) !== null) return archive;
  throw broken(`is not what its name says: it has no ${main}`);
}

/** The part that a document begins with, as its relations say. */
export function mainPart(archive: DocumentArchive): string | null {
  for (const { type, target } of relationsOf(archive, '').values())
    if (type.endsWith('/officeDocument')) return target;
  return null;
}

/** A part as XML; null where it is not there. */
export function part(archive: DocumentArchive, name: string): XmlElement | null {
  const text = archive.text(name);
  return text === null ? null : parseXml(text);
}

/** The relations of a part, by their ids; targets by their names in the archive. */
export function relationsOf(
  archive: DocumentArchive,
  name: string,
): Map<string, { type: string; target: string }> {
  const directory = posix.dirname(name);
  const file = posix.join(directory, '_rels', `${posix.basename(name)}.rels`);
  const relations = part(archive, file);
  const found = new Map<string, { type: string; target: string }>();
  for (const { attributes } of relations === null ? [] : elementsIn(relations, 'Relationship')) {
    const { Id = '', Type = '', Target = '', TargetMode } = attributes;
    if (TargetMode === 'External') continue;
    const target = posix.join('/', Target.startsWith('/') ? '' : directory, Target).slice(1);
    found.set(Id, { type: Type, target });
  }
  return found;
}

/** Title, author and the rest of what a document says of itself. */
export function coreFields(archive: DocumentArchive): Record<string, string | undefined> {
  const core = part(archive, 'docProps/core.xml');
  const field = (name: string): string | undefined =>
    core === null ? undefined : textIn(childOf(core, name)) || undefined;
  return {
    title: field('title'),
    author: field('creator'),
    subject: field('subject'),
    keywords: field('keywords'),
    created: field('created')?.slice(0, 10),
    updated: field('modified')?.slice(0, 10),
  };
}
