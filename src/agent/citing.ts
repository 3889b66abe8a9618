/** Answers that carry citations: what the model is told, and what it is told of those that do not hold. */
import { countsOf, nameOf } from '../citations/report.ts';
import { type Verification, verifyAnswer } from '../citations/verify.ts';
import type { WorldAccess } from './world-access.ts';

/** Added to the system prompt of a turn whose answer is to carry citations. */
export const CITING = `# Citations

Behind each claim of your answer write where it stands, as [path:line "words"]: the absolute path, the number of the line, and some telling words of that line, copied to the letter:

[/mnt/docs/lease.md:12 "must be renewed every 30 days"]

A page of a document is cited as [/mnt/docs/report.pdf:p3 "words"]. Take path and number from what \`grep\` or \`read\` printed, and the words from there, too, with every "not" and every number; "…" stands for words that you leave out. Each citation is looked up before your answer is shown. If the files do not say it, say that, and cite nothing.`;

/** Checks an answer with what its agent may read. */
export function verifyWith(
  { files, cwd }: Pick<WorldAccess, 'files' | 'cwd'>,
  mounts: readonly string[],
  text: string,
): Promise<Verification> {
  return verifyAnswer(text, { files, bases: [cwd, ...mounts, '/'] });
}

/**
 * What the model is told of an answer; null where nothing is to be said. It has
 * no text of a document in it: a service's words are no prompt.
 */
export function objectionTo(verification: Verification): string | null {
  const { citations } = verification;
  if (citations.length === 0)
    return 'Your answer has no citation. Write it again with one behind each claim, as [path:line "words"]; if the files do not say it, say so.';
  if (countsOf(verification).false === 0) return null;
  const faults = citations
    .filter(({ verdict }) => verdict === 'false')
    .map((each) => {
      const quotes = each.quotes.map((quote) => ` "${quote.trim()}"`).join('');
      return `- ${nameOf(each)}${quotes}: ${each.fault ?? ''}`;
    });
  return `These citations of your answer do not hold:\n\n${faults.join('\n')}\n\nLook again at what stands there, and write the whole answer again: correct each citation, and take back what the files do not say. This is the last time that it is checked.`;
}
