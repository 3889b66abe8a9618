/** What a search may cost before it is given up: no pattern may hang the shell. */
import { TooExpensiveError } from './ast.ts';

/** What is said of a pattern that is given up. */
export const TOO_EXPENSIVE =
  'pattern too expensive for this text; use a literal (-F) or a pattern with fewer nested repetitions';

export class Budget {
  private left: number;

  private readonly steps: number;

  /** @param steps elementary steps of the matcher, of some 5 to 30 ns each */
  constructor(steps: number) {
    this.steps = steps;
    this.left = steps;
  }

  /** @throws TooExpensiveError when nothing is left. */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) {
      throw new TooExpensiveError(TOO_EXPENSIVE);
    }
  }

  /** A new file begins. */
  refill(): void {
    this.left = this.steps;
  }
}
