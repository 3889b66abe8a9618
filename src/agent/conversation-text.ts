/** A conversation as one text, for a model that summarises it. */
import {
  isToolCall,
  isToolResult,
  outputText,
  partsOf,
  type SessionMessage,
} from '../session/entry.ts';
import { clipped } from './tools/clip.ts';

/** Of a result of a tool. Characters. */
const LONGEST_RESULT = 2000;

export function conversationText(messages: readonly SessionMessage[]): string {
  return messages.map(messageText).join('\n\n');
}

function messageText(message: SessionMessage): string {
  const lines = partsOf(message).map((part) => {
    if (isToolCall(part)) return `[call ${part.toolName}] ${JSON.stringify(part.input)}`;
    if (isToolResult(part)) {
      return `[result of ${part.toolName}] ${clipped(outputText(part.output), LONGEST_RESULT)}`;
    }
    return typeof part['text'] === 'string' ? part['text'] : `[${part.type}]`;
  });
  return `${message.role}: ${lines.join('\n')}`;
}
