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
  /** The agent whose rights bound somebody; null for none. */
  agentOf(actor: string): string | null;
}

/** Those who have tokens, and those whom channels let in. */
export function standingOf(
  principals: { get(actor: string): ServePrincipal | null },
  guests: ReadonlySet<string>,
): Standing {
  const boundTo = (actor: string): string | null =>
    actor === USER || guests.has(actor) ? null : (principals.get(actor)?.agent ?? null);
  return {
    agentOf: boundTo,
    refusal: (actor, agent) => {
      if (actor === USER || guests.has(actor)) return null;
      const known = principals.get(actor);
      if (known === null) return `${actor} is let in here no more, so that this is not carried out`;
      if (!may(known, 'converse')) return `${actor} is ${known.role} here, and has no turns`;
      const own = boundTo(actor);
      if (own === null || own === agent) return null;
      return `${actor} has the rights of ${own} here, and of no other agent`;
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
