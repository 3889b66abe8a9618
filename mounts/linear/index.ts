/**
 * The Linear mount. `team` narrows it to one team, which keeps its place at `/teams/KEY`: a path
 * that was noted once stays right however the mount is narrowed.
 */
import { z } from 'zod';
import {
  type ChangeProbe,
  ConfigError,
  expectShape,
  openResourceMount,
  peopleHint,
  ServiceFailure,
  type ServiceMount,
  type ServiceOptions,
} from '../../src/mount/index.ts';
import { LinearClient, uploadsAt } from './client.ts';
import { documentsOf } from './documents.ts';
import { inboxOf } from './inbox.ts';
import { issuesOf } from './issues.ts';
import { mineLinks } from './mine.ts';
import { PARAMS, paramsOf } from './paths.ts';
import { ACCOUNT, NEWEST, PROBE } from './queries.ts';
import { searchLinks } from './search.ts';
import { TEAM_RESOURCES, TEAM_VIEWS, teamQuestion, teamsOf } from './teams.ts';
import { linearUploads } from './uploads.ts';

/** `token`: an API key or an OAuth token; `baseUrl`: of the GraphQL endpoint of a stand-in. */
export interface LinearMountOptions extends ServiceOptions {
  /** Shows this one team only, by its key. */
  team?: string | undefined;
}

/** Limits and habits, for README.md. */
const HINTS: readonly string[] = [
  peopleHint('display name, as in users.tsv', ['full name', 'e-mail address']),
  'State, labels, assignee, project and cycle are given by name; states.tsv, labels.tsv and users.tsv have the names.',
  'Close with a state of type completed or canceled, reopen with one of another type; nothing here deletes an issue.',
  '`archived: true` takes an issue out of the listings; its file can still be read by its name.',
  'A label of a group is written GROUP/LABEL.',
  '`rm` of a comment deletes it on Linear for good.',
  'Relations are lists of issues, `blocks: [ENG-3]`, and are in both files; `team: KEY` moves an issue, which then has another identifier.',
  '`read: true` in a file of inbox/ marks the notification read. me/ and search/ hold links to the issues.',
  'Listing or searching a team fetches its issues and comments in bulk, 250 of each a request, and keeps them.',
];

/** What was held under `KIND:TEAM`, and later by the names that issues have in their teams. */
const FORMER: readonly string[] = [
  ...['issues:', 'comments:', 'comments-of:', 'updates:', 'team:'],
  ...['states:', 'labels:', 'projects:', 'cycles:'],
  ...['issues/', 'comments/', 'relations', 'attachments', 'moved', 'names'],
];

/**
 * @throws ConfigError when `team` is no key of a team.
 */
export function createLinearMount(options: LinearMountOptions): ServiceMount {
  const { team } = options;
  if (team !== undefined && PARAMS['team']?.matches.test(team) !== true) {
    throw new ConfigError('team', `${JSON.stringify(team)} is no key of a team, such as ENG`);
  }
  const only = team ?? null;
  const teams = teamsOf(only);
  const shelf = documentsOf(only, teams, uploadsAt(options.baseUrl));
  const inbox = inboxOf(only);
  const work = issuesOf(only, teams);
  return openResourceMount(options, {
    kind: 'linear',
    title: 'Linear',
    about:
      'Issues, documents and notifications of Linear as files. Reading fetches what is needed and keeps it; writing a file changes the record on Linear.',
    hints: HINTS,
    params: paramsOf(only),
    ...(only === null ? {} : { narrowed: { team: only } }),
    former: FORMER,
    search: true,
    client: (given) => new LinearClient(given),
    account: accountOf,
    changes: linearChanges,
    probe: (client) => probe(client, only),
    uploads: linearUploads,
    resources: [
      teams,
      ...TEAM_RESOURCES,
      ...work.resources,
      ...shelf.resources,
      ...inbox.resources,
    ],
    joints: [teamQuestion(teams), ...work.questions, shelf.question],
    views: [...TEAM_VIEWS, ...work.views, ...shelf.views, ...inbox.views],
    more: ({ client }) => ({ links: [mineLinks(client, only), searchLinks(client, only)] }),
  });
}

const own = z.looseObject({
  viewer: z.looseObject({ id: z.string(), organization: z.looseObject({ id: z.string() }) }),
});

async function accountOf(client: LinearClient): Promise<string> {
  const { viewer } = expectShape(
    'Linear',
    own,
    (await client.ask(ACCOUNT, {})).data,
    'whose key it is',
  );
  return `${viewer.id}+${viewer.organization.id}`;
}

/** One question about all teams, so that what it costs does not depend on how many there are. */
function linearChanges(client: LinearClient): ChangeProbe {
  return {
    subjectOf: () => '',
    marks: async () => new Map([['', JSON.stringify((await client.ask(NEWEST, {})).data)]]),
  };
}

const probed = z.looseObject({
  viewer: z.looseObject({ displayName: z.string() }),
  teams: z.looseObject({ nodes: z.array(z.unknown()) }),
});

async function probe(client: LinearClient, only: string | null): Promise<string> {
  const { data } = await client.ask(PROBE, only === null ? {} : { key: only });
  const { viewer, teams } = expectShape('Linear', probed, data, 'who we are');
  if (only !== null && teams.nodes.length === 0) {
    throw new ServiceFailure('missing', `Linear has no team ${only} that this key can see`);
  }
  return viewer.displayName;
}
