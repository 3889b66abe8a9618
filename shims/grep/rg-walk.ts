/** ripgrep's walk: which files under a directory, by its ignore files. */
import { isFsError } from '../../src/errors.ts';
import type { NamespaceFs } from '../../src/namespace/types.ts';
import { UsageError } from './errors.ts';
import { IGNORE_FILES, type IgnoreFile, IgnoreRules } from './ignore.ts';
import type { RgOptions } from './rg-settings.ts';
import { typesOf } from './rg-types.ts';
import {
  type Foreknowledge,
  type Target,
  type WalkFilter,
  walkAtOnce,
  walkByListing,
} from './walk.ts';

/** The globs of the types asked for. @throws UsageError for a type that is none. */
function typeGlobs(options: RgOptions): { wanted: string[]; unwanted: string[] } {
  const chosen = { wanted: [] as string[], unwanted: [] as string[] };
  const types = typesOf(options.typeChanges);
  for (const { name, negated } of options.types) {
    const globs =
      name === 'all'
        ? Object.values(types).flat()
        : Object.hasOwn(types, name)
          ? types[name]
          : undefined;
    if (globs === undefined) throw new UsageError(`unrecognized file type: ${name}\n`);
    chosen[negated ? 'unwanted' : 'wanted'].push(...globs);
  }
  return chosen;
}

function isIgnoreFile(name: string): name is IgnoreFile {
  return name.endsWith('ignore') && (IGNORE_FILES as readonly string[]).includes(name);
}

export class RgWalk {
  private readonly fs: NamespaceFs;
  private readonly options: RgOptions;
  private readonly rules: IgnoreRules;
  private readonly loop: (path: string) => void;
  private readonly costly: (path: string) => void;
  /** Ignore files that were read already. */
  private readonly seen = new Set<string>();
  /** Directories that hold a repository, in or above which .gitignore counts. */
  private readonly repositories = new Set<string>();

  /**
   * @param loop told of a link that leads back
   * @param costly told of what is passed over because reading or listing it costs a request
   */
  constructor(
    fs: NamespaceFs,
    options: RgOptions,
    cwd: string,
    loop: (path: string) => void,
    costly: (path: string) => void,
  ) {
    this.fs = fs;
    this.options = options;
    this.loop = loop;
    this.costly = costly;
    this.rules = new IgnoreRules(
      { hidden: options.hidden, globs: options.globs, types: typeGlobs(options) },
      cwd,
    );
  }

  /**
   * All files to search under a directory, in the order of their paths.
   * @param known see {@link walkAtOnce}
   */
  async targets(
    root: string,
    known: Foreknowledge | null,
  ): Promise<Iterable<Target> | AsyncIterable<Target>> {
    const { noIgnore, follow, maxDepth } = this.options;
    if (!noIgnore) await this.above(root);
    const filter: WalkFilter = {
      file: (name, dir) => this.rules.takes(name, dir, false),
      directory: (name, dir) => this.rules.takes(name, dir, true),
      followLinks: follow,
      maxDepth,
      costlyDirectory: this.costly,
      // `--files` reads nothing, so that no file costs anything.
      ...(this.options.output === 'files' ? {} : { costly: this.costly }),
    };
    const isAll = !follow && maxDepth === Number.POSITIVE_INFINITY;
    for (const fetched of [false, true]) {
      // Once what lies there was fetched, most of it can be walked at once.
      if (fetched) await this.fs.prefetch(root);
      if (isAll && !noIgnore) await this.scan(root);
      const atOnce = isAll ? walkAtOnce(this.fs, root, filter, known) : null;
      if (atOnce !== null) return atOnce;
    }
    const enter = async (dir: string, names: readonly string[]): Promise<void> => {
      if (names.includes('.git')) this.repositories.add(dir);
      for (const name of names) if (isIgnoreFile(name)) await this.read(dir, name);
    };
    return walkByListing(this.fs, root, noIgnore ? filter : { ...filter, enter }, this.loop);
  }

  /** Rules of the directories above count too. */
  private async above(root: string): Promise<void> {
    const dirs: string[] = [];
    for (let dir = root; dir !== '/'; ) {
      dir = dir.slice(0, dir.lastIndexOf('/')) || '/';
      dirs.push(dir);
    }
    for (const dir of dirs) {
      const prefix = dir === '/' ? '/' : `${dir}/`;
      if (await this.fs.exists(`${prefix}.git`)) this.repositories.add(dir);
    }
    if (await this.fs.exists(`${root === '/' ? '' : root}/.git`)) this.repositories.add(root);
    if (this.options.noParent) return;
    for (const dir of dirs) {
      const prefix = dir === '/' ? '/' : `${dir}/`;
      for (const name of IGNORE_FILES) {
        if (await this.fs.exists(prefix + name)) await this.read(dir, name);
      }
    }
  }

  /** Finds the ignore files of a tree that can be walked at once. */
  private async scan(root: string): Promise<void> {
    const enter = (dir: string): void => {
      const git = `${dir}/`.indexOf('/.git/', root.length - 1);
      if (git !== -1) this.repositories.add(dir.slice(0, git) || '/');
    };
    const files = this.fs.walk(root, {
      enters: () => true,
      wanted: ({ names }, directory) => {
        enter(directory);
        const wanted: number[] = [];
        for (let index = 0; index < names.length; index++)
          if (isIgnoreFile(names[index] as string)) wanted.push(index);
        return wanted;
      },
    });
    if (files === null) return;
    const found: { dir: string; name: IgnoreFile }[] = [];
    let dir = '';
    for (const { directory, name } of files) {
      if (directory !== dir) enter(directory);
      dir = directory;
      if (isIgnoreFile(name)) found.push({ dir, name });
    }
    for (const { dir, name } of found) await this.read(dir, name);
  }

  private async read(dir: string, name: IgnoreFile): Promise<void> {
    const path = `${dir === '/' ? '' : dir}/${name}`;
    if (this.seen.has(path)) return;
    if (name !== '.gitignore' && this.options.noDot) return;
    if (name === '.gitignore' && (this.options.noVcs || !this.inRepository(dir))) return;
    this.seen.add(path);
    try {
      const content = Buffer.from(await this.fs.readFileBuffer(path)).toString('utf8');
      this.rules.add(dir, name, content);
    } catch (error) {
      // A directory of that name holds no rules; whatever else fails must be known.
      if (!isFsError(error, 'EISDIR') && !isFsError(error, 'ENOENT')) throw error;
    }
  }

  private inRepository(dir: string): boolean {
    if (!this.options.requireGit) return true;
    for (let at = dir; ; at = at.slice(0, at.lastIndexOf('/')) || '/') {
      if (this.repositories.has(at)) return true;
      if (at === '/') return false;
    }
  }
}
