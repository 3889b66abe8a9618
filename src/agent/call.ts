/**
 * One call of a tool, from its arrival in the stream to a result that the
 * model reads. Nothing thrown leaves here: whatever goes wrong is a result.
 */

import { isFsError } from '../errors.ts';
import { TrafficSpans } from '../telemetry/traffic.ts';
import { type AgentTool, type ToolContext, ToolFault, type ToolOutput } from './tool.ts';
import type { CallAccess } from './world-access.ts';

/** A call, as the model made it. */
export interface ToolCall {
  id: string;
  name: string;
  /** Parsed; where the arguments were no JSON, their text. */
  input: unknown;
  /** What the arguments are if they cannot be parsed. */
  malformed?: string;
}

/** How a call failed; `tool` is what the tool itself reported. */
export type FailureKind = 'unknown-tool' | 'validation' | 'tool' | 'unexpected';

/** What became of a call. */
export interface CallResult extends ToolOutput {
  failure?: FailureKind;
  /** Files that it has read, where that is to be told. */
  filesRead?: readonly string[];
  /** Names of the deployment's rules for paths that it has met. */
  rules?: readonly string[];
  /** It was run a second time. */
  retried?: boolean;
}

/** Runs a call to its result. */
export async function runCall(
  call: ToolCall,
  tools: ReadonlyMap<string, AgentTool>,
  context: ToolContext,
): Promise<CallResult> {
  const tool = tools.get(call.name);
  if (tool === undefined) return unknownTool(call.name, tools);
  if (call.malformed !== undefined) {
    return invalid(tool, [`the arguments are not valid JSON: ${excerpt(call.malformed)}`]);
  }
  const prepared = tool.prepare(call.input);
  if ('faults' in prepared) return invalid(tool, prepared.faults);
  const { onParked, span } = context;
  const traffic = span === undefined ? null : new TrafficSpans(span);
  const access = context.access.forCall({
    signal: context.signal,
    ...(onParked === undefined ? {} : { onParked }),
    ...(traffic === null ? {} : { onTraffic: (event) => traffic.take(event) }),
  });
  const refused = await permission(tool, call, access);
  if (refused !== null) {
    traffic?.close();
    return refused;
  }
  const perform = () => prepared.value({ ...context, access });
  const work = span === undefined ? perform : () => span.within(perform);
  try {
    return await runWork(tool, work, context.signal, access);
  } finally {
    traffic?.close();
  }
}

async function runWork(
  tool: AgentTool,
  work: () => Promise<ToolOutput>,
  signal: AbortSignal,
  access: CallAccess,
): Promise<CallResult> {
  const first = await attempt(work);
  if (!tool.repeatable || !first.transient || signal.aborted)
    return withOrigins(first.result, access);
  const second = await attempt(work);
  return withOrigins({ ...second.result, retried: true }, access);
}

/** The policy is asked before every tool; null where it allows. It fails closed. */
async function permission(
  tool: AgentTool,
  { input }: ToolCall,
  access: CallAccess,
): Promise<CallResult | null> {
  const { name, host = false, readOnly } = tool;
  try {
    const facts = { name, host, readOnly, input: JSON.stringify(input) ?? 'null' };
    const { decision, reason } = await access.permit(facts);
    return decision === 'allow' ? null : failed('tool', `${name}: Permission denied\n${reason}`);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return failed('tool', `${name}: Permission denied\nthe gate failed, which refuses: ${what}`);
  }
}

/** Names the services that the text may come from: what the work says of it, and what it has read. */
async function withOrigins(given: CallResult, access: CallAccess): Promise<CallResult> {
  const rules = access.rules();
  const filesRead = access.filesRead();
  const result = {
    ...given,
    ...(rules.length === 0 ? {} : { rules }),
    ...(filesRead.length === 0 ? {} : { filesRead }),
  };
  const untrusted = [...new Set([...(result.untrusted ?? []), ...access.origins()])];
  if (untrusted.length === 0) return result;
  await access.noteUntrusted(untrusted);
  return { ...result, untrusted };
}

async function attempt(
  work: () => Promise<ToolOutput>,
): Promise<{ result: CallResult; transient: boolean }> {
  try {
    return { result: await work(), transient: false };
  } catch (error) {
    return { result: failureOf(error), transient: isTransient(error) };
  }
}

/** Errnos of what may have passed a moment later. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'EAGAIN',
  'EBUSY',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);

function isTransient(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TRANSIENT.has(String(error.code));
}

function failureOf(error: unknown): CallResult {
  if (isFsError(error)) {
    const reason = error.reason === undefined ? '' : `\n${error.reason}`;
    return failed('tool', `${error.path}: ${error.strerror}${reason}`);
  }
  if (error instanceof ToolFault) return failed('tool', error.message);
  const message = error instanceof Error ? error.message : String(error);
  return failed('unexpected', `the tool broke: ${message}`);
}

function unknownTool(name: string, tools: ReadonlyMap<string, AgentTool>): CallResult {
  const names = [...tools.keys()];
  const known =
    names.length === 0 ? 'no tool can be called now' : `the tools are ${names.join(', ')}`;
  return failed('unknown-tool', `there is no tool "${name}"; ${known}`);
}

function invalid(tool: AgentTool, faults: readonly string[]): CallResult {
  const { properties = {}, required = [] } = tool.inputSchema;
  const fields = Object.keys(properties).map((each) =>
    required.includes(each) ? each : `${each} (optional)`,
  );
  const takes = fields.length === 0 ? 'nothing' : fields.join(', ');
  return failed(
    'validation',
    `the input of ${tool.name} is not valid, and nothing was done:\n${faults
      .map((fault) => `- ${fault}`)
      .join('\n')}\nIt takes: ${takes}.`,
  );
}

const failed = (failure: FailureKind, text: string): CallResult => ({
  text,
  failed: true,
  failure,
});

/** Long arguments are named by how they begin and end. Characters. */
const EXCERPT = 200;

function excerpt(text: string): string {
  if (text.length <= EXCERPT) return text;
  return `${text.slice(0, EXCERPT / 2)} … ${text.slice(-EXCERPT / 2)}`;
}
