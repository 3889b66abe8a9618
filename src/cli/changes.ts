/** `dirigent changes`: what was written to services, and what is staged and waits. */
import type { Worker } from 'node:worker_threads';
import type { Applied, ChangeState } from '../changes/index.ts';
import {
  escapeName,
  joined,
  type VisibleText,
  visible,
  visibleJson,
  visibleLines,
  visibleMessage,
  visibleName,
} from '../visible.ts';
import type { PlacedChange, WorldChanges } from '../world/world.ts';
import { type Confirm, terminalConfirm } from './confirm.ts';
import { resolveId } from './ids.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { ChangesArguments } from './options.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';

/** What is to be done, and to which changes. */
type ChangeChoice = Pick<ChangesArguments, 'verb' | 'ids' | 'json' | 'all' | 'last' | 'given'>;

/** Prints a value for programs, or a text for a person. */
type Print = (value: unknown, text: VisibleText) => Promise<boolean>;

/** Runs `dirigent changes`, and gives its exit status. */
export async function runChanges(
  options: ChangesArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const { changes } = await openWorld(options, installation, worker, output);
  return actOnChanges(changes, options, output, options.yes ? null : terminalConfirm(output));
}

/**
 * What `changes` does, on any journal.
 * @param confirm null where nobody is there to be asked
 */
export async function actOnChanges(
  changes: WorldChanges,
  options: ChangeChoice,
  output: Output,
  confirm: Confirm | null = null,
): Promise<number> {
  const print: Print = (value, text) => (options.json ? output.json(value, 2) : output.out(text));
  // Oldest first in the journal; what was just done is what people look for.
  const list = (await changes.list()).toReversed();
  if (options.verb === 'list') {
    await print(list, list.length === 0 ? visible`no changes\n` : table(list));
    return 0;
  }
  // All or none: half of a set because of a typing error helps nobody.
  const chosen = choose(list, options);
  if (options.verb === 'show') {
    for (const change of chosen) await print(change, describe(change, output.columns('stdout')));
    return 0;
  }
  if (chosen.length === 0) {
    await print([], visible`no change is ${ACTED_ON[options.verb]}\n`);
    return 0;
  }
  const { verb } = options;
  if (verb === 'apply' && confirm !== null && !(await isWanted(chosen, output, confirm))) {
    await output.err(visible`dirigent: nothing was sent\n`);
    return 1;
  }
  return act(changes, chosen, verb, print);
}

/** Shows what would be sent, and asks; of what does not wait, applying it tells. */
async function isWanted(
  chosen: readonly PlacedChange[],
  output: Output,
  confirm: Confirm,
): Promise<boolean> {
  const pending = chosen.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return true;
  const columns = output.columns('stderr');
  return confirm(
    joined(
      pending.map((change) => describe(change, columns)),
      '\n',
    ),
    pending.length === 1 ? visible`send it?` : visible`send these ${pending.length} changes?`,
  );
}

/** The state of what a verb acts on, where it is not told which. */
const ACTED_ON = {
  apply: 'pending',
  drop: 'pending',
  settle: 'unknown',
} as const satisfies Readonly<Record<string, ChangeState>>;

/** @throws FsError where an id names none, or several */
function choose(
  list: readonly PlacedChange[],
  { verb, ids, all, last, given }: ChangeChoice,
): PlacedChange[] {
  const state = verb === 'list' || verb === 'show' ? null : ACTED_ON[verb];
  const open = list.filter((change) => state === null || change.state === state);
  // A set is sent in the order in which it was made.
  if (all) return open.toReversed();
  if (last) return open.slice(0, 1);
  const byId = new Map(list.map((change) => [change.id, change]));
  const named = ids.map((typed) =>
    resolveId([...byId.keys()], typed, {
      what: 'change',
      names: suggested(given, 'changes list'),
      describe: (each) => {
        const change = byId.get(each);
        return change === undefined
          ? ''
          : `${change.state}  ${escapeName(placeOf(change, change.path))}`;
      },
    }),
  );
  return [...new Set(named)].flatMap((id) => byId.get(id) ?? []);
}

async function act(
  changes: WorldChanges,
  chosen: readonly PlacedChange[],
  verb: keyof typeof ACTED_ON,
  print: Print,
): Promise<number> {
  // What was shown, that and nothing else is sent.
  const results = await (verb === 'apply'
    ? changes.apply(chosen.map(({ id, digest }) => ({ id, digest })))
    : changes[verb](chosen.map(({ id }) => id)));
  const lines = await Promise.all(
    results.map(async (result) => outcome(result, await changes.get(result.id))),
  );
  await print(results, joined(lines));
  const wanted = verb === 'drop' ? 'dropped' : 'applied';
  return results.every(({ state, error }) => state === wanted && error === undefined) ? 0 : 1;
}

/** `ID applied: /mnt/tracker/issues/201.md  https://…`, or why not. */
function outcome({ id, state, error }: Applied, change: PlacedChange | null): VisibleText {
  if (error !== undefined) return visible`${id} ${state}: ${visibleMessage(error)}\n`;
  if (change === null) return visible`${id} ${state}\n`;
  const { result } = change;
  return visible`${id} ${state}: ${made(change, result?.path ?? change.path, result?.url)}\n`;
}

function made(change: PlacedChange, path: string, url: string | undefined): VisibleText {
  const place = visibleName(placeOf(change, path));
  return url === undefined ? place : visible`${place}  ${url}`;
}

/** The path in the world; where the mount is not part of it, its name and the path there. */
const placeOf = ({ point, mount }: PlacedChange, path: string): string =>
  point === null ? `${mount}:${path}` : `${point === '/' ? '' : point}${path}`;

function table(changes: readonly PlacedChange[]): VisibleText {
  const rows = changes.map((change) => [
    change.id,
    change.state,
    change.op,
    time(change.createdAt),
    escapeName(placeOf(change, change.result?.path ?? change.path)),
  ]);
  const all = [['ID', 'STATE', 'OP', 'TIME', 'PATH'], ...rows];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return joined(
    all.map((row) => {
      const cells = row.map((cell, column) => visible`${cell.padEnd(widths[column] ?? 0)}`);
      return visible`${joined(cells, '  ')}\n`;
    }),
  );
}

function describe(change: PlacedChange, columns: number | undefined): VisibleText {
  const { request, error, result } = change;
  const lines = [
    visible`id:      ${change.id}`,
    visible`state:   ${change.state}`,
    visible`op:      ${change.op}`,
    visible`path:    ${visibleName(placeOf(change, change.path))}`,
    visible`created: ${time(change.createdAt)}`,
    visible`digest:  ${change.digest}`,
  ];
  if (change.replacedBy !== null) lines.push(visible`replaced: by ${change.replacedBy}`);
  if (change.sentAt !== null) lines.push(visible`sent:    ${time(change.sentAt)}`);
  if (change.endedAt !== null) lines.push(visible`ended:   ${time(change.endedAt)}`);
  if (result !== null) lines.push(visible`result:  ${made(change, result.path, result.url)}`);
  if (error !== null) lines.push(visible`error:   ${visibleMessage(error, ' '.repeat(9))}`);
  if (request !== null) {
    lines.push(visible`request: ${request.method} ${request.url}`);
    lines.push(visibleLines(visibleJson(request.body, 2).toString(), { columns }));
  }
  const patch = change.diff === '' ? '' : `\n${change.diff.trimEnd()}\n`;
  return visible`${joined(lines, '\n')}\n${visibleLines(patch, { columns, patch: true })}`;
}

/** `2026-02-03 04:05:06`, UTC. */
const time = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
