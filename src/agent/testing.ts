/** What a turn stands on, in memory: a transcript, a model that answers by a script, and a world's access. */
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { z } from 'zod';
import { FsError } from '../errors.ts';
import type { Entry, EntryDraft, SessionMessage } from '../session/entry.ts';
import { modelView } from '../session/model-view.ts';
import { type AgentTool, defineTool } from './tool.ts';
import type { Transcript, TurnEvent } from './transcript.ts';
import { runTurn, type Turn } from './turn.ts';
import type { TurnResult } from './turn-result.ts';
import type { CallAccess } from './world-access.ts';

export interface MemoryTranscript extends Transcript {
  /** What was appended, in order. */
  readonly entries: Entry[];
  /** Types or names of those that were durable before anything else was done, and `sign`. */
  readonly durable: string[];
  readonly events: TurnEvent[];
  messages(): SessionMessage[];
  /** Entries of a type, or of a name. */
  named(name: string): Entry[];
}

const nameOf = ({ type, name }: EntryDraft): string => String(name ?? type);

export function memoryTranscript(before: readonly EntryDraft[] = []): MemoryTranscript {
  const entries: Entry[] = [];
  const durable: string[] = [];
  const events: TurnEvent[] = [];
  const put = (draft: EntryDraft): Entry => {
    const at = entries.length;
    const own = { parentId: at === 0 ? null : `e${at - 1}`, timestamp: '', prev: '', hash: '' };
    const entry = { id: `e${at}`, ...own, ...draft };
    entries.push(entry);
    return entry;
  };
  for (const draft of before) put(draft);
  const messages = (): SessionMessage[] =>
    entries.flatMap((each) => (each['message'] as SessionMessage | undefined) ?? []);
  return {
    id: 'session-1',
    entries,
    durable,
    events,
    messages,
    named: (name) => entries.filter((each) => nameOf(each) === name),
    append: (draft) => {
      durable.push(nameOf(draft));
      return put(draft);
    },
    appendLater: (draft) => void put(draft),
    emit: (event) => void events.push(event),
    sign: () => void durable.push('sign'),
    context: () => [...entries],
    view: () => modelView(entries) as ReturnType<Transcript['view']>,
  };
}

/** A message as the log has it. */
export const said = (role: SessionMessage['role'], content: SessionMessage['content']) => ({
  type: 'message',
  message: { role, content },
});

export interface ScriptedCall {
  call: string;
  /** Its arguments, as JSON or as the text that they are. */
  input?: unknown;
}
/** A text, a call of a tool, or where the answer breaks off; alone, an error is what there is instead of an answer. */
export type ScriptedReply = Error | readonly (string | ScriptedCall | Error)[];

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P>
    ? P
    : never;
type Part =
  | { type: 'text'; text: string }
  | { type: 'error'; error: Error }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string };

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model that gives one reply after the other, and `done` when there are no more. */
export function scriptedModel(replies: readonly ScriptedReply[] = []): MockLanguageModelV4 {
  let asked = 0;
  const next = (): Part[] => {
    const reply = replies[asked++] ?? ['done'];
    if (reply instanceof Error) throw reply;
    return reply.map((each, at) => {
      if (typeof each === 'string') return { type: 'text', text: each };
      if (each instanceof Error) return { type: 'error', error: each };
      const { call, input = {} } = each;
      return {
        type: 'tool-call',
        toolCallId: `call-${asked}-${at}`,
        toolName: call,
        input: typeof input === 'string' ? input : JSON.stringify(input),
      };
    });
  };
  const finishReason = { unified: 'stop' as const, raw: undefined };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = next().filter((part) => part.type !== 'error');
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
    doStream: async () => {
      const chunks = next().flatMap((part, at): StreamPart[] => {
        if (part.type !== 'text') return [part];
        const id = String(at);
        return [
          { type: 'text-start', id },
          { type: 'text-delta', id, delta: part.text },
          { type: 'text-end', id },
        ];
      });
      const begin: StreamPart = { type: 'stream-start', warnings: [] };
      const end: StreamPart = { type: 'finish', finishReason, usage: USAGE };
      const stream = simulateReadableStream({
        chunks: [begin, ...chunks, end],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      });
      return { stream };
    },
  });
}

/** What a model was sent: the system prompt, and each message as `role: text`. */
export function sentTo(model: MockLanguageModelV4): { system: string; messages: string[] }[] {
  return [...model.doStreamCalls, ...model.doGenerateCalls].map(({ prompt }) => ({
    system: prompt.flatMap((each) => (each.role === 'system' ? each.content : [])).join('\n'),
    messages: prompt.flatMap((each) =>
      each.role === 'system'
        ? []
        : `${each.role}: ${each.content
            .map((part) => {
              if (part.type === 'text') return part.text;
              return part.type === 'tool-result' && 'value' in part.output
                ? String(part.output.value)
                : part.type;
            })
            .join(' ')}`,
    ),
  }));
}

export interface MemoryAccess extends CallAccess {
  /** Each list of services whose text came in. */
  readonly noted: (readonly string[])[];
  /** What is on the disk, by path. */
  readonly disk: Map<string, string>;
}

/** Access to a disk of a few files, for a turn and for each of its calls. */
export function memoryAccess(
  more: Partial<CallAccess> = {},
  disk = new Map<string, string>(),
): MemoryAccess {
  const noted: (readonly string[])[] = [];
  const textAt = (path: string): string => {
    const text = disk.get(path);
    if (text === undefined) throw new FsError('ENOENT', { path, op: 'open' });
    return text;
  };
  type FileStat = Awaited<ReturnType<CallAccess['files']['stat']>>;
  const files: Partial<CallAccess['files']> = {
    exists: async (path) => disk.has(path),
    readFileBuffer: async (path) => new TextEncoder().encode(textAt(path)),
    realpath: async (path) => path,
    stat: async (path) => {
      textAt(path);
      return { isFile: true, isDirectory: false, mtime: new Date(0) } as FileStat;
    },
    writeFile: async (path, content) => void disk.set(path, String(content)),
  };
  const access: MemoryAccess = {
    noted,
    disk,
    files: files as CallAccess['files'],
    cwd: '/workspace',
    jobs: () => [],
    permit: async () => ({ decision: 'allow', rule: 'test', reason: '' }),
    ask: async () => {
      throw new Error('nobody is there to be asked');
    },
    exec: async () => {
      throw new Error('there is no shell');
    },
    noteUntrusted: async (origins) => void noted.push(origins),
    forCall: () => access,
    origins: () => [],
    filesRead: () => [],
    rules: () => [],
    ...more,
  };
  return access;
}

/** A tool that gives a text, or what a function makes of it. */
export function probe(
  run: (input: { n?: number | undefined }) => Promise<string> = async () => 'probed',
  more: Partial<AgentTool> = {},
): AgentTool {
  const input = z.strictObject({ n: z.number().optional() });
  return { ...defineTool({ name: 'probe', description: 'A probe.', input, run }), ...more };
}

/** A turn of a scripted model that has a probe. */
export function scriptedTurn(
  replies: readonly ScriptedReply[],
  more: Partial<Turn> = {},
): {
  transcript: MemoryTranscript;
  model: MockLanguageModelV4;
  access: MemoryAccess;
  run(): Promise<TurnResult>;
} {
  const transcript = memoryTranscript();
  const model = scriptedModel(replies);
  const access = memoryAccess();
  const turn: Turn = {
    prompt: 'the prompt',
    access,
    transcript,
    model,
    modelId: 'openai/scripted',
    system: 'You are one.',
    tools: [probe()],
    budget: { exceeded: () => null },
    signal: new AbortController().signal,
    maxRetries: 0,
    ...more,
  };
  return { transcript, model, access, run: () => runTurn(turn) };
}
