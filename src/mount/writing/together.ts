/** Several writes that go through as one or not at all: all are checked, sent together, and told of one by one. */
import type { Change, ServiceRequest } from '../../changes/change.ts';
import { type ChangeJournal, not } from '../../changes/journal.ts';
import { FsError, sentenceOf } from '../../errors.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Outcome } from '../table/route.ts';
import type { Match } from '../table/table.ts';
import type { Sending } from './sending.ts';

/** A write that was checked: what is to be sent, and how that is done. */
export interface Ready {
  match: Match;
  /** null where nothing differs from what is there. */
  request: ServiceRequest | null;
  send(): Promise<Outcome>;
}

export interface TogetherOptions {
  /** The mount's name in the journal. */
  name: string;
  journal: ChangeJournal;
  now: () => Date;
  sending: Sending;
  /** Checks a staged change once more. Throws what is wrong with it. */
  ready(change: Change): Promise<Ready>;
  /** Ends a change where the work fails, and makes the failure one of its path's. */
  guard(change: Change, work: () => Promise<void>): Promise<void>;
  /** Carries out all requests or none; their answers are kept for those who send one of them. Throws ServiceFailure. */
  carryOut(requests: readonly ServiceRequest[]): Promise<void>;
}

/** A change with what is to be sent for it. */
type Checked = Ready & { change: Change };
type Sent = Checked & { request: ServiceRequest };

export class Together {
  readonly #options: TogetherOptions;

  constructor(options: TogetherOptions) {
    this.#options = options;
  }

  /** Applies all of them or none; the journal has what came of each, and why. */
  async apply(changes: readonly Change[]): Promise<void> {
    const { journal, name } = this.#options;
    // In one order for all processes: two sets that share a record wait, and not for each other.
    const paths = [...new Set(changes.map(({ path }) => path))].sort();
    const locked = paths.reduceRight<() => Promise<void>>(
      (within, path) => () => journal.lock(name, path, within),
      () => this.#apply(changes),
    );
    await locked();
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const checked: Checked[] = [];
    for (const change of changes) {
      const refused = await this.#tried(change, async () => {
        this.#expectPending(change);
        checked.push({ ...(await this.#options.ready(change)), change });
      });
      if (refused !== null) return this.#leave(changes, change, refused);
    }
    const sent = checked.filter((one): one is Sent => one.request !== null);
    if (sent.length > 0 && !(await this.#carriedOut(sent, changes))) return;
    for (const { change, request, send } of checked) {
      const outcome = request === null ? { path: change.path } : await send();
      this.#options.sending.applied(change, outcome);
    }
  }

  /** Sends; false where nothing was done, or nobody can tell. */
  async #carriedOut(sent: readonly Sent[], changes: readonly Change[]): Promise<boolean> {
    const { journal, now, carryOut } = this.#options;
    const sentAt = now().getTime();
    for (const { change, request } of sent)
      journal.update(change.id, { state: 'unknown', request, sentAt, error: null });
    try {
      await carryOut(sent.map(({ request }) => request));
      return true;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      if (error.uncertain) return this.#wasMade(sent, sentAt, error);
      for (const { change } of sent) journal.update(change.id, { state: 'pending', sentAt: null });
      const culprit = error.request === undefined ? undefined : sent[error.request]?.change;
      if (culprit === undefined) this.#note(changes, `nothing was changed: ${error.message}`);
      else {
        const refused = await this.#tried(culprit, () => Promise.reject(error));
        this.#leave(changes, culprit, refused ?? error.message);
      }
      return false;
    }
  }

  /** After a lost answer: where one was made all were, since they are made together. */
  async #wasMade(sent: readonly Sent[], sentAt: number, failure: ServiceFailure): Promise<boolean> {
    const { journal, sending } = this.#options;
    let wasMade = false;
    try {
      for (const { change, match, request } of sent)
        wasMade = (await sending.settle(change, match, request, sentAt)) || wasMade;
    } catch (error) {
      // The first failure is told; that asking failed too adds nothing to do.
      if (!(error instanceof ServiceFailure)) throw error;
    }
    for (const { change } of sent) {
      if (journal.get(change.id)?.state !== 'unknown') continue;
      if (wasMade) sending.applied(change, { path: change.path });
      else
        journal.update(change.id, {
          error: `${failure.message}; nobody can tell whether it was made, with the ${sent.length} that were sent together: look before you write it again`,
        });
    }
    return false;
  }

  /** Another process may have been first, or have staged something else in its place. */
  #expectPending(change: Change): void {
    const now = this.#options.journal.get(change.id) ?? change;
    if (now.state === 'pending') return;
    const reason = `${not('pending', now)}; nothing was sent`;
    throw new FsError('ESTALE', { path: change.path, op: 'write', reason });
  }

  /** Why it was refused; null where it was not. */
  async #tried(change: Change, work: () => Promise<void>): Promise<string | null> {
    try {
      await this.#options.guard(change, work);
      return null;
    } catch (error) {
      if (error instanceof FsError) return sentenceOf(error);
      throw error;
    }
  }

  /** All others go on waiting, and say for what. */
  #leave(changes: readonly Change[], culprit: Change, reason: string): void {
    const others = changes.filter(({ id }) => id !== culprit.id);
    this.#note(
      others,
      `nothing was changed: it is applied together with the change of ${culprit.path} (${culprit.id}), and that was refused: ${reason}`,
    );
  }

  #note(changes: readonly Change[], error: string): void {
    const { journal } = this.#options;
    for (const { id } of changes)
      if (journal.get(id)?.state === 'pending') journal.update(id, { error });
  }
}
