/** How the comments of a page are made, and their texts changed. */
import {
  type Create,
  type Edit,
  expectShape,
  type Outcome,
  type Params,
  someOf,
  type Values,
} from '../../src/mount/index.ts';
import type { NotionClient } from './client.ts';
import type { Owner } from './commented.ts';
import { MINUTE_MS } from './creates.ts';
import { keyOfPlace } from './names.ts';
import { richText, shownText } from './properties.ts';
import { commentRecord, commentValues } from './records.ts';
import { nameOfUser } from './render.ts';
import { type ApiComment, commentSchema } from './schemas.ts';
import type { WriteParts } from './write-parts.ts';

/** What the comments of a directory belong to. */
export function ownerIn(params: Params): Owner {
  return { key: keyOfPlace(params['place'] ?? ''), block: params['block'] ?? null };
}

/** Changes the text of a comment; Notion lets an integration change its own. */
export function commentEdit(parts: WriteParts): Edit {
  const { store, client } = parts;
  const found = (params: Params) => store.comment(ownerIn(params), params['comment'] ?? '');
  return {
    record: commentRecord,
    current: (params) => {
      const one = found(params);
      if (one === null) return null;
      return {
        values: commentValues(one.comment, (id) => nameOfUser(store, id)),
        version: one.record.version,
      };
    },
    refresh: async (params) => {
      const id = params['comment'] ?? '';
      store.putComment(
        ownerIn(params),
        await client.get(commentSchema, `comments/${id}`, 'a comment'),
      );
    },
    check: async (params, delta) => {
      if (delta['reply_to'] !== undefined)
        return [{ field: 'reply_to', message: 'is of new ones' }];
      const fixed = shownText(found(params)?.comment.rich_text ?? []).fixed;
      return fixed === null ? [] : [{ field: 'body', message: `${fixed}: change it in Notion` }];
    },
    request: (params, delta) => ({
      method: 'PATCH',
      url: `/v1/comments/${params['comment']}`,
      body: { rich_text: richText(String(delta['body'])) },
    }),
    send: async (params, request) => commentMade(parts, params, await client.send(request)),
  };
}

export function commentCreate(parts: WriteParts): Create {
  const { store, sync, client } = parts;
  const discussionOf = (params: Params, values: Values): string | null => {
    const answered = values['reply_to'];
    if (typeof answered !== 'string') return null;
    return store.comment(ownerIn(params), answered)?.comment.discussion_id ?? null;
  };
  return {
    record: commentRecord,
    check: async (params, values) => {
      if (typeof values['reply_to'] !== 'string') return [];
      await sync.comments.ensure(ownerIn(params));
      if (discussionOf(params, values) !== null) return [];
      const ids = store.commentHeads(ownerIn(params)).map(({ key }) => key);
      const known = ids.length === 0 ? 'there is none' : `there are: ${someOf(ids, 10)}`;
      return [{ field: 'reply_to', message: `no open comment here has that id (${known})` }];
    },
    request: (params, values) => {
      const discussion_id = discussionOf(params, values);
      const { key, block } = ownerIn(params);
      const parent = block === null ? { page_id: store.page(key)?.page.id } : { block_id: block };
      return {
        method: 'POST',
        url: '/v1/comments',
        body: {
          ...(discussion_id === null ? { parent } : { discussion_id }),
          rich_text: richText(String(values['body'])),
        },
      };
    },
    send: async (params, request) => commentMade(parts, params, await client.send(request)),
    find: async (params, request, sentAt) => {
      const owner = ownerIn(params);
      const known = new Set(
        store
          .commentHeads(owner)
          .filter(({ checkedAt }) => checkedAt < sentAt)
          .map((head) => head.key),
      );
      const id = owner.block ?? store.page(owner.key)?.page.id ?? '';
      const me = await sync.me();
      const { rich_text, discussion_id } = request.body as {
        rich_text: { text: { content: string } }[];
        discussion_id?: string;
      };
      const wanted = rich_text.map(({ text }) => text.content).join('');
      const found = (await allComments(client, id)).filter(
        (comment) =>
          comment.created_by.id === me &&
          (discussion_id === undefined || comment.discussion_id === discussion_id) &&
          shownText(comment.rich_text).value === wanted &&
          Date.parse(comment.created_time) >= client.serverTime(sentAt) - MINUTE_MS &&
          !known.has(comment.id.replaceAll('-', '')),
      );
      return found.length === 1 ? commentMade(parts, params, found[0]) : null;
    },
  };
}

async function allComments(client: NotionClient, id: string): Promise<ApiComment[]> {
  const comments: ApiComment[] = [];
  for await (const { results } of client.pages('comments', { query: { block_id: id } })) {
    comments.push(...expectShape('Notion', commentSchema.array(), results, 'comments'));
  }
  return comments;
}

function commentMade({ store }: WriteParts, params: Params, answer: unknown): Outcome {
  const comment = expectShape('Notion', commentSchema, answer, 'the comment that was written');
  const owner = ownerIn(params);
  store.putComment(owner, comment);
  const page = store.head(owner.key)?.path?.replace(/\.md$/, '') ?? '';
  const directory = owner.block === null ? `${page}/comments` : `${page}/comments/${owner.block}`;
  return { path: `${directory}/${comment.id.replaceAll('-', '')}.md` };
}
