/**
 * The session: an append-only tree in a file, from which everything can be
 * rebuilt. What a turn needs:
 *
 *     const place = sessionPlace(state);                  // STATE/sessions, STATE/blobs
 *     const session = createSession(place);               // or resumeSession(place, id)
 *
 *     session.message({ role: 'user', content: 'Fix the tests.' });
 *     if (needsCompaction(session.context(), { contextWindow: 200_000 })) {
 *       const plan = planCompaction(session.context(), { contextWindow: 200_000 });
 *       // … let a model summarise plan.toSummarise, which begins with the earlier summary …
 *       session.append({ type: 'compaction', summary, firstKeptEntryId: plan.firstKeptEntryId });
 *     }
 *     const { messages } = modelView(session.context());  // for the AI SDK's `messages`
 *     session.message(answer, { usage, model });          // an assistant's or a tool's message
 *     session.emit({ type: 'text_delta', text });         // told to session.events(), not kept
 *
 * An entry is on the disk when `append` or `message` returns: act on it only
 * then. Whatever fails there (a full disk) is thrown, and ends the turn.
 * `modelView` heals calls that have no result, and replaces older results by
 * stubs; the log keeps them whole. `session.travel(id)` goes on from an earlier
 * entry, `forkSession` in a session of its own.
 */
export {
  isToolCall,
  isToolResult,
  type SessionMessage,
} from './entry.ts';
export { SessionFile } from './file.ts';
export { forkSession } from './fork.ts';
export type { SessionLog } from './log.ts';
export {
  modelView,
  needsCompaction,
  planCompaction,
} from './model-view.ts';
export { createSession, resumeSession } from './open.ts';
export { sessionPlace } from './place.ts';
export { pruneResults } from './prune.ts';
