/**
 * Directories of a memory mount as a walk goes through them. Each is put in
 * order once and kept until a name in it changes; each file's content has a
 * number that every change of it exchanges.
 */
import { randomUUID } from 'node:crypto';
import type { Listing, Listings, Subdirectory } from '../mount/contract/listing.ts';
import type { IdentifiedBytes, Identity, WalkedContent } from '../mount/contract/walked-file.ts';
import type { Link, Node } from './memfs.ts';
import { isDot } from './nodes.ts';

/** Counts the changes of the files in one directory. */
interface Epoch {
  count: number;
}

/** The content of one file, under whatever names. */
interface Content {
  readonly node: Node;
  version: number;
  /** Of the directories that it has been in. */
  readonly epochs: Epoch[];
}

interface MemorySubdirectory extends Subdirectory {
  link: Link;
}

/** What a directory of the tree holds at one time. */
class MemoryListing implements Listing {
  readonly key: Link;
  readonly names: readonly string[];
  readonly directories: readonly MemorySubdirectory[];
  readonly contents: readonly Content[];
  readonly #era: string;
  readonly #epoch: Epoch;

  constructor(key: Link, epoch: Epoch, era: string, contentOf: (node: Node) => Content) {
    this.key = key;
    this.#epoch = epoch;
    this.#era = era;
    const names: string[] = [];
    const contents: Content[] = [];
    const directories: MemorySubdirectory[] = [];
    for (const name of [...key.children.keys()].sort()) {
      const link = key.children.get(name);
      if (link === undefined || isDot(name)) continue;
      const node = link.getNode();
      if (node.isDirectory()) directories.push({ name, after: names.length, link });
      if (!node.isFile()) continue;
      names.push(name);
      const content = contentOf(node);
      if (!content.epochs.includes(epoch)) content.epochs.push(epoch);
      contents.push(content);
    }
    this.names = names;
    this.directories = directories;
    this.contents = contents;
  }

  get epoch(): number {
    return this.#epoch.count;
  }

  is(index: number, [era, version]: Identity): boolean {
    return this.contents[index]?.version === version && era === this.#era;
  }
}

/** The listings of one tree. */
export class MemoryListings implements Listings<MemoryListing> {
  /** Tells this tree's versions from those of another tree, or of the same one in another process. */
  readonly #era = randomUUID();
  readonly #bytesOf: (node: Node) => Uint8Array;
  readonly #listings = new WeakMap<Link, MemoryListing>();
  readonly #epochs = new WeakMap<Link, Epoch>();
  readonly #contents = new WeakMap<Node, Content>();
  #version = 0;

  constructor(bytesOf: (node: Node) => Uint8Array) {
    this.#bytesOf = bytesOf;
  }

  /** A name in a directory came, went, or stands for another node. */
  renamed(directory: Link): void {
    this.#listings.delete(directory);
  }

  /** The bytes of a file have changed. */
  rewritten(file: Node): void {
    const content = this.#contents.get(file);
    if (content === undefined) return;
    content.version = ++this.#version;
    for (const epoch of content.epochs) epoch.count += 1;
  }

  /** The listing of a directory as it is now. */
  of(directory: Link): MemoryListing {
    let listing = this.#listings.get(directory);
    if (listing === undefined) {
      const epoch = this.#epochs.get(directory) ?? { count: 0 };
      this.#epochs.set(directory, epoch);
      listing = new MemoryListing(directory, epoch, this.#era, (node) => this.#contentOf(node));
      this.#listings.set(directory, listing);
    }
    return listing;
  }

  below(_above: MemoryListing, _path: string, { link }: MemorySubdirectory): MemoryListing {
    return this.of(link);
  }

  content(listing: MemoryListing, _path: string, index: number): WalkedContent {
    return new WalkedInMemory(listing.key, listing.contents[index] as Content, this);
  }

  bytes({ node }: Content): Uint8Array {
    return this.#bytesOf(node);
  }

  identity({ version }: Content): Identity {
    return [this.#era, version];
  }

  #contentOf(node: Node): Content {
    let content = this.#contents.get(node);
    if (content === undefined) {
      content = { node, version: ++this.#version, epochs: [] };
      this.#contents.set(node, content);
    }
    return content;
  }
}

/** A file that a walk has met. */
class WalkedInMemory implements WalkedContent {
  readonly identifiable = true;
  readonly directoryKey: object;
  readonly #content: Content;
  readonly #listings: MemoryListings;

  constructor(directoryKey: object, content: Content, listings: MemoryListings) {
    this.directoryKey = directoryKey;
    this.#content = content;
    this.#listings = listings;
  }

  bytes(): Uint8Array {
    return this.#listings.bytes(this.#content);
  }

  identity(): Identity {
    return this.#listings.identity(this.#content);
  }

  identified(): IdentifiedBytes {
    return { bytes: this.bytes(), identity: this.identity() };
  }
}
