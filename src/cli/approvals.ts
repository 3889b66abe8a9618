/** `dirigent approvals`: what agents ask for, and a person's answers. */
import { userInfo } from 'node:os';
import type { Worker } from 'node:worker_threads';
import {
  type Approval,
  actorText,
  approvalBody,
  approvalFields,
  describeOperation,
} from '../policy/approval.ts';
import { joined, type VisibleText, visible, visibleLines } from '../visible.ts';
import type { WorldApprovals } from '../world/world.ts';
import { resolveId } from './ids.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { ApprovalsArguments } from './options.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';

/** Runs `dirigent approvals`, and gives its exit status. */
export async function runApprovals(
  options: ApprovalsArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  return actOnApprovals(world.approvals, options, output);
}

/** What `approvals` does, on any journal. */
export async function actOnApprovals(
  approvals: WorldApprovals,
  options: ApprovalsArguments,
  output: Output,
): Promise<number> {
  const { verb, json } = options;
  const print = (value: unknown, text: VisibleText): Promise<boolean> =>
    json ? output.json(value, 2) : output.out(text);
  if (verb === 'list') {
    const list = (await approvals.list(options.all ? undefined : 'pending')).toReversed();
    const none = options.all ? visible`no approvals\n` : visible`nothing waits for approval\n`;
    await print(list, list.length === 0 ? none : joined(list.map(row)));
    return 0;
  }
  const chosen = choose((await approvals.list()).toReversed(), options);
  if (chosen.length === 0) {
    await output.err(visible`dirigent: nothing waits for approval\n`);
    return 1;
  }
  if (verb === 'show') {
    const columns = output.columns('stdout');
    for (const approval of chosen) await print(approval, wholeText(approval, columns));
    return 0;
  }
  let status = 0;
  for (const approval of chosen) {
    const refusal = refusalOf(approval, options);
    if (refusal !== null) {
      await output.err(visible`dirigent: approval ${approval.id} ${refusal}\n`);
      status = 1;
      continue;
    }
    const { scope, prefix } = options;
    const answered = await approvals.answer(approval.id, {
      decision: verb,
      by: userInfo().username,
      ...(scope === undefined ? {} : { scope }),
      ...(prefix === undefined ? {} : { prefix }),
    });
    await print(answered, answered === null ? visible`` : visible`${outcome(answered)}\n`);
  }
  return status;
}

/**
 * Which requests are meant.
 * @param list the newest first
 * @throws FsError where an id names none, or several; then nothing is answered
 */
function choose(
  list: readonly Approval[],
  { verb, ids, last, given }: ApprovalsArguments,
): Approval[] {
  if (last) return list.filter(({ state }) => verb === 'show' || state === 'pending').slice(0, 1);
  const byId = new Map(list.map((approval) => [approval.id, approval]));
  const named = ids.map((typed) =>
    resolveId([...byId.keys()], typed, {
      what: 'approval',
      names: suggested(given, 'approvals list --all'),
      describe: (id) => {
        const approval = byId.get(id);
        return approval === undefined ? '' : `${approval.state}  ${describeOperation(approval)}`;
      },
    }),
  );
  return [...new Set(named)].flatMap((id) => byId.get(id) ?? []);
}

/** Why it cannot be answered so; null where it can. */
function refusalOf({ state, op, path }: Approval, { scope }: ApprovalsArguments): string | null {
  if (state !== 'pending') return `is ${state}, not pending`;
  if (op !== 'tool' || scope !== 'prefix') return null;
  return `is about the tool ${path}, which has no prefix; use --scope once or path`;
}

const row = (approval: Approval): VisibleText =>
  visible`${approval.id}  ${approval.state}  ${actorText(approval)}  ${describeOperation(approval)}\n    ${approval.reason}\n`;

/** Fields, then what would be done: indented, so that none of it passes for a field. */
const wholeText = (approval: Approval, columns: number | undefined): VisibleText =>
  joined([
    visibleLines(approvalFields(approval), { columns }),
    visibleLines(
      approvalBody(approval)
        .replace(/^(?=.)/s, '\n')
        .replace(/(?<=.)\n*$/, '\n'),
      {
        prefix: '  ',
        columns,
        patch: true,
      },
    ),
  ]);

/** One line on what an answer means from now on. */
function outcome(approval: Approval): string {
  const { id, state, scope, prefix } = approval;
  if (state === 'denied') return `${id} denied: ${describeOperation(approval)}`;
  const held =
    scope === 'prefix'
      ? `for a day, below ${prefix}`
      : scope === 'path'
        ? `for a day, for this ${approval.op === 'tool' ? 'tool' : 'path'}`
        : 'once';
  return `${id} allowed ${held}: ${describeOperation(approval)}`;
}
