/**
 * The model's view: the messages of a branch as they are sent. A fold over the
 * log that never changes it: compactions are pointers, pruning is a stub, and
 * dangling calls are answered here.
 */
import { type Entry, isCompaction, isMessage, type SessionMessage } from './entry.ts';
import { healCalls } from './heal.ts';
import { type PruneOptions, pruneResults } from './prune.ts';
import { estimateMessageTokens, estimateTokens } from './tokens.ts';

/** How a view is made. */
export interface ModelViewOptions {
  /** false shows every result whole. */
  prune?: PruneOptions | false;
}

/** What the model is sent. */
export interface ModelView {
  messages: SessionMessage[];
  /** Estimated tokens of the messages; the system prompt is the caller's. */
  tokens: number;
}

const SUMMARY = 'The conversation before this point, in summary:\n\n';
const BRANCH = 'Another branch of this conversation was tried and left. In summary:\n\n';

/**
 * @param entries a branch, or its context (`session.context()`), first to last
 */
export function modelView(entries: readonly Entry[], options: ModelViewOptions = {}): ModelView {
  const healed = healCalls(seen(entries).map(({ message }) => message));
  const messages = options.prune === false ? healed : pruneResults(healed, options.prune);
  return { messages, tokens: estimateTokens(messages) };
}

interface Seen {
  id: string;
  message: SessionMessage;
}

/** The messages that are in view, each with the entry it comes from. */
function seen(entries: readonly Entry[]): Seen[] {
  const compaction = entries.findLast(isCompaction);
  const kept = compaction?.firstKeptEntryId;
  // A pointer to what is not there hides nothing: rather too much than a loss.
  const from =
    kept === undefined
      ? 0
      : Math.max(
          0,
          entries.findIndex(({ id }) => id === kept),
        );
  const view: Seen[] = [];
  if (compaction !== undefined) {
    view.push({ id: compaction.id, message: user(SUMMARY + compaction.summary) });
  }
  for (const entry of entries.slice(from)) {
    if (isMessage(entry)) view.push({ id: entry.id, message: entry.message });
    else if (entry.type === 'branch_summary')
      view.push({ id: entry.id, message: user(BRANCH + String(entry['summary'])) });
  }
  return view;
}

const user = (content: string): SessionMessage => ({ role: 'user', content });

/** When a branch is compacted, and how much of it stays. */
export interface CompactionOptions {
  /** Tokens that the model can read. */
  contextWindow: number;
  /** Kept free for the answer. */
  reserve?: number;
  /** So many user turns at the end always stay verbatim. */
  keepTurns?: number;
  /** More turns stay while they fit in so many tokens. */
  keepTokens?: number;
  /** Tokens of what is sent beside the messages: system prompt, tools. */
  overhead?: number;
  prune?: PruneOptions | false;
}

/** What a compaction is to be made of. */
export interface CompactionPlan {
  /** To be told by the summary, an earlier summary first. */
  toSummarise: SessionMessage[];
  firstKeptEntryId: string;
  tokensBefore: number;
}

const COMPACTION_RESERVE = 16_384;
const KEEP_TURNS = 2;
const KEEP_TOKENS = 20_000;

/** Is a branch too long for the model? */
export function needsCompaction(entries: readonly Entry[], options: CompactionOptions): boolean {
  const { contextWindow, reserve = COMPACTION_RESERVE, overhead = 0 } = options;
  return modelView(entries, options).tokens + overhead > contextWindow - reserve;
}

/**
 * What is wrong with keeping a branch from an entry on; null where nothing is.
 * @param summary what would stand for all before it
 */
export function faultOfCut(
  entries: readonly Entry[],
  { firstKeptEntryId, summary }: { firstKeptEntryId: string; summary: string },
  options: CompactionOptions,
): string | null {
  const view = seen(entries);
  const cut = view.findIndex(({ id }) => id === firstKeptEntryId);
  const first = view[cut];
  if (first === undefined) return `the entry ${firstKeptEntryId} is not in view`;
  const isTurn = entries.some((entry) => entry.id === firstKeptEntryId && isMessage(entry));
  if (!isTurn || first.message.role !== 'user')
    return `the entry ${firstKeptEntryId} does not begin a turn: it is no message of the user`;
  if (cut === 0) return 'nothing stands before the entry that is to be kept first';
  const kept = view.slice(cut).map(({ message }) => message);
  const answered = new Set(kept.flatMap(resultIds));
  if (view.slice(0, cut).some(({ message }) => callIds(message).some((id) => answered.has(id))))
    return `the entry ${firstKeptEntryId} parts calls from their results`;
  const { contextWindow, reserve = COMPACTION_RESERVE, overhead = 0 } = options;
  const shown = options.prune === false ? kept : pruneResults(kept, options.prune);
  const tokens = estimateTokens([user(SUMMARY + summary), ...shown]) + overhead;
  if (tokens <= contextWindow - reserve) return null;
  return `what it keeps, with its summary, is ${tokens} tokens, which do not fit`;
}

const callIds = ({ role, content }: SessionMessage): string[] =>
  role === 'assistant' ? idsOf(content, 'tool-call') : [];
const resultIds = ({ role, content }: SessionMessage): string[] =>
  role === 'tool' ? idsOf(content, 'tool-result') : [];

const idsOf = (content: SessionMessage['content'], type: string): string[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((part) =>
        part.type === type && 'toolCallId' in part ? [String(part.toolCallId)] : [],
      );

/**
 * Where to cut: before a message of the user, so that no call is parted from
 * its result, and before the last two turns. What an earlier compaction kept
 * is either kept again or summarised: nothing falls between the two.
 *
 * @returns null where there is nothing before the turns that stay
 */
export function planCompaction(
  entries: readonly Entry[],
  options: CompactionOptions,
): CompactionPlan | null {
  const { keepTurns = KEEP_TURNS, keepTokens = KEEP_TOKENS } = options;
  const view = seen(entries);
  const summaries = new Set(entries.filter((entry) => !isMessage(entry)).map(({ id }) => id));
  let cut: number | null = null;
  let tokens = 0;
  let turns = 0;
  for (let index = view.length - 1; index > 0; index--) {
    const { id, message } = view[index] as Seen;
    tokens += estimateMessageTokens(message);
    if (turns >= keepTurns && tokens > keepTokens) break;
    if (message.role !== 'user' || summaries.has(id)) continue;
    turns += 1;
    if (turns >= keepTurns) cut = index;
  }
  const first = cut === null ? undefined : view[cut];
  if (cut === null || first === undefined) return null;
  const toSummarise = healCalls(view.slice(0, cut).map(({ message }) => message));
  // An earlier summary alone would only be told again.
  if (toSummarise.length === 0 || (cut === 1 && summaries.has(view[0]?.id ?? ''))) return null;
  return {
    toSummarise,
    firstKeptEntryId: first.id,
    tokensBefore: modelView(entries, options).tokens,
  };
}
