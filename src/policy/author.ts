/**
 * Who wrote what another turn will carry out: its rights bound that turn, so
 * that nobody does through a prompt what they may not do themselves.
 */
import { type ActingContext, USER } from './context.ts';
import { type AgentRights, ALL_RIGHTS, intersectRights } from './rights.ts';

/** All who had a hand in a text, and what each of them may do. */
export interface Author {
  /** `user`, or names of agents. */
  actors: readonly string[];
  rights: AgentRights;
  /** The people among them, or whose agents they are; absent where that is the person in charge alone. */
  people?: readonly string[];
}

/** The person in charge. */
export const PERSON: Author = { actors: [USER], rights: ALL_RIGHTS };

/** Somebody who comes in by a door, as themselves. */
export const personAuthor = (actor: string): Author =>
  actor === USER ? PERSON : { actors: [actor], rights: ALL_RIGHTS, people: [actor] };

/** Nobody knows who: they may look, and that is all. */
export const UNKNOWN_AUTHOR: Author = {
  actors: ['unknown'],
  rights: { filesystem: 'read-only', tools: [], skills: null },
};

/** Whoever acts, as the author of what is written now. */
export function authorOf({
  actor,
  filesystem,
  tools = [],
  skills = null,
  plans = [],
  onBehalfOf = [],
  people = [],
}: ActingContext): Author {
  const bound = plans.length === 0 ? {} : { plans };
  // What binds those who have it done binds what comes of it, too.
  const actors = [...new Set([actor, ...onBehalfOf])];
  return { actors, rights: { filesystem, tools, skills, ...bound }, ...peopleOf(people) };
}

/** Of a text that both have written: what both may do. */
export function bothAuthors(one: Author, other: Author): Author {
  const rights = intersectRights(one.rights, other.rights);
  const tools = new Map(rights.tools.map((switches) => [JSON.stringify(switches), switches]));
  return {
    actors: [...new Set([...one.actors, ...other.actors])],
    rights: { ...rights, tools: [...tools.values()] },
    ...peopleOf([...(one.people ?? []), ...(other.people ?? [])]),
  };
}

const peopleOf = (people: readonly string[]): Pick<Author, 'people'> =>
  people.length === 0 ? {} : { people: [...new Set(people)] };

/** An author to be kept; it says of the person in charge, too, that there are no other people. */
export const authorText = (author: Author): string =>
  JSON.stringify({ ...author, people: author.people ?? [] });

/**
 * Reads an author that was kept; where none was, nobody is known. An earlier version did not say
 * who of its actors were people: each may have been one, and none of them is the person in charge.
 */
export function parseAuthor(text: string | null): Author {
  if (text === null) return UNKNOWN_AUTHOR;
  const { people, ...author } = JSON.parse(text) as Author;
  return { ...author, ...peopleOf(people ?? author.actors.filter((actor) => actor !== USER)) };
}

/** Is it somebody's: theirs, or that of an agent of theirs? */
export const isBy = ({ people = [USER] }: Author, actor: string): boolean => people.includes(actor);

/**
 * On whose account it is carried out, and in whose world: nobody gains by having had a hand in it.
 * Null for that of two people, of whom none has the rights of both.
 */
export function principalOf({ people = [] }: Author): string | null {
  const [principal = USER, ...others] = people;
  return others.length === 0 ? principal : null;
}
