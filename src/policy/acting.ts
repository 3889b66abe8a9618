/** Who acts. */
import type { MountWatch } from '../mount/contract/watch.ts';
import type { ActingContext } from './context.ts';

/** Who acts, for the operations of one namespace; changes from command to command. */
export interface Acting {
  context: ActingContext;
  /** Ends the waiting of the operations of a command that is stopped. */
  signal?: AbortSignal | undefined;
  /** Gets the points of the mounts that something is read of. */
  read?: Set<string>;
  /** It goes on beside the commands of the world: none of them waits for what it waits for. */
  aside?: boolean;
  /** Told when one of the operations begins to wait for a person. */
  onParked?: () => void;
  /** Watches what is asked of mounts that wait for something outside. */
  watch?: MountWatch | null;
}
