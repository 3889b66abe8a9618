/** What a session spent, folded over its entries: the content of `usage.json`. */
import type { Entry, MessageDraft } from './entry.ts';

/** Sums over all branches: travelling back gives nothing back. */
export interface SessionUsage {
  entries: number;
  commands: number;
  messages: { user: number; assistant: number; tool: number };
  tokens: { input: number; output: number; cachedInput: number; reasoning: number };
  /** Requests to services. */
  requests: number;
  /** Bytes received from and sent to services. */
  bytes: number;
  /** Requests and bytes by mount point. */
  mounts: Record<string, { requests: number; bytes: number; behind?: { requests: number } }>;
  /** Tokens by model. */
  models: Record<string, { input: number; output: number }>;
}

export function newUsage(): SessionUsage {
  return {
    entries: 0,
    commands: 0,
    messages: { user: 0, assistant: 0, tool: 0 },
    tokens: { input: 0, output: 0, cachedInput: 0, reasoning: 0 },
    requests: 0,
    bytes: 0,
    mounts: {},
    models: {},
  };
}

/** Adds what one entry says to the sums. */
export function foldUsage(usage: SessionUsage, entry: Entry): void {
  usage.entries += 1;
  if (entry.type === 'bash_start') usage.commands += 1;
  else if (entry.type === 'bash_end') foldCommand(usage, entry);
  else if (entry.type === 'message') foldMessage(usage, entry as Entry & MessageDraft);
}

function foldCommand(usage: SessionUsage, entry: Entry): void {
  usage.requests += number(entry['requests']);
  const spent = entry['spent'];
  if (typeof spent !== 'object' || spent === null) return;
  for (const [point, cost] of Object.entries(spent as SessionUsage['mounts'])) {
    usage.mounts[point] ??= { requests: 0, bytes: 0 };
    const sum = usage.mounts[point];
    sum.requests += number(cost.requests);
    // The command's own are counted above; these are the rest.
    usage.requests += number(cost.behind?.requests);
    sum.bytes += number(cost.bytes);
    usage.bytes += number(cost.bytes);
  }
}

function foldMessage(usage: SessionUsage, { message, usage: cost, model }: MessageDraft): void {
  const role = message?.role;
  if (role in usage.messages) usage.messages[role] += 1;
  if (cost === undefined) return;
  const input = number(cost.inputTokens);
  const output = number(cost.outputTokens);
  usage.tokens.input += input;
  usage.tokens.output += output;
  usage.tokens.cachedInput += number(cost.cachedInputTokens);
  usage.tokens.reasoning += number(cost.reasoningTokens);
  if (model === undefined) return;
  usage.models[model] ??= { input: 0, output: 0 };
  usage.models[model].input += input;
  usage.models[model].output += output;
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
