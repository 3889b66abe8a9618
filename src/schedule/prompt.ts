/**
 * A file of the schedule: in its frontmatter a date, or when it comes again, and
 * below it the prompt of a turn. Apart from the journal, which every world
 * loads: this is for whoever carries it out.
 */
import { z } from 'zod';
import { readYaml, YamlFault } from '../yaml.ts';
import type { ScheduleEntry, ScheduleJournal } from './journal.ts';
import { parseRecurrence, type Recurrence } from './recurrence.ts';

/** ISO 8601 with a zone; a date alone is its beginning in UTC. */
const instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const header = z.strictObject({
  at: instant.optional(),
  every: z.string().max(200).optional(),
  zone: z.string().max(100).optional(),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});

const UNTIMED = 'at: a date is missing, or "every", such as every: "0 9 * * 1"';

/** When a prompt is carried out: once, or again and again. */
export type Timing = { at: Date } | { every: string; zone: string; recurrence: Recurrence };

/** What a file says. */
export interface ScheduledPrompt {
  when: Timing;
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
    const faults = result.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'frontmatter'}: ${message}`,
    );
    const isTimed = /^\s*(?:at|every)\s*:/m.test(yaml);
    return [...faults, ...(isTimed ? [] : [UNTIMED])].join('; ');
  }
  const { agent, model } = result.data;
  const when = timingOf(result.data);
  if (typeof when === 'string') return when;
  if (body.trim() === '') return 'it has no prompt below the frontmatter';
  return { when, prompt: body.trim(), agent, model };
}

function timingOf({ at, every, zone }: z.infer<typeof header>): Timing | string {
  if (at !== undefined && every !== undefined)
    return 'at: it stands beside "every"; a prompt comes once at a time, or again and again';
  if (at !== undefined)
    return zone === undefined
      ? { at: new Date(at) }
      : 'zone: it belongs to "every"; "at" has its zone in itself, such as 2026-12-01T09:00:00+01:00';
  if (every === undefined) return UNTIMED;
  const recurrence = parseRecurrence(every, zone ?? 'UTC');
  return typeof recurrence === 'string' ? recurrence : { every, zone: zone ?? 'UTC', recurrence };
}

/** A prompt with its date, of an entry that waits or was begun. */
export interface Scheduled extends ScheduledPrompt {
  entry: ScheduleEntry;
  /** When it is to be carried out, or was: of one that comes again, the next time. */
  at: Date;
}

/** One that comes again, whichever it waits for. */
export const isRecurring = ({ entry, when }: Scheduled): boolean =>
  'every' in when && entry.state === 'waiting';

/** A time of a prompt that comes again: the first since it was written, or since the last one. */
export function timeOf({ when }: ScheduledPrompt, entry: ScheduleEntry): Date | null {
  if (entry.dueAt !== null) return new Date(entry.dueAt);
  if ('at' in when) return when.at;
  return when.recurrence.after(new Date(entry.since));
}

/**
 * Makes an entry of each time that has come of what comes again. Times that were missed are one,
 * and none is made while the one before is still to be carried out.
 */
export function fallDue(journal: ScheduleJournal, now: number): void {
  const { entries } = readSchedule(journal);
  for (const scheduled of entries)
    if (isRecurring(scheduled) && scheduled.at.getTime() <= now)
      journal.fall(scheduled.entry, scheduled.at.getTime());
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
    const at = typeof parsed === 'string' ? null : timeOf(parsed, entry);
    if (typeof parsed === 'string') broken.push({ name, fault: parsed });
    else if (at !== null) entries.push({ entry, at, ...parsed });
  }
  entries.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.entry.name < b.entry.name ? -1 : 1));
  return { entries, broken };
}
