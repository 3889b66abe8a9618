/** Teams, who works in them, and what their issues may be given: states, labels, projects, cycles. */
import {
  joint,
  type Resource,
  resource,
  type Scope,
  unknownName,
  type Values,
  type View,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { SYNC_TEAM, SYNC_TEAMS, SYNC_USERS } from './queries.ts';
import {
  cycleName,
  cycleValues,
  HEALTH,
  labelName,
  projectValues,
  updateRecord,
  updateValues,
} from './records.ts';
import {
  type ApiLabel,
  type ApiState,
  type ApiTeam,
  type ApiUpdate,
  cycleSchema,
  labelSchema,
  projectSchema,
  stateSchema,
  teamSchema,
  updateSchema,
  userSchema,
} from './schemas.ts';

type At = Scope<LinearClient>;
const TEAM = '/teams/:team';
const READ_ONLY = (what: string) =>
  `${what} are made and changed in Linear; an issue has them in its own fields`;

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const ofOneTeam = { at: TEAM, updatedAt: ({ updatedAt }: { updatedAt: string }) => updatedAt };

/** Everybody, by display name, which is unique in a workspace. */
export const users = resource('users', {
  about: 'people',
  schema: userSchema,
  key: ({ displayName }) => displayName,
  updatedAt: ({ updatedAt }) => updatedAt,
  list: ({ client }: At) => graph.all(client, SYNC_USERS),
});

export const states = resource<ApiState, LinearClient>('states', {
  ...ofOneTeam,
  about: 'the states of a team',
  schema: stateSchema,
  key: ({ id }) => id,
  shown: ({ name }) => name,
});

export const labels = resource<ApiLabel, LinearClient>('labels', {
  ...ofOneTeam,
  about: 'the labels of a team, and those of all',
  schema: labelSchema,
  key: ({ id }) => id,
  shown: (one) => labelName(one),
});

export const projects = resource('projects', {
  about: 'a project, by the id in its address, which a new name does not change; read-only',
  directory: 'projects that the team takes part in',
  readOnly: 'projects are made and changed in Linear; an issue is in one by its field `project`',
  path: `${TEAM}/projects/:slug.md`,
  document: true,
  schema: projectSchema,
  key: ({ id }) => id,
  name: ({ slugId }) => slugId,
  updatedAt: ({ updatedAt }) => updatedAt,
  shown: ({ name }) => name,
  values: projectValues,
});

const projectPlaces = resource('project-places', {
  about: 'what belongs to it',
  path: `${TEAM}/projects/:slug`,
  of: projects,
  schema: projectSchema,
  key: ({ id }) => id,
});

export const cycles = resource('cycles', {
  about: 'a cycle; read-only',
  directory: 'cycles of the team',
  readOnly: 'cycles are made and changed in Linear; an issue is in one by its field `cycle`',
  path: `${TEAM}/cycles/:number.md`,
  schema: cycleSchema,
  key: ({ id }) => id,
  name: ({ number }) => String(number),
  updatedAt: ({ updatedAt }) => updatedAt,
  shown: (one) => cycleName(one),
  values: cycleValues,
});

const update = graph.kind<ApiUpdate>('projectUpdate', updateSchema);
const updateInput = ({ health, body }: Values): Values => ({
  ...(health === undefined ? {} : { health: HEALTH[health as keyof typeof HEALTH] }),
  ...(body === undefined ? {} : { body }),
});

const updates = resource<ApiUpdate, LinearClient>('updates', {
  ...update.ways,
  about: 'an update',
  directory: 'updates of the project',
  removeHint: 'delete it in Linear',
  path: `${TEAM}/projects/:slug/updates/:id.md`,
  document: true,
  heldAt: TEAM,
  within: ({ project }) => ({ slug: project.slugId }),
  schema: updateSchema,
  key: ({ id }) => id,
  updatedAt: ({ updatedAt }) => updatedAt,
  gone: ({ archivedAt }) => (archivedAt ?? null) !== null,
  url: ({ url }) => url,
  type: updateRecord,
  values: updateValues,
  create: (values, at: At, key) =>
    update.create({ id: key, projectId: at.record(projectPlaces).id, ...updateInput(values) }),
  update: ({ id }, delta) => update.update(id, updateInput(delta)),
});

/** The team itself, for its own file: it is read again with what it has. */
const team = resource<ApiTeam, LinearClient>('team-itself', {
  ...ofOneTeam,
  about: 'the team',
  schema: teamSchema,
  key: ({ key }) => key,
});

/** A team's key leads to it. `only`: the one that is shown. */
export function teamsOf(only: string | null) {
  return resource('teams', {
    about: 'a team, by its key',
    path: TEAM,
    schema: teamSchema,
    key: ({ key }) => key,
    updatedAt: ({ updatedAt }) => updatedAt,
    ...(only === null
      ? {
          list: ({ client }: At) => graph.all(client, SYNC_TEAMS),
        }
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
      const ofTeam = { project: { accessibleTeams: { some: { key: { eq: key } } } } };
      const pages = graph.followed(client, asking, SYNC_TEAM, {
        whole: SYNC_TEAM.names.filter((name) => name !== 'updates'),
        variables: (updated) => ({ key, updates: { ...ofTeam, ...updated('updates') } }),
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
    columns: ['display_name', 'name', 'email', 'status'],
    order: (a, b) => byText(a.displayName, b.displayName),
    rows: (one) => [[one.displayName, one.name, one.email, one.active ? 'active' : 'left']],
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
    order: (a, b) => a.position - b.position,
    rows: ({ name, type, description }) => [[name, type, description ?? '']],
  }),
  // Groups are not among them: they are in the names of their labels.
  view({
    about: 'the labels: name, color, description',
    path: `${TEAM}/labels.tsv`,
    of: labels,
    readOnly: READ_ONLY('labels'),
    columns: ['name', 'color', 'description'],
    order: (a, b) => byText(labelName(a), labelName(b)),
    rows: (one) => (one.isGroup ? [] : [[labelName(one), one.color, one.description ?? '']]),
  }),
  view({
    about: 'one line each: file, name, state, lead, target date',
    path: `${TEAM}/projects/index.tsv`,
    of: projects,
    columns: ['file', 'name', 'state', 'lead', 'target'],
    order: (a, b) => byText(a.name, b.name),
    rows: ({ slugId, name, status, lead, targetDate }) => [
      [slugId, name, status?.type ?? '', lead?.displayName ?? '', targetDate ?? ''],
    ],
  }),
  view({
    about: 'one line each: number, name, start, end, completion',
    path: `${TEAM}/cycles/index.tsv`,
    of: cycles,
    columns: ['number', 'name', 'starts', 'ends', 'completed'],
    order: (a, b) => b.number - a.number,
    rows: (one) => [
      [String(one.number), cycleName(one), one.startsAt, one.endsAt, one.completedAt ?? ''],
    ],
  }),
  view({
    about: 'one line each, the newest first: file, health, author, created',
    path: `${TEAM}/projects/:slug/updates/index.tsv`,
    of: updates,
    columns: ['file', 'health', 'author', 'created'],
    order: (a, b) => byText(b.createdAt, a.createdAt),
    rows: (one) => {
      const { health, author, created_at } = updateValues(one);
      return [[one.id, health, author, created_at]];
    },
  }),
];
