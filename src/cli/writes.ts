/** What became of what a command wrote to services, a line each. */
import type { Change } from '../changes/index.ts';
import { relativeTo } from '../paths.ts';
import type { Write } from '../world/world.ts';

/** Gives the line that runs a command of the command line. */
type Suggest = (command: string) => string;

/** What is staged and not sent, in a sentence; null where nothing is. */
export function whatWaits(
  changes: readonly Pick<Change, 'state'>[],
  suggest: Suggest,
): string | null {
  const count = changes.filter(({ state }) => state === 'pending').length;
  if (count === 0) return null;
  const what = count === 1 ? '1 change waits' : `${count} changes wait`;
  return `${what} to be sent: "${suggest('changes')}" lists what is staged, "${suggest('changes apply ID…')}" sends it`;
}

/** More lines than this are counted: one command may write hundreds. */
const LINES_SHOWN = 10;

const PAST: Readonly<Record<Write['op'], string>> = {
  create: 'made',
  update: 'edited',
  delete: 'removed',
  call: 'called',
};

/**
 * The lines, without their ends. What failed has said so itself.
 * @param cwd paths below it are given as they can be typed there
 */
export function writeLines(writes: readonly Write[], cwd: string, suggest: Suggest): string[] {
  const told = writes.flatMap((write) => lineOf(write, cwd, suggest) ?? []);
  if (told.length <= LINES_SHOWN) return told;
  return [
    ...told.slice(0, LINES_SHOWN),
    `… and ${told.length - LINES_SHOWN} more; "${suggest('changes')}" lists them`,
  ];
}

function lineOf(write: Write, cwd: string, suggest: Suggest): string | null {
  const { id, op, state, path, url, summary } = write;
  switch (state) {
    case 'pending':
      return `staged: ${summary}; "${suggest(`changes apply ${id}`)}" sends it`;
    case 'applied': {
      const place = url === undefined ? '' : `  ${url}`;
      if (op === 'create') return `${PAST[op]} ${relativeTo(cwd, path)}${place}`;
      return `${pastOf(summary, op)}${place}`;
    }
    case 'unknown':
      return `unknown: ${summary}; "${suggest(`changes settle ${id}`)}" asks what came of it`;
    default:
      return null;
  }
}

/** `closed #12` for `close #12`. */
function pastOf(summary: string, op: Write['op']): string {
  const space = summary.indexOf(' ');
  const verb = summary.slice(0, space);
  const past = verb === 'close' ? 'closed' : verb === 'reopen' ? 'reopened' : PAST[op];
  return past + summary.slice(space);
}
