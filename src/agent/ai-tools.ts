/** The tools of a world for a loop of one's own on the AI SDK: what `world.tools()` gives. */
import { jsonSchema, type ToolSet, tool } from 'ai';
import { runCall } from './call.ts';
import type { Surface } from './open-agent.ts';
import { CALL_BEGUN } from './recover.ts';
import { tracedCall } from './trace.ts';
import { labelled } from './untrusted.ts';

/** Failures are texts that begin with `[failed]`, so that the loop goes on. */
export function aiTools({ access, tools, transcript, telemetry }: Surface): ToolSet {
  const byName = new Map(tools.map((each) => [each.name, each]));
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(inputSchema),
        execute: async (input, { toolCallId: callId, abortSignal }) => {
          transcript.append({ type: 'custom', name: CALL_BEGUN, data: { callId, name, input } });
          const call = { id: callId, name, input };
          const signal = abortSignal ?? new AbortController().signal;
          const result = await tracedCall(telemetry, call, (span) =>
            runCall(call, byName, { access, callId, signal, span, onOutput: () => undefined }),
          );
          const { text, failed, untrusted = [] } = result;
          const said = failed === true ? `[failed]\n${text}` : text;
          return untrusted.length === 0 ? said : labelled(said, untrusted);
        },
      }),
    ]),
  );
}
