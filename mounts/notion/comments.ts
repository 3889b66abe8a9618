/** How the comments of a page are made, and their texts changed. */
import { expectShape } from '../../src/mount/failure.ts';
import type { Create, Edit, Outcome, Params } from '../../src/mount/route.ts';
import type { NotionClient } from './client.ts';
import { MINUTE_MS } from './creates.ts';
import { keyOfPlace } from './names.ts';
import { richText, shownText } from './properties.ts';
import { commentRecord, commentValues } from './records.ts';
import { nameOfUser } from './render.ts';
import { type ApiComment, commentSchema } from './schemas.ts';
import type { WriteParts } from './writes.ts';

const keyIn = (params: Params): string => keyOfPlace(params['place'] ?? '');

/** Changes the text of a comment; Notion lets an integration change its own. */
export function commentEdit(parts: WriteParts): Edit {
  const { store, client } = parts;
  const found = (params: Params) => store.comment(keyIn(params), params['comment'] ?? '');
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
        keyIn(params),
        await client.get(commentSchema, `comments/${id}`, 'a comment'),
      );
    },
    check: async (params) => {
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
  return {
    record: commentRecord,
    request: (params, values) => ({
      method: 'POST',
      url: '/v1/comments',
      body: {
        parent: { page_id: store.page(keyIn(params))?.page.id },
        rich_text: richText(String(values['body'])),
      },
    }),
    send: async (params, request) => commentMade(parts, params, await client.send(request)),
    find: async (params, request, sentAt) => {
      const key = keyIn(params);
      const known = new Set(
        store
          .commentHeads(key)
          .filter(({ checkedAt }) => checkedAt < sentAt)
          .map((head) => head.key),
      );
      const page = store.page(key)?.page.id ?? '';
      const me = await sync.me();
      const { rich_text } = request.body as { rich_text: { text: { content: string } }[] };
      const wanted = rich_text.map(({ text }) => text.content).join('');
      const found = (await allComments(client, page)).filter(
        (comment) =>
          comment.created_by.id === me &&
          shownText(comment.rich_text).value === wanted &&
          Date.parse(comment.created_time) >= client.serverTime(sentAt) - MINUTE_MS &&
          !known.has(comment.id.replaceAll('-', '')),
      );
      return found.length === 1 ? commentMade(parts, params, found[0]) : null;
    },
  };
}

async function allComments(client: NotionClient, page: string): Promise<ApiComment[]> {
  const comments: ApiComment[] = [];
  for await (const { results } of client.pages('comments', { query: { block_id: page } })) {
    comments.push(...expectShape('Notion', commentSchema.array(), results, 'comments'));
  }
  return comments;
}

function commentMade({ store }: WriteParts, params: Params, answer: unknown): Outcome {
  const comment = expectShape('Notion', commentSchema, answer, 'the comment that was written');
  store.putComment(keyIn(params), comment);
  const page = store.head(keyIn(params))?.path?.replace(/\.md$/, '') ?? '';
  return { path: `${page}/comments/${comment.id.replaceAll('-', '')}.md` };
}
