/** Who comes in through a door. */
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { USER } from '../policy/context.ts';

/** Named in the log, and judged by the gate. */
export interface Principal {
  /** The name that rules of the policy and entries of the log have for the client; `user` is the person in charge. */
  actor: string;
  /** The agent of the harness whose rights bound it; absent, it has those of a person of that name. */
  agent?: string;
  /**
   * The session: the id of an earlier one of this actor, or `new` for one that is
   * nobody else's. Absent, all visits of the same actor and agent share one.
   */
  session?: string;
}

/**
 * Is it the person in charge, or an agent that acts for them in its own name?
 * @param ownAgents whether a client of an agent's name is that agent; where people come in by names
 *   of their own it is somebody else, who is called so
 */
export const isInCharge = ({ actor, agent }: Principal, ownAgents: boolean): boolean =>
  actor === USER || (ownAgents && actor === agent);

/** Names that can be told apart in a log, in a rule and on a command line. */
const NAME = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/,
    'should be at most 64 letters, digits and . _ @ + -, the first of them a letter or a digit',
  );

const principalSchema = z.strictObject({
  actor: NAME,
  agent: NAME.optional(),
  session: NAME.optional(),
});

/**
 * Checks a principal that a door has made of what a client showed.
 * @throws ConfigError naming each fault
 */
export function checkPrincipal(given: unknown): Principal {
  const checked = principalSchema.safeParse(given);
  if (!checked.success) {
    const faults = checked.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'it'} ${message}`,
    );
    throw new ConfigError('principal', faults.join('; '));
  }
  const { actor, agent, session } = checked.data;
  return {
    actor,
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  };
}
