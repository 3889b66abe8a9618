/**
 * Which doors are open on a state directory, and to whom: a file a door, in
 * `doors/` there. One whose process has died is taken away by whoever looks.
 */
import fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive } from '../changes/owner.ts';
import { DOORS, type DoorName } from '../policy/gate.ts';
import { replaceFile } from '../state.ts';

const clientSchema = z.object({
  actor: z.string(),
  agent: z.string().optional(),
  session: z.string(),
  /** How many visits there are now. */
  visits: z.int().min(0),
});

const openedSchema = z.object({
  door: z.enum(DOORS),
  address: z.string(),
  pid: z.int(),
  host: z.string(),
  /** Tells the process from a later one of the same number; null where the system does not say. */
  started: z.string().nullable(),
  /** ISO 8601, UTC. */
  since: z.iso.datetime(),
  clients: z.array(clientSchema),
});

/** A client of a door, with its visits. */
export type DoorClient = z.output<typeof clientSchema>;
/** A door that is open. */
export type OpenedDoor = z.output<typeof openedSchema>;

/** The file of one door, from its opening to its end. */
export class DoorFile {
  readonly #file: string;
  readonly #opened: Omit<OpenedDoor, 'clients'>;

  /** @param state the state directory */
  constructor(state: string, door: DoorName, address: string, id: string) {
    const directory = join(state, 'doors');
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#file = join(directory, `${id}.json`);
    this.#opened = {
      door,
      address,
      pid: process.pid,
      host: hostname(),
      started: startOf(process.pid),
      since: new Date().toISOString(),
    };
  }

  /** Says who is in now. */
  write(clients: readonly DoorClient[]): void {
    const text = JSON.stringify({ ...this.#opened, clients });
    replaceFile(this.#file, `${text}\n`);
  }

  remove(): void {
    fs.rmSync(this.#file, { force: true });
  }
}

/** The doors that are open on a state directory, the one opened longest ago first. */
export function openDoors(state: string): OpenedDoor[] {
  const directory = join(state, 'doors');
  if (!fs.existsSync(directory)) return [];
  const found: OpenedDoor[] = [];
  for (const name of fs.readdirSync(directory)) {
    if (!name.endsWith('.json')) continue;
    const file = join(directory, name);
    const opened = read(file);
    if (opened === null || isGone(opened)) fs.rmSync(file, { force: true });
    else found.push(opened);
  }
  return found.sort((a, b) => a.since.localeCompare(b.since));
}

/** null where it is gone meanwhile, or is none of ours. */
function read(file: string): OpenedDoor | null {
  try {
    return openedSchema.safeParse(JSON.parse(fs.readFileSync(file, 'utf8'))).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Of another machine it is not known, and it is shown. */
function isGone({ pid, host, started }: OpenedDoor): boolean {
  if (host !== hostname()) return false;
  return !isAlive(pid) || started !== startOf(pid);
}

/** When a process began, as Linux counts it; null where nothing says so. */
function startOf(pid: number): string | null {
  try {
    // The name before it, in brackets, may hold anything.
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
