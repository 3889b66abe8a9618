/** `dirigent approvals`: what agents ask for, and a person's answers. */
import { userInfo } from 'node:os';
import type { Worker } from 'node:worker_threads';
import {
  type Approval,
  approvalBody,
  approvalFields,
  describeOperation,
} from '../policy/approval.ts';
import { joined, type VisibleText, visible, visibleLines } from '../visible.ts';
import type { WorldApprovals } from '../world/world.ts';
import { openWorld } from './open-world.ts';
import type { ApprovalsArguments } from './options.ts';
import type { Output } from './output.ts';

/** Runs `dirigent approvals`, and gives its exit status. */
export async function runApprovals(
  options: ApprovalsArguments,
  output: Output,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, worker, output);
  return actOnApprovals(world.approvals, options, output);
}

/** What `approvals` does, on any journal. */
export async function actOnApprovals(
  approvals: WorldApprovals,
  options: Pick<ApprovalsArguments, 'verb' | 'ids' | 'json' | 'all' | 'scope' | 'prefix'>,
  output: Output,
): Promise<number> {
  const { verb, ids, json } = options;
  const print = (value: unknown, text: VisibleText): Promise<boolean> =>
    json ? output.json(value, 2) : output.out(text);
  if (verb === 'list') {
    const list = (await approvals.list(options.all ? undefined : 'pending')).toReversed();
    const none = options.all ? visible`no approvals\n` : visible`nothing waits for approval\n`;
    await print(list, list.length === 0 ? none : joined(list.map(row)));
    return 0;
  }
  if (verb === 'show') {
    const approval = await approvals.get(ids[0] ?? '');
    if (approval === null) return unknown(output, ids[0] ?? '');
    await print(approval, wholeText(approval, output.columns('stdout')));
    return 0;
  }
  let status = 0;
  for (const id of ids) {
    const before = await approvals.get(id);
    if (before === null) {
      status = await unknown(output, id);
      continue;
    }
    if (before.state !== 'pending') {
      await output.err(visible`dirigent: approval ${id} is ${before.state}, not pending\n`);
      status = 1;
      continue;
    }
    const { scope, prefix } = options;
    if (before.op === 'tool' && scope === 'prefix') {
      await output.err(
        visible`dirigent: approval ${id} is about the tool ${before.path}, which has no prefix; use --scope once or path\n`,
      );
      status = 1;
      continue;
    }
    const answered = await approvals.answer(id, {
      decision: verb,
      by: userInfo().username,
      ...(scope === undefined ? {} : { scope }),
      ...(prefix === undefined ? {} : { prefix }),
    });
    await print(answered, answered === null ? visible`` : visible`${outcome(answered)}\n`);
  }
  return status;
}

async function unknown(output: Output, id: string): Promise<number> {
  await output.err(
    visible`dirigent: there is no approval ${id}; "dirigent approvals list --all" names them\n`,
  );
  return 1;
}

const row = (approval: Approval): VisibleText =>
  visible`${approval.id}  ${approval.state}  ${approval.actor}  ${describeOperation(approval)}\n    ${approval.reason}\n`;

/** Fields, then what would be done: indented, so that none of it passes for a field. */
const wholeText = (approval: Approval, columns: number | undefined): VisibleText =>
  joined([
    visibleLines(approvalFields(approval), { columns }),
    visibleLines(
      approvalBody(approval)
        .replace(/\n*$/, '\n')
        .replace(/^(?=.)/s, '\n'),
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
