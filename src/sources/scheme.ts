/** How a mount is named in a config: a scheme, as data that loads nothing. */

/** What `dirigent init` has to know of a service. */
export interface ServiceSetup {
  /** What narrows the mount, how a sentence calls that, and one such; null where nothing does. */
  narrowedBy: { matches: RegExp; called: string; example: string } | null;
  /** Variables that hold a token, the usual one first. */
  tokens: readonly [string, ...string[]];
  /** The words of a program that prints a token for the public address, where one is signed in. */
  tokenCommand?: readonly [string, ...string[]];
  /** The variable with the address of another server than the public one. */
  address: string;
  /** The public one, where other programs set that variable to it. */
  publicAddress?: string;
  /** Of the address of a directory's git remote: what narrows a mount to it, as the first group. */
  remote?: RegExp;
}

/** One scheme. */
export interface Scheme {
  /** What stands before the colon, and what messages and rules call such a mount: `tracker`. */
  readonly name: string;
  /** How it is written, shortest first. */
  readonly forms: readonly string[];
  /** What people call it: `Tracker`. */
  readonly title: string;
  /** Its files are records of a service outside: it is read-only by default, can stage, and takes a token. */
  readonly isService: boolean;
  /** Of services that `dirigent init` offers. */
  readonly setup?: ServiceSetup;
}

/** A scheme that `dirigent init` can set up. */
export type OfferedScheme = Scheme & Required<Pick<Scheme, 'setup'>>;
