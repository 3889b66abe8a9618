/** tar -c, -r and -u: from files to members. */

import { parseDate } from '../support/date-text.ts';

import { UsageError } from '../support/getopt.ts';
import { parseMode } from '../support/mode.ts';
import { splitLines, type Tool, toText } from '../support/tool.ts';
import { type Excluded, exclusions, SafeNames } from './filters.ts';
import type { Header, Member } from './member.ts';
import type { Named, TarCommand } from './options.ts';
import { GROUPS, ownerOf, USERS } from './owners.ts';

/** Names that `-T` gives, one a line. */
export async function listedNames(tool: Tool, command: TarCommand): Promise<Named[]> {
  const out: Named[] = [];
  for (const file of command.options.all('T')) {
    const text = toText((await tool.tryRead(file, 2)) ?? '');
    const end = command.options.has('null') ? '\0' : '\n';
    const names = splitLines(text, end).filter((line) => line !== '');
    out.push(...names.map((name) => ({ name, directory: command.directory })));
  }
  return out;
}

/** Collects members from files. */
export class Collector {
  readonly members: Member[] = [];
  /** What `--remove-files` is to remove, children first. */
  readonly taken: { path: string; isDirectory: boolean }[] = [];
  readonly #tool: Tool;
  readonly #command: TarCommand;
  readonly #archive: string | undefined;
  readonly #excluded: Excluded;
  readonly #names: SafeNames;
  /** Of a file with several names, the member that it was first. */
  readonly #first = new Map<string, string>();
  readonly #print: (line: string) => void;

  constructor(
    tool: Tool,
    command: TarCommand,
    excluded: Excluded,
    archive: string | undefined,
    print: (line: string) => void,
  ) {
    this.#tool = tool;
    this.#command = command;
    this.#excluded = excluded;
    this.#archive = archive;
    this.#names = new SafeNames(tool, command.options.has('P'));
    this.#print = print;
  }

  static async of(
    tool: Tool,
    command: TarCommand,
    archive: string | undefined,
    print: (line: string) => void,
  ): Promise<Collector> {
    return new Collector(tool, command, await exclusions(tool, command.options), archive, print);
  }

  /** A file or a whole directory. */
  async add({ name, directory }: Named, isNested = false): Promise<void> {
    await this.#tool.pulse();
    const { fs } = this.#tool;
    const path = fs.resolvePath(this.#tool.path(directory), name);
    if (this.#excluded(name)) return;
    if (path === this.#archive) {
      this.#tool.warn(`${name}: file is the archive; not dumped`);
      return;
    }
    const done = await this.#tool.attempt(
      isNested ? name : `${name}: Cannot stat`,
      async () => {
        const { options } = this.#command;
        const stat = await (options.has('h') ? fs.stat(path) : fs.lstat(path));
        const shown = this.#names.of(
          stat.isDirectory ? name.replace(/\/*$/, '/') : name,
          'member names',
        );
        const header = this.#header(shown, stat);
        if (stat.isDirectory) this.#keep({ ...header, type: 'directory', size: 0 });
        else if (stat.isSymbolicLink) {
          if (!this.#again(header, stat.identity)) {
            const linkname = await fs.readlink(path);
            this.#keep({ ...header, type: 'symlink', size: 0, linkname });
          }
        } else if (!this.#again(header, stat.identity)) await this.#file(path, header);
        if (stat.isDirectory && !options.has('flat')) await this.#children(path, name, directory);
        this.taken.push({ path, isDirectory: stat.isDirectory });
        return true;
      },
      2,
    );
    if (done === undefined) this.#tool.status = 2;
  }

  async #children(path: string, name: string, directory: string): Promise<void> {
    for (const entry of await this.#tool.fs.readdirWithFileTypes(path)) {
      await this.add({ name: `${name.replace(/\/+$/, '')}/${entry.name}`, directory }, true);
    }
  }

  /** Keeps another name of what is a member already. Is it one? */
  #again(header: Header, identity: string | undefined): boolean {
    if (identity === undefined) return false;
    const first = this.#first.get(identity);
    if (first === undefined) this.#first.set(identity, header.name);
    else this.#keep({ ...header, type: 'link', size: 0, linkname: first });
    return first !== undefined;
  }

  async #file(path: string, header: Header): Promise<void> {
    const data = await this.#tool.fs.readFileBuffer(path);
    this.#keep({ ...header, type: 'file', size: data.length }, data);
  }

  #header(name: string, stat: { mode: number; mtime: Date }): Header {
    const { options } = this.#command;
    const given = options.get('mtime');
    const mtime =
      given === undefined ? stat.mtime : parseDate(given, new Date(), this.#tool.ctx.env.get('TZ'));
    if (mtime === undefined)
      throw new UsageError(`Substituting unknown date format '${given}'`, { hint: false });
    const rule = parseMode(options.get('mode') ?? '');
    const owner = ownerOf(options.get('owner'), USERS);
    const group = ownerOf(options.get('group'), GROUPS);
    return {
      name,
      size: 0,
      mode: rule === undefined ? stat.mode & 0o7777 : rule(stat.mode & 0o7777, false),
      // Whole seconds: more of them need a header of their own.
      mtime: new Date(Math.floor(mtime.getTime() / 1000) * 1000),
      uid: owner.id,
      gid: group.id,
      uname: owner.name,
      gname: group.name,
    };
  }

  #keep(header: Header, data?: Uint8Array): void {
    this.members.push(data === undefined ? { header } : { header, data });
    if (this.#command.options.has('v')) this.#print(header.name);
  }
}
