/** `comments/` of a page, and of each of its blocks: found when named, in no walk. */
import {
  type Params,
  type ParamType,
  type Route,
  recordEntry,
  renderTemplate,
} from '../../src/mount/index.ts';
import { commentCreate, commentEdit, ownerIn } from './comments.ts';
import { keyOfPlace } from './names.ts';
import { commentRecord } from './records.ts';
import * as render from './render.ts';
import type { WriteParts } from './write-parts.ts';

/** An id as Notion writes it in addresses: of a comment, or of a block as `blocks.tsv` has it. */
export const PLAIN_ID: ParamType = {
  matches: /^[0-9a-f]{32}$/,
  example: '0123456789abcdef0123456789abcdef',
};

const placeIn = (params: Params): string => params['place'] ?? '';
const keyIn = (params: Params): string => keyOfPlace(placeIn(params));

export function commentRoutes(parts: WriteParts): Route[] {
  const { store, sync } = parts;
  const pageAt = (params: Params) => {
    const head = store.at(placeIn(params));
    return head?.path?.endsWith('.md') === true ? recordEntry(head) : null;
  };
  const inPage = {
    prepare: async (params: Params) => {
      await sync.ensurePlace(placeIn(params));
    },
  };
  return [
    {
      pattern: '/:place+/comments',
      type: 'directory',
      about: 'the open comments of a page; costs a request',
      hidden: true,
      ...inPage,
      stat: pageAt,
    },
    {
      pattern: '/:place+/comments/blocks.tsv',
      type: 'file',
      about:
        'the blocks of a page: id, depth, type, text; costs a request for each that has others within',
      hidden: true,
      costly: true,
      prepare: async (params, purpose) => {
        await sync.ensurePlace(placeIn(params));
        if (purpose === 'read') await sync.comments.ensureOutline(keyIn(params));
      },
      stat: pageAt,
      read: (params) => render.outlineContent(store, keyIn(params)),
    },
    ...threads(parts, '/:place+/comments', 'a comment', inPage),
    {
      pattern: '/:place+/comments/:block',
      type: 'directory',
      about: 'the open comments on a single block, by its id; costs a request',
      hidden: true,
      ...inPage,
      stat: pageAt,
    },
    ...threads(parts, '/:place+/comments/:block', 'a comment on a block', inPage),
  ];
}

/** The comments in a directory, and how one is made there. */
function threads(
  parts: WriteParts,
  directory: string,
  about: string,
  inPage: Pick<Route, 'prepare'>,
): Route[] {
  const { store, sync } = parts;
  const found = (params: Params) => store.comment(ownerIn(params), params['comment'] ?? '');
  return [
    {
      pattern: `${directory}/new.md`,
      type: 'file',
      about:
        'write the text of a new comment here; with `reply_to: ID` between lines `---` before it, an answer',
      hidden: true,
      ...inPage,
      read: () => ({ text: renderTemplate(commentRecord), version: '', mtime: new Date(0) }),
      create: commentCreate(parts),
    },
    {
      pattern: `${directory}/:comment.md`,
      type: 'file',
      about,
      document: directory === '/:place+/comments',
      prepare: async (params) => {
        await sync.ensurePlace(placeIn(params));
        await sync.comments.ensure(ownerIn(params));
        await sync.ensureUsers();
      },
      entries: (params) => store.commentHeads(ownerIn(params)).map(recordEntry),
      stat: (params) => {
        const record = found(params)?.record ?? null;
        return record === null ? null : recordEntry(record);
      },
      read: (params) => render.commentContent(store, ownerIn(params), params['comment'] ?? ''),
      edit: commentEdit(parts),
      removeHint: 'a comment that is deleted cannot be brought back: delete it in Notion',
    },
  ];
}
