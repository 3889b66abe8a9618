/**
 * A file of the schedule: a date in its frontmatter, and below it the prompt of
 * a turn. Apart from the journal, which every world loads: this is for whoever
 * carries it out.
 */
import { z } from 'zod';
import { readYaml, YamlFault } from '../yaml.ts';
import type { ScheduleEntry, ScheduleJournal } from './journal.ts';

const header = z.strictObject({
  /** ISO 8601 with a zone; a date alone is its beginning in UTC. */
  at: z.union([z.iso.datetime({ offset: true }), z.iso.date()]),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});

/** What a file says. */
export interface ScheduledPrompt {
  at: Date;
  prompt: string;
  agent: string | undefined;
  model: string | undefined;
}

/** Reads a file of the schedule; a text tells what is wrong with it. */
export function parseScheduled(text: string): ScheduledPrompt | string {
  const [, yaml, body = ''] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (yaml === undefined) {
    return 'it should begin with frontmatter: "---", a line "at: 2026-12-01T09:00:00Z", "---", then the prompt';
  }
  let fields: unknown;
  try {
    // YAML's own dates would lose what was written.
    fields = readYaml(yaml, 'failsafe').value;
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    return `its frontmatter is no YAML: ${error.message}`;
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

/** A prompt with its date, of an entry that waits or was begun. */
export interface Scheduled extends ScheduledPrompt {
  entry: ScheduleEntry;
}

/** A file that says no date or no prompt. */
export interface BrokenSchedule {
  name: string;
  fault: string;
}

/** What waits or was begun, the earliest first, and what cannot be read. */
export function readSchedule(journal: ScheduleJournal): {
  entries: Scheduled[];
  broken: BrokenSchedule[];
} {
  const entries: Scheduled[] = [];
  const broken: BrokenSchedule[] = [];
  for (const entry of journal.list()) {
    const { name, text, state } = entry;
    if (state === 'done' || !name.endsWith('.md') || name.startsWith('.')) continue;
    const parsed = parseScheduled(text);
    if (typeof parsed === 'string') broken.push({ name, fault: parsed });
    else entries.push({ entry, ...parsed });
  }
  entries.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.entry.name < b.entry.name ? -1 : 1));
  return { entries, broken };
}
