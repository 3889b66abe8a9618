/** What a turn that was parked is told when those who were asked have answered. */
import { type Approval, describeOperation } from '../../policy/approval.ts';
import { outcomeText, type Question } from '../../policy/question.ts';

/** A week: so long a turn waits for a person. In ms. */
export const PARKED_MS = 7 * 24 * 60 * 60 * 1000;

/** @param approvals what its operations have asked for; `questions`: what it has asked itself */
export function resumptionText(
  approvals: readonly Approval[],
  questions: readonly Question[],
): string {
  const answers = [
    ...approvals.map((approval) => `- ${describeOperation(approval)}: ${answerOf(approval)}\n`),
    ...questions.map((asked) => `- ${JSON.stringify(asked.question)}: ${outcomeText(asked)}\n`),
  ];
  return `You were interrupted while you waited for a person. What was asked, and what came of it:\n${answers.join('')}Go on from where you were. What a command had done before it waited is done: do not do that part again.`;
}

function answerOf({ id, state, answeredBy }: Approval): string {
  const by = answeredBy === null ? '' : ` by ${answeredBy}`;
  switch (state) {
    case 'allowed':
      return `approval ${id} was allowed${by}, and it has not been done yet: do it again, exactly as it was`;
    case 'used':
      return `approval ${id} was allowed${by}, and it was done`;
    case 'denied':
      return `approval ${id} was denied${by}: do not ask again`;
    case 'expired':
      return `approval ${id} was not answered in time, was allowed too long ago, or is of an earlier version`;
    default:
      return `approval ${id} is ${state}`;
  }
}
