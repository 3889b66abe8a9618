/** The human's view: what happened on a branch, whole, in order, nothing pruned and nothing left out by a compaction. */
import {
  type Entry,
  type FileChange,
  isMessage,
  isToolCall,
  isToolResult,
  outputText,
  partsOf,
  type SessionMessage,
} from './entry.ts';
import { isBookkeeping } from './tree.ts';

/** A command that was run, or is running, or was interrupted. */
export interface CommandItem {
  kind: 'command';
  /** Of its end, at which /workspace is as the command left it; of its start where it has no end. */
  id: string;
  timestamp: string;
  command: string;
  /** The model's call that it was run for. */
  toolCallId: string | null;
  cwd: string | null;
  /** null where it never ended. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  requests: number;
  changed: FileChange[];
}

/** What a person reads, one after the other. */
export type HumanItem =
  | CommandItem
  | {
      kind: 'user' | 'assistant';
      id: string;
      timestamp: string;
      text: string;
      model: string | null;
    }
  | { kind: 'reasoning'; id: string; timestamp: string; text: string }
  | {
      kind: 'call';
      id: string;
      timestamp: string;
      toolCallId: string;
      tool: string;
      input: string;
    }
  | {
      kind: 'result';
      id: string;
      timestamp: string;
      toolCallId: string;
      tool: string;
      text: string;
      failed: boolean;
    }
  /** Anything else that is worth a line: a change, a compaction, another model. */
  | { kind: 'note'; id: string; timestamp: string; type: string; title: string; text: string };

/** @param branch first to last, with long outputs */
export function humanView(branch: readonly Entry[]): HumanItem[] {
  const ends = new Map<string, Entry>();
  for (const entry of branch)
    if (entry.type === 'bash_end') ends.set(String(entry['start']), entry);
  return branch.flatMap((entry) => itemsOf(entry, ends.get(entry.id)));
}

function itemsOf(entry: Entry, end: Entry | undefined): HumanItem[] {
  if (isMessage(entry))
    return messageItems(entry, entry.message, (entry['model'] as string) ?? null);
  if (entry.type === 'bash_start') return [commandItem(entry, end)];
  if (entry.type === 'bash_end' || isBookkeeping(entry.type)) return [];
  const { id, timestamp } = entry;
  return [{ kind: 'note', id, timestamp, type: entry.type, ...describeNote(entry) }];
}

function commandItem(start: Entry, end: Entry | undefined): CommandItem {
  const text = (name: string): string => (typeof end?.[name] === 'string' ? end[name] : '');
  return {
    kind: 'command',
    id: end?.id ?? start.id,
    timestamp: start.timestamp,
    command: String(start['command']),
    toolCallId: typeof start['toolCallId'] === 'string' ? start['toolCallId'] : null,
    cwd: typeof start['cwd'] === 'string' ? start['cwd'] : null,
    exitCode: typeof end?.['exitCode'] === 'number' ? end['exitCode'] : null,
    stdout: text('stdout'),
    stderr: text('stderr'),
    requests: typeof end?.['requests'] === 'number' ? end['requests'] : 0,
    changed: Array.isArray(end?.['changed']) ? (end['changed'] as FileChange[]) : [],
  };
}

function messageItems(entry: Entry, message: SessionMessage, model: string | null): HumanItem[] {
  const { id, timestamp } = entry;
  const items: HumanItem[] = [];
  for (const part of partsOf(message)) {
    const text = typeof part['text'] === 'string' ? part['text'] : '';
    if (isToolCall(part)) {
      const input = JSON.stringify(part.input, null, 2) ?? '';
      const { toolCallId, toolName: tool } = part;
      items.push({ kind: 'call', id, timestamp, toolCallId, tool, input });
    } else if (isToolResult(part)) {
      const { output, toolCallId, toolName: tool } = part;
      const failed = /^(error|execution-denied)/.test(output.type);
      const text = outputText(output);
      items.push({ kind: 'result', id, timestamp, toolCallId, tool, text, failed });
    } else if (part.type === 'reasoning') {
      items.push({ kind: 'reasoning', id, timestamp, text });
    } else if (part.type === 'text' && message.role !== 'tool') {
      items.push({ kind: message.role, id, timestamp, text, model });
    } else {
      const title = part.type;
      items.push({ kind: 'note', id, timestamp, type: 'part', title, text: mediaText(part) });
    }
  }
  return items;
}

const mediaText = (part: object): string =>
  'mediaType' in part && typeof part.mediaType === 'string' ? part.mediaType : '';

/** A line about an entry that is neither a message nor a command. */
export function describeNote(entry: Entry): { title: string; text: string } {
  const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
  switch (entry.type) {
    case 'compaction':
      return { title: 'compaction', text: text('summary') };
    case 'branch_summary':
      return { title: 'summary of another branch', text: text('summary') };
    case 'model_change':
      return { title: 'model', text: text('model') };
    case 'change':
    case 'approval': {
      const fact = (entry[entry.type] ?? {}) as Record<string, unknown>;
      const where = `${fact['mount'] ?? ''}${fact['path'] ?? ''}`;
      const words = [fact['op'], where, fact['id']].filter((word) => word !== undefined);
      return { title: `${entry.type} ${fact['state'] ?? ''}`.trim(), text: words.join(' ') };
    }
    case 'question': {
      const { state, question, answer } = (entry['question'] ?? {}) as Record<string, unknown>;
      const answered = answer == null ? '' : `: ${JSON.stringify(answer)}`;
      return { title: `question ${state ?? ''}`.trim(), text: `${question ?? ''}${answered}` };
    }
    case 'custom':
      return { title: text('name') || 'custom', text: dataText(entry['data']) };
    default: {
      const { id: _, parentId: _p, timestamp: _t, type, prev: _v, hash: _h, ...rest } = entry;
      return { title: type, text: dataText(rest) };
    }
  }
}

const dataText = (data: unknown): string =>
  typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
