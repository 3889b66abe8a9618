/** Which tools an agent has. Apart from the rights, since it needs globs. */
import picomatch from 'picomatch';
import type { AgentRights } from './rights.ts';

/** Is a tool on? In each set of switches the last that matches decides; every set must agree. */
export function allowsTool({ tools }: Pick<AgentRights, 'tools'>, name: string): boolean {
  return tools.every((switches) => {
    let on = true;
    for (const [glob, value] of Object.entries(switches)) {
      if (picomatch.isMatch(name, glob, { dot: true })) on = value;
    }
    return on;
  });
}
