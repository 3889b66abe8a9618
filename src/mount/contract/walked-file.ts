/** A file met by a walk. */

/** What a content is told from any other by: equal identities, part for part, are equal bytes. */
export type Identity = readonly (string | number)[];

/** Bytes, and what tells them from any others; null where nothing does, or not for certain. */
export interface IdentifiedBytes {
  bytes: Uint8Array;
  identity: Identity | null;
}

/** How a file met by a walk is read. */
export interface WalkedContent {
  /** The bytes, not to be changed; null when they cannot be had without asking a service, or a person. */
  bytes(): Uint8Array | null;
  /** May it have an identity? Where not, the two methods below are of no use. */
  readonly identifiable?: boolean;
  /**
   * Of the bytes as they are now, found out without reading them. null where
   * that cannot be, or would not be certain: a file that was changed just now
   * may change again within the same time stamp.
   */
  identity?(): Identity | null;
  /** Both at once, with nothing in between. */
  identified?(): IdentifiedBytes | null;
  /** Does its text tell of the moment, so that it is another one whenever it is read? */
  readonly momentary?: boolean;
  /** The key of the listing that the walk found it in, where the mount keeps listings. */
  readonly directoryKey?: object | undefined;
}

/**
 * Directory and name apart, since most that a walk meets is passed over by its
 * name alone: the path is put together when somebody asks for it. All files of
 * one directory share the string that names it.
 */
export class WalkedFile {
  /** In a mount or in the namespace; the root is `/`. */
  readonly directory: string;
  readonly name: string;
  /** Reading it would cost a request of its own; `directory`: it is one, and listing it would. */
  readonly costly: boolean | 'directory';
  readonly #content: WalkedContent;

  constructor(
    directory: string,
    name: string,
    content: WalkedContent,
    costly: boolean | 'directory' = false,
  ) {
    this.directory = directory;
    this.name = name;
    this.costly = costly;
    this.#content = content;
  }

  get path(): string {
    return this.directory === '/' ? `/${this.name}` : `${this.directory}/${this.name}`;
  }

  /** See {@link WalkedContent.bytes}. */
  bytes(): Uint8Array | null {
    return this.#content.bytes();
  }

  /** See {@link WalkedContent.identifiable}. */
  get identifiable(): boolean {
    return this.#content.identifiable === true;
  }

  /** See {@link WalkedContent.momentary}. */
  get momentary(): boolean {
    return this.#content.momentary === true;
  }

  /** See {@link WalkedContent.directoryKey}. */
  get directoryKey(): object | undefined {
    return this.#content.directoryKey;
  }

  /** See {@link WalkedContent.identity}. */
  identity(): Identity | null {
    return this.#content.identity?.() ?? null;
  }

  /** See {@link WalkedContent.identified}. */
  identified(): IdentifiedBytes | null {
    if (this.#content.identified !== undefined) return this.#content.identified();
    const bytes = this.#content.bytes();
    return bytes === null ? null : { bytes, identity: null };
  }
}

/** Are two identities equal? */
export function sameIdentity(one: Identity, two: Identity): boolean {
  if (one.length !== two.length) return false;
  for (let part = 0; part < one.length; part++) if (one[part] !== two[part]) return false;
  return true;
}
