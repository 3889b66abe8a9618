/** A channel's file, `channels/NAME.md`: who may speak in it, who may decide, and in which session. */
import { z } from 'zod';
import { HarnessFault } from '../../harness/fault.ts';
import { FrontmatterError, parseFrontmatter } from '../../mount/record/frontmatter.ts';
import { schemaFaults } from '../../schema-faults.ts';
import type { Role } from '../rights.ts';
import type { LetIn } from '../standing.ts';
import type { ChannelKind } from './contract.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

const id = z.union([z.string().min(1), z.int()]).transform(String);
const person = z.union([
  id.transform((own) => ({ id: own, role: 'user' as const })),
  z.strictObject({ id, role: z.enum(['user', 'approver', 'owner']).default('user') }),
]);

/** The fields that every channel has; the others are its kind's. */
const RULES = {
  kind: z.string().min(1).optional(),
  /** `thread`: a session for each thread; any other name: one session for all that name it. */
  session: z.string().regex(NAME, 'should be thread, or a name').default('thread'),
  agent: z.string().regex(NAME).optional(),
  /** Whose a session is that all share. */
  owner: z.string().regex(NAME).optional(),
  people: z.record(z.string().regex(NAME, 'should be the name of a person'), person).default({}),
  strangers: z.enum(['ignore', 'tell']).default('ignore'),
};
const rulesSchema = z.strictObject(RULES);

/** Somebody who may speak. */
export interface ChannelPerson {
  actor: string;
  role: Exclude<Role, 'viewer'>;
}

/** A channel as its file has it. */
export interface ChannelFile {
  name: string;
  kind: ChannelKind;
  settings: unknown;
  /** null: one session a thread; else the name of the one that is shared. */
  shared: string | null;
  agent: string | null;
  owner: string | null;
  /** By the service's id of them. */
  people: ReadonlyMap<string, ChannelPerson>;
  strangers: 'ignore' | 'tell';
  /** What the agent is told at the beginning of a session. */
  instructions: string;
}

/** All whom these channels let in, and those whose their sessions are: with what bounds them there. */
export const peopleOf = (files: readonly ChannelFile[]): LetIn[] =>
  files.flatMap(({ people, owner, agent }) =>
    [...[...people.values()].map(({ actor }) => actor), ...(owner === null ? [] : [owner])].map(
      (actor) => ({ actor, agent }),
    ),
  );

/**
 * Reads a `channels/NAME.md`.
 * @throws HarnessFault
 */
export function parseChannel(
  name: string,
  text: string,
  kinds: ReadonlyMap<string, ChannelKind>,
): ChannelFile {
  const { fields, body } = split(text);
  const named = fields['kind'];
  const kind = typeof named === 'string' ? kinds.get(named) : undefined;
  if (kind === undefined)
    throw new HarnessFault(
      `kind: should be one of ${[...kinds.keys()].join(', ')}, or that of a module which the config names in channels`,
    );
  return channelOf(name, fields, body.trim(), kind);
}

/** A channel of its fields and its kind. @throws HarnessFault */
export function channelOf(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  instructions: string,
  kind: ChannelKind,
): ChannelFile {
  const common = new Set(Object.keys(RULES));
  const entries = Object.entries(fields);
  const rules = check(
    rulesSchema,
    Object.fromEntries(entries.filter(([field]) => common.has(field))),
  );
  const settings = check(
    kind.settings,
    Object.fromEntries(entries.filter(([field]) => !common.has(field))),
  );
  const people = new Map<string, ChannelPerson>();
  for (const [actor, { id: own, role }] of Object.entries(rules.people)) {
    const other = people.get(own);
    if (other !== undefined)
      throw new HarnessFault(`people.${actor}: ${own} is ${other.actor} already`);
    people.set(own, { actor, role });
  }
  if (rules.owner !== undefined && rules.session === 'thread')
    throw new HarnessFault('owner: it is for a session that is shared; name one in session');
  return {
    name,
    kind,
    settings,
    shared: rules.session === 'thread' ? null : rules.session,
    agent: rules.agent ?? null,
    owner: rules.owner ?? null,
    people,
    strangers: rules.strangers,
    instructions,
  };
}

function split(text: string) {
  try {
    return parseFrontmatter(text);
  } catch (error) {
    if (error instanceof FrontmatterError) throw new HarnessFault(error.message);
    throw error;
  }
}

function check<T>(schema: z.ZodType<T>, fields: unknown): T {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  throw new HarnessFault(schemaFaults(result.error).join('; '));
}
