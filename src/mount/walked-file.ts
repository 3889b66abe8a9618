/** A file met by a walk. */

/**
 * Directory and name apart, since most that a walk meets is passed over by its
 * name alone: the path is put together when somebody asks for it. All files of
 * one directory share the string that names it.
 */
export class WalkedFile {
  /** In a mount or in the namespace; the root is `/`. */
  readonly directory: string;
  readonly name: string;
  /** Reading it would cost a request of its own. */
  readonly costly: boolean;
  readonly #read: () => Uint8Array | null;

  constructor(
    directory: string,
    name: string,
    read: () => Uint8Array | null,
    costly: boolean = false,
  ) {
    this.directory = directory;
    this.name = name;
    this.costly = costly;
    this.#read = read;
  }

  get path(): string {
    return this.directory === '/' ? `/${this.name}` : `${this.directory}/${this.name}`;
  }

  /** The bytes, not to be changed; null when they cannot be had without asking a service. */
  bytes(): Uint8Array | null {
    return this.#read();
  }
}
