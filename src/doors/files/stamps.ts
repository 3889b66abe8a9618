/**
 * Whether what a mount told of its entries is so still, asked once for all of them: a stamp goes ahead
 * of each question, and what was answered behind one stands while the mount's is the same.
 */
import type { FsCall } from '../../world/fs-call.ts';

/**
 * However often a stamp is the same, what stands by it is looked at again after so long, ms: a service
 * asks anew what it sees read, and what it showed by the clock alone is another by then.
 */
export const STAMPED_MS = 10_000;

/** What an answer stands by: the stamp that was told ahead of it. */
export interface Stamped {
  point: string;
  stamp: string;
  /** When it is looked at again in any case. */
  until: number;
}

interface Latest {
  stamp: string | null;
  until: number;
  /** Its place in the order of questions. */
  turn: number;
}

export interface StampsOptions {
  /** The point of the mount that a path is in, where it has stamps; else null. */
  pointOf(path: string): string | null;
  /** How long a stamp stands, ms. */
  standsFor: number;
  /** Makes calls. @throws FsError of the first that fails */
  ask(calls: readonly FsCall[]): Promise<unknown[]>;
}

export class Stamps {
  readonly #options: StampsOptions;
  readonly #latest = new Map<string, Latest>();
  readonly #asked = new Map<string, Promise<void>>();
  #turn = 0;

  constructor(options: StampsOptions) {
    this.#options = options;
  }

  /**
   * Makes a call for each path, behind the stamps of the mounts that they are in.
   * @returns what each gave, and what it stands by
   * @throws FsError of the first that fails
   */
  async behind(
    paths: readonly string[],
    callOf: (path: string) => FsCall,
  ): Promise<{ values: unknown[]; stamps: (Stamped | null)[] }> {
    const of = paths.map((path) => this.#options.pointOf(path));
    const points = [...new Set(of)].filter((point) => point !== null);
    const hear = this.#begin(points);
    const calls = [...points.map(stampCall), ...paths.map(callOf)];
    const values = await this.#options.ask(calls);
    const told = hear(values);
    return {
      values: values.slice(points.length),
      stamps: of.map((point) => (point === null ? null : (told.get(point) ?? null))),
    };
  }

  /** Does an answer stand by its stamp, as far as was told lately? */
  stands(stamped: Stamped | null): boolean {
    if (!this.#mayStand(stamped)) return false;
    return performance.now() < (this.#latest.get(stamped.point)?.until ?? 0);
  }

  /** The same, asked where it was not told lately: once for all who want to know. @throws FsError */
  async isConfirmed(stamped: Stamped | null): Promise<boolean> {
    if (!this.#mayStand(stamped)) return false;
    if (this.stands(stamped)) return true;
    const { point } = stamped;
    await (this.#asked.get(point) ?? this.#ask(point));
    return this.stands(stamped);
  }

  #mayStand(stamped: Stamped | null): stamped is Stamped {
    if (stamped === null || performance.now() >= stamped.until) return false;
    return this.#latest.get(stamped.point)?.stamp === stamped.stamp;
  }

  #ask(point: string): Promise<void> {
    const hear = this.#begin([point]);
    const asked = this.#options
      .ask([stampCall(point)])
      .then((values) => void hear(values))
      .finally(() => {
        if (this.#asked.get(point) === asked) this.#asked.delete(point);
      });
    this.#asked.set(point, asked);
    return asked;
  }

  /** @returns takes the stamps that begin an answer */
  #begin(points: readonly string[]): (values: readonly unknown[]) => Map<string, Stamped> {
    this.#turn += 1;
    const turn = this.#turn;
    // Of before it is told: how long that took is not known.
    const since = performance.now();
    return (values) => {
      const told = new Map<string, Stamped>();
      for (const [index, point] of points.entries()) {
        const stamp = (values[index] ?? null) as string | null;
        this.#hear(point, { stamp, until: since + this.#options.standsFor, turn });
        if (stamp !== null) told.set(point, { point, stamp, until: since + STAMPED_MS });
      }
      return told;
    };
  }

  /** Answers may come in another order than they were asked for. */
  #hear(point: string, latest: Latest): void {
    if (latest.turn > (this.#latest.get(point)?.turn ?? 0)) this.#latest.set(point, latest);
  }
}

const stampCall = (point: string): FsCall => ['stamp', point];
