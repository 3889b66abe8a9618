/**
 * The directory of the state, and its files: nobody but their owner reads or
 * writes them, whatever the umask is. They hold what services and people said.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './errors.ts';

/** What group and others may do. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Takes from others what an earlier version, or somebody, let them do with a state directory that is there.
 * @throws ConfigError where it is another user's
 */
export function closeStateToOthers(state: string): void {
  const stat = fs.statSync(state, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const { mode, uid } = stat;
  const own = process.getuid?.();
  // A system without users has no rights to take.
  if (own === undefined) return;
  if (uid !== own) {
    throw new ConfigError(
      'state',
      `${state} belongs to another user (uid ${uid}, and this is ${own}), who could change the log and the changes in it: name another directory, or make it yours (chown)`,
    );
  }
  if ((mode & OTHERS) === 0) return;
  if ((mode & OTHERS_WRITE) !== 0) {
    process.emitWarning(
      `others could write the state ${state} until now: look whether what is in it is yours`,
      'DirigentWarning',
    );
  }
  closeToOthers(state);
}

/**
 * Makes an empty file for its owner alone, unless it is there; one that is there is closed to others.
 * No existing file is opened: whoever closes one lets go of the locks that its process has on it.
 */
export function makePrivateFile(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    closeFile(file);
  }
}

/**
 * Writes a file of the state whole: whoever reads it meanwhile, and whoever finds it after a crash,
 * has the old text or the new one.
 */
export function replaceFile(file: string, text: string): void {
  // Two writers of one process may meet, too.
  const fresh = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    fs.writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
    fs.renameSync(fresh, file);
  } catch (error) {
    fs.rmSync(fresh, { force: true });
    throw error;
  }
}

/** Makes the state directory, if it is not there. */
export function makeStateDirectory(state: string): void {
  fs.mkdirSync(state, { recursive: true, mode: 0o700 });
}

/** A directory and all below it. */
function closeToOthers(path: string): void {
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) closeToOthers(inner);
    else if (entry.isFile()) closeFile(inner);
  }
  fs.chmodSync(path, 0o700);
}

/** Takes from others what they may do with a file, if it is there and ours. */
export function closeFile(file: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & OTHERS) === 0) return;
  // Another user's, such as one in a directory that is shared on purpose, is not ours to change.
  if (stat.uid !== process.getuid?.()) return;
  fs.chmodSync(file, stat.mode & 0o700);
}
