/** The actions of find: what it prints, runs and removes. */

import { dirOf } from '../basename/index.ts';
import { diskKiB, inodeOf, modeText, OWNER, sizeOf } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { monthName, zoned } from '../support/time.ts';
import { splitLines, type Tool } from '../support/tool.ts';
import type { WalkedEntry } from './entry.ts';
import type { Test, Words } from './expression.ts';
import { compileFormat } from './printf.ts';

/** Arguments that one batch of `-exec … +` takes: as the kernel's limit would have it. */
const BATCH_BYTES = 128 * 1024;

/** The words up to `;`, or up to `{} +` with the `+`. */
function commandOf(name: string, words: Words): string[] {
  const command: string[] = [];
  for (;;) {
    const word = words.argument(name);
    if (word === ';') break;
    const isBatch = word === '+' && command.at(-1) === '{}';
    command.push(word);
    if (isBatch) return command;
  }
  if (command.length === 0)
    throw new UsageError(`invalid argument \`;' to \`${name}'`, { hint: false });
  return command;
}

/** What the actions of one run leave behind for the walk. */
export class Actions {
  readonly #tool: Tool;
  readonly #finish: Array<() => Promise<void>> = [];
  /** Lines of stdin that no question has taken yet. */
  #answers: string[] | undefined;
  /** Set by -quit. */
  stopped = false;
  /** Set by -prune for the entry at hand. */
  pruned = false;
  /** Set once an action makes the default -print unwanted. */
  acts = false;

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  /** Runs what `-exec … +` still holds. */
  async finish(): Promise<void> {
    for (const run of this.#finish) await run();
  }

  /** Makes an action by its name; undefined when there is none of that name. */
  make(name: string, words: Words): Test | undefined {
    const tool = this.#tool;
    if (name === '-prune') {
      return () => {
        this.pruned = true;
        return true;
      };
    }
    if (!/^-(?:print0?|printf|fprint0?|fprintf|ls|delete|quit|exec|execdir|ok|okdir)$/.test(name)) {
      return undefined;
    }
    this.acts = true;
    if (name === '-quit') {
      return () => {
        this.stopped = true;
        return true;
      };
    }
    if (name === '-print' || name === '-print0') {
      const end = name === '-print' ? '\n' : '\0';
      return (entry) => {
        tool.print(entry.shown + end);
        return true;
      };
    }
    if (name === '-printf') {
      const format = compileFormat(tool, words.argument(name));
      return async (entry) => {
        tool.print(await format(entry));
        return true;
      };
    }
    if (name.startsWith('-fprint')) return this.#toFile(name, words);
    if (name === '-ls') return (entry) => this.#ls(entry);
    if (name === '-delete') return (entry) => this.#delete(entry);
    if (name.startsWith('-ok')) {
      return this.#asking(name, words);
    }
    return this.#exec(name, words);
  }

  #toFile(name: string, words: Words): Test {
    const file = words.argument(name);
    const format =
      name === '-fprintf' ? compileFormat(this.#tool, words.argument(name)) : undefined;
    const end = name === '-fprint' ? '\n' : '\0';
    let text = '';
    this.#finish.push(() => this.#tool.fs.writeFile(this.#tool.path(file), text));
    return async (entry) => {
      text += format === undefined ? entry.shown + end : await format(entry);
      return true;
    };
  }

  async #ls(entry: WalkedEntry): Promise<boolean> {
    const stat = await entry.stat();
    const time = zoned(stat.mtime, this.#tool.ctx.env.get('TZ'));
    const two = (value: number) => String(value).padStart(2, '0');
    const clock =
      Math.abs(Date.now() - stat.mtime.getTime()) < 15_778_476_000
        ? `${two(time.hour)}:${two(time.minute)}`
        : ` ${time.year}`;
    const arrow = entry.kind === 'l' ? ` -> ${await this.#tool.fs.readlink(entry.path)}` : '';
    const cells = [
      String(inodeOf(stat)).padStart(9),
      String(diskKiB(stat)).padStart(6),
      modeText(stat),
      (stat.isDirectory ? '2' : '1').padStart(3),
      OWNER.padEnd(8),
      OWNER.padEnd(8),
      String(sizeOf(stat)).padStart(8),
      `${monthName(time.month)} ${String(time.day).padStart(2)} ${clock}`,
    ];
    this.#tool.print(`${cells.join(' ')} ${entry.shown}${arrow}\n`);
    return true;
  }

  async #delete(entry: WalkedEntry): Promise<boolean> {
    if (entry.shown === '.' || entry.path === '/') return true;
    const tool = this.#tool;
    const removed = await tool.attempt(`cannot delete '${entry.shown}'`, async () => {
      const directory = (await tool.fs.lstat(entry.path)).isDirectory;
      if (directory && (await tool.fs.readdirWithFileTypes(entry.path)).length > 0) {
        tool.fail(`cannot delete '${entry.shown}': Directory not empty`);
        return false;
      }
      await tool.fs.rm(entry.path, directory ? { recursive: true } : {});
      return true;
    });
    return removed === true;
  }

  #exec(name: string, words: Words): Test {
    const command = commandOf(name, words);
    if (command.at(-1) === '+') return this.#batch(name, command.slice(0, -2));
    return (entry) => this.#call(name, command, entry);
  }

  /** -ok: what is run is asked first; the answers are the lines of stdin. */
  #asking(name: string, words: Words): Test {
    const command = commandOf(name, words).filter((word) => word !== '+');
    if (this.#tool.stdin === '') {
      throw new UsageError(`${name} asks a question, and nobody is here to answer`, {
        hint: false,
      });
    }
    return async (entry) => {
      this.#tool.stderr += `< ${command[0]} ... ${entry.shown} > ? `;
      this.#answers ??= splitLines(this.#tool.stdin);
      if (!/^\s*[yY]/.test(this.#answers.shift() ?? '')) return false;
      return this.#call(name, command, entry);
    };
  }

  #call(name: string, command: readonly string[], entry: WalkedEntry): Promise<boolean> {
    const inDir = name.endsWith('dir');
    const shown = inDir ? `./${entry.name}` : entry.shown;
    const cwd = inDir ? dirOf(entry.path) : this.#tool.ctx.cwd;
    return this.#run(
      command.map((word) => word.replaceAll('{}', shown)),
      cwd,
    );
  }

  async #run(command: readonly string[], cwd: string): Promise<boolean> {
    const result = await this.#tool.spawn(command, '', cwd);
    this.#tool.write(result.stdout);
    this.#tool.stderr += result.stderr;
    await this.#tool.pulse();
    return result.exitCode === 0;
  }

  #batch(name: string, command: readonly string[]): Test {
    const inDir = name === '-execdir';
    let paths: string[] = [];
    let bytes = 0;
    let dir = this.#tool.ctx.cwd;
    const flush = async () => {
      if (paths.length === 0) return;
      const taken = paths;
      paths = [];
      bytes = 0;
      if (!(await this.#run([...command, ...taken], dir))) this.#tool.status = 1;
    };
    this.#finish.push(flush);
    return async (entry) => {
      const cwd = inDir ? dirOf(entry.path) : this.#tool.ctx.cwd;
      if (bytes > BATCH_BYTES || cwd !== dir) await flush();
      dir = cwd;
      const shown = inDir ? `./${entry.name}` : entry.shown;
      paths.push(shown);
      bytes += shown.length + 1;
      return true;
    };
  }
}
