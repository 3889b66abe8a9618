/**
 * The schedule: a dated prompt a file, in /session/schedule. A prompt that is
 * due is moved to `running/` before its turn begins and to `done/` after it, so
 * that two processes do not run it twice; what a killed process left in
 * `running/` is shown, and not run again by itself.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const header = z.strictObject({
  /** ISO 8601 with a zone; a date alone is its beginning in UTC. */
  at: z.union([z.iso.datetime({ offset: true }), z.iso.date()]),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});

/** A prompt with its date. */
export interface Scheduled {
  name: string;
  at: Date;
  prompt: string;
  agent: string | undefined;
  model: string | undefined;
  /** `running`: a process has begun it, and has not ended it. */
  state: 'waiting' | 'running';
}

/** A file that says no date or no prompt. */
export interface BrokenSchedule {
  name: string;
  fault: string;
}

/** The directory of the host that /session/schedule shows. */
export const scheduleDirectory = (state: string): string => join(state, 'schedule');

/** Reads a file of the schedule; a text tells what is wrong with it. */
export function parseScheduled(text: string): Omit<Scheduled, 'name' | 'state'> | string {
  const [, yaml, body = ''] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (yaml === undefined) {
    return 'it should begin with frontmatter: "---", a line "at: 2026-12-01T09:00:00Z", "---", then the prompt';
  }
  let fields: unknown;
  try {
    // YAML's own dates would lose what was written.
    fields = parse(yaml, { schema: 'failsafe' });
  } catch (error) {
    return `its frontmatter is no YAML: ${error instanceof Error ? error.message : String(error)}`;
  }
  const result = header.safeParse(fields);
  if (!result.success) {
    return result.error.issues
      .map(({ path, message }) => `${path.join('.') || 'frontmatter'}: ${message}`)
      .join('; ');
  }
  if (body.trim() === '') return 'it has no prompt below the frontmatter';
  const { at, agent, model } = result.data;
  return { at: new Date(at), prompt: body.trim(), agent, model };
}

/** What is in the schedule, the earliest first, and what cannot be read. */
export function readSchedule(directory: string): {
  entries: Scheduled[];
  broken: BrokenSchedule[];
} {
  const entries: Scheduled[] = [];
  const broken: BrokenSchedule[] = [];
  for (const state of ['waiting', 'running'] as const) {
    const place = state === 'waiting' ? directory : join(directory, state);
    for (const name of names(place)) {
      const parsed = parseScheduled(fs.readFileSync(join(place, name), 'utf8'));
      if (typeof parsed === 'string') broken.push({ name, fault: parsed });
      else entries.push({ name, state, ...parsed });
    }
  }
  entries.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.name < b.name ? -1 : 1));
  return { entries, broken };
}

const names = (directory: string): string[] =>
  fs.existsSync(directory)
    ? fs.readdirSync(directory).filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    : [];

/** Takes a prompt for this process alone; false when another one was sooner. */
export function takeScheduled(directory: string, name: string): boolean {
  fs.mkdirSync(join(directory, 'running'), { recursive: true });
  try {
    fs.renameSync(join(directory, name), join(directory, 'running', name));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Puts away a prompt whose turn has ended. */
export function endScheduled(directory: string, name: string, now: Date): void {
  fs.mkdirSync(join(directory, 'done'), { recursive: true });
  const stamp = now.toISOString().replace(/[:.]/g, '');
  fs.renameSync(join(directory, 'running', name), join(directory, 'done', `${stamp}-${name}`));
}
