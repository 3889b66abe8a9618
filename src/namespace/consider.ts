/**
 * Considering: what happens between asking the gate for operations and doing them, where hooks
 * see them and a person is asked. What was shown is what is done, or nothing is.
 */
import { FsError } from '../errors.ts';
import type { GateDecision, GateKeeper, Operation, Origin, Proposal } from '../policy/gate.ts';
import type { State } from './states.ts';
import type { Place } from './table.ts';
import type { Permission, Wish } from './wish.ts';

/** What a guard asks the namespace about the places of an operation that somebody is asked about. */
export interface Survey {
  /** Does the path still lead to this place? */
  leadsTo(place: Place, follow: boolean): Promise<boolean>;
  /** What is at the places of the wishes now, by path. */
  states(wishes: readonly Wish[]): Promise<ReadonlyMap<string, State>>;
  /** The content that a wish would put in its place; null where it puts none there. */
  content(wish: Wish): Promise<Uint8Array | null>;
}

/** A wish that a person is asked about. */
export interface Asked extends Wish, Pick<GateDecision, 'rule' | 'reason'> {}

interface Considered {
  keeper: GateKeeper;
  origin: Origin;
  wishes: readonly Wish[];
  asked: readonly Asked[];
  /** null: nobody can look, as before the namespace is whole. */
  survey: Survey | null;
  /** Reads a file without noting it: for what a person is shown. */
  read: (place: Place, content?: string) => Promise<Uint8Array | null>;
}

/** Asks the engine, then hooks, and then a person about what these left. */
export async function consider(considered: Considered): Promise<Permission> {
  const { keeper, wishes, survey, read } = considered;
  const asked = keeper.judged ? await judged(considered) : considered.asked;
  const { data, replaced } = keeper.hooked ? await hooked(considered) : UNSEEN;
  const [first] = asked;
  if (first === undefined || survey === null) return { data, replaced, approved: null };
  const { WishProposal } = await import('./proposal.ts');
  const proposal = new WishProposal({
    wishes,
    data,
    look: () => survey.states(wishes),
    read,
  });
  const answer = await askInTime(keeper, asked, proposal);
  if (answer.decision !== 'allow') throw refusal(first, answer.rule, answer.reason);
  for (const wish of wishes) {
    const { op, place, onEntry = ON_ENTRY.has(op) } = wish;
    if (!(await survey.leadsTo(place, !onEntry))) throw changed(wish, place.path);
  }
  const moved = await proposal.moved();
  if (moved !== null) throw changed(first, moved);
  const { found } = proposal;
  const approved = found && new Map([...found].map(([path, { content }]) => [path, content]));
  return { data, replaced, approved };
}

const UNSEEN: Pick<Permission, 'data' | 'replaced'> = { data: new Map(), replaced: false };

/** Asks the engine about each operation. @returns what a person is asked about now */
async function judged({ keeper, origin, wishes, asked }: Considered): Promise<readonly Asked[]> {
  const all: Asked[] = [];
  for (const wish of wishes) {
    const byPolicy = asked.find(
      ({ op, place }) => op === wish.op && place.path === wish.place.path,
    );
    const { call } = wish;
    const request = { ...operationOf(wish), origin, ...(call === undefined ? {} : { call }) };
    const decided = byPolicy === undefined ? ALLOW : ({ ...byPolicy, decision: 'ask' } as const);
    const { decision, rule, reason } = await keeper.judge(request, decided);
    if (decision === 'deny') throw refusal(wish, rule, reason);
    if (decision === 'ask') all.push({ ...(byPolicy ?? wish), rule, reason });
  }
  return all;
}

const ALLOW = { decision: 'allow', rule: '', reason: '' } as const;

/** Shows the hooks each operation with what it would write, and takes what they put in its place. */
async function hooked({
  keeper,
  wishes,
  survey,
}: Considered): Promise<Pick<Permission, 'data' | 'replaced'>> {
  const data = new Map<string, Uint8Array>();
  let replaced = false;
  for (const wish of wishes) {
    const { path } = wish.place;
    const shown = data.get(path) ?? (await survey?.content(wish)) ?? undefined;
    const outcome = await keeper.before(operationOf(wish), shown);
    if (!outcome.pass) throw refusal(wish, 'hook before', outcome.reason);
    if (shown === undefined) continue;
    data.set(path, outcome.data ?? shown);
    if (outcome.data !== undefined && Buffer.compare(outcome.data, shown) !== 0) replaced = true;
  }
  return { data, replaced };
}

/** What was approved is not there any more. */
export function changed(wish: Wish, path: string): FsError {
  return refusal(
    wish,
    'what was approved is what is done',
    `what is at ${path}, or what it leads to, changed while the approval was waited for; look again, and try again`,
  );
}

async function askInTime(
  keeper: GateKeeper,
  asked: readonly Asked[],
  proposal: Proposal,
): Promise<Pick<GateDecision, 'decision' | 'rule' | 'reason'>> {
  try {
    return await keeper.ask(
      asked.map(({ rule, reason, ...wish }) => ({ ...operationOf(wish), rule, reason })),
      proposal,
    );
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return {
      decision: 'deny',
      rule: 'the gate failed',
      reason: `the approval could not be asked for, which refuses: ${what}`,
    };
  }
}

/** Operations on an entry itself, and not on what it links to. */
const ON_ENTRY: ReadonlySet<Operation> = new Set<Operation>([
  'unlink',
  'rmdir',
  'rename',
  'symlink',
  'link',
]);

export const operationOf = ({ op, place }: Wish) => ({
  op,
  path: place.path,
  mount: place.at.point,
});

export function refusal({ op, place }: Wish, rule: string, reason: string): FsError {
  return new FsError('EACCES', { path: place.named, op, rule, reason });
}

/** A hook put other data in the place of what a call sends. */
export function otherCall(place: Place): FsError {
  return new FsError('EACCES', {
    path: place.named,
    op: 'call',
    rule: 'hook before',
    reason:
      'a hook put other data in the place of what is sent, which a call cannot have; block the call instead',
  });
}
