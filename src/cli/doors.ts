/** `dirigent doors`: which doors are open on a deployment, and to whom. */
import { type OpenedDoor, openDoors } from '../doors/register.ts';
import { joined, type VisibleText, visible } from '../visible.ts';
import type { Installation } from './installation.ts';
import type { DoorsArguments } from './options.ts';
import type { Output } from './output.ts';
import { stateOf } from './state.ts';

/** Runs `dirigent doors`, and gives its exit status. */
export async function runDoors(
  options: DoorsArguments,
  output: Output,
  installation: Installation,
): Promise<number> {
  const doors = openDoors(await stateOf({ ...options, mounts: [], dryRun: false }, installation));
  if (options.json) await output.json(doors, 2);
  else await output.out(doors.length === 0 ? visible`no door is open\n` : joined(doors.map(row)));
  return 0;
}

function row({ door, address, pid, since, clients }: OpenedDoor): VisibleText {
  const visited = clients.map(
    ({ actor, agent, session, visits }) =>
      visible`    ${describeClient(actor, agent)}  ${counted(visits)}  session ${session}\n`,
  );
  return joined([visible`${door}  ${address}  process ${pid}, since ${since}\n`, ...visited]);
}

const describeClient = (actor: string, agent: string | undefined): string =>
  agent === undefined || agent === actor ? actor : `${actor} as ${agent}`;

const counted = (visits: number): string =>
  visits === 0 ? 'away' : visits === 1 ? '1 visit' : `${visits} visits`;
