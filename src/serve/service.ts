/**
 * A deployment that is served: what every front end of the server is made of,
 * so that none of them decides anything itself.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { Ledger } from '../agent/ledger.ts';
import { changesFile } from '../changes/file.ts';
import type { Doorway } from '../doors/door.ts';
import type { ProposalDirectories } from '../harness/proposals.ts';
import { TriggerAuthors } from '../harness/trigger-authors.ts';
import { ApprovalJournal } from '../policy/approvals.ts';
import { QuestionJournal } from '../policy/questions.ts';
import { ScheduleJournal } from '../schedule/journal.ts';
import { takeWriterLock, type WriterLock } from '../session/lock.ts';
import { makeStateDirectory } from '../state.ts';
import type { ProbedMount } from '../world/probe.ts';
import type { World } from '../world/world.ts';
import { ChangedFiles } from './changed-files.ts';
import { Conversations } from './conversations.ts';
import { Decisions } from './decisions.ts';
import { SessionFeeds } from './feed.ts';
import { ServedFiles } from './files.ts';
import { Deliveries } from './hooks/deliveries.ts';
import { type Hook, Hooks } from './hooks/hooks.ts';
import { Triggers } from './hooks/triggers.ts';
import { KeptOpen } from './kept-open.ts';
import { Principals } from './principals.ts';
import { TurnJournal, type TurnsSpent } from './queue/journal.ts';
import { TurnQueue, type TurnQueueOptions } from './queue/queue.ts';
import { type Caller, may, requireRight } from './rights.ts';
import { ServedSchedule } from './schedule.ts';
import { Scheduler } from './scheduler.ts';
import { ServedSessions } from './sessions.ts';
import { type LetIn, standingOf } from './standing.ts';

/** What a server is made with. */
export interface ServiceOptions {
  doorway: Doorway;
  /** Opens a world of the person in charge. */
  openWorld(): Promise<World>;
  directories: ProposalDirectories;
  /** Where services send what happened; none, if absent. */
  hooks?: readonly Hook[];
  version: string;
  /** People whom channels let in. */
  people?: readonly LetIn[];
  /** Turns at once. */
  turns?: number;
  parkAfterMs?: number;
  /** How often it is looked for answers of other processes, and for prompts that are due. In ms. */
  pollMs?: number;
  /** Worlds in which files are read are closed when nobody has used them for so long. In ms. */
  idleMs?: number;
  now?: () => number;
  /** Told of what nobody who asked can be told. */
  onFault(error: unknown): void;
  /** Told what whoever runs the server has to know. */
  say?(line: string): void;
}

/** Turns at once, where nothing is said of it. */
export const TURNS = 8;
/** Worlds of people who look at files, beside those of the turns. */
const BROWSING = 16;
/** Whoever reads an answer and says something more finds the world of the session open. In ms. */
const KEPT_MS = 60_000;

/** How many worlds a doorway of a server has at once, by how many turns: each may be kept for the next one. */
export const worldsOf = (turns: number) => ({
  worlds: 2 * turns + BROWSING,
  kept: { ms: KEPT_MS, most: turns },
});
const WORLD_IDLE_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What a server spent, by day. */
export interface ServedUsage {
  /** All tokens of the deployment, by day (UTC), those of terminals among them. */
  days: { day: string; tokens: number; money: number }[];
  /** Those of turns of the queue. */
  turns: TurnsSpent[];
}

/** A deployment, served. */
export class Service {
  readonly version: string;
  readonly startedAt: number;
  readonly principals: Principals;
  readonly conversations: Conversations;
  readonly decisions: Decisions;
  readonly files: ServedFiles;
  readonly changedFiles: ChangedFiles;
  readonly schedule: ServedSchedule;
  readonly hooks: Hooks;
  readonly feeds: SessionFeeds;
  readonly queue: TurnQueue;
  readonly journal: TurnJournal;
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #pollMs: number | undefined;
  readonly #onFault: (error: unknown) => void;
  readonly #lock: WriterLock;
  readonly #approvals: ApprovalJournal;
  readonly #questions: QuestionJournal;
  readonly #scheduled: ScheduleJournal;
  readonly #world: KeptOpen<World>;
  readonly #scheduler: Scheduler;
  readonly #deliveries: Deliveries;
  readonly #authors: TriggerAuthors;

  /** @throws FsError EBUSY where another process serves the deployment */
  constructor(options: ServiceOptions) {
    const { doorway, now = Date.now, turns = TURNS, onFault } = options;
    this.version = options.version;
    this.#now = now;
    this.#pollMs = options.pollMs;
    this.#onFault = onFault;
    this.startedAt = now();
    makeStateDirectory(doorway.state);
    this.#lock = takeServeLock(doorway.state);
    const file = changesFile(doorway.state);
    const place = doorway.sessions;
    const sessions = new ServedSessions(place);
    this.principals = new Principals(file, now);
    const standing = standingOf(this.principals, options.people ?? []);
    this.#ledger = new Ledger(file);
    this.journal = new TurnJournal(file, now);
    this.#approvals = new ApprovalJournal(file, now);
    this.#questions = new QuestionJournal(file, now);
    this.#scheduled = new ScheduleJournal(file, now);
    this.#world = new KeptOpen(options.openWorld, options.idleMs ?? WORLD_IDLE_MS, onFault);
    this.feeds = new SessionFeeds(sessions);
    this.journal.onStep((turn) => this.feeds.publishTurn(turn));
    const { parkAfterMs, pollMs } = options;
    const how: TurnQueueOptions = {
      journal: this.journal,
      approvals: this.#approvals,
      questions: this.#questions,
      doorway,
      place,
      standing,
      turns,
      now,
      onFault,
      onEvent: (session, event) => this.feeds.publish(session, event),
      ...(parkAfterMs === undefined ? {} : { parkAfterMs }),
      ...(pollMs === undefined ? {} : { pollMs }),
    };
    this.queue = new TurnQueue(how);
    this.conversations = new Conversations({
      sessions,
      journal: this.journal,
      queue: this.queue,
      feeds: this.feeds,
    });
    this.decisions = new Decisions({
      approvals: this.#approvals,
      questions: this.#questions,
      ownerOf: (session) => this.conversations.ownerOf(session),
      onAnswer: () => this.queue.answered(),
      inWorld: (work) => this.#world.use(work),
      directories: options.directories,
    });
    this.files = new ServedFiles(doorway, onFault, options.idleMs);
    this.changedFiles = new ChangedFiles(this.conversations, sessions, this.files);
    this.schedule = new ServedSchedule(this.#scheduled, standing);
    const say = options.say ?? onFault;
    this.#deliveries = new Deliveries(file, now);
    this.#authors = new TriggerAuthors(file, now);
    const triggers = new Triggers({
      directories: options.directories,
      file,
      authors: this.#authors,
      journal: this.journal,
      queue: this.queue,
      sessions,
      standing,
      now,
      say,
    });
    this.hooks = new Hooks({
      hooks: options.hooks ?? [],
      deliveries: this.#deliveries,
      hear: (point, events) => this.#world.use((world) => world.hear(point, events)),
      happened: (happening) => triggers.happened(happening),
      now,
      say,
      onFault,
    });
    this.#scheduler = new Scheduler({
      schedule: this.#scheduled,
      journal: this.journal,
      queue: this.queue,
      sessions,
      file,
      standing,
      now,
      onFault,
    });
  }

  /** Goes on with what an earlier process had begun, and takes messages from now on. */
  start(): void {
    this.queue.start();
    this.#scheduler.start(this.#pollMs);
    this.hooks.start();
  }

  /** What is mounted, and whether it can be reached. @throws FsError EACCES */
  mounts(caller: Caller): Promise<ProbedMount[]> {
    requireRight(caller, 'look', '/mounts');
    return this.#world.use((world) => world.probe());
  }

  /** What was spent in so many days: by the caller, or by all. */
  usage(caller: Caller, days: number): ServedUsage {
    const since = this.#now() - days * DAY_MS;
    const turns = this.journal.spent(since);
    if (!may(caller, 'look'))
      return { days: [], turns: turns.filter(({ actor }) => actor === caller.actor) };
    return { days: this.#ledger.byDay(since), turns };
  }

  /** Ends the turns that run, and lets go of the deployment. */
  async close(): Promise<void> {
    await Promise.all([this.#scheduler.close(), this.hooks.close()]);
    await this.queue.close();
    const told = (error: unknown): void => this.#onFault(error);
    await Promise.all([this.files.close().catch(told), this.#world.close().catch(told)]);
    const { principals, journal } = this;
    for (const each of [
      principals,
      journal,
      this.#approvals,
      this.#questions,
      this.#scheduled,
      this.#ledger,
      this.#deliveries,
      this.#authors,
    ])
      each.close();
    this.#lock.release();
  }
}

/** Two servers would each run the turns of one queue. @throws FsError EBUSY */
function takeServeLock(state: string): WriterLock {
  const folder = join(state, 'serve');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return takeWriterLock(folder, {
    path: '/',
    rule: 'one server a deployment',
    reason: (holder) => `the deployment is being served by ${holder}; use that one, or end it`,
  });
}
