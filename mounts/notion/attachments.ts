/**
 * Files and images of a page that lie with Notion: their bytes, beside it. Their addresses hold for
 * an hour and lie elsewhere, so each is asked for anew just before, and the token does not go there.
 */
import { z } from 'zod';
import { dateOf, type Params, type ParamType, type Route } from '../../src/mount/index.ts';
import { type Outline, outlineOf } from './commented.ts';
import { fileIn } from './files-of-blocks.ts';
import { keyOf, keyOfPlace } from './names.ts';
import { blockSchema } from './schemas.ts';
import type { WriteParts } from './write-parts.ts';

/** Bytes by block. */
const FILES = 'files';
/** Of a name, characters. */
const LONGEST = 80;

/** `0123456789ab-report.pdf`: the last digits of the block, which alone count, and what the file is called. */
export const FILE: ParamType = {
  matches: /^[0-9a-f]{12}(?:-[^/\0]*)?$/,
  example: '0123456789ab-report.pdf',
};

const bytesSchema = z.object({ base64: z.string() });

export function attachmentRoutes({ client, store, sync }: WriteParts): Route[] {
  const pageOf = (params: Params) => store.at(params['place'] ?? '');
  const files = (params: Params): Outline => {
    const found = store.outline(keyOfPlace(params['place'] ?? ''));
    return found === null ? [] : outlineOf(found.value).filter(({ file }) => file !== null);
  };
  const find = (params: Params) =>
    files(params).find(({ id }) => keyOf(id) === (params['file'] ?? '').slice(0, 12)) ?? null;
  const held = ({ id, editedAt }: Outline[number]) => {
    const record = store.replica.get(store.mount, FILES, id);
    return record?.updatedAt === editedAt ? record : null;
  };
  const entryOf = (block: Outline[number]) => {
    const record = held(block);
    const mtime = dateOf(block.editedAt);
    return { size: record?.size ?? 1, mtime };
  };
  const fetch = async (block: Outline[number]): Promise<void> => {
    const asked = await client.get(blockSchema, `blocks/${block.id}`, 'a block');
    const file = fileIn(asked);
    if (file === null) return;
    const bytes = await client.file(file.url);
    store.replica.upsert(store.mount, FILES, {
      key: block.id,
      updatedAt: block.editedAt,
      size: Math.max(1, bytes.length),
      path: null,
      value: { base64: Buffer.from(bytes).toString('base64') },
    });
  };
  return [
    {
      pattern: '/:place+/attachments',
      type: 'directory',
      about:
        'files and images of a page that lie with Notion; costs a request for each block with others within',
      hidden: true,
      prepare: async (params) => {
        await sync.ensurePlace(params['place'] ?? '');
      },
      stat: (params) => {
        const head = pageOf(params);
        return head?.path?.endsWith('.md') === true
          ? { size: 1, mtime: dateOf(head.updatedAt) }
          : null;
      },
    },
    {
      pattern: '/:place+/attachments/:file',
      type: 'file',
      about: 'the bytes of one',
      readOnly: 'files are uploaded in Notion',
      costly: (params) => {
        const found = find(params);
        return found !== null && held(found) === null;
      },
      prepare: async (params, purpose) => {
        const page = await sync.ensurePlace(params['place'] ?? '');
        await sync.comments.ensureOutline(page.key);
        const found = purpose === 'read' ? find(params) : null;
        if (found !== null && held(found) === null) await fetch(found);
      },
      entries: (params) =>
        files(params).map((block) => ({ ...entryOf(block), name: nameOf(block) })),
      stat: (params) => {
        const found = find(params);
        return found === null ? null : entryOf(found);
      },
      read: (params) => {
        const found = find(params);
        const record = found === null ? null : held(found);
        if (found === null || record === null) return null;
        const bytes = Buffer.from(bytesSchema.parse(record.value).base64, 'base64');
        return { text: '', bytes, version: record.version, mtime: dateOf(found.editedAt) };
      },
    },
  ];
}

function nameOf({ id, file }: Outline[number]): string {
  const called = (file ?? '')
    .replace(/[/\\\p{Cc}]+/gu, ' ')
    .trim()
    .slice(-LONGEST)
    .trim();
  return called === '' ? keyOf(id) : `${keyOf(id)}-${called}`;
}
