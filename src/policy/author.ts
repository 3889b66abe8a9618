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
}

/** The person in charge. */
export const PERSON: Author = { actors: [USER], rights: ALL_RIGHTS };

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
}: ActingContext): Author {
  const bound = plans.length === 0 ? {} : { plans };
  // What binds those who have it done binds what comes of it, too.
  const actors = [...new Set([actor, ...onBehalfOf])];
  return { actors, rights: { filesystem, tools, skills, ...bound } };
}

/** Of a text that both have written: what both may do. */
export function bothAuthors(one: Author, other: Author): Author {
  const rights = intersectRights(one.rights, other.rights);
  const tools = new Map(rights.tools.map((switches) => [JSON.stringify(switches), switches]));
  return {
    actors: [...new Set([...one.actors, ...other.actors])],
    rights: { ...rights, tools: [...tools.values()] },
  };
}

/** Reads an author that was kept as JSON; where none was, nobody is known. */
export function parseAuthor(text: string | null): Author {
  return text === null ? UNKNOWN_AUTHOR : (JSON.parse(text) as Author);
}

/**
 * In whose world it is carried out: that of the one principal among its authors, whose agents the
 * others are; else that of the person in charge.
 */
export function principalOf({ actors }: Author, isKnown: (actor: string) => boolean): string {
  const [principal = USER, ...others] = actors.filter((actor) => actor === USER || isKnown(actor));
  return others.length === 0 ? principal : USER;
}
