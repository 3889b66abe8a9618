/** Sessions, what happens in them, and messages to them. */
import { randomUUID } from 'node:crypto';
import type { Submitted } from '../conversations.ts';
import type { FeedEvent } from '../feed.ts';
import { type QueuedTurn, toldTurn } from '../queue/turn.ts';
import type { Service } from '../service.ts';
import { body, json, route } from './describe.ts';
import type { ServeApp } from './identity.ts';
import * as schemas from './schemas.ts';
import type { EventStreams, StreamedEvent } from './streams.ts';

const listSessions = route(
  'get',
  '/v1/sessions',
  'Sessions, the newest first',
  { query: schemas.sessionQuery },
  { 200: json(schemas.session.array(), 'Those that whoever asks may see') },
);
const postSession = route('post', '/v1/sessions', 'Begin a session', body(schemas.sessionDraft), {
  201: json(schemas.session, 'It has begun'),
});
const getSession = route(
  'get',
  '/v1/sessions/{session}',
  'A session',
  { params: schemas.sessionParams },
  { 200: json(schemas.session, 'It') },
);
const listEntries = route(
  'get',
  '/v1/sessions/{session}/entries',
  'What the log of a session has, in its order; long outputs are references',
  { params: schemas.sessionParams, query: schemas.entryQuery },
  { 200: json(schemas.entry.array(), 'Entries') },
);
const getEntry = route(
  'get',
  '/v1/sessions/{session}/entries/{entry}',
  'An entry, whole',
  { params: schemas.entryParams },
  { 200: json(schemas.entry, 'It') },
);
const getChanged = route(
  'get',
  '/v1/sessions/{session}/entries/{entry}/changed',
  'What a command did to files, by the entry of its end: as patches',
  { params: schemas.entryParams },
  { 200: json(schemas.changedFiles, 'Up to 50 files') },
);
const postFork = route(
  'post',
  '/v1/sessions/{session}/entries/{entry}/fork',
  'Begin a session that goes on from an entry, with /workspace as it was then',
  { params: schemas.entryParams },
  { 201: json(schemas.session, 'It has begun') },
);
const getEvents = route(
  'get',
  '/v1/sessions/{session}/events',
  'What happens in a session, as it happens: entries (with their ids), what passes and is not kept, and steps of messages',
  { params: schemas.sessionParams, query: schemas.eventQuery },
  {
    200: {
      description:
        'Server-sent events: "entry" with an id, "turn", and the types that pass, such as "text-delta"',
      content: { 'text/event-stream': { schema: schemas.text } },
    },
  },
);
const listMessages = route(
  'get',
  '/v1/sessions/{session}/messages',
  'Messages of a session, in their order',
  { params: schemas.sessionParams, query: schemas.messageQuery },
  { 200: json(schemas.message.array(), 'Messages') },
);
const postMessage = route(
  'post',
  '/v1/sessions/{session}/messages',
  'Say something: it is queued; "/steer TEXT" is said to the turn that runs, "/stop" ends it',
  { params: schemas.sessionParams, ...body(schemas.messageDraft) },
  { 202: json(schemas.submitted, 'It is on the disk') },
);
const postStop = route(
  'post',
  '/v1/sessions/{session}/stop',
  'Stop the turn that runs, or is parked',
  { params: schemas.sessionParams },
  { 200: json(schemas.stopped, 'Whether there was one') },
);
const listAllMessages = route(
  'get',
  '/v1/messages',
  'Messages of all sessions, in their order',
  { query: schemas.messageQuery },
  { 200: json(schemas.message.array(), 'Messages') },
);
const getMessage = route(
  'get',
  '/v1/messages/{id}',
  'A message, and what became of it',
  { params: schemas.rowParams },
  { 200: json(schemas.message, 'It') },
);

const ENTRIES = 200;

const toldOf = ({ turn, ...rest }: Submitted) => ({
  ...rest,
  message: turn === null ? null : toldTurn(turn),
});

export function conversationRoutes(
  app: ServeApp,
  { conversations, changedFiles }: Service,
  streams: EventStreams,
): void {
  app.openapi(listSessions, (c) =>
    c.json(conversations.list(c.get('caller'), c.req.valid('query')), 200),
  );
  app.openapi(postSession, (c) => {
    const { agent = null } = c.req.valid('json');
    return c.json(conversations.create(c.get('caller'), agent), 201);
  });
  app.openapi(getSession, (c) =>
    c.json(conversations.get(c.get('caller'), c.req.valid('param').session), 200),
  );
  app.openapi(listEntries, (c) => {
    const { after, limit = ENTRIES } = c.req.valid('query');
    const { session } = c.req.valid('param');
    return c.json(conversations.entries(c.get('caller'), session, after, limit), 200);
  });
  app.openapi(getEntry, (c) => {
    const { session, entry } = c.req.valid('param');
    return c.json(conversations.entry(c.get('caller'), session, entry), 200);
  });
  app.openapi(getChanged, async (c) => {
    const { session, entry } = c.req.valid('param');
    return c.json(await changedFiles.list(c.get('caller'), session, entry), 200);
  });
  app.openapi(postFork, (c) => {
    const { session, entry } = c.req.valid('param');
    return c.json(conversations.fork(c.get('caller'), session, entry), 201);
  });
  app.openapi(listMessages, (c) => {
    const { session } = c.req.valid('param');
    const filter = { session, ...filterOf(c.req.valid('query')) };
    return c.json(conversations.messages(c.get('caller'), filter).map(toldTurn), 200);
  });
  app.openapi(listAllMessages, (c) =>
    c.json(
      conversations.messages(c.get('caller'), filterOf(c.req.valid('query'))).map(toldTurn),
      200,
    ),
  );
  app.openapi(getMessage, (c) =>
    c.json(toldTurn(conversations.message(c.get('caller'), c.req.valid('param').id)), 200),
  );
  app.openapi(postMessage, (c) => {
    const { text, key = randomUUID(), mode, model, plan = false } = c.req.valid('json');
    const submitted = conversations.submit(c.get('caller'), c.req.valid('param').session, {
      text,
      key,
      plan,
      ...(mode === undefined ? {} : { mode }),
      ...(model === undefined ? {} : { model }),
    });
    return c.json(toldOf(submitted), 202);
  });
  app.openapi(postStop, (c) => {
    const { session } = c.req.valid('param');
    return c.json({ stopped: conversations.stop(c.get('caller'), session) }, 200);
  });
  app.openapi(getEvents, (c) => {
    const caller = c.get('caller');
    const { session } = c.req.valid('param');
    const { after } = c.req.valid('query');
    const last = c.req.header('last-event-id') ?? after ?? null;
    const follow = (signal: AbortSignal) =>
      conversations.follow(caller, session, last === 'start' ? '' : last, signal);
    return streams.send(c, follow, lineOf);
  });
}

const filterOf = ({
  state,
  after,
  limit,
}: {
  state?: QueuedTurn['state'] | undefined;
  after?: string | undefined;
  limit?: number | undefined;
}) => ({
  ...(state === undefined ? {} : { states: [state] }),
  ...(after === undefined ? {} : { after }),
  ...(limit === undefined ? {} : { limit }),
});

/** An event of the feed as it goes over the wire. */
function lineOf(event: FeedEvent): StreamedEvent {
  switch (event.kind) {
    case 'entry':
      return { event: 'entry', id: event.entry.id, data: JSON.stringify(event.entry) };
    case 'turn':
      return { event: 'turn', data: JSON.stringify(toldTurn(event.turn)) };
    case 'passing':
      return { event: event.event.type, data: JSON.stringify(event.event) };
  }
}
