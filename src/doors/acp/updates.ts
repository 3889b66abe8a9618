/** What an editor is shown of a turn, and of a conversation from before. */
import type { SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { type Approval, actorText } from '../../policy/approval.ts';
import { isTransient, type SessionEvent } from '../../session/events.ts';
import { escapeLine, escapeText } from '../../visible.ts';
import type { Names } from './names.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'execute',
  read: 'read',
  write: 'edit',
  edit: 'edit',
  verify: 'read',
  skill: 'think',
};

/** The longest line about a call. Characters. */
const TITLE = 120;

export const text = (words: string): { type: 'text'; text: string } => ({
  type: 'text',
  text: words,
});

/** Words as a block of code, which nothing in them ends. */
function fenced(words: string, language = ''): string {
  const longest = Math.max(0, ...(words.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${words.replace(/\n$/, '')}\n${fence}`;
}

/** What a call of a tool has among its arguments. */
const inputSchema = z.object({
  path: z.string().optional(),
  command: z.string().optional(),
  content: z.string().optional(),
  old: z.string().optional(),
  new: z.string().optional(),
});

const startSchema = z.object({ callId: z.string(), name: z.string(), input: z.unknown() });
const endSchema = z.object({
  callId: z.string(),
  text: z.string().optional(),
  failed: z.boolean().optional(),
  failure: z.string().optional(),
});

function titleOf(name: string, input: unknown): string {
  const { command, path } = inputSchema.safeParse(input).data ?? {};
  const [first = ''] = (command ?? path ?? '').trim().split('\n');
  const title = escapeLine(`${name} ${first}`.trim());
  return title.length > TITLE ? `${title.slice(0, TITLE)}…` : title;
}

/** Where an edit is, and what it is, before it is made. */
function aboutFiles(name: string, input: unknown, names: Names) {
  const { path: named, content, old, new: replaced } = inputSchema.safeParse(input).data ?? {};
  if (named === undefined) return {};
  const path = names.outside(named);
  const locations = [{ path }];
  const [oldText, newText] = name === 'write' ? [null, content] : [old, replaced];
  if (newText === undefined) return { locations };
  const diff: ToolCallContent = { type: 'diff', path, oldText: oldText ?? null, newText };
  return { locations, content: [diff] };
}

/** An event of a turn, as the editor is told it; null for what it is not told. */
export function updateOf(event: SessionEvent, names: Names): SessionUpdate | null {
  if (!isTransient(event)) return null;
  switch (event.type) {
    case 'text-delta':
      return { sessionUpdate: 'agent_message_chunk', content: text(String(event['text'])) };
    case 'reasoning-delta':
      return { sessionUpdate: 'agent_thought_chunk', content: text(String(event['text'])) };
    case 'tool-start': {
      const { callId, name, input } = startSchema.parse(event);
      return {
        sessionUpdate: 'tool_call',
        toolCallId: callId,
        title: titleOf(name, input),
        kind: KINDS[name] ?? 'other',
        status: 'in_progress',
        rawInput: input,
        ...aboutFiles(name, input, names),
      };
    }
    case 'tool-end': {
      const { callId, text: said = '', failed, failure } = endSchema.parse(event);
      const shown: ToolCallContent = { type: 'content', content: text(fenced(escapeText(said))) };
      const isFailed = failed === true || failure !== undefined;
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: callId,
        status: isFailed ? 'failed' : 'completed',
        // What was edited stays to be seen.
        ...(said === '' ? {} : { content: [shown] }),
      };
    }
    default:
      return null;
  }
}

const partSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const messageSchema = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(partSchema)]),
});

/** The messages of an entry of the log, as they were said. */
export function replayOf(event: SessionEvent): SessionUpdate[] {
  const message = messageSchema.safeParse(event['message']).data;
  if (event.type !== 'message' || message === undefined) return [];
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const sessionUpdate = role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
  return parts.flatMap((part) =>
    part.type === 'text' && typeof part.text === 'string'
      ? [{ sessionUpdate, content: text(part.text) }]
      : [],
  );
}

/** What a person is shown who is asked: the operations, why, and the very change. */
export function askedText({ reason, change, operations, ...whose }: Approval): string {
  const list = operations.map(({ op, path }) => `- ${op} ${escapeLine(path)}`).join('\n');
  const what = change === null ? '' : `\n\n${fenced(escapeText(change), 'diff')}`;
  return `${escapeLine(actorText(whose))} wants to:\n${list}\n\n${escapeLine(reason)}${what}`;
}
