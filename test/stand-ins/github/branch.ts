/** One branch of a repository: the files at its head, as bytes, and git's own names for them. */
import { createHash } from 'node:crypto';
import { buildTree, type FileTree, type GitFile, objectSha } from './git.ts';

export class Branch {
  readonly #fullName: string;
  readonly #files: Map<string, Buffer>;
  /** What commits replaced or removed, by name: git keeps it. */
  readonly #replaced = new Map<string, Buffer>();
  #built: FileTree | null = null;
  #commits = '';

  constructor(fullName: string, files: Iterable<GitFile>) {
    this.#fullName = fullName;
    this.#files = new Map([...files].map(({ path, data }) => [path, data]));
  }

  files(): GitFile[] {
    return [...this.#files].map(([path, data]) => ({ path, data }));
  }

  file(path: string): Buffer | undefined {
    return this.#files.get(path);
  }

  /** Adds, replaces or (with null) removes a file. @returns the name of the commit */
  put(path: string, data: Buffer | null): string {
    const parent = this.headSha();
    const before = this.#files.get(path);
    if (before !== undefined) this.#replaced.set(objectSha('blob', before), before);
    if (data === null) this.#files.delete(path);
    else this.#files.set(path, data);
    this.#built = null;
    this.#commits = createHash('sha1').update(parent).digest('hex');
    return this.headSha();
  }

  /** A blob of the head, or of a commit before it. */
  blob(sha: string): Buffer | undefined {
    const entry = this.tree().entries.find((one) => one.type === 'blob' && one.sha === sha);
    return entry === undefined ? this.#replaced.get(sha) : this.#files.get(entry.path);
  }

  tree(): FileTree {
    this.#built ??= buildTree(this.files());
    return this.#built;
  }

  /** The name of the head's commit: it follows from the tree and from what came before. */
  headSha(): string {
    const text = `tree ${this.tree().sha}\n${this.#commits}\n${this.#fullName}\n`;
    return objectSha('commit', Buffer.from(text));
  }

  /** A new branch that starts here. */
  fork(): Branch {
    const copy = new Branch(this.#fullName, this.files());
    copy.#commits = this.#commits;
    for (const [sha, data] of this.#replaced) copy.#replaced.set(sha, data);
    return copy;
  }
}
