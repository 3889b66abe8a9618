/** Pruning: older results of tools give way to a stub in the model's view. The log keeps them whole. */
import {
  isToolResult,
  outputText,
  type Part,
  type SessionMessage,
  type ToolOutput,
  type ToolResultPart,
} from './entry.ts';
import { estimateTextTokens } from './tokens.ts';

/** What is pruned. */
export interface PruneOptions {
  /** The newest results stay whole up to so many tokens. */
  keepTokens?: number;
  /** Results of these tools always stay whole. */
  never?: readonly string[];
}

const KEEP_TOOL_TOKENS = 40_000;
const NEVER_PRUNED: readonly string[] = ['skill', 'delegate'];

const STUB = /^\[pruned \d+ bytes — re-run the tool if you need this output\]$/;

/** What stands for an output of so many bytes. */
const stubOf = (bytes: number): string =>
  `[pruned ${bytes} bytes — re-run the tool if you need this output]`;

/**
 * Messages with older results as stubs: ids and names of calls stay, and so
 * does the batch of results at the end, which the model has not seen yet.
 * Pruning what is pruned changes nothing.
 */
export function pruneResults(
  messages: readonly SessionMessage[],
  options: PruneOptions = {},
): SessionMessage[] {
  const keepTokens = options.keepTokens ?? KEEP_TOOL_TOKENS;
  const never = new Set(options.never ?? NEVER_PRUNED);
  const batch = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  const pruned = [...messages];
  let kept = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || typeof message.content === 'string') continue;
    const content: Part[] = [...message.content];
    for (let at = content.length - 1; at >= 0; at--) {
      const part = content[at];
      if (part === undefined || !isToolResult(part) || !isPrunable(part, never)) continue;
      kept += estimateTextTokens(outputText(part.output));
      if (index < batch && kept > keepTokens) content[at] = { ...part, output: stub(part.output) };
    }
    pruned[index] = { ...message, content };
  }
  return pruned;
}

/** A stub is not pruned again, nor what is no longer than its stub. */
function isPrunable({ toolName, output }: ToolResultPart, never: ReadonlySet<string>): boolean {
  if (never.has(toolName)) return false;
  const text = outputText(output);
  const bytes = Buffer.byteLength(text);
  return !STUB.test(text) && bytes > Buffer.byteLength(stubOf(bytes));
}

function stub(output: ToolOutput): ToolOutput {
  const value = stubOf(Buffer.byteLength(outputText(output)));
  return { type: output.type.startsWith('error') ? 'error-text' : 'text', value };
}
