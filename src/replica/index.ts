/** The replica: the local copy of what services said. */
import { Replica } from './replica.ts';

export { Replica };

/** Opens the replica in a file, made if it is missing, or in ':memory:'. */
export function openReplica(file: string, now?: () => Date): Replica {
  return new Replica(file, now);
}
