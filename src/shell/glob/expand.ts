/** File names for a pattern, as bash finds them: in order, links followed where it follows them. */
import { isFsError } from '../../errors.ts';
import type { DirentEntry, NamespaceFs } from '../../namespace/types.ts';
import type { InterpreterState } from '../interpreter-types.ts';
import { hasMarks, hasWildcards, settled, unmarked, WILD } from './marks.ts';
import { compileSegment, type Segment } from './match.ts';

/** What a look at the file system needs. */
export interface GlobHost {
  fs: NamespaceFs;
  state: InterpreterState;
  /** Called before each directory is read: a walk over many must leave others their turn. */
  tick(): Promise<void> | undefined;
  stopped(): boolean;
}

const DOTS: readonly DirentEntry[] = ['.', '..'].map((name) => ({
  name,
  isFile: false,
  isDirectory: true,
  isSymbolicLink: false,
}));

/** An expanded word for which no file was found, under `shopt -s failglob`. */
export class NoMatch extends Error {
  override readonly name = 'NoMatch';
}

/**
 * The words with their patterns replaced by the files that fit.
 * @throws NoMatch when a pattern fits nothing and `failglob` is on
 */
export async function expandMarks(words: readonly string[], host: GlobHost): Promise<string[]> {
  const { shoptOptions, options } = host.state;
  const out: string[] = [];
  for (const word of words) {
    if (!hasWildcards(word)) {
      out.push(hasMarks(word) ? unmarked(word) : word);
      continue;
    }
    const found = options['noglob'] === true ? [] : await new Walk(settled(word), host).files();
    if (found.length > 0) out.push(...found);
    else if (options['noglob'] === true) out.push(unmarked(word));
    else if (shoptOptions['failglob'] === true) throw new NoMatch(unmarked(word));
    else if (shoptOptions['nullglob'] !== true) out.push(unmarked(word));
  }
  return out;
}

/** One pattern. */
class Walk {
  readonly #host: GlobHost;
  readonly #segments: readonly string[];
  readonly #compiled = new Map<string, Segment>();
  readonly #found = new Set<string>();
  readonly #globstar: boolean;
  readonly #hidden: boolean;
  readonly #fold: boolean;
  /** Are `.` and `..` names like others that begin with a dot? */
  readonly #dots: boolean;
  readonly #ignored: readonly (readonly Segment[])[];

  constructor(pattern: string, host: GlobHost) {
    const { shoptOptions, env } = host.state;
    const ignore = env.get('GLOBIGNORE') ?? '';
    this.#host = host;
    this.#segments = pattern.split('/');
    this.#globstar = shoptOptions['globstar'] === true;
    this.#hidden = shoptOptions['dotglob'] === true || ignore !== '';
    this.#fold = shoptOptions['nocaseglob'] === true;
    this.#dots = shoptOptions['globskipdots'] === false && ignore === '';
    this.#ignored = patternsOf(ignore).map((one) =>
      withWildcards(one)
        .split('/')
        .map((part) => compileSegment(part, this.#fold)),
    );
  }

  async files(): Promise<string[]> {
    await this.#from('', 0);
    const found = [...this.#found];
    const kept = this.#ignored.length === 0 ? found : found.filter((path) => !this.#ignores(path));
    return kept.sort();
  }

  /** Finds what fits the segments from `index` on, below what the text `prefix` names. */
  async #from(prefix: string, index: number): Promise<void> {
    const segment = this.#segments[index] ?? '';
    const last = index === this.#segments.length - 1;
    if (this.#globstar && segment === WILD['*'].repeat(2)) return this.#everywhere(prefix, index);
    if (!hasMarks(segment)) {
      if (!last) return this.#from(`${prefix}${segment}/`, index + 1);
      if (prefix + segment === '') return;
      if (segment === '' ? await this.#isDirectory(prefix) : await this.#exists(prefix + segment)) {
        this.#found.add(prefix + segment);
      }
      return;
    }
    const pattern = this.#compile(segment);
    const entries = await this.#entries(prefix);
    for (const entry of this.#dots && pattern.dot ? [...DOTS, ...entries] : entries) {
      if (!this.#shows(entry.name, pattern.dot) || !pattern.fits(entry.name)) continue;
      const path = prefix + entry.name;
      if (last) this.#found.add(path);
      else if (await this.#leadsOn(entry, path)) await this.#from(`${path}/`, index + 1);
    }
  }

  /** `**`: this directory and all below it, but not through links. */
  async #everywhere(prefix: string, index: number): Promise<void> {
    const last = index === this.#segments.length - 1;
    const onlyDirectories = this.#segments[index + 1] === '' && index + 2 === this.#segments.length;
    if (!last) await this.#from(prefix, index + 1);
    else if (prefix !== '' && (await this.#isDirectory(prefix))) {
      // bash keeps the slash of a directory that was named, and drops that of one it found.
      const named = !this.#segments.slice(0, index).some(hasMarks);
      this.#found.add(named ? prefix : prefix.slice(0, -1));
    }
    for (const entry of await this.#entries(prefix)) {
      if (!this.#shows(entry.name, false)) continue;
      const path = prefix + entry.name;
      if (last) this.#found.add(path);
      if (entry.isDirectory) await this.#below(`${path}/`, index, last);
      else if (entry.isSymbolicLink && onlyDirectories && (await this.#isDirectory(path))) {
        this.#found.add(`${path}/`);
      }
    }
  }

  /** A directory below one that `**` fits. */
  async #below(prefix: string, index: number, last: boolean): Promise<void> {
    if (!last) return this.#everywhere(prefix, index);
    for (const entry of await this.#entries(prefix)) {
      if (!this.#shows(entry.name, false)) continue;
      this.#found.add(prefix + entry.name);
      if (entry.isDirectory) await this.#below(`${prefix}${entry.name}/`, index, last);
    }
  }

  #compile(text: string): Segment {
    let segment = this.#compiled.get(text);
    if (segment === undefined) {
      segment = compileSegment(text, this.#fold);
      this.#compiled.set(text, segment);
    }
    return segment;
  }

  #shows(name: string, dot: boolean): boolean {
    return !name.startsWith('.') || dot || this.#hidden;
  }

  #ignores(path: string): boolean {
    const parts = path.split('/');
    return this.#ignored.some(
      (segments) =>
        segments.length === parts.length &&
        segments.every((segment, index) => segment.fits(parts[index] ?? '')),
    );
  }

  async #leadsOn(entry: DirentEntry, path: string): Promise<boolean> {
    return entry.isDirectory || (entry.isSymbolicLink && (await this.#isDirectory(path)));
  }

  #absolute(path: string): string {
    return this.#host.fs.resolvePath(this.#host.state.cwd, path === '' ? '.' : path);
  }

  /** Failures are kept by the file system, which sees to it that they are told. */
  async #entries(prefix: string): Promise<DirentEntry[]> {
    const pause = this.#host.tick();
    if (pause !== undefined) await pause;
    if (this.#host.stopped()) return [];
    const found = await quietly(this.#host.fs.readdirWithFileTypes(this.#absolute(prefix)));
    return found ?? [];
  }

  async #exists(path: string): Promise<boolean> {
    return (await quietly(this.#host.fs.lstat(this.#absolute(path)))) !== undefined;
  }

  async #isDirectory(path: string): Promise<boolean> {
    const stat = await quietly(this.#host.fs.stat(this.#absolute(path)));
    return stat?.isDirectory === true;
  }
}

/** The answer, or undefined when the file system refused to give one. */
async function quietly<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isFsError(error)) return undefined;
    throw error;
  }
}

/** The patterns of GLOBIGNORE: a colon in brackets, or behind a backslash, is part of one. */
function patternsOf(list: string): string[] {
  return list.match(/(?:\\[\s\S]|\[[!^]?\]?(?:\[:\w+:\]|[^\]:])*\]|[^:])+/g) ?? [];
}

function withWildcards(text: string): string {
  return text.replace(/\\([\s\S])|[*?[]/g, (char, escaped: string | undefined) =>
    escaped === undefined ? WILD[char as keyof typeof WILD] : escaped,
  );
}
