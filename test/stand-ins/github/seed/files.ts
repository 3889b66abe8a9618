/** The files of the demo repositories: sources that contain each fix, and a page per scenario. */
import type { RepositoryFile } from '../model.ts';
import { troubleshooting } from './items.ts';
import type { Scenario } from './scenario.ts';

/** The lines of a file after a patch: context and additions, without what it removed. */
function patched(patch: string): string {
  const lines = patch.split('\n').filter((line) => !/^(@@|-)/.test(line));
  return lines.map((line) => line.slice(1)).join('\n');
}

function source(scenario: Scenario): string {
  const { note, path } = scenario.fix;
  if (/\.(md|sql)$/.test(path) || path === 'Dockerfile') return `${patched(scenario.fix.patch)}\n`;
  return `/**\n * ${note}\n * Area: ${scenario.area}.\n */\n${patched(scenario.fix.patch)}\n`;
}

const PACKAGE = { version: '3.3.0-rc.2', type: 'module', license: 'Apache-2.0' };

function readme(name: string, about: string, scenarios: readonly Scenario[]): string {
  const areas = [...new Set(scenarios.map((s) => s.area.replace('area/', '')))].sort();
  return `# ${name}

${about}

## Quickstart

    npm install --global @harbor/${name}
    ${name === 'quay' ? 'quay migrate && quay serve --ephemeral' : 'quayctl login && quayctl queue list'}

## Areas

${areas.map((area) => `- ${area}`).join('\n')}

## Help

Look into [docs/troubleshooting](docs/troubleshooting) first: every incident we had has a page there.
`;
}

const CONTRIBUTING = `# Contributing

1. Open an issue before a large change; small fixes are welcome as they are.
2. A bug fix comes with a test that fails without it.
3. One change, one pull request. Mention the issue it fixes in the first line.
4. \`npm test\` runs types, lint and tests. Postgres 16 must listen on port 5432.

Design discussions carry the label \`design\` and stay open for two weeks.
`;

const CONCEPTS = `# Concepts

A **job** is a payload in a **queue**. A **worker** claims it under a **lease** and acknowledges it.
A lease that is not renewed is given to someone else, so every job runs *at least once*: make
handlers idempotent.

| state | means |
|---|---|
| delayed | waits for its time |
| ready | waits for a worker |
| running | is claimed under a lease |
| done | was acknowledged |
| dead | failed too often, lies with the dead letters |

A **schedule** enqueues by a cron expression in a time zone. A **hook** tells others over HTTP.
`;

const WORKFLOW = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    services:
      postgres: { image: 'postgres:16', ports: ['5432:5432'] }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
      - run: npm ci && npm test
`;

/** All files of one demo repository, one per path. */
export function filesOf(
  name: string,
  about: string,
  scenarios: readonly Scenario[],
): RepositoryFile[] {
  const done = scenarios.filter((scenario) => scenario.outcome !== 'open');
  const changes = done.map((scenario) => `- ${scenario.fix.title} (${scenario.area})`).join('\n');
  const manifest = { name: `@harbor/${name}`, ...PACKAGE, description: about };
  const files = [
    { path: 'README.md', content: readme(name, about, scenarios) },
    { path: 'CONTRIBUTING.md', content: CONTRIBUTING },
    { path: 'CHANGELOG.md', content: `# Changelog\n\n## Unreleased\n\n${changes}\n` },
    { path: 'package.json', content: `${JSON.stringify(manifest, null, 2)}\n` },
    { path: 'docs/concepts.md', content: CONCEPTS },
    { path: '.github/workflows/ci.yml', content: WORKFLOW },
    ...scenarios.map((scenario) => ({
      path: `docs/troubleshooting/${scenario.key}.md`,
      content: troubleshooting(scenario),
    })),
    ...done.map((scenario) => ({ path: scenario.fix.path, content: source(scenario) })),
  ];
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
