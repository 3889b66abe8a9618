/** A repository that a command works in: its trees, its index, its files. */
import type { ReadCommitResult, TreeEntry } from 'isomorphic-git';
import type { Tool } from '../support/tool.ts';
import type { Git } from './engine.ts';
import { GitFault } from './fault.ts';
import { gitFiles } from './files.ts';
import { globalSetting } from './settings.ts';

/** What stands under a path in a tree, the index or the working tree. */
export interface Blob {
  oid: string;
  /** As git writes it: 100644, 100755, 120000 or 160000. */
  mode: string;
}

/** Paths, relative to the root of the working tree, in git's order. */
export type Tree = Map<string, Blob>;

/** The three states of a path; null where it is not there. */
export interface State {
  path: string;
  head: Blob | null;
  index: Blob | null;
  work: Blob | null;
}

const modeText = (mode: number): string => mode.toString(8).padStart(6, '0');
/** Modes of the working tree are the file system's: git has two of files. */
export function workMode(mode: number): string {
  const type = mode & 0o170_000;
  if (type === 0o120_000) return '120000';
  return (mode & 0o100) === 0 ? '100644' : '100755';
}

export interface Person {
  name: string;
  email: string;
  timestamp: number;
  /** Minutes that local time is behind UTC. */
  timezoneOffset: number;
}

export class Repository {
  readonly git: Git;
  readonly tool: Tool;
  readonly dir: string;
  readonly gitdir: string;
  /** What every call of isomorphic-git takes. */
  readonly at: { fs: ReturnType<typeof gitFiles>; dir: string; gitdir: string; cache: object };
  /** `-c NAME=VALUE` of the command line. */
  readonly #settings: ReadonlyMap<string, string>;

  constructor(git: Git, tool: Tool, dir: string, settings: ReadonlyMap<string, string>) {
    this.git = git;
    this.tool = tool;
    this.dir = dir;
    this.gitdir = dir === '/' ? '/.git' : `${dir}/.git`;
    this.#settings = settings;
    this.at = { fs: gitFiles(tool.fs), dir, gitdir: this.gitdir, cache: {} };
  }

  /** The repository that a directory is in. @throws GitFault where there is none */
  static async open(
    git: Git,
    tool: Tool,
    cwd: string,
    settings: ReadonlyMap<string, string>,
  ): Promise<Repository> {
    for (let dir = cwd; ; dir = dir.replace(/\/[^/]*$/, '') || '/') {
      const gitdir = dir === '/' ? '/.git' : `${dir}/.git`;
      if (await tool.fs.exists(gitdir)) {
        const stat = await tool.fs.lstat(gitdir);
        if (!stat.isDirectory) {
          throw new GitFault(
            `${gitdir} is no directory: a repository whose .git is a file or a link is not read here`,
          );
        }
        return new Repository(git, tool, dir, settings);
      }
      if (dir === '/') {
        throw new GitFault('not a git repository (or any of the parent directories): .git');
      }
    }
  }

  /** A path of the command line, relative to the working tree. @throws GitFault where it leaves it */
  relative(operand: string): string {
    const path = this.tool.path(operand);
    if (path === this.dir) return '.';
    const prefix = this.dir === '/' ? '/' : `${this.dir}/`;
    if (!path.startsWith(prefix)) {
      throw new GitFault(`${operand}: '${operand}' is outside repository at '${this.dir}'`);
    }
    return path.slice(prefix.length);
  }

  /** How a path is shown: from the directory that the command is in. */
  shown(path: string): string {
    const here = this.relative(this.tool.ctx.cwd);
    if (here === '.') return path;
    const from = here.split('/');
    const to = path.split('/');
    let common = 0;
    while (common < from.length && from[common] === to[common]) common++;
    return [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/');
  }

  absolute(path: string): string {
    return this.dir === '/' ? `/${path}` : `${this.dir}/${path}`;
  }

  /** The branch that is checked out; null where HEAD is detached. */
  async branch(): Promise<string | null> {
    return (await this.git.currentBranch({ ...this.at })) ?? null;
  }

  /** The commit of HEAD; null before the first. */
  async head(): Promise<string | null> {
    return this.tryResolve('HEAD');
  }

  async tryResolve(ref: string): Promise<string | null> {
    try {
      return await this.git.resolveRef({ ...this.at, ref });
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async commit(oid: string): Promise<ReadCommitResult['commit']> {
    return (await this.git.readCommit({ ...this.at, oid })).commit;
  }

  /** The files of a commit, a tag or a tree; none for null. */
  async tree(oid: string | null): Promise<Tree> {
    const files: Tree = new Map();
    if (oid !== null) await this.#collect(oid, '', files);
    return new Map([...files].sort(([a], [b]) => byName(a, b)));
  }

  async #collect(oid: string, prefix: string, into: Tree): Promise<void> {
    const { tree } = await this.git.readTree({ ...this.at, oid });
    for (const entry of tree) {
      const path = prefix + entry.path;
      if (entry.type === 'tree') await this.#collect(entry.oid, `${path}/`, into);
      else into.set(path, { oid: entry.oid, mode: entry.mode.padStart(6, '0') });
    }
    await this.tool.pulse();
  }

  /** Writes files as trees. @returns the id of the outermost */
  async writeTree(files: Tree): Promise<string> {
    const entries: TreeEntry[] = [];
    const below = new Map<string, Tree>();
    for (const [path, { oid, mode }] of files) {
      const slash = path.indexOf('/');
      if (slash < 0) entries.push({ path, oid, mode, type: mode === '160000' ? 'commit' : 'blob' });
      else {
        const name = path.slice(0, slash);
        const inner = below.get(name) ?? new Map();
        below.set(name, inner.set(path.slice(slash + 1), { oid, mode }));
      }
    }
    for (const [path, inner] of below)
      entries.push({ path, oid: await this.writeTree(inner), mode: '040000', type: 'tree' });
    return this.git.writeTree({ ...this.at, tree: entries });
  }

  /** The files of the index. */
  async index(): Promise<Tree> {
    const { STAGE } = this.git;
    const files: Tree = new Map();
    await this.git.walk({
      ...this.at,
      trees: [STAGE()],
      map: async (path, [entry]) => {
        if (entry == null || path === '.' || (await entry.type()) === 'tree') return;
        files.set(path, { oid: (await entry.oid()) ?? '', mode: modeText(await entry.mode()) });
      },
    });
    return new Map([...files].sort(([a], [b]) => byName(a, b)));
  }

  /** Every path that is in HEAD, in the index, or in the working tree and not ignored. */
  async states(): Promise<State[]> {
    const { STAGE, WORKDIR } = this.git;
    const head = await this.tree(await this.head());
    const states: State[] = [];
    // Where modes count for nothing the engine would put them into the index as it looks.
    const hasModes = (await this.setting('core.filemode')) !== 'false';
    await this.git.walk({
      ...this.at,
      trees: [STAGE(), WORKDIR({ refresh: hasModes })],
      map: async (path, [staged, worked]) => {
        if (path === '.') return;
        const isTracked = staged != null;
        const isDirectory = (await worked?.type()) === 'tree';
        if (!isTracked && (await this.isIgnored(path, isDirectory))) return null;
        const index = await blobOf(staged, modeText);
        const work = await blobOf(worked, workMode);
        if (!hasModes && isRegular(index) && isRegular(work)) work.mode = index.mode;
        if (index !== null || work !== null)
          states.push({ path, head: head.get(path) ?? null, index, work });
        return undefined;
      },
    });
    const seen = new Set(states.map(({ path }) => path));
    for (const [path, blob] of head) {
      if (!seen.has(path)) states.push({ path, head: blob, index: null, work: null });
    }
    return states.sort((a, b) => byName(a.path, b.path));
  }

  /** Do `.gitignore` and the like leave a path out? Some patterns are of directories alone. */
  async isIgnored(path: string, isDirectory = false): Promise<boolean> {
    if (await this.git.isIgnored({ ...this.at, filepath: path })) return true;
    return isDirectory && this.git.isIgnored({ ...this.at, filepath: `${path}/` });
  }

  /** What a blob holds. */
  async content(oid: string): Promise<Buffer> {
    const { blob } = await this.git.readBlob({ ...this.at, oid });
    return Buffer.from(blob);
  }

  /** What a file of the working tree holds; of a link, where it leads. */
  async worked(path: string): Promise<Buffer> {
    const file = this.absolute(path);
    const stat = await this.tool.fs.lstat(file);
    if (stat.isSymbolicLink) return Buffer.from(await this.tool.fs.readlink(file));
    return Buffer.from(await this.tool.fs.readFileBuffer(file));
  }

  /** A setting: of the command line, of the repository, of the user. */
  async setting(name: string): Promise<string | undefined> {
    const given = this.#settings.get(name.toLowerCase());
    if (given !== undefined) return given;
    const own: unknown = await this.git.getConfig({ ...this.at, path: name });
    if (own !== undefined) return String(own);
    return globalSetting(this.tool, name);
  }

  /** Who writes commits, as git finds it. */
  async person(role: 'AUTHOR' | 'COMMITTER'): Promise<Person> {
    const env = this.tool.ctx.exportedEnv ?? {};
    const user = env['USER'] ?? 'agent';
    const name = env[`GIT_${role}_NAME`] ?? (await this.setting('user.name')) ?? user;
    const email =
      env[`GIT_${role}_EMAIL`] ?? (await this.setting('user.email')) ?? `${user}@localhost`;
    return { name, email, ...timeOf(env[`GIT_${role}_DATE`]) };
  }
}

/** Do both hold the same, or neither anything? */
export const isSame = (a: Blob | null, b: Blob | null): boolean =>
  a?.oid === b?.oid && a?.mode === b?.mode;

/** Is it a file, and neither a link nor a repository of its own? */
export const isRegular = (blob: Blob | null): blob is Blob => blob?.mode.startsWith('100') === true;

/** The directories that a path is in, the outermost first. */
export function directoriesOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Git's order is that of bytes. */
export const byName = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

async function blobOf(
  entry: import('isomorphic-git').WalkerEntry | null | undefined,
  mode: (mode: number) => string,
): Promise<Blob | null> {
  if (entry == null) return null;
  const type = await entry.type();
  if (type === 'commit') return { oid: (await entry.oid()) ?? '', mode: '160000' };
  if (type !== 'blob') return null;
  return { oid: (await entry.oid()) ?? '', mode: mode(await entry.mode()) };
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: string }).code === 'NotFoundError';

/** A time of the environment: `@SECONDS +ZONE`, ISO 8601, or RFC 2822; now without one. */
export function timeOf(text: string | undefined): Pick<Person, 'timestamp' | 'timezoneOffset'> {
  if (text === undefined || text === '') {
    return { timestamp: Math.floor(Date.now() / 1000), timezoneOffset: 0 };
  }
  const zone = /([+-])(\d{2}):?(\d{2})$/.exec(text.trim());
  const offset =
    zone === null ? 0 : (zone[1] === '-' ? 1 : -1) * (Number(zone[2]) * 60 + Number(zone[3])) || 0;
  const raw = /^@?(\d{5,})(?:\s+[+-]\d{4})?$/.exec(text.trim());
  if (raw !== null) return { timestamp: Number(raw[1]), timezoneOffset: offset };
  const hasZone = zone !== null || /(?:Z|GMT|UTC)$/.test(text.trim());
  const ms = Date.parse(hasZone ? text : `${text} UTC`);
  if (Number.isNaN(ms)) throw new GitFault(`invalid date format: ${text}`);
  return { timestamp: Math.floor(ms / 1000), timezoneOffset: offset };
}
