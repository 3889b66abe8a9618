/** The files that `dirigent init` makes. */
import fs from 'node:fs';
import { join } from 'node:path';
import { defaultHarness } from '../world/plan.ts';
import type { FoundToken, OfferedServices, WantedService } from './init-services.ts';

/** A service with what was found of it. */
export interface ChosenService extends WantedService {
  token: FoundToken | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the config: one that Node loads as a module beside any package.json. */
export const configName = (typescript: boolean): string =>
  typescript ? 'dirigent.config.mts' : 'dirigent.config.mjs';

/** Every file of the new deployment, by its path in it. */
export function deploymentFiles(
  offered: OfferedServices,
  services: readonly ChosenService[],
  typescript: boolean,
  env: Environment,
): Map<string, string> {
  return new Map([
    [configName(typescript), configText(offered, services, env)],
    ['harness/AGENTS.md', agentsText(offered, services)],
    ['harness/policy.yaml', policyText()],
    ['harness/skills/triage/SKILL.md', SKILL],
    ['harness/tools/outline.sh', TOOL],
  ]);
}

function configText(
  offered: OfferedServices,
  services: readonly ChosenService[],
  env: Environment,
): string {
  const mounts = services.map((service) => `    ${mountText(offered, service, env)}\n`).join('');
  return `import { defineConfig } from 'dirigent';

export default defineConfig({
  mounts: {
${mounts}    // A directory of yours, to read and to search:
    // '/mnt/docs': './docs:ro',
  },
});
`;
}

/** `stage`: what is written waits until somebody applies it. */
function mountText(
  offered: OfferedServices,
  { name, only, token }: ChosenService,
  env: Environment,
): string {
  const source = only === undefined ? name : `${name}:${only}`;
  const baseUrl = offered.addressOf(name, env);
  const [usual] = offered.schemeOf(name).setup.tokens;
  const variable = token?.variable ?? usual;
  const more = [
    ...(baseUrl === null ? [] : [`baseUrl: ${JSON.stringify(baseUrl)}`]),
    ...(variable === usual ? [] : [`tokenEnv: ${JSON.stringify(variable)}`]),
  ];
  const parts = [`source: ${JSON.stringify(source)}`, "mode: 'stage'", ...more];
  return `// The token is in ${variable}. 'stage': what is written waits until you apply it.\n    '/mnt/${name}': { ${parts.join(', ')} },`;
}

function agentsText(offered: OfferedServices, services: readonly ChosenService[]): string {
  const text = fs.readFileSync(join(defaultHarness(), 'AGENTS.md'), 'utf8').trimEnd();
  const names = services.map(({ name }) => `- \`/mnt/${name}\`: ${offered.schemeOf(name).title}`);
  const here = names.length === 0 ? '' : `\n\n## What is mounted\n\n${names.join('\n')}`;
  return `${text}${here}\n`;
}

/** The package's own, to be changed. */
const policyText = (): string =>
  fs
    .readFileSync(join(defaultHarness(), 'policy.yaml'), 'utf8')
    .replace(/^# .*\n# .*\n/, '# What an agent may do. The first rule that matches decides.\n');

const SKILL = `---
name: triage
description: How issues that nobody has looked at are sorted
---

1. Read \`index.tsv\` of the issues, and of those without a label the issues themselves.
2. Look for one that says the same: \`grep QUERY\` without a flag searches by meaning.
3. Give each the labels that fit, of those in \`labels.tsv\` and no others. Change nothing else.
4. Say in a list what you changed, with paths, and what you could not decide.
`;

const TOOL = `#!/bin/bash
# ---
# description: Prints the headings of a markdown file, with their lines
# input:
#   type: object
#   properties:
#     path: { type: string, description: The file }
#   required: [path]
# ---
grep -n '^#' "$path"
`;

/** What belongs to this machine alone. */
const IGNORED = ['.dirigent/', 'workspace/'];

/** The text of `.gitignore` with what belongs to this machine; null where it has all of it. */
export function ignoreText(before: string | null): string | null {
  const lines = (before ?? '').split('\n').map((line) => line.trim().replace(/^\//, ''));
  const missing = IGNORED.filter(
    (each) => !lines.includes(each) && !lines.includes(each.slice(0, -1)),
  );
  if (missing.length === 0) return null;
  const start = before === null || before === '' || before.endsWith('\n') ? before : `${before}\n`;
  return `${start ?? ''}${missing.join('\n')}\n`;
}
