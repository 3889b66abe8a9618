/** An answer that is to be JSON and fit a schema. */
import type { z } from 'zod';
import { SchemaFault, untrustedSchema } from '../json-schema.ts';
import { ToolFault, type ToolOutput } from './tool.ts';

/** Longer answers would be cut, and were no JSON then. Characters. */
const LONGEST = 32_000;
/** Faults that are told of one answer. */
const MOST_FAULTS = 10;

type Read = { value: unknown } | { faults: string[] };

/** What is asked for, and what came of it. */
export class StructuredAnswer {
  /** What the task ends with. */
  readonly request: string;
  readonly #check: z.ZodType;

  /** @throws ToolFault where the schema cannot be used */
  constructor(schema: Readonly<Record<string, unknown>>) {
    try {
      this.#check = untrustedSchema(schema);
    } catch (error) {
      if (error instanceof SchemaFault) throw new ToolFault(`schema: ${error.message}`);
      throw error;
    }
    this.request = `Your last message is read by a program: one JSON value and nothing else, without a code fence. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
  }

  /** What is wrong with an answer, for whoever gave it; null where it fits. */
  objectionTo(text: string): string | null {
    const read = this.#read(text);
    if ('value' in read) return null;
    return `Your last message does not fit:\n${listed(read.faults)}\n\nAnswer again. ${this.request}`;
  }

  /** The answer as JSON, or a failure that says what is wrong with it. */
  outcomeOf(agent: string, text: string): ToolOutput {
    const read = this.#read(text);
    if ('value' in read) return { text: JSON.stringify(read.value) };
    return {
      text: `the last answer of ${agent} does not fit the schema:\n${listed(read.faults)}`,
      failed: true,
    };
  }

  #read(text: string): Read {
    if (text.length > LONGEST)
      return { faults: [`it has ${text.length} characters, and may have ${LONGEST}`] };
    let value: unknown;
    try {
      value = JSON.parse(withoutFence(text));
    } catch (error) {
      if (error instanceof SyntaxError) return { faults: [`it is no JSON: ${error.message}`] };
      throw error;
    }
    const checked = this.#check.safeParse(value);
    if (checked.success) return { value: checked.data };
    return {
      faults: checked.error.issues.slice(0, MOST_FAULTS).map(({ path, message }) => {
        return `${path.length === 0 ? 'the value' : path.map(String).join('.')}: ${message}`;
      }),
    };
  }
}

/** Models put JSON in a fence, whatever they were told. */
const withoutFence = (text: string): string =>
  /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;

const listed = (faults: readonly string[]): string =>
  faults.map((fault) => `- ${fault}`).join('\n');
