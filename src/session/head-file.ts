/** The head that was signed last, in a file beside its log. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type SignedHead, signedHeadSchema } from './head.ts';

/** Beside `log.jsonl`: the head that was signed last, as JSON. */
export const HEAD_FILE = 'head.sig';

/** Heads of a log that are kept beside it. Read them before the log, which only grows. */
export interface KeptHeads {
  /** What `head.sig` has: undefined where it is not there, null where it is no head. */
  beside: SignedHead | null | undefined;
  /** What the journal of the deployment has; undefined for nothing. */
  recorded: SignedHead | undefined;
}

/** Reads `head.sig` beside a log. */
export function readHeadFile(log: string): SignedHead | null | undefined {
  let text: string;
  try {
    text = fs.readFileSync(join(dirname(log), HEAD_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseHead(text);
}

/** A head out of its JSON; null where it is none. */
function parseHead(text: string): SignedHead | null {
  try {
    return signedHeadSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
