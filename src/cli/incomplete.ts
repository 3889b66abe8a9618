/** Is what was typed a whole command, or does the next line belong to it? */
import { parse, type StatementNode } from 'just-bash';
import { spellAssignmentWords } from '../shell/assignment-words.ts';

/** Where a command ends, this is a command of its own; where it does not, it is swallowed. */
const PROBE = ':';

/** True for an open quote, `do` without `done`, a here-document, a trailing `|` or `\` and the like. */
export function isIncomplete(text: string): boolean {
  if (text.trim() === '') return false;
  const probed = tryParse(`${text}\n${PROBE}`);
  // `[[ a` takes the probe for a mistake, and only by itself for a beginning.
  if (probed === 'wrong') return tryParse(text) === 'ended';
  if (probed === 'ended') return true;
  if (probed.some((statement) => statement.deferredError !== undefined)) return false;
  return !isProbe(probed.at(-1));
}

/** The statements of a text; or whether it is wrong, or ended too early. */
function tryParse(text: string): StatementNode[] | 'wrong' | 'ended' {
  try {
    return parse(spellAssignmentWords(text)).statements;
  } catch (error) {
    // just-bash's errors have no common class; each is of the script's syntax.
    if (!(error instanceof Error)) throw error;
    return /\bEOF\b/.test(error.message) || atEnd(error) ? 'ended' : 'wrong';
  }
}

/** Some messages name the word that was expected, and only the token tells that the text ended. */
function atEnd(error: Error): boolean {
  if (!('token' in error)) return false;
  const { token } = error;
  return typeof token === 'object' && token !== null && 'type' in token && token.type === 'EOF';
}

function isProbe(statement: StatementNode | undefined): boolean {
  const [pipeline, ...others] = statement?.pipelines ?? [];
  const [command, ...piped] = pipeline?.commands ?? [];
  if (others.length > 0 || piped.length > 0 || command?.type !== 'SimpleCommand') return false;
  if (command.args.length > 0 || pipeline?.negated === true) return false;
  const [part] = command.name?.parts ?? [];
  return part?.type === 'Literal' && part.value === PROBE;
}
