/**
 * The change journal: every write to a service, before, while and after it is
 * sent. One SQLite file, shared by processes, and the one source of truth for
 * what is pending.
 */

import { sentenceOf } from '../errors.ts';
import type { Change, ChangeState } from './change.ts';
import { ChangeRecords } from './records.ts';

/** What a mount hands in so that its pending changes can be acted on. */
export interface ChangeExecutor {
  /** Checks the base again and sends; ends the change in the journal. Throws what the service said. */
  apply(change: Change): Promise<void>;
  /** Present where several go through as one or not at all: notes what came of each, and throws nothing of that. */
  applyTogether?(changes: readonly Change[]): Promise<void>;
  /** Asks the service what came of an unknown change, and sends nothing. */
  settle(change: Change): Promise<void>;
}

/** What came of one change of a set. */
export interface Applied {
  id: string;
  state: ChangeState;
  /** Why it did not go through. */
  error?: string;
}

/** A change by its id; with the digest that was shown, that content and no other. */
export type ChangeName = string | Pick<Change, 'id' | 'digest'>;

const NEVER_SENT =
  'the process that wrote it ended before anything was sent: nothing changed; write it again';

/** The writes of a state directory on their way to services, shared by its processes. */
export class ChangeJournal extends ChangeRecords {
  readonly #executors = new Map<string, ChangeExecutor>();
  readonly #seekers = new Set<() => Promise<void>>();

  /** Lets the journal act for a mount; a later one of the same name replaces it. */
  attach(mount: string, executor: ChangeExecutor): void {
    this.#executors.set(mount, executor);
  }

  /** Does a change belong to another account than the one that acts here for its service? */
  isAnothers({ mount }: Pick<Change, 'mount'>): boolean {
    if (this.#executors.has(mount)) return false;
    const service = serviceOf(mount);
    return [...this.#executors.keys()].some((name) => serviceOf(name) === service);
  }

  /**
   * Is asked before a change is refused because its mount is not attached: one that does not know
   * yet whose it is may find out, and be the one. Returns how to stop.
   */
  onUnattached(seek: () => Promise<void>): () => void {
    this.#seekers.add(seek);
    return () => this.#seekers.delete(seek);
  }

  /**
   * Sends pending changes one after the other, in the order given, and says what came of each.
   * One that is named with a digest is sent only if it still says what it said then. Several of a
   * mount that can have them go through as one do so, in the place of the first of them.
   */
  async apply(changes: readonly ChangeName[]): Promise<Applied[]> {
    const sets = new Map<ChangeExecutor, ChangeName[]>();
    const order: (ChangeName | ChangeName[])[] = [];
    for (const name of changes) {
      const { change, executor } = await this.#executorOf(idOf(name));
      const set = executor && sets.get(executor);
      if (executor?.applyTogether === undefined || change.op === 'call') order.push(name);
      else if (set !== undefined) set.push(name);
      else {
        const begun = [name];
        sets.set(executor, begun);
        order.push(begun);
      }
    }
    const results: Applied[] = [];
    for (const one of order) {
      const isSet = Array.isArray(one) && one.length > 1;
      if (isSet) results.push(...(await this.#applyTogether(one)));
      else
        results.push(
          ...(await this.#each([one].flat(), 'pending', (executor, change) =>
            executor.apply(change),
          )),
        );
    }
    return results;
  }

  /** All of them, or none: also where one is not what it was said to be. */
  async #applyTogether(set: readonly ChangeName[]): Promise<Applied[]> {
    const named = await Promise.all(set.map((name) => this.#executorOf(idOf(name))));
    const [executor] = named.flatMap((one) => one.executor ?? []);
    const why = set.map((name, index) => this.#whyNot(name, named[index]?.change));
    const culprit = why.findIndex((reason) => reason !== null);
    if (culprit >= 0) {
      const id = idOf(set[culprit] ?? '');
      return set.map((name, index) =>
        this.#outcome(
          idOf(name),
          why[index] ?? `nothing was changed: it is applied together with ${id}, which does not go`,
        ),
      );
    }
    const changes = named.map(({ change }) => change);
    try {
      await executor?.applyTogether?.(changes);
    } catch (error) {
      const text = sentenceOf(error);
      return changes.map(({ id }) => this.#outcome(id, text));
    }
    return changes.map(({ id }) => this.#outcome(id));
  }

  /** Why a change is not applied as it was named; null where it is. */
  #whyNot(name: ChangeName, change: Change | undefined): string | null {
    if (change === undefined || change.state !== 'pending')
      return change === undefined ? 'there is no such change' : not('pending', change);
    const isOther = typeof name !== 'string' && name.digest !== change.digest;
    return isOther ? OTHERWISE : null;
  }

  /** Asks the services what came of unknown changes; nothing is sent again. */
  async settle(ids: readonly string[]): Promise<Applied[]> {
    return this.#each(ids, 'unknown', (executor, change) => executor.settle(change));
  }

  /**
   * Ends what processes that are gone left under way, for the mounts that are
   * attached: a draft was never sent, and failed; of what was sent in the last
   * day the service is asked. Nothing is sent again. Gives what became of each.
   */
  async recover(): Promise<Applied[]> {
    const { unsent, unknown } = this.leftUnderWay([...this.#executors.keys()]);
    for (const { id } of unsent) this.update(id, { state: 'failed', error: NEVER_SENT });
    const settled = await this.settle(unknown.map(({ id }) => id));
    return [...unsent.map(({ id }) => this.#outcome(id)), ...settled];
  }

  /** Takes pending changes back. */
  async drop(ids: readonly string[]): Promise<Applied[]> {
    const results: Applied[] = [];
    for (const id of ids) {
      const change = this.existing(id);
      if (change.state === 'pending') this.update(id, { state: 'dropped' });
      results.push(
        this.#outcome(id, change.state === 'pending' ? undefined : not('pending', change)),
      );
    }
    return results;
  }

  async #each(
    changes: readonly ChangeName[],
    state: ChangeState,
    act: (executor: ChangeExecutor, change: Change) => Promise<void>,
  ): Promise<Applied[]> {
    const results: Applied[] = [];
    for (const name of changes) {
      const { id, digest } = typeof name === 'string' ? { id: name, digest: null } : name;
      const { change, executor } = await this.#executorOf(id);
      if (change.state !== state) {
        results.push(this.#outcome(id, not(state, change)));
      } else if (digest !== null && digest !== change.digest) {
        results.push(this.#outcome(id, OTHERWISE));
      } else if (executor === undefined) {
        results.push(
          this.#outcome(
            id,
            `no mount here is that of the account it was written with (${change.mount})`,
          ),
        );
      } else {
        results.push(await this.#act(id, () => act(executor, change)));
      }
    }
    return results;
  }

  async #executorOf(id: string): Promise<{ change: Change; executor: ChangeExecutor | undefined }> {
    const found = () => {
      const change = this.existing(id);
      return { change, executor: this.#executors.get(change.mount) };
    };
    const now = found();
    if (now.executor !== undefined || this.#seekers.size === 0) return now;
    await Promise.all([...this.#seekers].map((seek) => seek()));
    return found();
  }

  async #act(id: string, act: () => Promise<void>): Promise<Applied> {
    try {
      await act();
      return this.#outcome(id);
    } catch (error) {
      const text = sentenceOf(error);
      const now = this.existing(id);
      // Of what has ended by another's hand, this is no word.
      if (now.error === null && now.state !== 'applied' && now.state !== 'dropped')
        this.update(id, { error: text });
      return this.#outcome(id, text);
    }
  }

  #outcome(id: string, error?: string): Applied {
    const change = this.existing(id);
    const text = error ?? (change.state === 'applied' ? undefined : (change.error ?? undefined));
    return { id, state: change.state, ...(text === undefined ? {} : { error: text }) };
  }
}

const OTHERWISE = 'it is not what was shown any more; look at it again';

const idOf = (name: ChangeName): string => (typeof name === 'string' ? name : name.id);

/** Why a change is not what it should be. */
export function not(state: ChangeState, { state: now, replacedBy }: Change): string {
  const by =
    replacedBy === null ? '' : `: it was staged again, with another content, as ${replacedBy}`;
  return `the change is ${now}, not ${state}${by}`;
}

/** A mount's name is its service, with the host where it has one of its own, and then ` @` and the account. */
const serviceOf = (mount: string): string => mount.split(' @', 1)[0] ?? mount;
