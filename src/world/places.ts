/** What of a world is where. */

/** A mount, as front ends see it. */
export interface WorldMount {
  point: string;
  /** `disk`, `memory`; of a service its name. */
  kind: string;
  /** Its text comes from a service outside, and is not to be trusted. */
  service: boolean;
}

/** A directory of the host that files of a world are in. */
export interface HostDirectory {
  directory: string;
  /** In a few words: `mounted at /workspace`, `the state directory`. */
  what: string;
}
