/** Questions of a service that list several resources at once. */
import type { ListedPage, Listing, Place, Resource, Scope } from './definition.ts';

/** What a question brought that lists several resources at once: by their ids. */
export interface JointListing {
  of: Readonly<Record<string, Listing<never> | readonly unknown[]>>;
  /** From where the next one may go on. */
  cursor?: string | null;
}

/** A page of it: see {@link ListedPage}. */
export interface JointPage extends JointListing, Pick<ListedPage<never>, 'next' | 'total'> {}

/** What a question for several resources is to bring. */
export interface Asking {
  /** The cursor of the answer before; null for all. */
  since: string | null;
  /** The `next` of a page after which another was left; null for the beginning. */
  from: string | null;
  /** The resources that are wanted, by their ids, with the cursor of each: of those that are `wide` one of their own. */
  of: ReadonlyMap<string, string | null>;
}

/**
 * One question that lists several resources. Where two have the same, the one with the longer path is
 * asked for a record that is named, as long as the other was not asked, and few are named.
 */
export interface Joint<C> {
  /** One word: what README.md calls it. */
  id: string;
  /** The place that they are listed at: `/teams/:team`, '' for the whole mount. */
  path: string;
  /** The resource of what is at its end: its one record comes with the answer, and is gone where it does not. */
  one?: Resource<unknown>;
  of: readonly Resource<unknown>[];
  /**
   * Others that the service lists for the whole of a place above only: they come with the first place
   * that is asked for, again once that is old, and go on from cursors of their own.
   */
  wide?: readonly Resource<unknown>[];
  /**
   * What the records show, too, and is no change of theirs to the service: where it is another than
   * with the answer before, all are listed anew. Null where it is not known yet.
   */
  basis?(place: Place): string | null;
  /**
   * Which records a whole answer has, by the ids of their resources, where that is not all: the others
   * are not gone when it lacks them.
   */
  covers?: Readonly<Record<string, (one: never) => boolean>>;
  /** Throws ServiceFailure. */
  list(scope: Scope<C>, asking: Asking): Promise<JointListing> | AsyncIterable<JointPage>;
}

/** Checks the types of a joint question. */
export function joint<C>(spec: Joint<C>): Joint<C> {
  return spec;
}
