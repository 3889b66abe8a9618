/**
 * Makes room where a conversation has grown too long: what is worth keeping
 * goes to /memory, what is old is told by a summary. The log loses nothing: a
 * compaction is a pointer. Whatever fails here, the turn goes on.
 */
import { generateText, type LanguageModel } from 'ai';
import { z } from 'zod';
import { sentenceOf } from '../errors.ts';
import { inTime } from '../parts/in-time.ts';
import type { Entry } from '../session/entry.ts';
import {
  type CompactionOptions,
  type CompactionPlan,
  faultOfCut,
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

/** What a compaction of the deployment's own is asked for. */
export interface CompactionRequest {
  /** The branch as the log has it, from the first entry on that is still in view. */
  entries: readonly Entry[];
  /** What the house would summarise, as text; credentials are taken out. */
  conversation: string;
  /** The entry that the house would keep first: a message of the user. */
  firstKeptEntryId: string;
  /** Tokens of the view now, of what is sent beside it, and what the model can read. */
  tokens: number;
  overhead: number;
  contextWindow: number;
  /** The services whose text is in the entries: it gives no orders. */
  untrusted: readonly string[];
}

/** Summarises in the place of the house: the part `compaction`. */
export interface Compaction {
  /**
   * It has two minutes. What it gives is checked, and where it cannot be used the house summarises.
   * @returns the summary, and the message of the user that is kept first, the house's own if absent;
   *   or null to leave it to the house
   */
  compact(
    request: CompactionRequest,
    options: { signal: AbortSignal },
  ): CompactionAnswer | null | Promise<CompactionAnswer | null>;
}

/** What stands in the place of the past. */
export interface CompactionAnswer {
  /** What is told of it; not empty. */
  summary: string;
  /** The entry from which on all stays as it was: the first of a turn; by default the house's own choice. */
  firstKeptEntryId?: string | undefined;
}

const answerSchema = z
  .strictObject({
    summary: z.string().trim().min(1, 'must not be empty'),
    firstKeptEntryId: z.string().optional(),
  })
  .nullable();

const PART_MS = 120_000;

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
  /** Of the deployment's own; null where the house summarises. */
  part: Compaction | null;
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
  const summarised = { plan, conversation, untrusted: untrustedOf(entries) };
  if (!(await compactByPart(options, entries, summarised, signal)))
    await compact(options, summarised, signal);
  return true;
}

/** What is to be summarised. */
interface Summarised {
  plan: CompactionPlan;
  conversation: string;
  untrusted: readonly string[];
}

/** @returns false where it is left to the house; why is said, unless the part itself wants it so */
async function compactByPart(
  { part, transcript, window, instructions }: CompactorOptions,
  entries: readonly Entry[],
  { plan, conversation, untrusted }: Summarised,
  signal: AbortSignal,
): Promise<boolean> {
  if (part === null) return false;
  const { overhead = 0, contextWindow } = window;
  const request: CompactionRequest = {
    entries,
    conversation,
    firstKeptEntryId: plan.firstKeptEntryId,
    tokens: plan.tokensBefore,
    overhead,
    contextWindow,
    untrusted,
  };
  try {
    const given = await inTime(PART_MS, (stop) => part.compact(request, { signal: stop }), signal);
    const answer = answerSchema.parse(given ?? null);
    if (answer === null) return false;
    const { firstKeptEntryId = plan.firstKeptEntryId } = answer;
    const summary = [redacted(answer.summary), ...standingSections(instructions)].join('\n\n');
    const fault = faultOfCut(entries, { firstKeptEntryId, summary }, window);
    if (fault !== null) throw new Error(fault);
    keepSummary(transcript, { summary, firstKeptEntryId, plan, untrusted });
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    const message = error instanceof z.ZodError ? z.prettifyError(error) : sentenceOf(error);
    transcript.append({ type: 'custom', name: 'turn/compaction-fallback', data: { message } });
    const text = `the compaction of this deployment cannot be used, the house summarises: ${message}`;
    transcript.emit({ type: 'notice', text });
    return false;
  }
}

/** A summary stands for what was before an entry from now on. */
function keepSummary(
  transcript: Transcript,
  kept: Pick<Summarised, 'plan' | 'untrusted'> & {
    summary: string;
    firstKeptEntryId: string;
    data?: object;
  },
): Entry {
  const { plan, untrusted, summary, firstKeptEntryId, data } = kept;
  return transcript.append({
    type: 'compaction',
    summary,
    firstKeptEntryId,
    tokensBefore: plan.tokensBefore,
    // A summary of such text is such text.
    ...(untrusted.length === 0 ? {} : { untrusted }),
    ...(data === undefined ? {} : { data }),
  });
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
  { plan, conversation, untrusted }: Summarised,
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
  const { firstKeptEntryId } = plan;
  const data = { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
  return keepSummary(transcript, { summary, firstKeptEntryId, plan, untrusted, data });
}

/** All eight headings, in order, whatever the model wrote; nothing of that is lost. */
function withHeadings(text: string): string {
  const sections = new Map<string, string>();
  const add = (heading: string, more: string): void => {
    const all = [sections.get(heading) ?? '', more.trim()].filter((each) => each !== '');
    sections.set(heading, all.join('\n'));
  };
  const [preface = '', ...rest] = text.split(/^#{1,3} +(?=\S)/m);
  add('Summary', preface);
  for (const section of rest) {
    const [title = '', ...body] = section.split('\n');
    const heading = HEADINGS.find((each) => each.toLowerCase() === title.trim().toLowerCase());
    if (heading === undefined) add('Summary', section);
    else add(heading, body.join('\n'));
  }
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
