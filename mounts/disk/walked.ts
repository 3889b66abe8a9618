/** The files of a directory of the host that a walk goes through. */
import fs from 'node:fs';
import type { IdentifiedBytes, Identity, WalkedContent } from '../../src/mount/walked-file.ts';
import type { Confinement } from './confinement.ts';
import { readIdentified, readWhole } from './content.ts';
import { asFsError, hostPath } from './host.ts';
import type { Identities } from './identities.ts';

/** A directory that is gone through. */
export interface WalkedDirectory {
  confinement: Confinement;
  identities: Identities;
  /** In the mount. */
  path: string;
  /** On the host. */
  host: string;
}

export class WalkedOnDisk implements WalkedContent {
  readonly identifiable = true;
  readonly #directory: WalkedDirectory;
  readonly #name: string;

  constructor(directory: WalkedDirectory, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  bytes(): Uint8Array {
    return this.#read(readWhole);
  }

  /**
   * Asked of the path, which a link put there meanwhile may lead out of the root: all that the
   * answer is good for is to be compared with the identity of bytes that were read here.
   */
  identity(): Identity | null {
    const { host, identities } = this.#directory;
    try {
      const stat = fs.lstatSync(hostPath(host, `/${this.#name}`), { throwIfNoEntry: false });
      return stat === undefined ? null : identities.of(stat);
    } catch {
      // Whatever is wrong with it is told by reading it.
      return null;
    }
  }

  identified(): IdentifiedBytes {
    return this.#read((at, path) => readIdentified(at, path, this.#directory.identities));
  }

  #read<T>(read: (at: string, path: string) => T): T {
    const { confinement, host } = this.#directory;
    const path = hostPath(this.#directory.path, `/${this.#name}`);
    try {
      return confinement.named(host, this.#name, path, 'open', (at) => read(at, path));
    } catch (error) {
      throw asFsError(error, path, 'open');
    }
  }
}
