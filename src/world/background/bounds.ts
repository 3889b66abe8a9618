/** What bounds background jobs that began earlier: a job has at most the rights that there are now. */
import { type ActingContext, USER } from '../../policy/context.ts';
import type { PlanScope } from '../../policy/plan.ts';
import { type AgentRights, intersectFilesystem } from '../../policy/rights.ts';

/** Of an agent that is there no more: it may look, and that is all. */
const NONE: AgentRights = { filesystem: 'read-only', tools: [{ '*': false }], skills: [] };

/** What holds in a world at this moment, beside what a job was begun with. */
export class JobBounds {
  readonly #agents = new Map<string, AgentRights>();
  readonly #plans = new Set<() => PlanScope>();

  /** What the harness says of its agents now. @param whole those that are not among them are gone */
  agentsAre(agents: ReadonlyMap<string, AgentRights>, whole: boolean): void {
    if (whole) for (const name of this.#agents.keys()) this.#agents.set(name, NONE);
    for (const [name, rights] of agents) this.#agents.set(name, rights);
  }

  /** A turn has a plan: until it ends, no job changes more than that names by then. @returns ends it */
  during(scope: () => PlanScope): () => void {
    const plan = (): PlanScope => scope();
    this.#plans.add(plan);
    return () => void this.#plans.delete(plan);
  }

  /** Who acts in a job, with what holds now. */
  now(context: ActingContext): ActingContext {
    // What the person in charge has begun is bound by no agent's rights, and by no plan of one.
    if (context.actor === USER) return context;
    const rights = [context.actor, ...(context.onBehalfOf ?? [])].flatMap(
      (name) => this.#agents.get(name) ?? [],
    );
    const plans = [...(context.plans ?? []), ...[...this.#plans].map((scope) => scope())];
    return {
      ...context,
      filesystem: rights
        .map(({ filesystem }) => filesystem)
        .reduce(intersectFilesystem, context.filesystem),
      tools: [...(context.tools ?? []), ...rights.flatMap(({ tools }) => tools)],
      ...(plans.length === 0 ? {} : { plans }),
    };
  }
}
