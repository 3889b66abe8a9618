/**
 * The one estimator of tokens: what triggers a compaction, where it cuts, and
 * what is pruned are all measured with it, so that they cannot disagree.
 */
import { outputText, partsOf, type SessionMessage } from './entry.ts';

const BYTES_PER_TOKEN = 4;
/** The frame around each message. */
const MESSAGE_TOKENS = 4;
/** An image or a file costs about this, whatever its bytes. */
const MEDIA_TOKENS = 1200;

/** Tokens of a text: a quarter of its UTF-8 bytes, rounded up. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Tokens of one message, its frame included. */
export function estimateMessageTokens(message: SessionMessage): number {
  let sum = MESSAGE_TOKENS;
  for (const part of partsOf(message)) {
    if (part.type === 'image' || part.type === 'file' || part.type === 'reasoning-file') {
      sum += MEDIA_TOKENS;
    } else if (part.type === 'tool-result') {
      sum += estimateTextTokens(outputText(part['output'] as Parameters<typeof outputText>[0]));
    } else if (part.type === 'tool-call') {
      sum += estimateTextTokens(`${part['toolName']}${JSON.stringify(part['input']) ?? ''}`);
    } else {
      sum += estimateTextTokens(typeof part['text'] === 'string' ? part['text'] : '');
    }
  }
  return sum;
}

/** Tokens of messages. */
export function estimateTokens(messages: readonly SessionMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}
