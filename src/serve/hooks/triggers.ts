/**
 * Turns that begin when something happens: each file of `triggers/` in the
 * harness is a prompt with what it waits for. A happening starts each of them
 * once, as a message of the queue.
 */
import { labelled } from '../../agent/untrusted.ts';
import type { HarnessError } from '../../harness/fault.ts';
import { errorOf, errorsText, readPart } from '../../harness/load.ts';
import { type HarnessDirectories, scanHarness } from '../../harness/source.ts';
import { type TriggerAuthors, triggerTexts } from '../../harness/trigger-authors.ts';
import { matchesTrigger, type TriggerFile } from '../../harness/triggers.ts';
import { originsOfFiles } from '../../policy/host-marks.ts';
import type { TurnJournal } from '../queue/journal.ts';
import type { TurnQueue } from '../queue/queue.ts';
import type { ServedSessions } from '../sessions.ts';
import { placeOf, type Standing } from '../standing.ts';

/** Something that a service has told of. */
export interface Happening {
  hook: string;
  /** The service's id of it. */
  id: string;
  type: string;
  /** Text of the service. */
  text: string;
  /** Where its mounts are. */
  points: readonly string[];
  /** What it is about, in the namespace. */
  paths: readonly string[];
}

/** What triggers are carried out with. */
export interface TriggerParts {
  directories: HarnessDirectories;
  /** Of the state directory. */
  file: string;
  authors: TriggerAuthors;
  journal: TurnJournal;
  queue: TurnQueue;
  sessions: ServedSessions;
  standing: Standing;
  now(): number;
  say(line: string): void;
}

const SOURCE = 'trigger';
const HOUR_MS = 3_600_000;

export class Triggers {
  readonly #parts: TriggerParts;
  /** The last version of each that was good. */
  readonly #good = new Map<string, { stamp: string; trigger: TriggerFile }>();
  /** What was said of those that are not, and of those that have had enough. */
  #told = '';
  readonly #full = new Map<string, number>();

  constructor(parts: TriggerParts) {
    this.#parts = parts;
  }

  /** Starts the turns that wait for this, each once. */
  happened(happening: Happening): void {
    this.#parts.authors.settle(triggerTexts(this.#parts.directories.own));
    for (const trigger of this.#current())
      if (matchesTrigger(trigger, `${happening.hook}:${happening.type}`, happening.paths))
        this.#begin(trigger, happening);
  }

  #begin(trigger: TriggerFile, { hook, id, text, points, paths }: Happening): void {
    const { journal, queue, sessions, authors, standing, now, say } = this.#parts;
    const { name, prompt, model, limit } = trigger;
    const sourceId = `${name} ${hook} ${id}`;
    if (journal.find(SOURCE, sourceId) !== null) return;
    const hourAgo = now() - HOUR_MS;
    if (journal.begunSince(SOURCE, `${name} `, hourAgo) >= limit) {
      // Said once an hour, however much happens.
      if ((this.#full.get(name) ?? 0) > hourAgo) return;
      this.#full.set(name, now());
      say(
        `triggers/${name}.md has started ${limit} turns within an hour, and starts no more of them until some are older; "limit" in it says how many may be`,
      );
      return;
    }
    const author = authors.of(name, trigger.digest);
    const place = placeOf(author, trigger.agent, standing);
    if ('refused' in place) {
      say(`triggers/${name}.md starts nothing: ${place.refused}`);
      return;
    }
    const told = [text, '', ...paths.map((path) => `path: ${path}`)].join('\n').trim();
    queue.submit({
      session: sessions.create(place.actor, place.agent).id,
      source: SOURCE,
      sourceId,
      ...place,
      model,
      text: `${prompt}\n\n${labelled(told, points)}`,
      author,
      untrusted: points,
    });
  }

  /** All that are good, or were. */
  #current(): TriggerFile[] {
    const { directories, file, say } = this.#parts;
    const originsOf = (files: readonly string[]) => originsOfFiles(file, files);
    const files = scanHarness({ ...directories, originsOf });
    const errors: HarnessError[] = [];
    for (const path of [...this.#good.keys()]) if (!files.has(path)) this.#good.delete(path);
    for (const found of files.values()) {
      if (!found.path.startsWith('triggers/')) continue;
      if (this.#good.get(found.path)?.stamp === found.stamp) continue;
      try {
        const part = readPart(found);
        if (part?.kind === 'triggers')
          this.#good.set(found.path, { stamp: found.stamp, trigger: part.value });
      } catch (error) {
        // Whatever is wrong with one keeps no other from what it waits for.
        errors.push(errorOf(found.path, error));
      }
    }
    const text = errorsText(errors);
    if (text !== '' && text !== this.#told) say(text);
    this.#told = text;
    return [...this.#good.values()].map(({ trigger }) => trigger);
  }
}
