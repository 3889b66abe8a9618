/** fd's -x and -X: commands with what was found in them. */
import type { Tool } from '../support/tool.ts';

const PLACE = /\{(\/\/|\/\.|\/|\.)?\}/g;

function formed(path: string, form: string | undefined): string {
  const slash = path.lastIndexOf('/');
  const base = path.slice(slash + 1);
  const bare = (text: string): string => text.replace(/(.)\.[^/.]*$/, '$1');
  if (form === '/') return base;
  if (form === '/.') return bare(base);
  if (form === '.') return path.slice(0, slash + 1).replace(/^\.\//, '') + bare(base);
  if (form === '//') return slash < 0 ? '.' : path.slice(0, slash) || '/';
  return path;
}

/** Runs one command, with its output passed on; fd's status is 1 as soon as one fails. */
export class Runner {
  readonly #tool: Tool;
  readonly #words: readonly string[];

  constructor(tool: Tool, words: readonly string[]) {
    this.#tool = tool;
    const hasPlace = words.some((word) => word.search(PLACE) >= 0);
    this.#words = hasPlace ? words : [...words, '{}'];
  }

  async one(path: string): Promise<void> {
    await this.#run(
      this.#words.map((word) => word.replace(PLACE, (_all, form?: string) => formed(path, form))),
    );
  }

  async all(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await this.#run(
      this.#words.flatMap((word) =>
        word.search(PLACE) < 0
          ? [word]
          : paths.map((path) => word.replace(PLACE, (_all, form?: string) => formed(path, form))),
      ),
    );
  }

  async #run(words: readonly string[]): Promise<void> {
    const { stdout, stderr, exitCode } = await this.#tool.spawn(words);
    this.#tool.write(stdout);
    this.#tool.stderr += stderr;
    if (exitCode !== 0) this.#tool.status = 1;
    this.#tool.ctx.signal?.throwIfAborted();
    await this.#tool.pulse();
  }
}
