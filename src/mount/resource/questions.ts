/** What a service says of the questions that it answers itself: which can be asked, and where their answers are. */
import type { HitList } from '../reading/linked-listings.ts';
import type { Resource, Scope } from './definition.ts';

/** A table that a service answered a question with. */
export interface Answer {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** What it lacks, in words. */
  lacking?: string | null;
}

/** The first of rows that were asked for one more of than are shown, and what they lack. @param more where the others are */
export function firstOf<R>(
  rows: readonly R[],
  most: number,
  more: string,
): { rows: readonly R[]; lacking: string | null } {
  const lacking = `only the first ${most} rows${more === '' ? '' : `; ${more}`}`;
  return { rows: rows.slice(0, most), lacking: rows.length > most ? lacking : null };
}

/**
 * A question that is written as a file, and its answer that is read as another. It changes nothing
 * (the service refuses one that would), so a dry run carries it out.
 */
export interface Inquiry<C> {
  id: string;
  about: { question: string; answer: string };
  /** `/queries/:query.sql` and `/queries/:query.tsv`: the same parameters. */
  question: string;
  answer: string;
  /** Asks. Throws ServiceFailure. */
  ask(text: string, scope: Scope<C>): Promise<Answer>;
}

/** Records that a service names in answer to a question of its own, whatever they are of. */
interface LinksOf {
  /** One word: what names in the replica begin with, before what the mount is narrowed to. */
  id: string;
  /** The directory that they are in: `/search`, `/mine`. */
  path: string;
  /** Of each `index.tsv`, after `file`. */
  columns: readonly string[];
}

/** A directory of questions: any name is one, and those of the last hour are listed. */
export interface SearchLinks extends LinksOf {
  /** Throws ServiceFailure. */
  find(question: string): Promise<HitList>;
}

/** Directories that stay, each with links. */
export interface NamedLinks extends LinksOf {
  about: string;
  /** Their names, with what is in each. */
  directories: Readonly<Record<string, string>>;
  /** Asks for one, by its name; walks that do not begin there pass over it. Throws ServiceFailure. */
  find?(name: string): Promise<HitList>;
  /** Instead of it: one question for all of them, by their names, which walks ask, too. Throws ServiceFailure. */
  findAll?(): Promise<Readonly<Record<string, HitList>>>;
}

/** Directories of links, each with an `index.tsv`. */
export type Links = SearchLinks | NamedLinks;

/** What a service finds among the records of a resource: a directory a question, with links to them. */
export interface Finding<T, C> {
  about: string;
  /** `/:table/search`; each question is a directory in it. */
  path: string;
  of: Resource<T>;
  columns: readonly string[];
  /** The cells of a record that was found, under `columns`. */
  row(one: T): readonly string[];
  /** Best first, as the service gives them. Throws ServiceFailure. */
  find(
    query: string,
    scope: Scope<C>,
  ): Promise<{ rows: readonly unknown[]; lacking?: string | null }>;
}

/** Checks the types of a finding against its resource's. */
export function finding<T, C>(spec: Finding<T, C>): Finding<T, C> {
  return spec;
}
