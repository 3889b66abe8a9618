/**
 * Sandboxes that live longer than they are used: a harness keeps as many open
 * as it has conversations, and a world takes a thread and its memory. One that
 * nobody has used for longest is left, and entered again with its next use.
 */
import type { WorldFs } from '../../world/world.ts';
import type { Visit } from '../door.ts';

/** The operations on files that sandboxes have. */
const OPERATIONS = [
  'readFileBuffer',
  'writeFile',
  'mkdir',
  'rm',
  'stat',
  'lstat',
  'readdirWithFileTypes',
] as const satisfies readonly (keyof WorldFs)[];

type SandboxFs = Pick<WorldFs, (typeof OPERATIONS)[number]>;

/** What a sandbox uses of a visit. */
export interface SandboxVisit extends Pick<Visit, 'session' | 'exec' | 'close'> {
  readonly fs: SandboxFs;
}

/** So many worlds stay open for whoever comes back; a doorway has a few more. */
const OPEN = 12;

/** A visit that may be left while nobody uses it. */
interface Parking {
  visit: Promise<Visit> | null;
  /** Operations under way. */
  using: number;
  usedAt: number;
}

/** The visits of one provider. */
export class ParkedVisits {
  readonly #enter: (session: string) => Promise<Visit>;
  readonly #most: number;
  readonly #all = new Set<Parking>();
  #clock = 0;

  /** @param enter goes on with a session */
  constructor(enter: (session: string) => Promise<Visit>, most = OPEN) {
    this.#enter = enter;
    this.#most = most;
  }

  /** Enters a session; `new` is one of its own. */
  async open(named: string): Promise<SandboxVisit> {
    const parking: Parking = { visit: null, using: 0, usedAt: 0 };
    this.#all.add(parking);
    const { session } = await this.#use(parking, named, async (visit) => visit).catch(
      (error: unknown) => {
        this.#all.delete(parking);
        throw error;
      },
    );
    const use = <Result>(work: (visit: Visit) => Promise<Result>): Promise<Result> =>
      this.#use(parking, session, work);
    const operation =
      (name: (typeof OPERATIONS)[number]) =>
      (...args: unknown[]): Promise<unknown> =>
        use(({ fs }) => (fs[name] as (...all: unknown[]) => Promise<unknown>)(...args));
    return {
      session,
      exec: (command, options) => use((visit) => visit.exec(command, options)),
      // Each has the signature of the operation that it passes on to.
      fs: Object.fromEntries(OPERATIONS.map((name) => [name, operation(name)])) as never,
      close: async () => {
        this.#all.delete(parking);
        await (await parking.visit)?.close();
      },
    };
  }

  async #use<Result>(
    parking: Parking,
    session: string,
    work: (visit: Visit) => Promise<Result>,
  ): Promise<Result> {
    parking.using += 1;
    parking.usedAt = ++this.#clock;
    try {
      parking.visit ??= this.#parkOne().then(() => this.#enter(session));
      return await work(await this.#entered(parking, parking.visit));
    } finally {
      parking.using -= 1;
    }
  }

  /** One that could not be entered is tried again by the next use. */
  async #entered(parking: Parking, visit: Promise<Visit>): Promise<Visit> {
    try {
      return await visit;
    } catch (error) {
      parking.visit = null;
      throw error;
    }
  }

  /** Leaves the one that was used longest ago, where as many are open as may be. */
  async #parkOne(): Promise<void> {
    const open = [...this.#all].filter(({ visit }) => visit !== null);
    if (open.length < this.#most) return;
    const [oldest] = open.filter(({ using }) => using === 0).sort((a, b) => a.usedAt - b.usedAt);
    const visit = oldest?.visit;
    if (oldest === undefined || visit == null) return;
    oldest.visit = null;
    await (await visit).close();
  }
}
