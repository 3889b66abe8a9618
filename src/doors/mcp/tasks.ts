/** The extension for tasks (SEP-2663): a call that takes long is a handle, which the client comes back with. */
import {
  type CallToolResult,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Call, KEPT_MS } from './calls.ts';
import { capabilitiesOf } from './capabilities.ts';
import { type McpClient, takeAnswer } from './client.ts';
import { inputFor } from './questions.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
const POLL_MS = 1_000;

export const canTakeTasks = ({ extensions }: ClientCapabilities): boolean =>
  extensions?.[TASKS] !== undefined;

const named = z.object({ taskId: z.string() });

/** The fields that a task has wherever it is told of. */
const fieldsOf = (call: Call<CallToolResult>, status: string) => ({
  taskId: call.id,
  status,
  createdAt: call.began.toISOString(),
  lastUpdatedAt: new Date().toISOString(),
  ttlMs: KEPT_MS,
  pollIntervalMs: POLL_MS,
});

/** What answers the call itself: it is a task from now on. */
export const taskResult = (call: Call<CallToolResult>): CallToolResult =>
  ({ resultType: 'task', ...fieldsOf(call, 'working') }) as unknown as CallToolResult;

/** Serves what a client does with its tasks. */
export function serveTasks(server: Server, client: McpClient): void {
  const find = (id: string, { mcpReq }: ServerContext): Call<CallToolResult> => {
    // Who says nothing of tasks was given none.
    if (!canTakeTasks(capabilitiesOf(server, mcpReq)))
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    const call = client.calls.get(id);
    if (call !== undefined) return call;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `there is no task ${id}: it was never here, or ended more than ten minutes ago`,
    );
  };
  server.setRequestHandler('tasks/get', { params: named }, async ({ taskId }, context) =>
    stateOf(find(taskId, context)),
  );
  server.setRequestHandler('tasks/update', { params: named }, async ({ taskId }, context) => {
    const call = find(taskId, context);
    const { question } = call;
    if (question !== null) await takeAnswer(client, call, question, context.mcpReq.inputResponses);
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: named }, async ({ taskId }, context) => {
    find(taskId, context).abort();
    return {};
  });
}

async function stateOf(call: Call<CallToolResult>): Promise<Record<string, unknown>> {
  try {
    const next = await call.next(0);
    if ('ended' in next) {
      if (call.aborted) return fieldsOf(call, 'cancelled');
      return { ...fieldsOf(call, 'completed'), result: next.ended };
    }
    if ('goesOn' in next) return fieldsOf(call, 'working');
    const inputRequests = inputFor(next.asks, call.fault);
    if (inputRequests !== null) return { ...fieldsOf(call, 'input_required'), inputRequests };
    call.turnDown();
    return fieldsOf(call, 'working');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failure = { code: ProtocolErrorCode.InternalError, message };
    return { ...fieldsOf(call, 'failed'), error: failure };
  }
}
