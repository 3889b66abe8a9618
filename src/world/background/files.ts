/** On the host: what `/session/jobs/N/` shows of a job, written as it happens. */
import fs from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../state.ts';
import type { OutputStream } from '../job.ts';

/** The files of one job. */
export class JobFiles {
  readonly #directory: string;

  /** @param parent the directory of the session's jobs */
  constructor(parent: string, number: number) {
    this.#directory = join(parent, String(number));
  }

  /** Makes them. @param command as it was written */
  begin(command: string): void {
    fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    replaceFile(join(this.#directory, 'command'), `${command}\n`);
    for (const stream of ['stdout', 'stderr'] as const)
      fs.writeFileSync(join(this.#directory, stream), '', { mode: 0o600 });
    this.status('running');
  }

  append(stream: OutputStream, bytes: Uint8Array): void {
    fs.appendFileSync(join(this.#directory, stream), bytes);
  }

  /** `running`, `exited 0`, `killed by signal 15`, `interrupted`. */
  status(text: string): void {
    replaceFile(join(this.#directory, 'status'), `${text}\n`);
  }

  /** All that it printed; empty where its directory is gone. */
  read(stream: OutputStream): Uint8Array {
    const file = join(this.#directory, stream);
    return fs.existsSync(file) ? fs.readFileSync(file) : new Uint8Array();
  }
}
