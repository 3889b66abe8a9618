/** A pseudo-terminal with a program at it, for tests: util-linux's `script` makes it. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { ROOT } from './run-cli.ts';
import { terminalText } from './terminal-text.ts';

/** Is there a `script` that takes a command? Elsewhere tests at a terminal are skipped. */
export const HAS_TERMINAL =
  process.platform === 'linux' && spawnSync('script', ['--version']).error === undefined;

/** Far off: a machine that is busy is slow. */
const LIMIT_MS = 120_000;

export interface TerminalSize {
  columns?: number;
  rows?: number;
}

export class PseudoTerminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #raw = '';
  #mark = 0;
  #changed = Promise.withResolvers<void>();

  constructor(command: string, env: Record<string, string>, size: TerminalSize = {}) {
    const { columns = 250, rows = 50 } = size;
    const sized = `stty cols ${columns} rows ${rows}; exec ${command}`;
    this.#child = spawn('script', ['-qefc', sized, '/dev/null'], {
      cwd: ROOT,
      env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '1', ...env },
    });
    onTestFinished(() => this.close());
    const onData = (data: string): void => {
      this.#raw += data;
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    };
    // A character may come in two pieces.
    this.#child.stdout.setEncoding('utf8').on('data', onData);
    this.#child.once('close', () => onData(''));
    this.#child.stdin.on('error', () => undefined);
  }

  /** Types; what was shown before is not looked at by {@link until} any more. */
  type(keys: string): void {
    this.#mark = this.#raw.length;
    this.#child.stdin.write(keys);
  }

  /** What was shown since the last keys, as it came. */
  get raw(): string {
    return this.#raw.slice(this.#mark);
  }

  /** The same as text: lines, without what only moves the cursor or colours. */
  get shown(): string {
    return terminalText(this.raw);
  }

  /** Everything that was shown since the beginning, as text. */
  get transcript(): string {
    return terminalText(this.#raw);
  }

  /** Waits until what is shown has this. @throws Error with what was shown instead */
  async until(wanted: RegExp): Promise<string> {
    const late = AbortSignal.timeout(LIMIT_MS);
    while (!wanted.test(this.shown)) {
      if (late.aborted || this.#child.exitCode !== null)
        throw new Error(`the terminal never showed ${String(wanted)}, but:\n${this.shown}`);
      await Promise.race([this.#changed.promise, once(late, 'abort')]);
    }
    return this.shown;
  }

  /** Waits until a command that was begun reads the keyboard itself. */
  async untilKeysAreRead(): Promise<void> {
    await this.until(/\n/);
    const [inner = ''] = readFileSync(
      `/proc/${this.#child.pid}/task/${this.#child.pid}/children`,
      'utf8',
    ).split(' ');
    const terminal = readlinkSync(`/proc/${inner}/fd/0`);
    // The prompt reads the keys, too: that has ended by then.
    await sleep(500);
    for (let tries = 0; tries < 200; tries++) {
      const { stdout } = spawnSync('stty', ['-F', terminal, '-a']);
      if (stdout.toString().includes('-icanon')) return;
      await sleep(50);
    }
    throw new Error('no command read the keyboard');
  }

  /** Ends the program, whatever it does. */
  close(): void {
    this.#child.kill('SIGKILL');
  }
}
