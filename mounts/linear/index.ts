/**
 * The Linear mount. `team` narrows it to one team, which keeps its place at `/teams/KEY`: a path
 * that was noted once stays right however the mount is narrowed.
 */
import {
  ConfigError,
  openResourceMount,
  type Params,
  peopleHint,
  type ServiceMount,
  type ServiceOptions,
} from '../../src/mount/index.ts';
import { accountOf, NEWEST, probe } from './account.ts';
import { LinearClient } from './client.ts';
import { documentsOf } from './documents.ts';
import { mineLinks, searchLinks } from './found.ts';
import { inbox } from './inbox.ts';
import { ISSUE_QUESTIONS, ISSUE_RESOURCES } from './issues.ts';
import { PARAMS, paramsOf } from './paths.ts';
import { TEAM_RESOURCES, teamFile, teamQuestion } from './teams.ts';

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
  const narrowed: Params = team === undefined ? {} : { team };
  const documents = documentsOf();
  return openResourceMount(options, {
    kind: 'linear',
    title: 'Linear',
    about:
      'Issues, documents and notifications of Linear as files. Reading fetches what is needed and keeps it; writing a file changes the record on Linear.',
    hints: HINTS,
    params: paramsOf(narrowed),
    narrowed,
    former: FORMER,
    search: true,
    client: (given) => new LinearClient(given),
    account: accountOf,
    changes: NEWEST.changes,
    probe: (client) => probe(client, narrowed),
    uploads: (client) => ({
      isUpload: client.isUpload,
      fetch: (url) => client.upload(url),
    }),
    resources: [...TEAM_RESOURCES, ...ISSUE_RESOURCES, ...documents.resources, inbox],
    joints: [teamQuestion, ...ISSUE_QUESTIONS, documents.question],
    views: [teamFile],
    more: ({ client }) => ({
      links: [mineLinks(client, narrowed), searchLinks(client, narrowed)],
    }),
  });
}
