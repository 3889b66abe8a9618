/** Teams, who works in them, and what their issues may be given: states, labels, projects, cycles. */
import {
  ascending,
  descending,
  directories,
  joint,
  type Params,
  resource,
  type Scope,
  unknownName,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { TEAM } from './paths.ts';
import {
  type ApiTeam,
  cycle,
  cycleName,
  isPutAway,
  label,
  labelName,
  project,
  state,
  teamSchema,
  update,
  user,
} from './records.ts';

type At = Scope<LinearClient>;
const READ_ONLY = (what: string) =>
  `${what} are made and changed in Linear; an issue has them in its own fields`;

const ofTeam = {
  schema: teamSchema,
  key: ({ key }: ApiTeam) => key,
  updatedAt: ({ updatedAt }: ApiTeam) => updatedAt,
};

/** A team's key leads to it. */
export const teams = resource('teams', {
  ...ofTeam,
  about: 'a team, by its key',
  path: TEAM,
  list: graph.list('teams', teamSchema),
});

/** The team itself, for its own file: it is read again with what it has. */
const team = resource('team-itself', { ...ofTeam, about: 'the team', at: TEAM });

/** Everybody, by display name, which is unique in a workspace. */
export const users = resource('users', {
  ...user,
  about: 'people',
  // By default Linear lists only who has not left.
  list: graph.list('users', user.schema, 'includeDisabled: true'),
  table: {
    about: 'who can be assigned: display name, name, e-mail, status',
    name: 'users.tsv',
    readOnly: 'people are added in Linear',
    columns: [
      'display_name',
      'name',
      'email',
      ['status', ({ active }) => (active ? 'active' : 'left')],
    ],
    order: ascending(({ displayName }) => displayName),
  },
});

export const states = resource('states', {
  ...state,
  about: 'the states of a team',
  at: TEAM,
  shown: ({ name }) => name,
  table: {
    about: 'the states of its issues: name, type, description',
    name: 'states.tsv',
    readOnly: READ_ONLY('states'),
    columns: ['name', 'type', 'description'],
    order: ascending(({ position }) => position),
  },
});

export const labels = resource('labels', {
  ...label,
  about: 'the labels of a team, and those of all',
  at: TEAM,
  shown: labelName,
  table: {
    about: 'the labels: name, color, description',
    name: 'labels.tsv',
    readOnly: READ_ONLY('labels'),
    columns: [['name', labelName], 'color', 'description'],
    order: ascending(labelName),
    // Groups are in the names of their labels.
    where: ({ isGroup }) => !isGroup,
  },
});

export const projects = resource('projects', {
  ...project,
  about: 'a project, by the id in its address, which a new name does not change; read-only',
  directory: 'projects that the team takes part in',
  readOnly: 'projects are made and changed in Linear; an issue is in one by its field `project`',
  path: `${TEAM}/projects/:slug.md`,
  document: true,
  shown: ({ name }) => name,
  table: {
    about: 'one line each: file, name, state, lead, target date',
    columns: ['file', 'name', 'state', 'lead', ['target', 'target_date']],
    order: ascending(({ name }) => name),
  },
});

const projectPlaces = directories('project-places', projects, {
  about: 'what belongs to it',
  path: `${TEAM}/projects/:slug`,
});

export const cycles = resource('cycles', {
  ...cycle,
  about: 'a cycle; read-only',
  directory: 'cycles of the team',
  readOnly: 'cycles are made and changed in Linear; an issue is in one by its field `cycle`',
  path: `${TEAM}/cycles/:number.md`,
  shown: cycleName,
  values: (one) => ({ ...cycle.values(one), name: cycleName(one) }),
  table: {
    about: 'one line each: number, name, start, end, completion',
    columns: [
      'number',
      'name',
      ['starts', 'starts_at'],
      ['ends', 'ends_at'],
      ['completed', 'completed_at'],
    ],
    order: descending(({ number }) => number),
  },
});

const updateKind = graph.kind('projectUpdate', update.schema);

const updates = resource('updates', {
  ...update,
  ...updateKind.ways,
  about: 'an update',
  directory: 'updates of the project',
  removeHint: 'delete it in Linear',
  path: `${TEAM}/projects/:slug/updates/:id.md`,
  document: true,
  heldAt: TEAM,
  within: ({ project: of }) => ({ slug: of.slugId }),
  gone: isPutAway,
  create: (values, at: At, key) => {
    const made = { id: key, projectId: at.record(projectPlaces).id, ...update.input(values) };
    return updateKind.create(made);
  },
  update: ({ id }, delta) => updateKind.update(id, update.input(delta)),
  table: {
    about: 'one line each, the newest first: file, health, author, created',
    columns: ['file', 'health', 'author', ['created', 'created_at']],
    order: descending(({ createdAt }) => createdAt),
  },
});

const inTeam = 'filter: { team: { key: { eq: $key } } }';

const SYNC_TEAM = graph.collections(
  'SyncTeam',
  { key: 'String!' },
  {
    team: { of: teamSchema, field: 'teams', size: 1, given: 'filter: { key: { eq: $key } }' },
    states: { of: state.schema, field: 'workflowStates', given: inTeam },
    labels: {
      of: label.schema,
      field: 'issueLabels',
      given: 'filter: { or: [{ team: { key: { eq: $key } } }, { team: { null: true } }] }',
    },
    projects: {
      of: project.schema,
      given: 'filter: { accessibleTeams: { some: { key: { eq: $key } } } }',
    },
    cycles: { of: cycle.schema, given: inTeam },
    updates: {
      of: update.schema,
      field: 'projectUpdates',
      filter: 'updates: ProjectUpdateFilter!',
    },
  },
);

/** A team and what its issues may be given, all of it; and the updates of its projects that were changed lately. */
export const teamQuestion = joint({
  id: 'team',
  path: TEAM,
  one: teams,
  of: [team, states, labels, projects, cycles, updates],
  list: async function* ({ client, params }: At, asking) {
    const key = params['team'] ?? '';
    const ofTheirs = { project: { accessibleTeams: { some: { key: { eq: key } } } } };
    const pages = graph.followed(client, asking, SYNC_TEAM, {
      whole: SYNC_TEAM.names.filter((name) => name !== 'updates'),
      variables: () => ({ key }),
      where: { updates: ofTheirs },
    });
    for await (const page of pages) {
      const { team: own } = page.of;
      yield { ...page, of: { ...page.of, ...(own && { [teams.id]: own, [team.id]: own }) } };
    }
  },
});

export const TEAM_RESOURCES = [
  teams,
  users,
  team,
  states,
  labels,
  projects,
  projectPlaces,
  cycles,
  updates,
];

export const teamFile = view({
  about: 'the team, as Linear describes it',
  path: `${TEAM}/team.json`,
  of: team,
  readOnly: 'the team itself is changed in Linear',
  text: ([one]) => (one === undefined ? null : `${JSON.stringify(one, null, 2)}\n`),
});

/** What is asked of Linear in a mount that is narrowed to a team: what is of that team. */
export function ofShown({ team: only }: Params): object {
  return only === undefined ? {} : { team: { key: { eq: only } } };
}

/** Why a team is not shown, where the mount is narrowed to another; null where it is. */
export function refusedBy({ team: only }: Params, key: string): string | null {
  const isShown = only === undefined || only === key;
  return isShown ? null : `this mount shows one team, which ${key} is not`;
}

/** Why a team cannot be named; null where it can. Throws ServiceFailure. */
export async function refusedTeam(key: string, at: At): Promise<string | null> {
  const refused = refusedBy(at.narrowed, key);
  if (refused !== null) return refused;
  await at.ensure(teams, {});
  const known = at.all(teams).map((one) => one.key);
  return known.includes(key) ? null : unknownName('team', key, known.sort());
}
