/** What became of what a command wrote to services, a line each. */
import { relativeTo } from '../paths.ts';
import type { Write } from '../world/world.ts';

/** More lines than this are counted: one command may write hundreds. */
const LINES_SHOWN = 10;

const PAST: Readonly<Record<Write['op'], string>> = {
  create: 'made',
  update: 'edited',
  delete: 'removed',
};

/**
 * The lines, without their ends. What failed has said so itself.
 * @param cwd paths below it are given as they can be typed there
 */
export function writeLines(writes: readonly Write[], cwd: string): string[] {
  const told = writes.flatMap((write) => lineOf(write, cwd) ?? []);
  if (told.length <= LINES_SHOWN) return told;
  return [
    ...told.slice(0, LINES_SHOWN),
    `… and ${told.length - LINES_SHOWN} more; "dirigent changes" lists them`,
  ];
}

function lineOf({ id, op, state, path, url, summary }: Write, cwd: string): string | null {
  switch (state) {
    case 'pending':
      return `staged: ${summary}; "dirigent changes apply ${id}" sends it`;
    case 'applied': {
      const place = url === undefined ? '' : `  ${url}`;
      if (op === 'create') return `${PAST[op]} ${relativeTo(cwd, path)}${place}`;
      return `${pastOf(summary, op)}${place}`;
    }
    case 'unknown':
      return `unknown: ${summary}; "dirigent changes settle ${id}" asks what came of it`;
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
