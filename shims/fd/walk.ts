/** fd's walk: what is below a directory, but for hidden and ignored entries. */
import { IGNORE_FILES, type IgnoreFile, IgnoreRules } from '../grep/ignore.ts';
import { errnoOf, strerror, type Tool } from '../support/tool.ts';

/** Something that was met. */
export interface Entry {
  name: string;
  /** Absolute. */
  path: string;
  /** As it is printed, without a slash at its end. */
  shown: string;
  /** 1 for what lies in the directory that was named. */
  depth: number;
  kind: 'f' | 'd' | 'l';
  /** Is the path shown relative to the current directory, which was not named? */
  fromHere: boolean;
}

export interface WalkRules {
  hidden: boolean;
  ignores: boolean;
  vcs: boolean;
  /** Does .gitignore count in repositories alone? */
  needsRepository: boolean;
  follow: boolean;
  excluded: readonly string[];
  ignoreFiles: readonly string[];
  most: number;
  passed(shown: string): void;
}

/** What an ignore file of fd's own is to the rules. */
const OWN = '.fdignore';

export class Walk {
  readonly #tool: Tool;
  readonly #rules: WalkRules;
  readonly #ignored: IgnoreRules;
  readonly #pruned = new Set<string>();

  constructor(tool: Tool, rules: WalkRules) {
    this.#tool = tool;
    this.#rules = rules;
    const globs = rules.excluded.map((glob) => ({ glob: `!${glob}`, ignoreCase: false }));
    this.#ignored = new IgnoreRules(
      { hidden: rules.hidden, globs, types: { wanted: [], unwanted: [] } },
      tool.ctx.cwd,
    );
  }

  /** Nothing below this entry is met. */
  prune(entry: Entry): void {
    this.#pruned.add(entry.path);
  }

  /** All entries below a directory, each directory before what is in it, by name. */
  async *entries(root: string): AsyncGenerator<Entry> {
    const top = this.#tool.path(root);
    for (const file of this.#rules.ignoreFiles) {
      const text = await this.#tool.tryRead(file);
      if (text !== undefined) this.#ignored.add(top, '.rgignore', text);
    }
    let repository = !this.#rules.needsRepository;
    if (this.#rules.ignores) {
      // Rules and repositories of the directories above hold here, too.
      const above = top.split('/').slice(1, -1);
      for (let i = 0; i <= above.length; i++) {
        const directory = `/${above.slice(0, i).join('/')}`;
        repository = await this.#readRules(directory, repository);
      }
    }
    const fromHere = root === '.';
    const shown = fromHere ? '' : `${root.replace(/\/+$/, '')}/`;
    const real = this.#rules.follow ? await this.#tool.fs.realpath(top) : top;
    yield* this.#below(top, shown, 1, fromHere, repository, [real]);
  }

  async #readRules(directory: string, inRepository: boolean): Promise<boolean> {
    const { fs } = this.#tool;
    const at = (name: string): string => (directory === '/' ? `/${name}` : `${directory}/${name}`);
    const repository = inRepository || (await fs.exists(at('.git')));
    const files: Array<[file: string, as: IgnoreFile]> = [
      [OWN, '.rgignore'],
      ['.ignore', '.ignore'],
    ];
    if (this.#rules.vcs && repository) files.push(['.gitignore', '.gitignore']);
    for (const [file, as] of files) {
      if (await fs.exists(at(file))) {
        this.#ignored.add(directory, as, (await fs.readFileBuffer(at(file))).toString());
      }
    }
    return repository;
  }

  async *#below(
    directory: string,
    shown: string,
    depth: number,
    fromHere: boolean,
    inRepository: boolean,
    ancestors: readonly string[],
  ): AsyncGenerator<Entry> {
    if (depth > this.#rules.most) return;
    const { fs } = this.#tool;
    let repository = inRepository;
    let list: Awaited<ReturnType<typeof fs.readdirWithFileTypes>>;
    try {
      list = await fs.readdirWithFileTypes(directory);
      if (
        this.#rules.ignores &&
        list.some(
          ({ name }) =>
            name === '.git' || name === OWN || (IGNORE_FILES as readonly string[]).includes(name),
        )
      ) {
        repository = await this.#readRules(directory, inRepository);
      }
    } catch (error) {
      const why = strerror(error);
      if (why === undefined) throw error;
      this.#tool.stderr += `[fd error]: ${shown.replace(/\/$/, '') || '.'}: ${why}\n`;
      return;
    }
    for (const dirent of list.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = directory === '/' ? `/${dirent.name}` : `${directory}/${dirent.name}`;
      const link = dirent.isSymbolicLink;
      const target = link && this.#rules.follow ? await this.#target(path) : undefined;
      const isDirectory = dirent.isDirectory || target?.directory === true;
      if (!this.#ignored.takes(dirent.name, directory, isDirectory)) continue;
      const kind = isDirectory ? 'd' : link && target === undefined ? 'l' : 'f';
      const entry: Entry = {
        name: dirent.name,
        path,
        shown: shown + dirent.name,
        depth,
        kind,
        fromHere,
      };
      yield entry;
      if (!isDirectory || this.#pruned.has(path)) continue;
      const real = target?.real ?? `${ancestors.at(-1)}/${dirent.name}`.replace(/^\/\//, '/');
      // A link that leads back is met, and not followed.
      if (ancestors.includes(real)) continue;
      if (fs.costly(path)) {
        this.#rules.passed(entry.shown);
        continue;
      }
      yield* this.#below(path, `${entry.shown}/`, depth + 1, fromHere, repository, [
        ...ancestors,
        real,
      ]);
    }
  }

  async #target(path: string): Promise<{ directory: boolean; real: string } | undefined> {
    try {
      const { isDirectory } = await this.#tool.fs.stat(path);
      return { directory: isDirectory, real: await this.#tool.fs.realpath(path) };
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }
}
