/**
 * What a session's log holds: a header, then entries. The fields of each type
 * are in `schema.ts` (and docs/session.md); here is what code is written with.
 */

/** The version of the file format. */
export const LOG_VERSION = 1;

/** What a caller gives for an entry: its type, and fields of its own. */
export interface EntryDraft {
  type: string;
  [field: string]: unknown;
}

/** The fields that the log itself gives to every entry. */
export const OWN_FIELDS = ['id', 'parentId', 'timestamp', 'prev', 'hash'] as const;

/** One line of the log after the header. */
export interface Entry extends EntryDraft {
  /** A ULID: ids sort by time, and in the order of the file. */
  id: string;
  /** The entry that this one follows in the tree; null for the first. */
  parentId: string | null;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** The hash of the line before. */
  prev: string;
  /** SHA-256, hex, of the line's bytes without this last field. */
  hash: string;
}

/** The first line. */
export interface Header {
  type: 'session';
  version: number;
  id: string;
  created: string;
  /** The session that this one was forked from. */
  parentSession: string | null;
  /** The entry of that session which this one goes on from. */
  parentEntry?: string;
  /** The root of the snapshot that `/workspace` began with; where it is given, `/workspace` lives in snapshots. */
  workspace?: string;
  /** Of a fork: the hash of the parent's entry. */
  prev?: string;
  hash: string;
}

/** Content that is too long for a line: it is in the blob store, by its hash. */
export interface BlobRef {
  /** SHA-256, hex, of the UTF-8 bytes. */
  $blob: string;
  bytes: number;
  /** How it begins. */
  head: string;
  /** The blob is JSON, and stands for the value in it. */
  json?: true;
}

/** A file that a command changed. `before` and `after`: SHA-256 of the content; null where there was none. */
export interface FileChange {
  path: string;
  /** Absent where the path is not part of a snapshot. */
  before?: string | null;
  after?: string | null;
}

/** Parts of messages, as the AI SDK has them; other kinds of parts are kept and passed on. */
export interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

export interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
}

/** `text` and `error-text` have a string as value, `json`, `error-json` and `content` any JSON. */
export interface ToolOutput {
  type: string;
  value?: unknown;
  [field: string]: unknown;
}

export interface Part {
  type: string;
  [field: string]: unknown;
}

/**
 * A message as the AI SDK's `ModelMessage` has it, without `system`: a system
 * prompt is made anew each turn and is no part of the log.
 */
export interface SessionMessage {
  role: 'user' | 'assistant' | 'tool';
  content: string | Part[];
  providerOptions?: unknown;
}

/** What a model's answer cost. */
export interface TokenUsage {
  inputTokens?: number;
  outputTokens?: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

/** A message: of the user, of the assistant, or the results of tools. */
export interface MessageDraft extends EntryDraft {
  type: 'message';
  message: SessionMessage;
  usage?: TokenUsage;
  model?: string;
  finishReason?: string;
}

/** Everything before `firstKeptEntryId` is told by `summary`. Nothing is removed. */
export interface CompactionDraft extends EntryDraft {
  type: 'compaction';
  summary: string;
  firstKeptEntryId: string;
  tokensBefore?: number;
}

export const isMessage = (entry: Entry): entry is Entry & MessageDraft => entry.type === 'message';
export const isCompaction = (entry: Entry): entry is Entry & CompactionDraft =>
  entry.type === 'compaction';
export const isToolCall = (part: Part): part is Part & ToolCallPart => part.type === 'tool-call';
export const isToolResult = (part: Part): part is Part & ToolResultPart =>
  part.type === 'tool-result';

/** The parts of a message; a text alone is one part. */
export function partsOf({ content }: SessionMessage): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The text of a message's text parts. */
export function textOf(message: SessionMessage): string {
  return partsOf(message)
    .map((part) => (part.type === 'text' && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** The text of a tool's output, as a reader sees it. */
export function outputText({ value, reason }: ToolOutput): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return typeof reason === 'string' ? reason : '';
  return JSON.stringify(value);
}
