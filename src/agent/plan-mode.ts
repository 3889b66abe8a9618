/** Plan mode: a turn that changes nothing before a person has approved what it is to change, and then nothing else. */
import { NOTHING_PLANNED, type PlanScope } from '../policy/plan.ts';

/** What holds for a turn and for all that it delegates. */
export class PlanMode {
  #scope: PlanScope;
  #isApproved: boolean;

  /** @param approved of a turn that is gone on with: the plan that was approved; null: none yet */
  constructor(approved: PlanScope | null = null) {
    this.#scope = approved ?? NOTHING_PLANNED;
    this.#isApproved = approved !== null;
  }

  get scope(): PlanScope {
    return this.#scope;
  }

  get isApproved(): boolean {
    return this.#isApproved;
  }

  /** @param scope of the plan as the person was shown it */
  approve(scope: PlanScope): void {
    this.#scope = scope;
    this.#isApproved = true;
  }
}

/** Added to the prompt while nothing is approved. */
export const PLANNING =
  'This turn begins with a plan. Look at whatever you need, and change nothing: every write is refused. Then call `plan` with what you will do, and with each path that it changes. Once the person has approved it, do it; what it does not name stays refused.';
