/** The frontmatter of a file of the harness, checked. */
import type { z } from 'zod';
import { FrontmatterError, parseFrontmatter } from '../mount/record/frontmatter.ts';
import { schemaFaults } from '../schema-faults.ts';
import { HarnessFault } from './fault.ts';

/** @throws HarnessFault */
export function split(text: string): { fields: Record<string, unknown>; body: string } {
  try {
    return parseFrontmatter(text);
  } catch (error) {
    if (error instanceof FrontmatterError) throw new HarnessFault(error.message);
    throw error;
  }
}

/** @throws HarnessFault naming each field that is wrong */
export function check<T extends z.ZodType>(
  schema: T,
  fields: Record<string, unknown>,
): z.output<T> {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  throw new HarnessFault(schemaFaults(result.error).join('; '));
}
