/**
 * Makes room where a conversation has grown too long: what is worth keeping
 * goes to /memory, what is old is told by a summary. The log loses nothing: a
 * compaction is a pointer. Whatever fails here, the turn goes on.
 */
import { generateText, type LanguageModel } from 'ai';
import type { Entry } from '../session/entry.ts';
import {
  type CompactionOptions,
  type CompactionPlan,
  needsCompaction,
  planCompaction,
} from '../session/model-view.ts';
import { conversationText } from './conversation-text.ts';
import type { Instructions } from './harness-view.ts';
import { redacted } from './redact.ts';
import type { Transcript } from './transcript.ts';
import { untrustedOf } from './untrusted.ts';
import type { WorldAccess } from './world-access.ts';

/** What a summary has, in this order. */
export const HEADINGS = [
  'Summary',
  'Decisions',
  'Files Read',
  'Files Modified',
  'Commands Run',
  'Tools Used',
  'Open TODOs',
  'Risks/Concerns',
] as const;

/** Sections of AGENTS.md that are put in again after a compaction. */
const STANDING = ['Session Startup', 'Red Lines'];

const FLUSH =
  'You keep the memory of an agent. From the conversation that follows, write down what will still matter on another day: facts about the user, the work and the services, decisions and their reasons. One line each, beginning with "- ", self-contained, with dates and paths. No secrets. If there is nothing, answer with NONE alone.';

/** What a compactor is made with. */
export interface CompactorOptions {
  transcript: Transcript;
  access: WorldAccess;
  /** The model and the system prompt of the agent `compact`. */
  model: LanguageModel;
  system: string;
  instructions: readonly Instructions[];
  /** How much the model of the turn can read, and what is sent beside the messages. Tokens. */
  window: Pick<CompactionOptions, 'contextWindow' | 'overhead'>;
  /** Is there a /memory to write to? */
  memory: boolean;
  now: () => Date;
}

/**
 * Summarises what was said before the last turns, whether or not it must be.
 * @returns false where there is nothing to summarise
 */
export async function compactContext(
  options: CompactorOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { transcript, window } = options;
  const entries = transcript.context();
  const plan = planCompaction(entries, window);
  if (plan === null) return false;
  const conversation = redacted(conversationText(plan.toSummarise));
  await flushMemory(options, conversation, signal);
  await compact(options, plan, conversation, untrustedOf(entries), signal);
  return true;
}

/** Compacts if it must; before each request of a turn. */
export async function fitContext(options: CompactorOptions, signal: AbortSignal): Promise<void> {
  const { transcript, window } = options;
  const entries = transcript.context();
  if (!needsCompaction(entries, window) || planCompaction(entries, window) === null) return;
  try {
    transcript.emit({ type: 'notice', text: 'the conversation is summarised' });
    await compactContext(options, signal);
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    transcript.append({ type: 'custom', name: 'turn/compaction-failed', data: { message } });
    transcript.emit({ type: 'notice', text: `the summary failed, the turn goes on: ${message}` });
  }
}

async function compact(
  { transcript, model, system, instructions }: CompactorOptions,
  { firstKeptEntryId, tokensBefore }: CompactionPlan,
  conversation: string,
  untrusted: readonly string[],
  signal: AbortSignal,
): Promise<Entry> {
  const prompt = `${conversation}\n\nSummarise the conversation above under these headings, in this order, each a line "## NAME": ${HEADINGS.join(', ')}. Where there is nothing, write "none".`;
  const { text, usage } = await generateText({
    model,
    instructions: system,
    prompt,
    abortSignal: signal,
  });
  const summary = [withHeadings(redacted(text)), ...standingSections(instructions)].join('\n\n');
  return transcript.append({
    type: 'compaction',
    summary,
    firstKeptEntryId,
    tokensBefore,
    // A summary of such text is such text.
    ...(untrusted.length === 0 ? {} : { untrusted }),
    data: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
  });
}

/** All eight headings, in order, whatever the model wrote. */
function withHeadings(text: string): string {
  const sections = new Map<string, string>();
  const [preface = '', ...rest] = text.split(/^#{1,3} +(?=\S)/m);
  for (const section of rest) {
    const [title = '', ...body] = section.split('\n');
    const heading = HEADINGS.find((each) => each.toLowerCase() === title.trim().toLowerCase());
    if (heading !== undefined) sections.set(heading, body.join('\n').trim());
    else sections.set('Summary', `${sections.get('Summary') ?? ''}\n${section}`.trim());
  }
  const summary = [preface.trim(), sections.get('Summary') ?? ''].filter((each) => each !== '');
  sections.set('Summary', summary.join('\n'));
  return HEADINGS.map((heading) => `## ${heading}\n${sections.get(heading) || 'none'}`).join(
    '\n\n',
  );
}

/** `## Session Startup` and `## Red Lines` of every AGENTS.md. */
function standingSections(instructions: readonly Instructions[]): string[] {
  return instructions.flatMap(({ path, text }) => {
    const sections = text
      .split(/^(?=#{1,3} )/m)
      .filter((section) => STANDING.some((name) => section.replace(/^#+ /, '').startsWith(name)));
    return sections.length === 0 ? [] : [`From ${path}:\n\n${sections.join('\n').trim()}`];
  });
}

/** A silent request before the summary: what is to outlive the session. */
async function flushMemory(
  { access, model, memory, transcript, now }: CompactorOptions,
  conversation: string,
  signal: AbortSignal,
): Promise<void> {
  if (!memory) return;
  const { text } = await generateText({
    model,
    instructions: FLUSH,
    prompt: conversation,
    abortSignal: signal,
  });
  const facts = redacted(text)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  if (facts.length === 0) return;
  const file = `/memory/${now().toISOString().slice(0, 10)}.md`;
  const before = (await access.files.exists(file))
    ? Buffer.from(await access.files.readFileBuffer(file)).toString('utf8')
    : '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  await access.files.writeFile(file, `${before}${gap}${facts.join('\n')}\n`);
  transcript.append({ type: 'custom', name: 'turn/memory', data: { file, facts: facts.length } });
}
