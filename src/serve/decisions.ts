/** What waits for a person: requests for approval, staged changes, proposals to the harness. */
import { dirname } from 'node:path';
import type { Applied } from '../changes/index.ts';
import { FsError } from '../errors.ts';
import type { HarnessError } from '../harness/fault.ts';
import {
  acceptProposal,
  listProposals,
  type Proposal,
  type ProposalDirectories,
  rejectProposal,
} from '../harness/proposals.ts';
import type { Answer, Approval, ApprovalState } from '../policy/approval.ts';
import type { ApprovalJournal } from '../policy/approvals.ts';
import type { Asked, AskedJournal } from '../policy/asked-journal.ts';
import { vouchFor } from '../policy/host-marks.ts';
import type { Question, QuestionState } from '../policy/question.ts';
import type { QuestionJournal } from '../policy/questions.ts';
import { requireShown } from '../policy/shown.ts';
import type { PlacedChange, World } from '../world/world.ts';
import { type Caller, may, requireOwn, requireRight } from './rights.ts';
import { DOOR } from './sessions.ts';

/** What the decisions are made with. */
export interface DecisionParts {
  approvals: ApprovalJournal;
  questions: QuestionJournal;
  /** Who began a session; null for one that is not there. */
  ownerOf(session: string): string | null;
  /** Told that an answer was given. */
  onAnswer(): void;
  /** Runs work in a world of the person in charge: whoever sends changes needs the mounts. */
  inWorld<T>(work: (world: World) => Promise<T>): Promise<T>;
  directories: ProposalDirectories;
}

/** A change as it was shown. */
export interface ShownChange {
  id: string;
  digest: string;
}

/** What waits, and the answers of those who may give them. */
export class Decisions {
  readonly #parts: DecisionParts;

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** Oldest first: those of the caller's sessions, or all. */
  approvals(caller: Caller, state?: ApprovalState): Approval[] {
    return this.#visible(caller, this.#parts.approvals.list(state));
  }

  /** @throws FsError ENOENT */
  approval(caller: Caller, id: string): Approval {
    return this.#one(caller, this.#parts.approvals, id, `/approvals/${id}`);
  }

  /**
   * Answers a request, as it was shown.
   * @returns what it is now; it is left as it was if it is not pending any more: compare the state
   * @throws FsError ENOENT, EACCES; ESTALE where it is not what was shown. ConfigError for a prefix that holds nothing of it
   */
  decide(caller: Caller, id: string, digest: string, answer: Omit<Answer, 'by'>): Approval {
    const approval = this.approval(caller, id);
    requireRight(caller, 'decide', `/approvals/${id}`);
    requireShown(approval, 'approval', digest, `/approvals/${id}`);
    const by = `${caller.actor} (${DOOR})`;
    const answered = this.#parts.approvals.answer(id, { ...answer, by });
    this.#parts.onAnswer();
    return answered ?? approval;
  }

  /** Questions of agents, oldest first: those of the caller's sessions, or all. */
  questions(caller: Caller, state?: QuestionState): Question[] {
    return this.#visible(caller, this.#parts.questions.list(state));
  }

  /** @throws FsError ENOENT */
  question(caller: Caller, id: string): Question {
    return this.#one(caller, this.#parts.questions, id, `/questions/${id}`);
  }

  /**
   * Answers a question, as it was shown: whoever's session asks it, or an owner.
   * @param value null: they do not want to
   * @returns what it is now; it is left as it was if it is not pending any more: compare the state
   * @throws FsError ENOENT, EACCES; ESTALE where it is not what was shown, EINVAL that says what is allowed
   */
  answerQuestion(caller: Caller, id: string, digest: string, value: unknown): Question {
    const path = `/questions/${id}`;
    const question = this.question(caller, id);
    requireRight(caller, 'converse', path);
    requireOwn(caller, this.#parts.ownerOf(question.session) ?? '', 'rule', path);
    requireShown(question, 'question', digest, path);
    const by = `${caller.actor} (${DOOR})`;
    const answered = this.#parts.questions.answer(id, { value, by });
    this.#parts.onAnswer();
    return answered ?? question;
  }

  #visible<Each extends Asked>(caller: Caller, all: Each[]): Each[] {
    if (may(caller, 'look')) return all;
    const owners = new Map<string, string | null>();
    return all.filter(({ session }) => {
      if (!owners.has(session)) owners.set(session, this.#parts.ownerOf(session));
      return owners.get(session) === caller.actor;
    });
  }

  #one<Each extends Asked>(
    caller: Caller,
    journal: AskedJournal<Each>,
    id: string,
    path: string,
  ): Each {
    const asked = journal.get(id);
    const owner = asked === null ? null : this.#parts.ownerOf(asked.session);
    // Of a session that was removed it is there for those who see everything.
    if (asked === null || owner !== null || !may(caller, 'look'))
      requireOwn(caller, owner, 'look', path);
    return asked as Each;
  }

  /** Oldest first. @throws FsError EACCES */
  changes(caller: Caller): Promise<PlacedChange[]> {
    requireRight(caller, 'look', '/changes');
    return this.#parts.inWorld(({ changes }) => changes.list());
  }

  /** @throws FsError EACCES, ENOENT */
  async change(caller: Caller, id: string): Promise<PlacedChange> {
    requireRight(caller, 'look', `/changes/${id}`);
    const change = await this.#parts.inWorld(({ changes }) => changes.get(id));
    if (change !== null) return change;
    throw noChange(id);
  }

  /** Sends what is pending and still is what was shown, and says of each what became of it. */
  async apply(caller: Caller, shown: readonly ShownChange[]): Promise<Applied[]> {
    return this.#act(
      caller,
      'apply',
      shown.map(({ id }) => id),
      ({ changes }) => changes.apply(shown),
    );
  }

  /** Gives up what is pending; nothing is sent. */
  async drop(caller: Caller, ids: readonly string[]): Promise<Applied[]> {
    return this.#act(caller, 'drop', ids, ({ changes }) => changes.drop(ids));
  }

  #act(
    caller: Caller,
    verb: string,
    ids: readonly string[],
    work: (world: World) => Promise<Applied[]>,
  ): Promise<Applied[]> {
    requireRight(caller, 'decide', '/changes');
    return this.#parts.inWorld(async (world) => {
      for (const id of ids) if ((await world.changes.get(id)) === null) throw noChange(id);
      const data = { by: caller.actor, verb, changes: ids };
      world.session.append({ type: 'custom', name: 'serve/decided', data });
      return work(world);
    });
  }

  /** What agents propose to change in the harness. @throws FsError EACCES */
  proposals(caller: Caller): { proposals: Proposal[]; errors: HarnessError[] } {
    requireRight(caller, 'look', '/proposals');
    return listProposals(this.#parts.directories);
  }

  /** Puts a proposal in its place, as it was shown. @throws FsError EACCES, ConfigError */
  accept(caller: Caller, path: string, digest: string): void {
    requireRight(caller, 'rule', `/proposals/${path}`);
    const { directories } = this.#parts;
    acceptProposal(directories, path, digest);
    if (directories.own !== null) vouchFor(dirname(directories.proposals), directories.own, path);
  }

  /** @throws FsError EACCES, ConfigError */
  reject(caller: Caller, path: string): void {
    requireRight(caller, 'rule', `/proposals/${path}`);
    rejectProposal(this.#parts.directories, path);
  }
}

const noChange = (id: string): FsError =>
  new FsError('ENOENT', {
    path: `/changes/${id}`,
    op: 'open',
    reason: `there is no change ${id}`,
  });
