/** docs/deploy.md, read: its files, its commands, and what stands in the place of a whole machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './pack.ts';

/** A file that the page has, or commands. */
export interface Step {
  /** Where it is to be; null for commands. */
  file: string | null;
  text: string;
}

/** @param replaced what of the page is elsewhere here, such as `/etc` */
export function stepsOf(replaced: readonly (readonly [from: string, to: string])[]): Step[] {
  const page = readFileSync(join(ROOT, 'docs', 'deploy.md'), 'utf8');
  const blocks = [...page.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return blocks.map((block) => {
    let text = block;
    for (const [from, to] of replaced) text = text.replaceAll(from, to);
    const file = /^# (\/\S+)\n/.exec(text)?.[1] ?? null;
    if (file !== null) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return { file, text };
  });
}

/** The value of a setting of a unit, or the values. */
export const settingsOf = (unit: string, name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** `NAME=value` lines. */
export const environmentOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

/** A program that runs until it is asked to end. */
export class Running {
  readonly #child: ChildProcess;
  said = '';

  constructor(
    [command = '', ...args]: readonly string[],
    { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
  ) {
    this.#child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      this.said += part;
    });
  }

  /** Asks it to end, as systemd does. @returns its exit status */
  async end(): Promise<number | null> {
    // One that a signal has ended has no status.
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [status] = (await exit) as [number | null];
    return status;
  }
}

/** The instructions of a container file, each on one line, in their order. */
export const instructionsOf = (text: string): [name: string, rest: string][] =>
  [...text.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => [name, rest]);
