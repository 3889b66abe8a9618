/** Teams, who works in them, and what their issues may be given: states, labels, projects, cycles. */
import {
  ascending,
  descending,
  directories,
  joint,
  type Resource,
  resource,
  type Scope,
  unknownName,
  type View,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { SYNC_TEAM, SYNC_TEAMS, SYNC_USERS } from './queries.ts';
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
const TEAM = '/teams/:team';
const READ_ONLY = (what: string) =>
  `${what} are made and changed in Linear; an issue has them in its own fields`;

const ofTeam = {
  schema: teamSchema,
  key: ({ key }: ApiTeam) => key,
  updatedAt: ({ updatedAt }: ApiTeam) => updatedAt,
};

/** Everybody, by display name, which is unique in a workspace. */
export const users = resource('users', {
  ...user,
  about: 'people',
  list: ({ client }: At) => graph.all(client, SYNC_USERS),
});

export const states = resource('states', {
  ...state,
  about: 'the states of a team',
  at: TEAM,
  shown: ({ name }) => name,
});

export const labels = resource('labels', {
  ...label,
  about: 'the labels of a team, and those of all',
  at: TEAM,
  shown: labelName,
});

export const projects = resource('projects', {
  ...project,
  about: 'a project, by the id in its address, which a new name does not change; read-only',
  directory: 'projects that the team takes part in',
  readOnly: 'projects are made and changed in Linear; an issue is in one by its field `project`',
  path: `${TEAM}/projects/:slug.md`,
  document: true,
  shown: ({ name }) => name,
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
});

/** The team itself, for its own file: it is read again with what it has. */
const team = resource('team-itself', { ...ofTeam, about: 'the team', at: TEAM });

/** A team's key leads to it. `only`: the one that is shown. */
export function teamsOf(only: string | null) {
  return resource('teams', {
    about: 'a team, by its key',
    path: TEAM,
    ...ofTeam,
    ...(only === null
      ? { list: ({ client }: At) => graph.all(client, SYNC_TEAMS) }
      : { names: () => [only] }),
  });
}

/** Why a team cannot be named; null where it can. Throws ServiceFailure. */
export async function refusedTeam(
  key: string,
  at: At,
  only: string | null,
  teams: ReturnType<typeof teamsOf>,
): Promise<string | null> {
  if (only !== null && only !== key) return `this mount shows one team, which ${key} is not`;
  await at.ensure(teams, {});
  const known = at.all(teams).map((one) => one.key);
  return known.includes(key) ? null : unknownName('team', key, known.sort());
}

/** One question for a team and all that its issues may be given. */
export function teamQuestion(teams: Resource<unknown>) {
  return joint({
    id: 'team',
    path: TEAM,
    one: teams,
    of: [team, states, labels, projects, cycles, updates],
    list: async function* ({ client, params }: At, asking) {
      const key = params['team'] ?? '';
      const ofTheirs = { project: { accessibleTeams: { some: { key: { eq: key } } } } };
      const pages = graph.followed(client, asking, SYNC_TEAM, {
        whole: SYNC_TEAM.names.filter((name) => name !== 'updates'),
        variables: (updated) => ({ key, updates: { ...ofTheirs, ...updated('updates') } }),
      });
      for await (const page of pages) {
        const { team: own } = page.of;
        yield { ...page, of: { ...page.of, ...(own && { [teams.id]: own, [team.id]: own }) } };
      }
    },
  });
}

export const TEAM_RESOURCES = [
  users,
  team,
  states,
  labels,
  projects,
  projectPlaces,
  cycles,
  updates,
];

export const TEAM_VIEWS: readonly View<unknown>[] = [
  view({
    about: 'who can be assigned: display name, name, e-mail, status',
    path: '/users.tsv',
    of: users,
    readOnly: 'people are added in Linear',
    columns: [
      'display_name',
      'name',
      'email',
      ['status', ({ active }) => (active ? 'active' : 'left')],
    ],
    order: ascending(({ displayName }) => displayName),
  }),
  view({
    about: 'the team, as Linear describes it',
    path: `${TEAM}/team.json`,
    of: team,
    readOnly: 'the team itself is changed in Linear',
    text: ([one]) => (one === undefined ? null : `${JSON.stringify(one, null, 2)}\n`),
  }),
  view({
    about: 'the states of its issues: name, type, description',
    path: `${TEAM}/states.tsv`,
    of: states,
    readOnly: READ_ONLY('states'),
    columns: ['name', 'type', 'description'],
    order: ascending(({ position }) => position),
  }),
  // Groups are not among them: they are in the names of their labels.
  view({
    about: 'the labels: name, color, description',
    path: `${TEAM}/labels.tsv`,
    of: labels,
    readOnly: READ_ONLY('labels'),
    columns: [['name', labelName], 'color', 'description'],
    order: ascending(labelName),
    where: ({ isGroup }) => !isGroup,
  }),
  view({
    about: 'one line each: file, name, state, lead, target date',
    path: `${TEAM}/projects/index.tsv`,
    of: projects,
    columns: ['file', 'name', 'state', 'lead', ['target', 'target_date']],
    order: ascending(({ name }) => name),
  }),
  view({
    about: 'one line each: number, name, start, end, completion',
    path: `${TEAM}/cycles/index.tsv`,
    of: cycles,
    columns: [
      'number',
      'name',
      ['starts', 'starts_at'],
      ['ends', 'ends_at'],
      ['completed', 'completed_at'],
    ],
    order: descending(({ number }) => number),
  }),
  view({
    about: 'one line each, the newest first: file, health, author, created',
    path: `${TEAM}/projects/:slug/updates/index.tsv`,
    of: updates,
    columns: ['file', 'health', 'author', ['created', 'created_at']],
    order: descending(({ createdAt }) => createdAt),
  }),
];
