/** What the grep of a real shell and the door say to each other: JSON, a line each. */
import { z } from 'zod';

/** The working directory and the paths are those of the host. */
export const grepRequestSchema = z.strictObject({
  cwd: z.string().startsWith('/'),
  query: z.string(),
  paths: z.array(z.string()),
});

export type GrepRequest = z.output<typeof grepRequestSchema>;

/** `system`: nothing here is searched by meaning. Output is base64. */
export type GrepReply =
  | { type: 'stdout' | 'stderr'; data: string }
  | { type: 'end'; status: number }
  | { type: 'system' };
