/** What every stand-in can be told: the schemas that both ends of a control surface share. */
import { z } from 'zod';

/** How often a fault meets requests. Without `times` it does until the faults are cleared. */
const counts = {
  times: z.number().int().positive().optional(),
  /** Lets so many matching requests pass first. */
  skip: z.number().int().nonnegative().default(0),
};

/** Which requests of a REST service a fault meets. */
export const restMatcher = {
  ...counts,
  /** Only requests of this method. */
  method: z.string().optional(),
  /** Only requests whose path (without the query) this regular expression matches. */
  path: z.string().refine(isRegExp, 'is no regular expression').optional(),
};

/** Which requests of a GraphQL service a fault meets. */
export const graphqlMatcher = {
  ...counts,
  /** Only requests of this operation. */
  operation: z.enum(['query', 'mutation']).optional(),
  /** Only requests that ask for this field of the root: `issues`, `issueCreate` … */
  field: z.string().optional(),
};

/** The faults that every service has: those of the line, and listings behind the writes. Durations in ms. */
export function lineFaults<Matcher extends z.ZodRawShape>(matcher: Matcher) {
  return [
    /** The answer comes so late. */
    z.object({ kind: z.literal('slow'), ms: z.number().nonnegative(), ...matcher }),
    /** The connection ends before the request took effect. */
    z.object({ kind: z.literal('cut'), ...matcher }),
    /** The connection ends in the middle of the body; the request took effect. */
    z.object({ kind: z.literal('cut-body'), ...matcher }),
    /** The request takes effect, then the connection ends without an answer. */
    z.object({ kind: z.literal('lost-answer'), ...matcher }),
    /** Listings show the state as it was so long ago. */
    z.object({ kind: z.literal('lag'), ms: z.number().nonnegative(), ...matcher }),
  ] as const;
}

/** What a child is told on its first line of input: a seed, or the name of one. */
export function childOptionsOf<Seed extends z.ZodType>(seed: Seed) {
  return z.object({ seed, port: z.number().int().min(0).max(65_535), keep: z.string().optional() });
}

function isRegExp(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
