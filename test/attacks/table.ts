/** The whole table. */
import type { Attempt } from './attempt.ts';
import { APPROVAL_ROWS } from './rows/approval.ts';
import { CONFINEMENT_ROWS } from './rows/confinement.ts';
import { DOCUMENT_ROWS } from './rows/documents.ts';
import { EXHAUSTION_ROWS } from './rows/exhaustion.ts';
import { LABEL_ROWS } from './rows/label.ts';
import { POLICY_ROWS } from './rows/policy.ts';
import { PROGRAM_ROWS } from './rows/programs.ts';
import { TERMINAL_ROWS } from './rows/terminal.ts';
import type { Row } from './siege.ts';

const ATTEMPTS: readonly Attempt[] = [
  ...POLICY_ROWS,
  ...CONFINEMENT_ROWS,
  ...APPROVAL_ROWS,
  ...LABEL_ROWS,
  ...TERMINAL_ROWS,
  ...EXHAUSTION_ROWS,
  ...DOCUMENT_ROWS,
  ...PROGRAM_ROWS,
];

/** Every row, numbered. */
export const TABLE: readonly Row[] = ATTEMPTS.map((attempt, index) => ({ attempt, index }));
