/**
 * Healing: a model refuses a call without a result, and a result without a
 * call. A killed turn leaves the one, a torn history the other.
 */
import {
  isToolCall,
  isToolResult,
  type Part,
  partsOf,
  type SessionMessage,
  type ToolCallPart,
  type ToolResultPart,
} from './entry.ts';

/** What the model reads where a call was never answered. */
const INTERRUPTED =
  '[interrupted — the tool gave no result; what it had begun may have happened, and it is not run again by itself]';

/**
 * Messages in which every call is followed at once by exactly one result, the
 * results in the order of the calls. What is whole already stays as it is.
 */
export function healCalls(messages: readonly SessionMessage[]): SessionMessage[] {
  const results = resultsById(messages);
  const called = new Set<string>();
  const healed: SessionMessage[] = [];
  for (const message of messages) {
    if (message.role === 'tool') continue;
    const calls: ToolCallPart[] = [];
    const parts = partsOf(message);
    const ownResults = new Set(parts.filter(isToolResult).map(({ toolCallId }) => toolCallId));
    const content = parts.filter((part) => {
      if (!isToolCall(part)) return true;
      // The same call twice can be answered only once.
      if (called.has(part.toolCallId)) return false;
      called.add(part.toolCallId);
      if (!ownResults.has(part.toolCallId)) calls.push(part);
      return true;
    });
    if (content.length === 0 && parts.length > 0) continue;
    healed.push(content.length === parts.length ? message : { ...message, content });
    if (calls.length > 0) healed.push(answers(calls, results));
  }
  return healed;
}

/** The first result of each call. */
function resultsById(messages: readonly SessionMessage[]): Map<string, ToolResultPart & Part> {
  const results = new Map<string, ToolResultPart & Part>();
  for (const message of messages) {
    if (message.role !== 'tool') continue;
    for (const part of partsOf(message)) {
      if (isToolResult(part) && !results.has(part.toolCallId)) results.set(part.toolCallId, part);
    }
  }
  return results;
}

function answers(
  calls: readonly ToolCallPart[],
  results: ReadonlyMap<string, Part>,
): SessionMessage {
  return {
    role: 'tool',
    content: calls.map((call) => results.get(call.toolCallId) ?? interrupted(call)),
  };
}

function interrupted({ toolCallId, toolName }: ToolCallPart): Part & ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: 'error-text', value: INTERRUPTED },
  };
}
