/**
 * After a kill: a call that had begun, and whose answer of the model never
 * reached the log, is put there, so that the model learns of it. It is not run
 * again; that it was interrupted is what the view says of a call without result.
 */
import type { Entry } from '../session/entry.ts';
import type { Transcript } from './transcript.ts';

/** The name of the entry that says that a call begins. */
export const CALL_BEGUN = 'turn/call';

interface BegunData {
  callId: string;
  name: string;
  input: unknown;
}

/** Appends what the log lacks of a killed turn. */
export function adoptUnansweredCalls(transcript: Transcript): void {
  const lost = unansweredCalls(transcript.context());
  if (lost.length === 0) return;
  const content = lost.map(({ callId, name, input }) => ({
    type: 'tool-call',
    toolCallId: callId,
    toolName: name,
    input: typeof input === 'object' && input !== null ? input : {},
  }));
  transcript.appendLater({ type: 'message', message: { role: 'assistant', content } });
}

/** The calls that have begun since the last message, and are in none. */
function unansweredCalls(entries: readonly Entry[]): BegunData[] {
  const last = entries.findLastIndex(({ type }) => type === 'message');
  const known = new Set(entries.flatMap(callsOf));
  return entries
    .slice(last + 1)
    .filter((entry) => entry.type === 'custom' && entry['name'] === CALL_BEGUN)
    .map((entry) => entry['data'] as BegunData)
    .filter(({ callId }) => !known.has(callId));
}

function callsOf(entry: Entry): string[] {
  const content = (entry['message'] as { content?: unknown } | undefined)?.content;
  if (!Array.isArray(content)) return [];
  return (content as { type: string; toolCallId?: string }[])
    .filter(({ type }) => type === 'tool-call')
    .map(({ toolCallId = '' }) => toolCallId);
}
