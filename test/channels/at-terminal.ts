/** Those who say something from a terminal, each by a program of their own that stays until the turn has ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../cli/run-cli.ts';

/** What a terminal has shown. */
export interface Shown {
  key: string;
  stdout: string;
  stderr: string;
  exitCode: number | null;
}

export class AtTerminals {
  readonly #children: ChildProcess[] = [];
  readonly #shown: Promise<Shown>[] = [];

  /** @param key what the message is known by */
  say(server: string, session: string, token: string, key: string, said: string): void {
    const args = ['run', '--server', server, '--session', session, said];
    const child = spawn(process.execPath, [join(ROOT, 'entry/main.ts'), ...args], {
      env: { ...process.env, DIRIGENT_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    this.#shown.push(
      Promise.all([text(child.stdout), text(child.stderr), exited]).then(
        ([stdout, stderr, exitCode]) => ({ key, stdout, stderr, exitCode }),
      ),
    );
  }

  /** What all have shown, once each has ended by itself. */
  ended(): Promise<Shown[]> {
    return Promise.all(this.#shown);
  }

  kill(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
