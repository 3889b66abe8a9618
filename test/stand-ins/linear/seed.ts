/**
 * The demo world: the GitHub demo's story, told from inside the company. Team INC has the incidents
 * with what was said while they lasted; team PLT has the work that followed. Every issue names the
 * GitHub issue it is about, by the number that it has there. Made of the same scenarios, with no
 * chance and no clock in it.
 */
import { createHash } from 'node:crypto';
import { credential } from '../../credentials/tokens.ts';
import { type Issue as GithubIssue, demoSeed as githubSeed } from '../github/index.ts';
import { people } from '../github/seed/people.ts';
import { readScenarios, type Scenario } from '../github/seed/scenario.ts';
import { type SeedData, type SeedInput, seedSchema } from './model.ts';

/** Signs in as the first maintainer. */
const DEMO_TOKEN = credential('', 'demo_linear');

type RowsOf<Name extends keyof SeedInput> = SeedInput[Name] extends (infer One)[] ? One : never;

const EPOCH = '2024-01-08T09:00:00.000Z';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A UUID of version 4 in form, the same for the same name. */
function fakeUuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const iso = (time: number): string => new Date(time).toISOString();
const born = (name: string) => ({ id: fakeUuid(name), createdAt: EPOCH, updatedAt: EPOCH });

const NAMES: Readonly<Record<string, string>> = {
  'mara-lindqvist': 'Mara Lindqvist',
  'tomasz-k': 'Tomasz Kowalczyk',
  'priya-raman': 'Priya Raman',
  'jonas-weber': 'Jonas Weber',
  'adaeze-o': 'Adaeze Okafor',
  'ravi-patel': 'Ravi Patel',
  'ines-moreau': 'Inès Moreau',
};
const STAFF = Object.keys(NAMES);

const userId = (login: string): string => fakeUuid(`user ${login}`);
const stateId = (team: string, name: string): string => fakeUuid(`state ${team} ${name}`);
const labelId = (name: string): string => fakeUuid(`label ${name}`);
const projectId = (name: string): string => fakeUuid(`project ${name}`);
const cycleId = (number: number): string => fakeUuid(`cycle PLT ${number}`);

const STATES: readonly [name: string, type: string][] = [
  ['Triage', 'triage'],
  ['Backlog', 'backlog'],
  ['Todo', 'unstarted'],
  ['In Progress', 'started'],
  ['In Review', 'started'],
  ['Done', 'completed'],
  ['Canceled', 'canceled'],
];

/** The projects that incidents led to, by the scenario's area. */
const PROJECTS: Readonly<Record<string, [name: string, lead: string, about: string]>> = {
  'area/webhooks': [
    'Webhooks that cannot block each other',
    'tomasz-k',
    'One slow receiver must hurt only itself.',
  ],
  'area/storage': [
    'Storage headroom',
    'mara-lindqvist',
    'Alerts and limits before a disk or a pool is full.',
  ],
  'area/server': [
    'A server that runs for a year',
    'jonas-weber',
    'Leaks, certificates, restarts: nothing that needs a nightly kick.',
  ],
};

/** A GitHub issue of the demo by its title. */
function githubIssues(): Map<string, GithubIssue & { where: string }> {
  const found = new Map<string, GithubIssue & { where: string }>();
  for (const { repository, issues } of githubSeed().repositories) {
    for (const issue of issues) {
      found.set(issue.title, {
        ...issue,
        where: `${repository.owner}/${repository.name}#${issue.number}`,
      });
    }
  }
  return found;
}

interface Build {
  issues: RowsOf<'issues'>[];
  comments: RowsOf<'comments'>[];
}

export function demoSeed(): SeedData {
  const github = githubIssues();
  const built: Build = { issues: [], comments: [] };
  const scenarios = [...readScenarios('quay'), ...readScenarios('quay-cli')];
  scenarios.forEach((scenario, index) => {
    const main = github.get(scenario.reports[0]?.title ?? '');
    const start = Date.parse(main?.createdAt ?? EPOCH);
    if (scenario.kind === 'incident') addIncident(built, scenario, index, start, github);
    else addWork(built, scenario, index, start, main?.where);
  });
  const seed: SeedInput = {
    workspace: 'harbor',
    tokens: { [DEMO_TOKEN]: userId(people.maintainers[0] ?? '') },
    users: STAFF.map((login) => ({
      ...born(`user ${login}`),
      name: NAMES[login] ?? login,
      displayName: login,
      email: `${login}@harbor.example`,
    })),
    teams: [
      {
        ...born('team INC'),
        key: 'INC',
        name: 'Incidents',
        description: 'What broke, who was told, what we do about it.',
        cyclesEnabled: false,
      },
      {
        ...born('team PLT'),
        key: 'PLT',
        name: 'Platform',
        description: 'Quay and its command line tool.',
      },
    ],
    states: ['INC', 'PLT'].flatMap((team) =>
      STATES.map(([name, type], position) => ({
        ...born(`state ${team} ${name}`),
        teamId: fakeUuid(`team ${team}`),
        name,
        type,
        position,
      })),
    ),
    labels: labels(scenarios),
    projects: Object.values(PROJECTS).map(([name, lead, about], index) => ({
      ...born(`project ${name}`),
      slugId: fakeUuid(`slug ${name}`).slice(0, 12).replace('-', ''),
      name,
      description: about,
      content: `${about}\n\nStarted after an incident; done when its post-mortem actions are.`,
      leadId: userId(lead),
      teamIds: [fakeUuid('team INC'), fakeUuid('team PLT')],
      startDate: '2024-06-10',
      targetDate: `2025-0${3 + index}-28`,
    })),
    cycles: cycles(),
    ...built,
  };
  return seedSchema.parse(seed);
}

function labels(scenarios: readonly Scenario[]): RowsOf<'labels'>[] {
  const areas = [...new Set(scenarios.map(({ area }) => area.slice('area/'.length)))].sort();
  const group = born('label Severity');
  return [
    ...['Bug', 'Feature', 'Follow-up', 'Customer report'].map((name) => ({
      ...born(`label ${name}`),
      name,
    })),
    ...areas.map((name) => ({ ...born(`label ${name}`), name })),
    { ...group, name: 'Severity', isGroup: true, teamId: fakeUuid('team INC') },
    ...['sev1', 'sev2'].map((name) => ({
      ...born(`label ${name}`),
      name,
      parentId: group.id,
      teamId: fakeUuid('team INC'),
    })),
  ];
}

function cycles(): RowsOf<'cycles'>[] {
  const first = Date.parse('2025-01-06T00:00:00Z');
  return Array.from({ length: 6 }, (_, index) => ({
    ...born(`cycle PLT ${index + 1}`),
    teamId: fakeUuid('team PLT'),
    number: index + 1,
    name: index === 5 ? 'Hardening' : null,
    startsAt: iso(first + index * 14 * DAY),
    endsAt: iso(first + (index + 1) * 14 * DAY),
    completedAt: index < 4 ? iso(first + (index + 1) * 14 * DAY) : null,
    progress: index < 4 ? 1 : 0.4,
  }));
}

/** An incident, what was said, and the follow-up that its post-mortem asks for. */
function addIncident(
  { issues, comments }: Build,
  scenario: Scenario,
  index: number,
  start: number,
  github: ReturnType<typeof githubIssues>,
): void {
  const number = issues.filter(({ teamId }) => teamId === fakeUuid('team INC')).length + 1;
  const main = github.get(scenario.reports[0]?.title ?? '');
  const fix = github.get(scenario.fix.title);
  const id = fakeUuid(`issue INC ${scenario.key}`);
  const on = STAFF[(index * 3 + 1) % STAFF.length] ?? 'ravi-patel';
  const ended = start + 2 * DAY;
  issues.push({
    id,
    teamId: fakeUuid('team INC'),
    number,
    title: scenario.reports[0]?.title ?? scenario.key,
    description: [
      `Reported as ${main?.where}; fixed by ${fix?.where ?? 'nothing yet'}.`,
      `**Cause:** ${scenario.cause}.`,
      `**Workaround:** ${scenario.workaround}.`,
      `What customers told us:\n\n${scenario.reports
        .slice(1)
        .map((one) => `- ${one.title}`)
        .join('\n')}`,
    ].join('\n\n'),
    priority: 1,
    stateId: stateId('INC', 'Done'),
    assigneeId: userId(on),
    creatorId: userId('ravi-patel'),
    projectId: projectId(PROJECTS[scenario.area]?.[0] ?? ''),
    labelIds: [labelId(index % 2 === 0 ? 'sev1' : 'sev2'), labelId('Customer report')],
    createdAt: iso(start - 20 * 60_000),
    updatedAt: iso(ended),
    completedAt: iso(ended),
  });
  scenario.talk.forEach((body, at) => {
    const time = iso(start + (at + 1) * 25 * 60_000);
    comments.push({
      id: fakeUuid(`comment ${scenario.key} ${at}`),
      issueId: id,
      userId: userId(STAFF[(index + at) % STAFF.length] ?? on),
      body,
      createdAt: time,
      updatedAt: time,
    });
  });
  const later = github.get(scenario.later.title);
  issues.push({
    id: fakeUuid(`issue PLT ${scenario.key} later`),
    teamId: fakeUuid('team PLT'),
    number: numberIn(issues, 'PLT'),
    title: scenario.later.title,
    description: `Post-mortem of INC-${number}, on GitHub as ${later?.where}.\n\n${scenario.later.text}`,
    priority: 2,
    estimate: 5,
    stateId: stateId('PLT', later?.state === 'closed' ? 'Done' : 'In Progress'),
    assigneeId: userId(STAFF[index % 5] ?? on),
    creatorId: userId(on),
    projectId: projectId(PROJECTS[scenario.area]?.[0] ?? ''),
    cycleId: cycleId(6),
    parentId: id,
    labelIds: [labelId('Follow-up'), labelId(scenario.area.slice('area/'.length))],
    dueDate: '2025-03-28',
    createdAt: iso(ended + DAY),
    updatedAt: iso(ended + 9 * DAY),
  });
}

/** A scenario that was no incident: the work that it came to. */
function addWork(
  { issues, comments }: Build,
  scenario: Scenario,
  index: number,
  start: number,
  where: string | undefined,
): void {
  const state = { fixed: 'Done', answered: 'Canceled', open: index % 3 === 0 ? 'Todo' : 'Backlog' };
  const id = fakeUuid(`issue PLT ${scenario.key}`);
  const at = iso(start + 5 * DAY);
  issues.push({
    id,
    teamId: fakeUuid('team PLT'),
    number: numberIn(issues, 'PLT'),
    title: scenario.fix.title,
    description: `For ${where}: ${scenario.reports[0]?.title}.\n\n${scenario.fix.note}`,
    priority: scenario.high ? 2 : 3 + (index % 2),
    estimate: [1, 2, 3, 5, 8][index % 5] ?? null,
    stateId: stateId('PLT', state[scenario.outcome]),
    assigneeId: scenario.outcome === 'open' ? null : userId(STAFF[index % 5] ?? ''),
    creatorId: userId(STAFF[(index + 2) % 5] ?? ''),
    cycleId: scenario.outcome === 'open' ? null : cycleId((index % 5) + 1),
    labelIds: [
      labelId(scenario.kind === 'bug' ? 'Bug' : 'Feature'),
      labelId(scenario.area.slice('area/'.length)),
    ],
    createdAt: iso(start + DAY),
    updatedAt: at,
    completedAt: scenario.outcome === 'fixed' ? at : null,
  });
  const [remark] = scenario.talk;
  if (remark === undefined) return;
  comments.push({
    id: fakeUuid(`comment ${scenario.key}`),
    issueId: id,
    userId: userId(STAFF[(index + 1) % STAFF.length] ?? ''),
    body: remark,
    createdAt: at,
    updatedAt: at,
  });
}

function numberIn(issues: readonly RowsOf<'issues'>[], team: string): number {
  return issues.filter(({ teamId }) => teamId === fakeUuid(`team ${team}`)).length + 1;
}

/** A seed, or that of the demo world. */
export function seedOf(seed: 'demo' | SeedData): SeedData {
  return seed === 'demo' ? demoSeed() : seed;
}
