/** A server that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../cli/run-cli.ts';

export interface VictimOptions {
  /** The URL of its model. */
  model: string;
  /** Turns at once. */
  turns: number;
  /** 0 takes a free one. */
  port?: number;
  env?: Readonly<Record<string, string>>;
}

/** A server in a process of its own; its address once it listens. */
export class Victim {
  readonly process: ChildProcess;
  readonly url: Promise<string>;
  readonly #ended: Promise<void>;

  constructor(deployment: string, { model, turns, port = 0, env: more = {} }: VictimOptions) {
    const args = [join(ROOT, 'entry/main.ts'), 'serve', '--deployment', deployment];
    const env = { ...process.env, OPENAI_BASE_URL: model, DIRIGENT_MODEL: 'openai/m', ...more };
    this.process = spawn(
      process.execPath,
      [...args, '--port', String(port), '--turns', String(turns)],
      {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    this.#ended = new Promise((resolve) => this.process.once('exit', () => resolve()));
    const lines = createInterface({ input: this.process.stderr as NodeJS.ReadableStream });
    const said: string[] = [];
    this.url = new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        said.push(line);
        const [, url] = /serving (\S+)/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
      void this.#ended.then(() => reject(new Error(`the server has ended: ${said.join('\n')}`)));
    });
    // One that is killed on purpose is not waited for.
    this.url.catch(() => undefined);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#ended;
  }
}
