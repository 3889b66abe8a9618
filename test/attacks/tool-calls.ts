/** What is done by calling tools by their names, and what came of it. */
import { z } from 'zod';
import type { Entry } from '../../src/session/entry.ts';
import type { FileOperation } from './attempt.ts';
import type { Door, Outcome } from './columns.ts';

export type ToolCall = [name: string, input: Record<string, unknown>];

/** The operations that are tools of their own. */
function toolOf(operation: FileOperation): ToolCall | null {
  const { path } = operation;
  if (operation.op === 'write') return ['write', { path, content: operation.text }];
  if (operation.op === 'read') return ['read', { path }];
  if (operation.op === 'edit') return ['edit', { path, old: operation.old, new: operation.text }];
  return null;
}

const LABEL = /^<untrusted from="([^"]*)"/;
export const outcomeOf = (text: string, failed: boolean): Outcome => ({
  failed,
  text,
  origins: LABEL.exec(text)?.[1]?.split(', ') ?? [],
});

/** A door through which tools are called. */
export const doorOf = (
  call: (...tool: ToolCall) => Promise<Outcome>,
  close: () => Promise<void>,
): Door => ({
  run: (command) => call('bash', { command }),
  file: (operation) => {
    const tool = toolOf(operation);
    return tool === null ? null : call(...tool);
  },
  close,
});

const result = z.looseObject({
  role: z.literal('tool'),
  content: z.tuple([z.looseObject({ output: z.object({ type: z.string(), value: z.string() }) })]),
});

/** What came of the last call of an agent, as the log of its session has it. */
export function lastCallIn(entries: readonly Entry[]): Outcome {
  const found = entries.findLast(({ message }) => result.safeParse(message).success);
  const { output } = result.parse(found?.['message']).content[0];
  const failed = output.type === 'error-text' || /\[exit status [1-9]/.test(output.value);
  return outcomeOf(output.value, failed);
}
