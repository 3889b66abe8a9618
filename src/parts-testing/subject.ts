/** A session store under trial, opened as a deployment opens it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SessionPlace } from '../session/file.ts';
import { sessionPlace } from '../session/place.ts';

/** What is tried. */
export interface SessionStoreSubject {
  /** The module of the store, an absolute path. */
  module: string;
  /** What its maker is handed besides `directory`. JSON. */
  options?: unknown;
  env?: Readonly<Record<string, string>>;
  /** An empty directory of this trial's own: the deployment's, with its state. */
  directory: string;
  /**
   * Where the right to write is a lease: makes the one of a session run out, as when its machine
   * slept. Without it, no such thing is tried.
   */
  lapse?(session: string): void;
}

/** The place of a subject's sessions. Each is a store of its own, as another process has. */
export function placeOf({
  module,
  options,
  env = {},
  directory,
}: SessionStoreSubject): SessionPlace {
  const part = { name: 'sessions' as const, module, file: module, directory, options, env };
  return sessionPlace(`${directory}/state`, part);
}

// Compiled, it is JavaScript beside this module.
const CHILD = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './child-writer.ts' : './child-writer.js',
    import.meta.url,
  ),
);

/** A process of its own that writes through the store; see child-writer.ts. */
export function startChild({ lapse: _, ...subject }: SessionStoreSubject, ...what: string[]) {
  const args = ['--disable-warning=ExperimentalWarning', CHILD, JSON.stringify(subject), ...what];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const ended = once(child, 'close').then(() => said);
  return {
    ended,
    /** Kills it once it has said so many lines. @returns the whole lines that it has said */
    async killedAfter(lines: number): Promise<string[]> {
      const isEnough = (): boolean => said.split('\n').length > lines;
      let hasEnded = false;
      const end = ended.then(() => {
        hasEnded = true;
      });
      while (!isEnough() && !hasEnded) await Promise.race([once(child.stdout, 'data'), end]);
      child.kill('SIGKILL');
      return (await ended).split('\n').slice(0, -1);
    },
  };
}
