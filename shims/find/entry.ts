/** One thing that find meets, with its attributes asked for only when a test needs them. */
import type { FsStat } from 'just-bash';
import { errnoOf, type Tool } from '../support/tool.ts';

/** f, d or l. */
export type Kind = 'f' | 'd' | 'l';

/** When links are followed: never, on the command line, always. */
export type Links = 'P' | 'H' | 'L';

/** An entry of the walk. */
export class WalkedEntry {
  /** As it is printed. */
  readonly shown: string;
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** The operand that it was found under. */
  readonly root: string;
  kind: Kind;
  #stat: FsStat | undefined;
  readonly #tool: Tool;
  readonly #follow: boolean;

  constructor(
    tool: Tool,
    place: { shown: string; path: string; name: string; depth: number; root: string },
    kind: Kind,
    follow: boolean,
    stat?: FsStat,
  ) {
    this.#tool = tool;
    this.shown = place.shown;
    this.path = place.path;
    this.name = place.name;
    this.depth = place.depth;
    this.root = place.root;
    this.kind = kind;
    this.#follow = follow;
    this.#stat = stat;
  }

  /** Its attributes: those of the link's end where links are followed. */
  async stat(): Promise<FsStat> {
    this.#stat ??= await statOf(this.#tool, this.path, this.#follow);
    return this.#stat;
  }
}

/** The attributes of a path; of the link itself when its end is missing. Links in a circle are an error. */
export async function statOf(tool: Tool, path: string, follow: boolean): Promise<FsStat> {
  const own = await tool.fs.lstat(path);
  if (!follow || !own.isSymbolicLink) return own;
  try {
    return await tool.fs.stat(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return own;
    throw error;
  }
}

/** The kind that attributes tell. */
export function kindOf(stat: { isDirectory: boolean; isSymbolicLink: boolean }): Kind {
  if (stat.isSymbolicLink) return 'l';
  return stat.isDirectory ? 'd' : 'f';
}
