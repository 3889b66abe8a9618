/** What is refused in a table of routes because nothing is written there, and what to do instead. */
import { FsError } from '../../errors.ts';
import type { Route } from '../table/route.ts';
import type { Match, RouteTable } from '../table/table.ts';

/** May a file of this route be written? */
export function isWritable(route: Route): boolean {
  const { edit, create, replace, note } = route;
  return [edit, create, replace, note].some((way) => way !== undefined);
}

/** Why what stands at a path is not written, and what to do. */
export function whyNotWritten(match: Match): string {
  return (
    match.route.readOnly ??
    'it is made from the records and cannot be written: write the record itself'
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The refusals of one table. */
export class Refusals {
  readonly #table: RouteTable;
  readonly #kind: string;

  /** @param kind of the mount, as its rule is called */
  constructor(table: RouteTable, kind: string) {
    this.#table = table;
    this.#kind = kind;
  }

  because(path: string, op: string, reason: string): FsError {
    return new FsError('EPERM', { path, op, rule: `routes of ${this.#kind}`, reason });
  }

  /** Why there can be no file of that name, and where one is made. */
  noName(path: string): string {
    const directory = path.slice(0, path.lastIndexOf('/'));
    const made = this.#table.newIn(directory);
    if (made !== null) {
      return `names here are chosen by the service: write to ${made} in this directory to make a record`;
    }
    const above = directory === '' ? null : (this.#table.match(directory)?.route ?? null);
    const [reason] = this.#table.children(above).flatMap(({ route }) => route.readOnly ?? []);
    return (
      reason ?? 'names here are chosen by the service, and nothing can be made in this directory'
    );
  }

  /** Why no directory is made, and what to do instead. */
  noDirectory(path: string): string {
    const made = this.#table.newIn(path.slice(0, path.lastIndexOf('/')));
    const instead = made === null ? '' : `: write ${made} to make one`;
    return `directories here come with the records${instead}`;
  }

  /** Why nothing is renamed in the service of that name. */
  noRename(from: string, to: string, title: string): string {
    return this.#table.match(from)?.route.replace === undefined
      ? `${title} chooses the names here; to change a record, write it`
      : `${title} has no renaming: it is one commit that makes the new file and one that removes the old one; cp ${nameOf(from)} to ${nameOf(to)}, then rm ${nameOf(from)}`;
  }
}
