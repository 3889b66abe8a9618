/** The files of a directory of the host that a walk goes through. */
import type fs from 'node:fs';
import { FsError, isFsError } from '../errors.ts';
import type { Listings } from '../mount/contract/listing.ts';
import type { IdentifiedBytes, Identity, WalkedContent } from '../mount/contract/walked-file.ts';
import type { Confinement } from './confinement.ts';
import { readIdentified, readWhole } from './content.ts';
import { asFsError, hostPath } from './host.ts';
import type { Identities } from './identities.ts';
import { type DiskListing, DiskListings } from './listing.ts';

/** What a file of a mount is read with. */
interface Reading {
  confinement: Confinement;
  identities: Identities;
}

/** Lists a directory, and calls back where it is reached. */
type List = (
  path: string,
  kept: (at: string, host: string, read: Read) => DiskListing,
) => DiskListing;
type Read = () => readonly fs.Dirent[];

/** What walks go through in one mount. */
export class DiskWalk implements Listings<DiskListing> {
  readonly #reading: Reading;
  readonly #list: List;
  readonly #listings: DiskListings;

  constructor(reading: Reading, list: List) {
    this.#reading = reading;
    this.#list = list;
    this.#listings = new DiskListings(reading.identities);
  }

  /** @param path in the mount @throws FsError where it cannot be listed */
  at(path: string): DiskListing {
    return this.#list(path, (at, host, read) => this.#listings.of(path, at, host, read));
  }

  below(_above: DiskListing, path: string): DiskListing {
    return this.at(path);
  }

  content(listing: DiskListing, path: string, index: number): WalkedContent {
    return new WalkedOnDisk(this.#reading, listing, path, index);
  }
}

/** A file that a walk has met. */
class WalkedOnDisk implements WalkedContent {
  readonly identifiable = true;
  readonly #listing: DiskListing;
  readonly #reading: Reading;
  /** Of its directory, in the mount. */
  readonly #path: string;
  readonly #name: string;

  /** @param path of the listing's directory, in the mount */
  constructor(reading: Reading, listing: DiskListing, path: string, index: number) {
    this.#reading = reading;
    this.#listing = listing;
    this.#path = path;
    this.#name = listing.names[index] as string;
  }

  get directoryKey(): object {
    return this.#listing.key;
  }

  bytes(): Uint8Array {
    return this.#read(readWhole);
  }

  /** See {@link DiskListing.is}, of which the same holds. */
  identity(): Identity | null {
    const stat = this.#listing.stat(this.#name);
    return stat === null ? null : this.#reading.identities.of(stat);
  }

  identified(): IdentifiedBytes {
    const { identities } = this.#reading;
    return this.#read((at, path) => readIdentified(at, path, identities));
  }

  #read<T>(read: (at: string, path: string) => T): T {
    const path = hostPath(this.#path, `/${this.#name}`);
    try {
      return this.#reading.confinement.named(this.#listing.host, this.#name, path, 'open', (at) =>
        read(at, path),
      );
    } catch (error) {
      const failure = asFsError(error, path, 'open');
      // It was listed a moment ago, and what the host calls it cannot be written as text.
      if (isFsError(failure, 'ENOENT') && this.#name.includes(UNDECODED))
        throw new FsError('EINVAL', { path, op: 'open', reason: NO_NAME, cause: error });
      throw failure;
    }
  }
}

const UNDECODED = '\ufffd';
const NO_NAME = 'its name on the host is not UTF-8, so no path leads to it; rename it there';
