/** A policy that is edited while its world runs. */
import { ConfigError } from '../errors.ts';
import type { ActingContext } from '../policy/context.ts';
import type { LeaseHolder } from './leases.ts';
import { defaultHarness } from './plan.ts';
import { PolicyWatch, readPolicy } from './policy-file.ts';
import type { Supervisor } from './supervisor.ts';

/** How often it is looked at while a client has the world to itself, ms. Otherwise each call looks. */
const LOOK_MS = 500;

/** Takes an edit of the policy over between two commands. */
export class PolicyReload {
  readonly #directory: string | null;
  readonly #watch: PolicyWatch;
  readonly #supervisor: Supervisor;
  readonly #onError: (error: Error) => void;

  constructor(
    directory: string | null,
    supervisor: Supervisor,
    onError: (error: Error) => void = () => undefined,
  ) {
    this.#directory = directory;
    this.#watch = new PolicyWatch(directory);
    this.#supervisor = supervisor;
    this.#onError = onError;
  }

  /** Within a turn nothing of the harness changes; the one turn of a client with a loop of its own has no end. */
  async refreshFor(who: Pick<ActingContext, 'turn' | 'countedMs'>): Promise<void> {
    if (this.watchedFor(who) !== null) await this.refresh();
  }

  /** The directory whose policy is looked at, for somebody, ahead of each operation; null where none is. */
  watchedFor({ turn, countedMs }: Pick<ActingContext, 'turn' | 'countedMs'>): string | null {
    return turn === null || countedMs !== undefined ? this.#directory : null;
  }

  /** Adds a client to those that may have the world to themselves: then it may ask nothing, for long. @returns ends it */
  lease(holder: LeaseHolder): () => void {
    const { leases } = this.#supervisor;
    const looking = setInterval(() => {
      if (leases.isHeld) void this.refresh();
    }, LOOK_MS).unref();
    const end = leases.add(holder);
    return () => {
      clearInterval(looking);
      end();
    };
  }

  /** What cannot be used is told, and the policy before it stays in force. */
  async refresh(): Promise<void> {
    if (!this.#watch.changed()) return;
    try {
      const policy = readPolicy(this.#directory, defaultHarness());
      if (policy.isDefault) {
        throw new ConfigError(
          'policy.yaml',
          'it is gone; the last one stays in force until the world is made again',
        );
      }
      await this.#supervisor.call({ type: 'policy', policy });
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
