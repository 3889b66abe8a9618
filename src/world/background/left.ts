/** The jobs that an earlier world of a session has left: they ended with it, and are not run again. */
import fs from 'node:fs';
import { USER } from '../../policy/context.ts';
import type { Entry } from '../../session/entry.ts';
import type { SessionLog } from '../../session/log.ts';
import { escapeLine } from '../../visible.ts';
import { JobFiles } from './files.ts';

/** What is left of earlier worlds. */
export interface LeftJobs {
  /** The number of the last one; 0 where there was none. */
  last: number;
  /** What is to be told of them, to whoever began each. */
  notices: readonly LeftNotice[];
}

/** How one of them ended. */
export interface LeftNotice {
  actor: string;
  /** A line. */
  text: string;
  /** Services whose text it had read; of one whose process was killed, all of them. */
  origins: readonly string[];
}

interface LeftJob {
  id: string;
  number: number;
  command: string;
  actor: string;
}

/**
 * Says of every job that has no end in the log that it was interrupted: its process ended under it.
 * @param directory of what the session's jobs print
 * @param outside all that text of others can come from
 */
export function leaveJobs(
  session: SessionLog,
  directory: string,
  outside: readonly string[],
): LeftJobs {
  // Most sessions have had none, and are not read for it.
  if (!fs.existsSync(directory)) return { last: 0, notices: [] };
  const entries = session.entries();
  const jobs = entries.flatMap((entry) => jobOf(entry) ?? []);
  const ends = new Map(
    entries.filter(({ type }) => type === 'bash_end').map((end) => [end['start'], end] as const),
  );
  const lost = jobs.filter(({ id }) => !ends.has(id));
  for (const { id, number } of lost) {
    new JobFiles(directory, number).status('interrupted');
    session.append({
      type: 'bash_end',
      start: id,
      exitCode: 143,
      cwd: '/',
      stdout: '',
      stderr: 'dirigent: interrupted: its process ended\n',
      changed: [],
      requests: 0,
      interrupted: true,
      ...(outside.length === 0 ? {} : { untrusted: [...outside] }),
    });
  }
  // A line that whoever began it has run since has told of those before it.
  const lines = new Map(
    entries.flatMap((entry, at) =>
      entry.type === 'bash_start' && entry['job'] === undefined ? [[actorOf(entry), at]] : [],
    ),
  );
  const untold = jobs.filter(({ id, actor }) => {
    const end = ends.get(id);
    const line = lines.get(actor) ?? -1;
    return end === undefined || (end['interrupted'] === true && entries.indexOf(end) > line);
  });
  return {
    last: Math.max(0, ...fs.readdirSync(directory).map(Number)),
    notices: untold.map(({ id, number, command, actor }) => ({
      actor,
      text: `dirigent: job ${number} (${command}) was interrupted when its world ended, and is not run again; /session/jobs/${number}/ has what it printed\n`,
      origins:
        (ends.get(id)?.['untrusted'] as string[] | undefined) ?? (ends.has(id) ? [] : outside),
    })),
  };
}

/** Of a line that a person in charge has typed, the log says nothing. */
const actorOf = (entry: Entry): string => String(entry['actor'] ?? USER);

function jobOf(entry: Entry): LeftJob | null {
  const { id, type, job, command } = entry;
  if (type !== 'bash_start' || typeof job !== 'number') return null;
  const text = typeof command === 'string' ? command : String((command as { head: string }).head);
  // Whoever is told of it need not be who typed it.
  return { id, number: job, command: escapeLine(text), actor: actorOf(entry) };
}
