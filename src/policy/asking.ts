/** Having a person asked: what they answered before, the request, and the waiting for their answer. */
import { createHash } from 'node:crypto';
import { type CommandLine, PLAIN, suggestion } from '../command-line.ts';
import type { Acting } from './acting.ts';
import { untilAnswered } from './answered.ts';
import type { Approval } from './approval.ts';
import type { AskedOperation, GateDecision, Proposal } from './gate.ts';
import type { KeeperOptions } from './keeper-options.ts';
import type { CompiledPolicy } from './rules.ts';
import type { TaintMount } from './taint.ts';
import type { Turn } from './turns.ts';

/** What came of asking; `answered` is what a person was shown and has allowed. */
export interface Asking extends GateDecision {
  answered?: Approval;
}

/** An operation that a rule asks about. */
export type RuledOperation = AskedOperation & Pick<GateDecision, 'rule' | 'reason'>;

/** What asking needs of the keeper. */
export interface AskingKeeper {
  readonly options: KeeperOptions;
  readonly policy: CompiledPolicy | null;
  taintMount(point: string): TaintMount | null;
  turn(acting: Acting): Turn;
}

/**
 * Has a person asked, once for all of the operations. An earlier answer for
 * the path or a prefix is enough.
 */
export async function askPerson(
  keeper: AskingKeeper,
  acting: Acting,
  asked: readonly RuledOperation[],
  proposal: Proposal,
): Promise<Asking> {
  const { actor, people = [], attended } = acting.context;
  const { commandLine } = keeper.options;
  const journal = keeper.options.approvals();
  // What was allowed to an agent of somebody's is allowed to nobody else who has the same agent.
  const whose = { actor, people };
  const open = asked.filter((each) => journal.granted(whose, each) === null);
  const [first] = open;
  if (first === undefined) return { decision: 'allow', rule: '', reason: '' };
  const digest = digestOf(open, await proposal.digest());
  const earlier = journal.same(whose, digest);
  if (earlier !== null && earlier.state !== 'pending') return again(keeper, earlier);
  const approval = earlier ?? (await file(keeper, acting, open, first, { digest, proposal }));
  if (attended && keeper.policy?.approval !== 'on-failure') return park(keeper, acting, approval);
  const other = journal.allowedOtherwise(whose, approval);
  const why = other === null ? '' : `; ${changedSince(other.id)}`;
  return refuse(first.rule, `${first.reason}${why}; ${unattended(approval.id, commandLine)}`);
}

/** What was answered earlier for the very same thing. */
function again({ options }: AskingKeeper, earlier: Approval): Asking {
  const { id, state, rule, answeredBy } = earlier;
  if (state === 'denied') {
    const by = answeredBy === null ? '' : ` by ${answeredBy}`;
    return refuse(rule, `approval ${id} was denied${by}; do not ask again`);
  }
  if (options.approvals().use(id)) return allowed(earlier);
  return refuse(rule, `approval ${id} was for once, and that is over`);
}

async function file(
  keeper: AskingKeeper,
  acting: Acting,
  open: readonly AskedOperation[],
  { rule, reason }: Pick<GateDecision, 'rule' | 'reason'>,
  { digest, proposal }: { digest: string; proposal: Proposal },
): Promise<Approval> {
  const { options } = keeper;
  const { actor, people = [], origin } = acting.context;
  const approval = options.approvals().request({
    session: options.session,
    actor,
    people,
    origin,
    operations: open.map(({ op, path, mount }) => ({ op, path, mount })),
    rule,
    reason,
    change: (await proposal.preview()) || null,
    digest,
  });
  const quoted = (proposal.quoted ?? []).flatMap(({ path, mount }): [TaintMount, string][] => {
    const at = keeper.taintMount(mount);
    return at === null ? [] : [[at, path]];
  });
  options.taint?.filed(approval.id, quoted, keeper.turn(acting));
  return approval;
}

/** Waits until the request is answered, here or in another process, or is a day old. */
async function park(
  keeper: AskingKeeper,
  acting: Acting,
  { id, rule, reason }: Approval,
): Promise<Asking> {
  const { options } = keeper;
  const { signal } = acting;
  const journal = options.approvals();
  const waiting = journal.get(id);
  const tells = acting.aside !== true;
  if (waiting !== null && tells) options.onParked?.(waiting, true);
  acting.onParked?.();
  try {
    const now = await untilAnswered(journal, id, { signal, pollMs: options.pollMs });
    if (now === null || now.state === 'expired')
      return refuse(rule, `${reason}; approval ${id} was not answered within a day`);
    if (now.state === 'pending')
      return refuse(
        rule,
        `${reason}; interrupted while it waited; ${unattended(id, options.commandLine)}`,
      );
    return now.state === 'allowed' && now.scope !== 'once' ? allowed(now) : again(keeper, now);
  } finally {
    const now = journal.get(id);
    if (now !== null && tells) options.onParked?.(now, false);
  }
}

const allowed = (answered: Approval): Asking => ({
  decision: 'allow',
  rule: '',
  reason: '',
  answered,
});

const refuse = (rule: string, reason: string): Asking => ({ decision: 'deny', rule, reason });

function unattended(id: string, commandLine: CommandLine = PLAIN): string {
  return `approval ${id} waits: after "${suggestion(commandLine, `approvals allow ${id}`)}" run it again`;
}

function changedSince(id: string): string {
  return `approval ${id} allowed this as it was shown then, and what is there, or what would be done, has changed since`;
}

function digestOf(operations: readonly AskedOperation[], proposed: string): string {
  const what = operations.map(({ op, path, mount }) => [op, path, mount]);
  return createHash('sha256')
    .update(JSON.stringify([what, proposed]))
    .digest('hex');
}
