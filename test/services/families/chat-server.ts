/** The service behind that chat: in memory, with what a test seeds. */
import type { IncomingMessage } from 'node:http';
import type { StandIn } from '../../../src/mount-testing/index.ts';
import { serveJson } from './serve-json.ts';

export interface Said {
  message_id: string;
  chat: string;
  create_time: number;
  update_time?: number;
  sender: { id: string };
  body: { content: string };
  root?: string;
  uuid?: string;
}

export interface ChatStandIn extends StandIn<readonly Said[]> {
  /** The code that the next request is refused with. */
  refuses(code: number): void;
}

const HOUR_MS = 3_600_000;
const [ME, ADA] = ['ou_me', 'ou_ada'];

export async function startChat(): Promise<ChatStandIn> {
  const now = Date.now();
  let made = 0;
  let refused: number | null = null;
  const said: Said[] = [];
  const say = (content: string, more: Partial<Said> = {}): Said => {
    made += 1;
    const message_id = `om_${made.toString(36)}`;
    const one: Said = {
      message_id,
      chat: 'oc_dock',
      create_time: now + made,
      sender: { id: ME },
      body: { content },
      ...more,
    };
    said.push(one);
    return one;
  };
  say('Long ago', { create_time: now - 40 * 24 * HOUR_MS });
  const first = say('Who has the key?', { create_time: now - 5 * HOUR_MS, sender: { id: ADA } });
  say('I do', { create_time: now - 4 * HOUR_MS, root: first.message_id });
  say('Mine', { create_time: now - 3 * HOUR_MS });
  for (const hour of [2, 1])
    say(`Said ${hour}`, { create_time: now - hour * HOUR_MS, sender: { id: ADA } });

  const shown = (one: Said) => ({
    ...one,
    create_time: String(one.create_time),
    replies: said.filter(({ root }) => root === one.message_id).length,
  });
  const answer = (request: IncomingMessage, body: unknown): [number, unknown] => {
    const { pathname, searchParams: asked } = new URL(request.url ?? '', 'http://chat');
    const code = refused;
    refused = null;
    if (code !== null) return [200, { code, msg: 'as the test wants it' }];
    const [, what, id = ''] = pathname.split('/');
    if (what === 'me') return ok({ open_id: ME, name: 'Dirigent' });
    if (what === 'users')
      return paged(asked, [
        { open_id: ME, en_name: 'dirigent', profile: { name: 'Dirigent' } },
        { open_id: ADA, en_name: 'ada', profile: { name: 'Ada Lovelace' } },
      ]);
    if (what === 'chats' && id === '')
      return paged(asked, [
        { chat_id: 'oc_dock', name: 'dock', joined: true, create_time: now - 90 * 24 * HOUR_MS },
        { chat_id: 'oc_gate', name: 'gate', joined: false, create_time: now },
      ]);
    if (what === 'messages') return changed(request.method, id, body as { content: string } | null);
    if (request.method === 'GET') return paged(asked, listed(id, asked).map(shown));
    const { content, root, uuid } = body as { content: string; root?: string; uuid: string };
    const before = said.find((one) => one.uuid === uuid);
    const more = { chat: id, create_time: Date.now(), uuid, ...(root !== undefined && { root }) };
    return ok({ message: shown(before ?? say(content, more)) });
  };
  const listed = (chat: string, asked: URLSearchParams): Said[] => {
    const [root, one] = [asked.get('root'), asked.get('message_id')];
    return said
      .filter((each) => each.chat === chat && (each.root ?? null) === root)
      .filter(({ message_id }) => one === null || message_id === one)
      .filter(({ create_time }) => create_time >= Number(asked.get('start_time') ?? 0))
      .sort((a, b) => b.create_time - a.create_time);
  };
  const changed = (
    method = '',
    id: string,
    body: { content: string } | null,
  ): [number, unknown] => {
    const index = said.findIndex(({ message_id }) => message_id === id);
    const one = said[index];
    if (one === undefined) return [200, { code: 230110, msg: 'it was deleted' }];
    if (one.sender.id !== ME) return [200, { code: 230002, msg: 'not yours' }];
    if (method === 'DELETE') return said.splice(index, 1).length > 0 ? ok({}) : ok({});
    one.body.content = body?.content ?? '';
    one.update_time = Date.now();
    // The answer of a change says nothing of the answers.
    const { replies: _, ...message } = shown(one);
    return ok({ message });
  };
  const { url, close } = await serveJson(answer);
  return {
    url,
    close,
    held: () => said,
    refuses: (code) => {
      refused = code;
    },
    add: (title) => void say(title, { create_time: Date.now() }),
    removeRecord: () =>
      void said.splice(
        said.findIndex(({ body }) => body.content === 'Mine'),
        1,
      ),
  };
}

const ok = (data: unknown): [number, unknown] => [200, { code: 0, msg: 'ok', data }];

function paged(asked: URLSearchParams, items: readonly unknown[]): [number, unknown] {
  const from = Number(asked.get('page_token') ?? 0);
  const to = from + Number(asked.get('page_size') ?? 3);
  return ok({
    items: items.slice(from, to),
    page_token: to < items.length ? String(to) : '',
  });
}
