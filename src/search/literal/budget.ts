/** What a search may cost before it is given up: no pattern may hang the shell. */
import { TooExpensiveError } from './ast.ts';

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
      throw new TooExpensiveError(
        'pattern too expensive for this text; use a literal (-F) or a pattern with fewer nested repetitions',
      );
    }
  }

  /** A new file begins. */
  refill(): void {
    this.left = this.steps;
  }
}
