/** What the statements of a compound command printed, and values that may take a while. */
import type { CommandResult } from '../interpreter-types.ts';

/** A value that is there already, or will be. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value; at once, if it is there. */
export function after<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** An error of the interpreter's that takes along what was printed before it. */
interface Carrying {
  prependOutput(stdout: string, stderr: string): void;
}

export class Gathered {
  #stdout = '';
  #stderr = '';
  readonly #counted = { stdout: 0, stderr: 0 };

  /** Takes the output of a statement. Its status. */
  add({ stdout, stderr, exitCode, internalOutputAccounting: counted }: CommandResult): number {
    if (stdout !== '') this.#stdout += stdout;
    if (stderr !== '') this.#stderr += stderr;
    if (counted !== undefined) {
      this.#counted.stdout += counted.stdout;
      this.#counted.stderr += counted.stderr;
    }
    return exitCode;
  }

  /** Runs statements, and makes the result of them all. */
  settling(run: () => Soon<number>): Soon<CommandResult> {
    try {
      return this.settled(run());
    } catch (error) {
      this.#attach(error);
      throw error;
    }
  }

  /** The result with a status. An error that ends the statements keeps what they printed. */
  settled(status: Soon<number>): Soon<CommandResult> {
    if (!(status instanceof Promise)) return this.#result(status);
    return status.then(
      (exitCode) => this.#result(exitCode),
      (error: unknown) => {
        this.#attach(error);
        throw error;
      },
    );
  }

  #result(exitCode: number): CommandResult {
    return {
      stdout: this.#stdout,
      stderr: this.#stderr,
      exitCode,
      internalOutputAccounting: { ...this.#counted },
    };
  }

  #attach(error: unknown): void {
    if (this.#stdout === '' && this.#stderr === '') return;
    if (carries(error)) error.prependOutput(this.#stdout, this.#stderr);
  }
}

function carries(error: unknown): error is Error & Carrying {
  return error instanceof Error && typeof Reflect.get(error, 'prependOutput') === 'function';
}
