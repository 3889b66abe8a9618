/**
 * Files that a text links to and that lie with the service itself: their bytes, beside the record.
 * They are asked for with its credential, at the service's own place for uploads alone; whatever
 * else a text links to stays a link.
 */
import { z } from 'zod';
import type { Params, ParamType, Route } from './route.ts';
import type { ServiceStore } from './service-store.ts';
import { dateOf } from './tsv.ts';

/** Bytes by address: what lies at one is never another file. */
const UPLOADS = 'uploads';
/** Of a name, characters. */
const LONGEST = 80;

/** A name that a file can have. */
export const UPLOAD_NAME: ParamType = {
  matches: /^(?!\.)[^/\0]+$/,
  example: '1a2b3c4d-screen.png',
};

const bytesSchema = z.object({ base64: z.string() });

/** A file that a text links to. */
export interface Upload {
  name: string;
  url: string;
}

/** Records whose texts link to files. */
export interface UploadPlace {
  /** The pattern of the record's own directory. */
  record: string;
  /** The texts that may link to files; none where there is no such record. Looks at the replica. */
  texts(params: Params): readonly string[];
  /** What a listing of all records needs. */
  needs: readonly string[];
  /** Brings the record in step. Throws ServiceFailure. */
  prepare: NonNullable<Route['prepare']>;
  /**
   * Where a record may have texts that are not held yet: is there such a record? The directory is
   * then found when it is named, and listed once a text links to a file. Looks at the replica.
   */
  isRecord?(params: Params): boolean;
  /** False where it is known, at less than the texts cost, that none links to a file. Looks at the replica. */
  mayLink?(params: Params): boolean;
}

/** What a service says of the files that its texts link to. */
export interface UploadParts {
  /** What sentences call the service. */
  title: string;
  store: ServiceStore;
  /** Is it an address of the service's own uploads? It decides what the credential is sent to. */
  isUpload(url: URL): boolean;
  /** What a file is called, where the end of its address and the text of its link are not it. */
  nameOf?(url: URL, label: string): { id: string; label: string };
  /** Asks for the bytes. Throws ServiceFailure. */
  fetch(url: string): Promise<Uint8Array>;
}

/** The rows of `attachments/` below a record; it is there where a text links to a file. */
export function uploadRoutes(
  parts: UploadParts,
  { record, texts, needs, prepare, isRecord, mayLink }: UploadPlace,
): Route[] {
  const { store, title, fetch } = parts;
  const uploads = (params: Params) => uploadsIn(texts(params), parts);
  const isThere = (params: Params) =>
    isRecord === undefined ? uploads(params).length > 0 : isRecord(params);
  const find = (params: Params) =>
    uploads(params).find(({ name }) => name === params['file']) ?? null;
  const held = (url: string) => store.replica.get(store.mount, UPLOADS, url);
  const isHeld = (url: string) => store.replica.head(store.mount, UPLOADS, url) !== null;
  return [
    {
      pattern: `${record}/attachments`,
      type: 'directory',
      about: `files that were uploaded to ${title} and that its texts link to`,
      where: (params) => mayLink?.(params) !== false && uploads(params).length > 0,
      needs,
      prepare,
      stat: (params) => (isThere(params) ? { size: 1, mtime: dateOf('') } : null),
    },
    {
      pattern: `${record}/attachments/:file`,
      type: 'file',
      about: 'the bytes of one',
      readOnly: `files are uploaded in ${title}`,
      costly: (params) => {
        const found = find(params);
        return found !== null && !isHeld(found.url);
      },
      needs,
      prepare: async (params, purpose, eagerness) => {
        await prepare(params, purpose, eagerness);
        const found = purpose === 'read' ? find(params) : null;
        if (found === null || isHeld(found.url)) return;
        const bytes = await fetch(found.url);
        store.replica.upsert(store.mount, UPLOADS, {
          key: found.url,
          updatedAt: '',
          size: bytes.length,
          path: null,
          value: { base64: Buffer.from(bytes).toString('base64') },
        });
      },
      entries: (params) =>
        uploads(params).map(({ name, url }) => ({ name, ...entryOf(held(url)) })),
      stat: (params) => {
        const found = find(params);
        return found === null ? null : entryOf(held(found.url));
      },
      read: (params) => {
        const found = find(params);
        const record = found === null ? null : held(found.url);
        if (record === null) return null;
        const bytes = Buffer.from(bytesSchema.parse(record.value).base64, 'base64');
        return { text: '', bytes, version: record.version, mtime: dateOf('') };
      },
    },
  ];
}

/** The size is an estimate until the bytes were fetched. */
function entryOf(held: { size: number } | null) {
  const mtime = dateOf('');
  return held === null ? { size: 1, mtime } : { size: held.size, mtime };
}

/**
 * The files that texts link to, in their order. A name begins with the end of the address, so that
 * two files that are called the same have two names, and stays when other links come and go.
 */
export function uploadsIn(
  texts: readonly string[],
  { isUpload, nameOf = endOf }: Pick<UploadParts, 'isUpload' | 'nameOf'>,
): Upload[] {
  const found = new Map<string, Upload>();
  for (const text of texts) {
    for (const { label, address } of linksIn(text)) {
      if (!URL.canParse(address)) continue;
      const url = new URL(address);
      // A name and a password in an address are somebody's, and not the service's.
      if (url.username !== '' || url.password !== '' || !isUpload(url)) continue;
      const name = joined(nameOf(url, label));
      if (!found.has(url.href)) found.set(url.href, { name, url: url.href });
    }
  }
  const taken = new Set<string>();
  return [...found.values()].filter(({ name }) => !taken.has(name) && taken.add(name));
}

/** Links of markdown with their texts, and bare addresses. */
function* linksIn(text: string): Iterable<{ label: string; address: string }> {
  // A label is bounded, and begins at the last bracket: each text is passed over once.
  const link =
    /\[([^[\]\n]{0,200})\]\(\s{0,8}<?(https?:\/\/[^\s<>)]+)|(https?:\/\/[^\s<>()[\]"'`]+)/g;
  for (const [, label = '', linked, bare = ''] of text.matchAll(link)) {
    yield { label, address: linked ?? bare };
  }
}

function endOf({ pathname }: URL, label: string) {
  return { id: pathname.split('/').filter(Boolean).at(-1) ?? '', label };
}

function joined({ id: given, label }: { id: string; label: string }): string {
  const id = given.replace(/[^0-9A-Za-z._-]/g, '').slice(0, 8);
  const called = label.replace(/[/\\\u0000-\u001f\u007f]+/g, ' ').trim();
  return [id.replace(/^\./, '') || 'file', called.slice(0, LONGEST).trim()]
    .filter((part) => part !== '')
    .join('-');
}
