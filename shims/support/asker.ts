/** Questions before something is lost: asked on stderr, answered on standard input, a line each. */
import type { Tool } from './tool.ts';

export class Asker {
  readonly #tool: Tool;
  #answers: string[] | undefined;

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  /** @param question without its mark: `overwrite 'a'`. @returns yes; where nobody answers, no */
  asks(question: string): boolean {
    this.#answers ??= this.#tool.stdin.split('\n');
    this.#tool.stderr += `${this.#tool.name}: ${question}? `;
    return /^[yY]/.test(this.#answers.shift() ?? '');
  }
}
