/** One branch of a repository: the files at its head, as bytes, and git's own names for them. */
import { createHash } from 'node:crypto';
import { buildTree, type FileTree, type GitFile, objectSha, type Submodule } from './git.ts';

/** All of a branch; may be structured-cloned. */
export interface BranchState {
  fullName: string;
  files: Map<string, Buffer>;
  replaced: Map<string, Buffer>;
  past: Set<string>;
  commits: string;
  /** Absent in what an earlier version kept. */
  submodules?: Submodule[];
}

export class Branch {
  readonly #fullName: string;
  readonly #files: Map<string, Buffer>;
  /** What commits replaced or removed, by name: git keeps it. */
  readonly #replaced = new Map<string, Buffer>();
  /** The commits before the head, by name. */
  readonly #past = new Set<string>();
  #built: FileTree | null = null;
  #commits = '';
  #submodules: Submodule[] = [];

  constructor(fullName: string, files: Iterable<GitFile>) {
    this.#fullName = fullName;
    this.#files = new Map([...files].map(({ path, data }) => [path, data]));
  }

  /** The branch that {@link state} was taken of. */
  static of({ fullName, files, replaced, past, commits, submodules }: BranchState): Branch {
    const branch = new Branch(
      fullName,
      [...files].map(([path, data]) => ({ path, data })),
    );
    for (const [sha, data] of replaced) branch.#replaced.set(sha, data);
    for (const sha of past) branch.#past.add(sha);
    branch.#commits = commits;
    branch.#submodules = submodules ?? [];
    return branch;
  }

  state(): BranchState {
    return {
      fullName: this.#fullName,
      files: this.#files,
      replaced: this.#replaced,
      past: this.#past,
      commits: this.#commits,
      submodules: this.#submodules,
    };
  }

  files(): GitFile[] {
    return [...this.#files].map(([path, data]) => ({ path, data }));
  }

  file(path: string): Buffer | undefined {
    return this.#files.get(path);
  }

  /** Adds, replaces or (with null) removes a file. @returns the name of the commit */
  put(path: string, data: Buffer | null): string {
    const files = new Map(this.#files);
    if (data === null) files.delete(path);
    else files.set(path, data);
    return this.goOn([...files].map(([name, content]) => ({ path: name, data: content })));
  }

  /** A commit that has these files and no others. @returns its name */
  goOn(files: readonly GitFile[]): string {
    const parent = this.headSha();
    const kept = new Set(files.map(({ data }) => data));
    for (const data of this.#files.values()) {
      if (!kept.has(data)) this.#replaced.set(objectSha('blob', data), data);
    }
    this.#files.clear();
    for (const { path, data } of files) this.#files.set(path, data);
    this.#built = null;
    this.#past.add(parent);
    this.#commits = after(parent);
    return this.headSha();
  }

  /** A commit that puts a submodule at a path. @returns its name */
  putSubmodule(submodule: Submodule): string {
    this.#submodules = [
      ...this.#submodules.filter(({ path }) => path !== submodule.path),
      submodule,
    ];
    return this.goOn(this.files());
  }

  /** A tree of these files, which no commit has yet. */
  drawUp(files: readonly GitFile[]): FileTree & { files: readonly GitFile[] } {
    return { ...buildTree(files, this.#submodules), files };
  }

  /** The name of a commit of a tree that follows another commit. */
  commitSha(tree: string, parent: string): string {
    return this.#nameOf(tree, after(parent));
  }

  /** A blob of the head, or of a commit before it. */
  blob(sha: string): Buffer | undefined {
    const entry = this.tree().entries.find((one) => one.type === 'blob' && one.sha === sha);
    return entry === undefined ? this.#replaced.get(sha) : this.#files.get(entry.path);
  }

  tree(): FileTree {
    this.#built ??= buildTree(this.files(), this.#submodules);
    return this.#built;
  }

  /** The name of the head's commit: it follows from the tree and from what came before. */
  headSha(): string {
    return this.#nameOf(this.tree().sha, this.#commits);
  }

  #nameOf(tree: string, before: string): string {
    return objectSha('commit', Buffer.from(`tree ${tree}\n${before}\n${this.#fullName}\n`));
  }

  /** Is it the head's commit, or one before it? */
  has(sha: string): boolean {
    return this.#past.has(sha) || this.headSha() === sha;
  }

  /** A new branch that starts here. */
  fork(): Branch {
    const copy = new Branch(this.#fullName, this.files());
    copy.#commits = this.#commits;
    copy.#submodules = this.#submodules;
    for (const [sha, data] of this.#replaced) copy.#replaced.set(sha, data);
    return copy;
  }
}

/** What came before a commit that follows `parent`, as a part of its name. */
function after(parent: string): string {
  return createHash('sha1').update(parent).digest('hex');
}
