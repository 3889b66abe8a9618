/** What a tool is: a name, an input that is checked, and work done through the world. */

import type { JSONSchema7 } from 'ai';
import { z } from 'zod';
import type { Span } from '../telemetry/span.ts';
import type { WorldAccess } from './world-access.ts';

/** What a tool's work is handed. */
export interface ToolContext {
  access: WorldAccess;
  /** The id of the call, which its entries of the log bear. */
  callId: string;
  signal: AbortSignal;
  /** Called when the call begins to wait for a person's answer. */
  onParked?(): void;
  /** The span of the call, where the turn is traced. */
  span?: Span | undefined;
  /** What the tool prints while it runs, for front ends. */
  onOutput(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
}

/** What the model reads. */
export interface ToolOutput {
  text: string;
  /** The tool ran, and what was wanted did not come about: a refusal, an exit status above 0. */
  failed?: boolean;
  /** Mount points of services whose text may be in it, beside those that it has read through its access. */
  untrusted?: readonly string[];
}

/** An input after its check: the value, or every fault in a sentence. */
export type CheckedInput<T> = { value: T } | { faults: string[] };

/** A tool, whatever its input. */
export interface AgentTool {
  name: string;
  /** For the model. */
  description: string;
  /** Added to the prompt where the tool is active. */
  guideline?: string;
  inputSchema: JSONSchema7;
  /** May it be run again after a failure that passes? Only where a second run does no harm. */
  repeatable: boolean;
  /** Does it change nothing? Such calls run at once; the others of a step run one after the other. */
  readOnly: boolean;
  /** Does it run in the host, as code of the deployer's? What it does then asks no other gate. */
  host?: boolean;
  /**
   * Must the call be durable in the log before its work begins? Not where it
   * changes nothing, nor where the work itself begins with a durable entry.
   */
  loggedFirst: boolean;
  /** Checks the input, and makes the work of it. @throws nothing but ToolFault */
  prepare(input: unknown): CheckedInput<(context: ToolContext) => Promise<ToolOutput>>;
}

/** A failure of a tool whose message is meant for the model. */
export class ToolFault extends Error {
  override readonly name = 'ToolFault';
}

/** What `defineTool` takes. */
export interface ToolDefinition<S extends z.ZodType> {
  name: string;
  description: string;
  guideline?: string;
  input: S;
  repeatable?: boolean;
  readOnly?: boolean;
  host?: boolean;
  /** Where absent: unless it is read-only. */
  loggedFirst?: boolean;
  run(input: z.output<S>, context: ToolContext): Promise<ToolOutput | string>;
}

/** Makes a tool of a zod schema and a function. */
export function defineTool<S extends z.ZodType>(definition: ToolDefinition<S>): AgentTool {
  const { name, description, guideline, input: schema, run } = definition;
  return {
    name,
    description,
    ...(guideline === undefined ? {} : { guideline }),
    inputSchema: z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) as JSONSchema7,
    repeatable: definition.repeatable ?? false,
    readOnly: definition.readOnly ?? false,
    host: definition.host ?? false,
    loggedFirst: definition.loggedFirst ?? definition.readOnly !== true,
    prepare: (input) => {
      const checked = schema.safeParse(input);
      if (!checked.success) return { faults: checked.error.issues.map(faultOf) };
      return {
        value: async (context) => {
          const output = await run(checked.data, context);
          return typeof output === 'string' ? { text: output } : output;
        },
      };
    },
  };
}

function faultOf(issue: z.core.$ZodIssue): string {
  const where = issue.path.map(String).join('.');
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}
