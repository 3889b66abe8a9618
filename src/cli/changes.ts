/** `dirigent changes`: what was written to services, and what is staged and waits. */
import type { Worker } from 'node:worker_threads';
import type { Applied, Change } from '../changes/index.ts';
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
import type { WorldChanges } from '../world/world.ts';
import { openWorld } from './open-world.ts';
import type { ChangesArguments } from './options.ts';
import type { Output } from './output.ts';

/** Runs `dirigent changes`, and gives its exit status. */
export async function runChanges(
  options: ChangesArguments,
  output: Output,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, worker, output);
  return actOnChanges(world.changes, options, output);
}

/** What `changes` does, on any journal. */
export async function actOnChanges(
  changes: WorldChanges,
  { verb, ids, json }: Pick<ChangesArguments, 'verb' | 'ids' | 'json'>,
  output: Output,
): Promise<number> {
  const print = (value: unknown, text: VisibleText): Promise<boolean> =>
    json ? output.json(value, 2) : output.out(text);
  switch (verb) {
    case 'list': {
      // Oldest first in the journal; what was just done is what people look for.
      const list = (await changes.list()).toReversed();
      await print(list, list.length === 0 ? visible`no changes\n` : table(list));
      return 0;
    }
    case 'show': {
      const [id = ''] = ids;
      const change = await changes.get(id);
      if (change === null) {
        await output.err(
          visible`dirigent: there is no change ${id}; "dirigent changes list" names them\n`,
        );
        return 1;
      }
      await print(change, describe(change, output.columns('stdout')));
      return 0;
    }
    case 'apply':
    case 'drop':
    case 'settle': {
      const unknown = await missing(changes, ids);
      if (unknown.length > 0) {
        // All or none: half of a set because of a typing error helps nobody.
        const names = unknown.join(', ');
        await output.err(visible`dirigent: there is no change ${names}; nothing was done\n`);
        return 1;
      }
      const results = await changes[verb](ids);
      await print(results, joined(results.map(outcome)));
      const wanted = verb === 'drop' ? 'dropped' : 'applied';
      return results.every(({ state, error }) => state === wanted && error === undefined) ? 0 : 1;
    }
  }
}

async function missing(changes: WorldChanges, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => changes.get(id)));
  return ids.filter((_, index) => found[index] === null);
}

const outcome = ({ id, state, error }: Applied): VisibleText =>
  visible`${id} ${state}${error === undefined ? '' : visible`: ${visibleMessage(error)}`}\n`;

function table(changes: readonly Change[]): VisibleText {
  const rows = changes.map((change) => [
    change.id,
    change.state,
    change.op,
    time(change.createdAt),
    escapeName(`${change.mount}:${change.path}`),
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

function describe(change: Change, columns: number | undefined): VisibleText {
  const { request, error, result } = change;
  const lines = [
    visible`id:      ${change.id}`,
    visible`state:   ${change.state}`,
    visible`op:      ${change.op}`,
    visible`path:    ${visibleName(`${change.mount}:${change.path}`)}`,
    visible`created: ${time(change.createdAt)}`,
  ];
  if (change.sentAt !== null) lines.push(visible`sent:    ${time(change.sentAt)}`);
  if (change.endedAt !== null) lines.push(visible`ended:   ${time(change.endedAt)}`);
  if (result !== null)
    lines.push(visible`result:  ${visibleName(result.path)} ${result.url ?? ''}`);
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
