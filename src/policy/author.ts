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

/** Reads an author that was kept as JSON; where none was, nobody is known. */
export function parseAuthor(text: string | null): Author {
  return text === null ? UNKNOWN_AUTHOR : (JSON.parse(text) as Author);
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
