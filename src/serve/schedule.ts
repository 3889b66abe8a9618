/** The schedule, for whoever is served: prompts with a date, or that come again, each time carried out once, as a message of the queue. */
import { createHash } from 'node:crypto';
import { FsError } from '../errors.ts';
import { isBy, personAuthor, principalOf } from '../policy/author.ts';
import { isUnderWay, type ScheduleEntry, type ScheduleJournal } from '../schedule/journal.ts';
import {
  isRecurring,
  parseScheduled,
  readSchedule,
  type Scheduled,
  timeOf,
} from '../schedule/prompt.ts';
import { type Caller, may, requireRight } from './rights.ts';
import { placeOf, type Standing } from './standing.ts';

/** A prompt with a date. */
export interface ServedPrompt {
  name: string;
  state: 'waiting' | 'running' | 'interrupted' | 'done';
  /** ISO 8601; null where the file does not say when. Of one that comes again: the next time. */
  at: string | null;
  /** An expression of cron, and its time zone; null for one that comes once. */
  every: string | null;
  zone: string | null;
  prompt: string;
  agent: string | null;
  model: string | null;
  authors: readonly string[];
  /** What is wrong with the file, or why it would not be carried out. */
  fault: string | null;
  outcome: string | null;
}

/** A prompt to be carried out. */
export interface PromptDraft {
  name: string;
  /** ISO 8601 with a zone; or else `every`. */
  at?: string | undefined;
  /** An expression of cron with five fields. */
  every?: string | undefined;
  /** Of the IANA database; UTC by default. */
  zone?: string | undefined;
  prompt: string;
  agent?: string | undefined;
  model?: string | undefined;
}

const NAME = /^[A-Za-z0-9][\w.-]{0,99}\.md$/;

/** Reads and writes the schedule for callers. */
export class ServedSchedule {
  readonly #journal: ScheduleJournal;
  readonly #standing: Standing;

  constructor(journal: ScheduleJournal, standing: Standing) {
    this.#journal = journal;
    this.#standing = standing;
  }

  /** What waits, was begun, or was carried out: the caller's, or all. */
  list(caller: Caller): ServedPrompt[] {
    return this.#journal
      .list()
      .filter(({ author }) => may(caller, 'look') || isBy(author, caller.actor))
      .map((entry) => this.#shown(entry));
  }

  /** @throws FsError EACCES; EINVAL for what is no such prompt, EEXIST for a name that waits */
  add(caller: Caller, draft: PromptDraft): ServedPrompt {
    const path = `/schedule/${draft.name}`;
    requireRight(caller, 'converse', path);
    if (caller.agent !== null)
      throw new FsError('EACCES', {
        path,
        op: 'create',
        rule: `agent of ${caller.actor}`,
        reason: `${caller.actor} has the rights of ${caller.agent} here: ask it to schedule this`,
      });
    if (!NAME.test(draft.name))
      throw new FsError('EINVAL', {
        path,
        op: 'create',
        reason: 'a name is letters, digits and . _ -, and ends with .md',
      });
    const text = fileOf(draft);
    const parsed = parseScheduled(text);
    if (typeof parsed === 'string')
      throw new FsError('EINVAL', { path, op: 'create', reason: parsed });
    if (this.#journal.find('waiting', draft.name) !== null)
      throw new FsError('EEXIST', {
        path,
        op: 'create',
        reason: `${draft.name} waits already; remove it first, or take another name`,
      });
    this.#journal.write(draft.name, text, personAuthor(caller.actor));
    return this.#shown(this.#find(caller, draft.name));
  }

  /** @throws FsError ENOENT, EACCES */
  remove(caller: Caller, name: string): void {
    const entry = this.#find(caller, name);
    if (principalOf(entry.author) !== caller.actor)
      requireRight(caller, 'rule', `/schedule/${name}`);
    else requireRight(caller, 'converse', `/schedule/${name}`);
    this.#journal.remove(entry);
  }

  /** What waits says already that it would not be carried out. */
  #shown(entry: ScheduleEntry): ServedPrompt {
    const prompt = promptOf(entry);
    if (prompt.fault !== null || entry.state === 'done') return prompt;
    const place = placeOf(entry.author, prompt.agent, this.#standing);
    return 'refused' in place ? { ...prompt, fault: place.refused } : prompt;
  }

  #find(caller: Caller, name: string): ScheduleEntry {
    const entry = this.#journal.find('waiting', name);
    const isSeen = entry !== null && (may(caller, 'look') || isBy(entry.author, caller.actor));
    if (isSeen) return entry;
    const path = `/schedule/${name}`;
    throw new FsError('ENOENT', { path, op: 'open', reason: `nothing of the name ${name} waits` });
  }
}

function fileOf({ at, every, zone, prompt, agent, model }: PromptDraft): string {
  const lines = Object.entries({ at, every, zone, agent, model }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${JSON.stringify(value)}\n`,
  );
  return `---\n${lines.join('')}---\n\n${prompt}\n`;
}

function promptOf(entry: ScheduleEntry): ServedPrompt {
  const { name, text, author, outcome } = entry;
  const parsed = parseScheduled(text);
  const isBroken = typeof parsed === 'string';
  const again = !isBroken && 'every' in parsed.when ? parsed.when : null;
  return {
    name,
    state: shownState(entry),
    at: isBroken ? null : (timeOf(parsed, entry)?.toISOString() ?? null),
    every: again?.every ?? null,
    zone: again?.zone ?? null,
    prompt: isBroken ? text : parsed.prompt,
    agent: isBroken ? null : (parsed.agent ?? null),
    model: isBroken ? null : (parsed.model ?? null),
    authors: author.actors,
    fault: isBroken ? parsed : null,
    outcome,
  };
}

function shownState(entry: ScheduleEntry): ServedPrompt['state'] {
  if (entry.state === 'due') return 'waiting';
  return entry.state === 'running' && !isUnderWay(entry) ? 'interrupted' : entry.state;
}

/** Tells a file with this text from another one of its row. */
export const promptKey = ({ id, text }: ScheduleEntry): string =>
  `${id} ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

/** What is due, the earliest first; of what comes again, the times that have come. */
export const dueAt = (journal: ScheduleJournal, now: number): Scheduled[] =>
  readSchedule(journal).entries.filter(
    (scheduled) =>
      scheduled.entry.state !== 'running' &&
      !isRecurring(scheduled) &&
      scheduled.at.getTime() <= now,
  );
