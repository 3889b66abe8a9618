/** `dirigent changes`: what was written to services, and what is staged and waits. */
import type { Worker } from 'node:worker_threads';
import type { Applied, Change } from '../changes/index.ts';
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
  const world = await openWorld(options, worker);
  return actOnChanges(world.changes, options, output);
}

/** What `changes` does, on any journal. */
export async function actOnChanges(
  changes: WorldChanges,
  { verb, ids, json }: Pick<ChangesArguments, 'verb' | 'ids' | 'json'>,
  output: Output,
): Promise<number> {
  const print = (value: unknown, text: string): Promise<boolean> =>
    output.out(json ? `${JSON.stringify(value, null, 2)}\n` : text);
  switch (verb) {
    case 'list': {
      // Oldest first in the journal; what was just done is what people look for.
      const list = (await changes.list()).toReversed();
      await print(list, list.length === 0 ? 'no changes\n' : table(list));
      return 0;
    }
    case 'show': {
      const [id = ''] = ids;
      const change = await changes.get(id);
      if (change === null) {
        await output.err(
          `dirigent: there is no change ${id}; "dirigent changes list" names them\n`,
        );
        return 1;
      }
      await print(change, describe(change));
      return 0;
    }
    case 'apply':
    case 'drop':
    case 'settle': {
      const unknown = await missing(changes, ids);
      if (unknown.length > 0) {
        // All or none: half of a set because of a typing error helps nobody.
        const names = unknown.join(', ');
        await output.err(`dirigent: there is no change ${names}; nothing was done\n`);
        return 1;
      }
      const results = await changes[verb](ids);
      await print(results, results.map(outcome).join(''));
      const wanted = verb === 'drop' ? 'dropped' : 'applied';
      return results.every(({ state, error }) => state === wanted && error === undefined) ? 0 : 1;
    }
  }
}

async function missing(changes: WorldChanges, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => changes.get(id)));
  return ids.filter((_, index) => found[index] === null);
}

const outcome = ({ id, state, error }: Applied): string =>
  `${id} ${state}${error === undefined ? '' : `: ${error.trimEnd()}`}\n`;

function table(changes: readonly Change[]): string {
  const rows = changes.map((change) => [
    change.id,
    change.state,
    change.op,
    time(change.createdAt),
    `${change.mount}:${change.path}`,
  ]);
  const all = [['ID', 'STATE', 'OP', 'TIME', 'PATH'], ...rows];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return all
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}

function describe(change: Change): string {
  const { request, error, result } = change;
  const lines = [
    `id:      ${change.id}`,
    `state:   ${change.state}`,
    `op:      ${change.op}`,
    `path:    ${change.mount}:${change.path}`,
    `created: ${time(change.createdAt)}`,
  ];
  if (change.sentAt !== null) lines.push(`sent:    ${time(change.sentAt)}`);
  if (change.endedAt !== null) lines.push(`ended:   ${time(change.endedAt)}`);
  if (result !== null)
    lines.push(`result:  ${result.path}${result.url === undefined ? '' : ` ${result.url}`}`);
  if (error !== null) lines.push(`error:   ${error.trimEnd().replaceAll('\n', '\n         ')}`);
  if (request !== null) {
    lines.push(`request: ${request.method} ${request.url}`);
    lines.push(JSON.stringify(request.body, null, 2));
  }
  return `${lines.join('\n')}\n${change.diff === '' ? '' : `\n${change.diff.trimEnd()}\n`}`;
}

/** `2026-02-03 04:05:06`, UTC. */
const time = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
