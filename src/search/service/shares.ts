/**
 * Places for each kind of text in an answer, where several have something to say: code pushes no
 * issue out, nor an issue code; and a table restates what the records say that it lists.
 */
import { nameOf } from '../../paths.ts';
import { isCode } from '../chunks/code.ts';

interface Candidate {
  readonly score: number;
  readonly document: { readonly path: string };
}

type Kind = 'prose' | 'code' | 'table';

/** The share of the places that is kept for each kind. */
const KEPT: Readonly<Record<Kind, number>> = { prose: 0.7, code: 0.3, table: 0 };
/** A place is kept for what is so near to the best that is no table. */
const NEAR = 0.5;

/** How many places each kind may take while others have candidates that are worth one. */
export class Shares {
  readonly #room: Record<Kind, number>;

  /** @param found best first */
  constructor(found: readonly Candidate[], limit: number) {
    const best = found.find(({ document: { path } }) => kindOf(path) !== 'table')?.score ?? 0;
    const worth: Record<Kind, Set<string>> = {
      prose: new Set(),
      code: new Set(),
      table: new Set(),
    };
    for (const { score, document } of found) {
      if (score >= NEAR * best) worth[kindOf(document.path)].add(document.path);
    }
    const kept = (kind: Kind): number =>
      Math.min(worth[kind].size, Math.floor(KEPT[kind] * limit + 1e-9));
    this.#room = {
      prose: limit - kept('code'),
      code: limit - kept('prose'),
      table: Math.max(0, limit - worth.prose.size - worth.code.size),
    };
    // One of ten, where it says more than all that it may restate.
    if (found[0] !== undefined && kindOf(found[0].document.path) === 'table')
      this.#room.table = Math.max(this.#room.table, limit >= 10 ? 1 : 0);
  }

  /** Has the kind of a path a place left? */
  hasRoom(path: string): boolean {
    return this.#room[kindOf(path)] > 0;
  }

  /** A place is taken. */
  take(path: string): void {
    this.#room[kindOf(path)] -= 1;
  }
}

/** Tables after all else, each in the order that they were found in. */
export function tablesLast<T extends { found: Candidate }>(places: readonly T[]): T[] {
  const isTable = ({ found }: T): boolean => kindOf(found.document.path) === 'table';
  return [...places.filter((each) => !isTable(each)), ...places.filter(isTable)];
}

function kindOf(path: string): Kind {
  if (/\.tsv$/i.test(path)) return 'table';
  return isCode(nameOf(path)) || /\.(?:csv|log|lock)$/i.test(path) ? 'code' : 'prose';
}
