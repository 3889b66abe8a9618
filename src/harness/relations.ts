/** What the files of a harness say of each other. */

import type { HarnessError } from './fault.ts';
import { type FilePart, filesOf, type HarnessFiles } from './kinds.ts';

/** What a file says, and whether it is the deployment's own. */
export interface OwnedPart {
  part: FilePart;
  isOwn: boolean;
}

/** All that is in force: a prompt of the deployment's own stands before a command of the package. */
export function filesInForce(parts: readonly OwnedPart[]): HarnessFiles {
  const taken = new Set(
    parts.flatMap(({ part: { kind, value }, isOwn }) =>
      kind === 'prompts' && isOwn ? [value.name] : [],
    ),
  );
  const inForce = parts.filter(
    ({ part: { kind, value }, isOwn }) => isOwn || kind !== 'commands' || !taken.has(value.name),
  );
  return filesOf(inForce.map(({ part }) => part));
}

/** What is wrong with files that are right by themselves. */
export function relationFaults({
  agents,
  commands,
  prompts,
  triggers,
}: HarnessFiles): HarnessError[] {
  const faults: HarnessError[] = [];
  const requireAgent = (path: string, agent: string | null): void => {
    if (agent === null || agents.has(agent)) return;
    const known = [...agents.keys()].join(', ');
    faults.push({ path, message: `agent: there is no agent "${agent}"; there are: ${known}` });
  };
  for (const { name, agent } of triggers.values()) requireAgent(`triggers/${name}.md`, agent);
  for (const { name, agent } of commands.values()) {
    requireAgent(`commands/${name}.md`, agent);
    if (prompts.has(name)) {
      const message = `/${name} calls commands/${name}.md, and not this: give one of them another name`;
      faults.push({ path: `prompts/${name}.md`, message });
    }
  }
  return faults;
}
