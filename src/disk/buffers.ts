/**
 * Texts of files that another program has open, such as an editor: what it shows
 * is newer than the disk, and what is changed through it can be undone there.
 */
export interface Buffers {
  /** Can it be asked for a text? */
  readonly reads: boolean;
  /** Does it take one? */
  readonly writes: boolean;
  /**
   * What it shows of a file; of one that it has not open, what is on the disk.
   * @param path in the mount
   * @throws FsError ETIMEDOUT where it does not answer, EIO with what it says
   */
  read(path: string): Promise<string>;
  /** Puts a whole text in the place of a file's, or makes the file. Throws as {@link read} does. */
  write(path: string, text: string): Promise<void>;
}

/** A directory of the host that is mounted with what another program has open of it. */
export interface BufferedDirectory {
  /** Its absolute path on the host. */
  directory: string;
  /** Where it is mounted. */
  point: string;
  mode: 'ro' | 'rw';
  buffers: Buffers;
}
