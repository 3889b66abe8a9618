/** The background jobs of a world, with what earlier worlds of its session have left of theirs. */
import { join } from 'node:path';
import { NETWORK } from '../../policy/context.ts';
import type { SessionPlace } from '../../session/file.ts';
import type { SessionLog } from '../../session/log.ts';
import type { CheckedConfig } from '../config.ts';
import { visible } from '../places.ts';
import type { PolicyReload } from '../policy-reload.ts';
import type { Supervisor } from '../supervisor.ts';
import { BackgroundJobs, type BackgroundJobsOptions } from './jobs.ts';
import { leaveJobs } from './left.ts';

/** What of a world its jobs need. */
interface JobsWorld extends Pick<BackgroundJobsOptions, 'spec' | 'recorder' | 'runProgram'> {
  supervisor: Supervisor;
  policy: PolicyReload;
  checked: Pick<CheckedConfig, 'jobs'>;
}

/** All that text of others can come from in a world. */
const outsideOf = ({ mounts, network = [] }: BackgroundJobsOptions['spec']): string[] => [
  ...visible(mounts).flatMap(({ point, service }) => (service ? point : [])),
  ...(network.length === 0 ? [] : [NETWORK]),
];

/** @throws FsError of the disk, where what was left cannot be noted in the log */
export function openJobs(
  { files }: SessionPlace,
  session: SessionLog,
  { supervisor, policy, checked, ...world }: JobsWorld,
): BackgroundJobs {
  const directory = join(files, session.id, 'jobs');
  return new BackgroundJobs({
    ...world,
    directory,
    limits: checked.jobs,
    left: leaveJobs(session, directory, outsideOf(world.spec)),
    call: (request, watch) => supervisor.call(request, watch),
    refresh: () => policy.refresh(),
  });
}
