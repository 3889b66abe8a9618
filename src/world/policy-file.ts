/** The policy of a world as text: the deployment's `policy.yaml`, or the package's own. */
import fs from 'node:fs';
import { join } from 'node:path';
import { readInHarness } from '../harness/read.ts';
import type { PolicySource } from './protocol.ts';

/** The name that a policy has in a harness. */
const POLICY_FILE = 'policy.yaml';

/**
 * Reads it; it is checked where it is used.
 * @param directory of the deployment's harness; null without
 * @param defaults of the package's harness
 * @throws FsError, as where it is a link that leads out of the harness; not where there is none
 */
export function readPolicy(directory: string | null, defaults: string): PolicySource {
  if (directory !== null) {
    const bytes = readInHarness(directory, POLICY_FILE);
    if (bytes !== null)
      return { file: POLICY_FILE, text: Buffer.from(bytes).toString('utf8'), isDefault: false };
  }
  const file = join(defaults, POLICY_FILE);
  return { file, text: fs.readFileSync(file, 'utf8'), isDefault: true };
}

/** Tells when the file was written to, made or removed since the last look. One stat a look. */
export class PolicyWatch {
  readonly #file: string | null;
  #seen: string;

  constructor(directory: string | null) {
    this.#file = directory === null ? null : join(directory, POLICY_FILE);
    this.#seen = this.#stamp();
  }

  changed(): boolean {
    if (this.#file === null) return false;
    const now = this.#stamp();
    const changed = now !== this.#seen;
    this.#seen = now;
    return changed;
  }

  #stamp(): string {
    if (this.#file === null) return '';
    const stat = fs.statSync(this.#file, { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
  }
}
