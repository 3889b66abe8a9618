/** Which tools an agent has. Apart from the rights, since it needs globs. */
import { matcherOf } from './glob.ts';
import type { AgentRights } from './rights.ts';

/** Is a tool on? In each set of switches the last that matches decides; every set must agree. */
export function allowsTool({ tools }: Pick<AgentRights, 'tools'>, name: string): boolean {
  return tools.every((switches) => {
    let on = true;
    for (const [glob, value] of Object.entries(switches)) {
      if (matcherOf(glob)(name)) on = value;
    }
    return on;
  });
}
