/** The change journal: writes to services, from draft to applied. */
import { ChangeJournal } from './journal.ts';

export type { Change, ChangeState } from './change.ts';
export type { Applied, ChangeName } from './journal.ts';
export { ChangeJournal };

/** Opens the journal in a file, made if it is missing, or in ':memory:'. */
export function openChangeJournal(
  file: string,
  options: ConstructorParameters<typeof ChangeJournal>[1] = {},
): ChangeJournal {
  return new ChangeJournal(file, options);
}
