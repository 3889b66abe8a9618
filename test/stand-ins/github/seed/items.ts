/** From scenarios to issues and pull requests: who wrote what when, before they have numbers. */
import { createHash } from 'node:crypto';
import type { ChangedFile } from '../model.ts';
import type { Prng } from './prng.ts';
import type { Scenario } from './scenario.ts';

/** An issue or pull request of a scenario. `{main}` and `{fix}` in texts become numbers later. */
export interface Item {
  scenario: Scenario;
  role: 'main' | 'other' | 'later' | 'fix' | 'second';
  title: string;
  body: string;
  author: string;
  /** Seconds since the epoch. */
  created: number;
  files: ChangedFile[];
}

export const DAY = 86_400;

export interface People {
  maintainers: readonly string[];
  reporters: readonly string[];
}

const VERSIONS = ['2.9.4', '3.0.2', '3.1.0', '3.1.3', '3.2.0', '3.2.1', '3.3.0-rc.2'];
const PLATFORMS = [
  'Debian 12, Node 22.11, Postgres 16.4',
  'EKS 1.30, Node 24.2, Postgres 15 (RDS)',
  'macOS 15.2, Node 22.12, Postgres 16 in Docker',
  'Ubuntu 24.04, Node 22.9, Postgres 17.1',
  'GKE Autopilot, Cloud SQL Postgres 15',
  'Windows Server 2022, Node 22.12',
  'RHEL 9.4, Node 20.18, Postgres 14',
];

/** A version and a platform for a report. */
export function environment(prng: Prng): { version: string; platform: string } {
  return { version: prng.pick(VERSIONS), platform: prng.pick(PLATFORMS) };
}

const code = (lines: readonly string[]): string => `\`\`\`\n${lines.join('\n')}\n\`\`\``;
const numbered = (lines: readonly string[]): string =>
  lines.map((line, index) => `${index + 1}. ${line}`).join('\n');

function mainBody(scenario: Scenario, prng: Prng): string {
  const { version, platform } = environment(prng);
  const [first] = scenario.reports;
  const heading = scenario.kind === 'design' || scenario.kind === 'enhancement';
  return [
    first?.text ?? '',
    `### ${heading ? 'What I do today' : 'Steps to reproduce'}\n\n${numbered(scenario.steps)}`,
    `### ${heading ? 'What it looks like' : 'Log'}\n\n${code(scenario.evidence)}`,
    `### Environment\n\n- version: ${version}\n- platform: ${platform}`,
  ].join('\n\n');
}

function otherBody(scenario: Scenario, index: number, prng: Prng): string {
  const { version, platform } = environment(prng);
  const text = scenario.reports[index]?.text ?? '';
  const tails = [
    `Version ${version}, ${platform}.`,
    `We run ${version} on ${platform}.\n\nMaybe related to {main}?`,
    `**Environment:** ${platform}, ${version}\n\n${code(scenario.evidence.slice(0, 1))}`,
    `Seen with ${version}. Happy to provide more details or to test a branch.`,
  ];
  return `${text}\n\n${tails[(index + prng.int(2)) % tails.length] ?? ''}`;
}

function fixBody(scenario: Scenario): string {
  return [
    `Fixes {main}.\n\n${scenario.fix.note}`,
    `### Cause\n\n${scenario.cause[0]?.toUpperCase()}${scenario.cause.slice(1)}.`,
    `### How to test\n\n${numbered(scenario.steps)}`,
    '- [x] tests\n- [x] changelog\n- [ ] documentation',
  ].join('\n\n');
}

/** The page of the repository's documentation about a scenario. */
export function troubleshooting(scenario: Scenario): string {
  const lines = [
    `# ${scenario.reports[0]?.title}`,
    '## Symptom',
    scenario.reports[0]?.text ?? '',
    code(scenario.evidence),
    '## Cause',
    `${scenario.cause}.`,
    '## What to do',
    `${scenario.workaround}.`,
  ];
  return `${lines.join('\n\n')}\n`;
}

function added(path: string, text: string): ChangedFile {
  const lines = text.trimEnd().split('\n');
  const patch = `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}`;
  return { path, status: 'added', patch };
}

function changelog(entry: string): ChangedFile {
  const patch = `@@ -3,3 +3,4 @@ ## Unreleased\n \n+- ${entry}\n - Faster start-up of the test suite\n`;
  return { path: 'CHANGELOG.md', status: 'modified', patch: patch.trimEnd() };
}

function fixFiles(scenario: Scenario): ChangedFile[] {
  const { path, patch, title } = scenario.fix;
  const status = patch.startsWith('@@ -0,0') ? 'added' : 'modified';
  return [{ path, status, patch }, changelog(title)];
}

function secondPull(scenario: Scenario, prng: Prng): Pick<Item, 'title' | 'body' | 'files'> {
  const doc = `docs/troubleshooting/${scenario.key}.md`;
  const test = `test/regressions/${scenario.key}.test.ts`;
  const steps = scenario.steps.map((step) => `  // ${step}`).join('\n');
  const variants = [
    {
      title: `Docs: troubleshooting page for "${scenario.reports[0]?.title}"`,
      body: `People keep asking (see {main}), so here is a page with the symptom, the cause and what to do until they update.\n\n${scenario.later.text}`,
      files: [added(doc, troubleshooting(scenario))],
    },
    {
      title: `Regression test: ${scenario.reports[1]?.title}`,
      body: `Covers {main} along the steps of the report, so that it cannot come back unnoticed. Fails without {fix}.`,
      files: [
        added(
          test,
          `test(${JSON.stringify(scenario.reports[1]?.title)}, async () => {\n${steps}\n});`,
        ),
      ],
    },
    {
      title: `Backport to the maintenance branch: ${scenario.fix.title}`,
      body: `Cherry-pick of {fix}. The conflict in \`${scenario.fix.path}\` was trivial.\n\n${scenario.fix.note}`,
      files: fixFiles(scenario),
    },
  ];
  return prng.pick(variants);
}

/** The items of one scenario. @param start seconds since the epoch @param second with a second pull */
export function itemsOf(
  scenario: Scenario,
  options: { start: number; second: boolean; people: People; prng: Prng },
): Item[] {
  const { start, people, prng } = options;
  const after = (from: number, to: number): number =>
    start + from * DAY + prng.int((to - from) * DAY);
  const issue = (role: Item['role'], title: string, body: string, created: number): Item => ({
    scenario,
    role,
    title,
    body,
    author: prng.pick(people.reporters),
    created,
    files: [],
  });
  const [main, ...others] = scenario.reports;
  const items = [issue('main', main?.title ?? '', mainBody(scenario, prng), after(0, 1))];
  others.forEach((report, index) => {
    items.push(issue('other', report.title, otherBody(scenario, index + 1, prng), after(1, 14)));
  });
  const laterBody = `${scenario.later.text}\n\nFollow-up to {main}; the change in question is {fix}.`;
  items.push(issue('later', scenario.later.title, laterBody, after(35, 75)));
  items.push({
    ...issue('fix', scenario.fix.title, fixBody(scenario), after(3, 20)),
    author: prng.pick(people.maintainers),
    files: fixFiles(scenario),
  });
  if (options.second) {
    const second = secondPull(scenario, prng);
    const row = issue('second', second.title, second.body, after(20, 60));
    items.push({ ...row, files: second.files });
  }
  return items;
}

/** A made-up object name, the same for the same text. */
export const fakeSha = (text: string): string => createHash('sha1').update(text).digest('hex');
