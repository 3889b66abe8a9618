/** May somebody have turns now, in whose name one is to begin that was asked for earlier? */
import { type Author, principalOf } from '../policy/author.ts';
import { USER } from '../policy/context.ts';
import type { ServePrincipal } from './principals.ts';
import { may } from './rights.ts';

/** Who is let in now. */
export interface Standing {
  /**
   * Why somebody has no turn with the rights of this agent, in a sentence; null where they may.
   * @param agent null for their own rights
   */
  refusal(actor: string, agent: string | null): string | null;
  /** The agent whose rights bound somebody, one of them where there are several; null for none. */
  agentOf(actor: string): string | null;
}

/** A way in that is no token: somebody whom a channel lets in, with the agent that bounds them there. */
export interface LetIn {
  actor: string;
  /** null for their own rights. */
  agent: string | null;
}

/** Those who have tokens, and those whom channels let in: each has the rights of any of their ways in. */
export function standingOf(
  principals: { get(actor: string): ServePrincipal | null },
  guests: readonly LetIn[],
): Standing {
  /** The agents that bound them, by the ways in which they have turns; null for one without bounds. */
  const boundsOf = (actor: string): (string | null)[] => {
    const known = principals.get(actor);
    return [
      ...(known !== null && may(known, 'converse') ? [known.agent] : []),
      ...guests.filter((each) => each.actor === actor).map(({ agent }) => agent),
    ];
  };
  return {
    agentOf: (actor) => {
      if (actor === USER) return null;
      const [first = null, ...others] = boundsOf(actor);
      return others.includes(null) ? null : first;
    },
    refusal: (actor, agent) => {
      if (actor === USER) return null;
      const bounds = boundsOf(actor);
      if (bounds.includes(null) || bounds.includes(agent)) return null;
      if (bounds.length > 0)
        return `${actor} has the rights of ${[...new Set(bounds)].join(' or ')} here, and of no other agent`;
      const known = principals.get(actor);
      return known === null
        ? `${actor} is let in here no more, so that this is not carried out`
        : `${actor} is ${known.role} here, and has no turns`;
    },
  };
}

/** Whose a prompt is that was kept to be carried out later, and with which agent; or why it is not. */
export function placeOf(
  author: Author,
  wanted: string | null,
  standing: Standing,
): { actor: string; agent: string | null } | { refused: string } {
  const actor = principalOf(author);
  if (actor === null)
    return {
      refused: `${(author.people ?? []).join(' and ')} have written it together, and nobody has the rights of both here: let one of them write it anew`,
    };
  const agent = wanted ?? standing.agentOf(actor);
  const refused = standing.refusal(actor, agent);
  return refused === null ? { actor, agent } : { refused };
}
