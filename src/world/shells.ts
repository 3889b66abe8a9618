/** In the supervisor: the states of a world's shells, as the last finished command in each left them. */
import type { FromWorker, OwnShell } from './protocol.ts';

const NEW: OwnShell = { state: null, origins: [] };

/** That of the world, and those beside it by their names. */
export class Shells {
  readonly #cwd: string;
  readonly #named = new Map<string, OwnShell>();
  #worlds = NEW;

  /** @param cwd where each of them begins */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** That of the world. */
  get worlds(): OwnShell {
    return this.#worlds;
  }

  named(name: string): OwnShell {
    return this.#named.get(name) ?? NEW;
  }

  /** A command has ended in one. */
  keep(
    name: string | undefined,
    { state, shellOrigins: origins }: Extract<FromWorker, { type: 'done' }>,
  ): void {
    if (name !== undefined) this.#named.set(name, { state, origins });
    else this.#worlds = { state: state ?? this.#worlds.state, origins };
  }

  cwdIn(name?: string): string {
    return (name === undefined ? this.#worlds : this.named(name)).state?.cwd ?? this.#cwd;
  }

  end(name: string): void {
    this.#named.delete(name);
  }
}
