/** Background jobs: what they ask of their world, and what a command asks of them. Plain data. */
import type { ToolCallFacts } from '../../policy/gate.ts';
import type { BackgroundJob, BackgroundStart } from '../../shell/background.ts';

/** The methods of the namespace that a job's thread asks for. */
export type JobFsMethod =
  | 'readFileBuffer'
  | 'writeFile'
  | 'appendFile'
  | 'exists'
  | 'stat'
  | 'lstat'
  | 'inspect'
  | 'locate'
  | 'stamp'
  | 'mkdir'
  | 'readdir'
  | 'readdirWithFileTypes'
  | 'readlink'
  | 'realpath'
  | 'rm'
  | 'cp'
  | 'mv'
  | 'chmod'
  | 'utimes'
  | 'symlink'
  | 'link'
  | 'call'
  | 'prefetch'
  | 'checkRemoval'
  | 'documentText'
  | 'flush';

/** What a job asks of the world. */
export type JobAsk =
  | { on: 'fs'; method: JobFsMethod; args: unknown[] }
  | { on: 'search'; method: 'ask' | 'state'; args: unknown[] }
  | { on: 'mounts' }
  /** May it ask a host of the network? */
  | { on: 'permit'; call: ToolCallFacts }
  /** It has read what a host said; or a program has read points of mounts for it. */
  | { on: 'heard'; url: string }
  | { on: 'read'; points: readonly string[] };

/** What the shell of a world asks of its supervisor. */
export type JobsRequest =
  | { op: 'begin'; start: BackgroundStart }
  | { op: 'list' }
  | { op: 'ended'; id: number }
  | { op: 'signal'; number: number; signal: number }
  | { op: 'forget'; numbers: readonly number[] };

/** What it is answered, by request. */
export interface JobsAnswers {
  begin: BackgroundJob;
  list: BackgroundJob[];
  ended: BackgroundJob | null;
  signal: null;
  forget: null;
}
