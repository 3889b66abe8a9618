/** JSON Schema of a tool's input, as a check. */
import type { z } from 'zod';
import { SchemaFault, trustedSchema, untrustedSchema } from '../json-schema.ts';
import { HarnessFault } from './fault.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The check of an input by a schema that the deployer wrote.
 * @throws HarnessFault where the schema cannot be used
 */
export const inputSchema = (input: Schema): z.ZodType => understood(() => trustedSchema(input));

/**
 * The check of an input by a schema that an agent may have written.
 * @throws HarnessFault where the schema cannot be used
 */
export const untrustedInputSchema = (input: Schema): z.ZodType =>
  understood(() => untrustedSchema(input));

function understood(make: () => z.ZodType): z.ZodType {
  try {
    return make();
  } catch (error) {
    throw error instanceof SchemaFault ? new HarnessFault(`input: ${error.message}`) : error;
  }
}
