/** A trigger: `triggers/NAME.md`, a prompt that begins a turn when something happens. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { slownessOf } from '../policy/bounded-glob.ts';
import { matcherOf } from '../policy/glob.ts';
import { HarnessFault } from './fault.ts';
import { check, split } from './fields.ts';

/** A trigger. */
export interface TriggerFile {
  name: string;
  /** Any of these. */
  on: readonly Condition[];
  agent: string | null;
  model: string | null;
  /** Turns within an hour, at most. */
  limit: number;
  prompt: string;
  /** Of all of its text: who wrote it is known by that. */
  digest: string;
}

/** What happened, and what it is about: globs; null for any. */
export interface Condition {
  /** `HOOK:TYPE`. */
  event: string | null;
  /** Of the namespace. */
  path: string | null;
}

const FORMS =
  'an event such as tracker:issue.opened, a path such as /mnt/tracker/issues/**, or both with a space between them';

const condition = z.string().transform((text, context): Condition => {
  const parts = text.trim().split(/\s+/);
  const events = parts.filter((part) => /^[\w*?-]+:[^/\s]+$/.test(part));
  const paths = parts.filter((part) => part.startsWith('/'));
  const fits = parts.length <= 2 && events.length + paths.length === parts.length;
  const fault = !fits || events.length > 1 || paths.length > 1 ? `is ${FORMS}` : slow(parts);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  return { event: events[0] ?? null, path: paths[0] ?? null };
});

const fields = z.strictObject({
  description: z.string().optional(),
  on: z.union([condition, z.array(condition).min(1).max(20)]),
  agent: z.string().min(1).nullable().default(null),
  model: z.string().min(1).nullable().default(null),
  limit: z.int().min(1).max(1_000).default(60),
});

function slow(globs: readonly string[]): string | null {
  for (const glob of globs) {
    const why = slownessOf(glob);
    if (why !== null) return `${glob} ${why}`;
  }
  return null;
}

/** What tells a text from any other. */
export const digestOf = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex');

/** Reads `triggers/NAME.md`. @throws HarnessFault */
export function parseTrigger(name: string, text: string): TriggerFile {
  const { fields: given, body } = split(text);
  if (given['on'] === undefined) throw new HarnessFault(`on: it is missing: ${FORMS}`);
  const { on, agent, model, limit } = check(fields, given);
  if (body.trim() === '') throw new HarnessFault('it has no text: the text is the prompt');
  const digest = digestOf(text);
  return { name, on: [on].flat(), agent, model, limit, prompt: body.trim(), digest };
}

/**
 * Does a trigger wait for this?
 * @param event `HOOK:TYPE`
 * @param paths of the namespace
 */
export function matchesTrigger(
  { on }: Pick<TriggerFile, 'on'>,
  event: string,
  paths: readonly string[],
): boolean {
  return on.some(
    (condition) =>
      (condition.event === null || isLike(condition.event, event)) &&
      (condition.path === null || paths.some((path) => isLike(condition.path ?? '', path))),
  );
}

/** Services know names in any case. */
const isLike = (glob: string, text: string): boolean => matcherOf(glob, { nocase: true })(text);
