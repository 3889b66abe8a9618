/**
 * Documents and initiatives of the workspace, in one question. A document belongs to a project, an
 * initiative, an issue or a team; a mount of one team shows those that belong to it, and no
 * initiatives, which stand above teams.
 */
import { z } from 'zod';
import {
  ascending,
  descending,
  joint,
  type Meant,
  nameFields,
  type Place,
  resource,
  type Scope,
  type Values,
  type View,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { expectShape, graph } from './graph.ts';
import { teamIn } from './paths.ts';
import { LOOK_UP_ISSUE } from './queries.ts';
import { type ApiDocument, document, initiative, isIdentifier, isPutAway } from './records.ts';
import { projects, refusedTeam, type teamsOf } from './teams.ts';
import { uploadsIn } from './uploads.ts';

/** What was updated lately, or all of it. */
const SYNC_DOCUMENTS = graph.collections(
  'SyncDocuments',
  { documents: 'DocumentFilter!', initiatives: 'InitiativeFilter!', archived: 'Boolean!' },
  {
    documents: { of: document.schema, given: 'filter: $documents, includeArchived: $archived' },
    initiatives: {
      of: initiative.schema,
      given: 'filter: $initiatives, includeArchived: $archived',
    },
  },
);

/** What a document may belong to. */
const HOMES = ['project', 'initiative', 'issue', 'team'] as const;

const documentKind = graph.kind('document', document.schema);

/** Projects that a document may name: by name, or by the id in the address. */
const FIND_PROJECT = `query FindProject($name: String!) {
  projects(first: 10, filter: { or: [
    { name: { eqIgnoreCase: $name } }, { slugId: { eq: $name } }
  ] }) { nodes { id name slugId } }
}`;

const issueSchema = z.looseObject({ id: z.string(), identifier: z.string() });

const foundSchema = z.looseObject({
  nodes: z.array(z.looseObject({ id: z.string(), name: z.string(), slugId: z.string() })),
});

type At = Scope<LinearClient>;
type Teams = ReturnType<typeof teamsOf>;

/** `only`: the key of the one team that is shown; `uploads`: the origin of uploaded files. */
export function documentsOf(only: string | null, teams: Teams, uploads: string) {
  const initiatives = resource('initiatives', {
    ...initiative,
    about: 'an initiative, by the id in its address; read-only',
    directory: 'initiatives of the workspace',
    readOnly: 'initiatives are made and changed in Linear',
    ...(only === null ? { path: '/initiatives/:slug.md' } : {}),
    document: true,
    gone: isPutAway,
  });
  const isShown = only === null ? () => true : belongsTo(only);
  const homes = nameFields<LinearClient>([
    { field: 'project', sent: 'projectId', find: (name, at) => findProject(name, at, only) },
    {
      field: 'initiative',
      sent: 'initiativeId',
      what: 'initiative',
      of: initiatives,
      named: (place) => place.all(initiatives).sort(ascending(({ name }) => name)),
    },
    { field: 'issue', sent: 'issueId', find: (name, at) => findIssue(name, at, only) },
    { field: 'team', sent: 'teamId', find: (key, at) => findTeam(key, at, only, teams) },
  ]);

  const documents = resource('documents', {
    ...document,
    ...documentKind.ways,
    about: 'a document, by the id in its address, which a new title does not change',
    directory: 'documents of projects, initiatives, issues and teams',
    removeHint: 'delete it in Linear, where it can be restored',
    path: '/documents/:slug.md',
    document: true,
    ...(only === null ? {} : { with: [projects] }),
    where: isShown,
    gone: isPutAway,
    offers: homes.offers,
    allowed: (place) => ({
      ...homes.allowed(place),
      team: place.all(teams).map(({ key }) => key),
    }),
    check: async (values, one, at: At) => {
      const after = { ...(one && document.values(one)), ...values };
      if (HOMES.some((field) => (after[field] ?? null) !== null)) return homes.check(values, at);
      const message = `a document belongs to one of ${HOMES.join(', ')}: name it`;
      return [{ field: 'project', message }];
    },
    normal: (values, place) => homes.spelled(values, place),
    create: (values, at, key) => documentKind.create({ id: key, ...inputOf(values, at) }),
    update: ({ id }, delta, at) => documentKind.update(id, inputOf(delta, at)),
  });
  const inputOf = (values: Values, place: Place): Values => ({
    ...document.input(values),
    ...homes.ids(values, place),
  });

  const places = resource('document-places', {
    ...document,
    about: 'what belongs to a document that links to uploaded files',
    path: '/documents/:slug',
    of: documents,
    uploads: ({ content }) => [content ?? ''],
    where: (one, place) =>
      isShown(one, place) && uploadsIn([one.content ?? ''], uploads).length > 0,
  });

  const documentIndex: View<ApiDocument> = view({
    about: 'one line each: file, title, what it belongs to, who updated it, updated',
    path: '/documents/index.tsv',
    of: documents,
    columns: ['file', 'title', ['of', homeOf], 'updated_by', ['updated', 'updated_at']],
    order: descending(({ updatedAt }) => updatedAt),
  });
  const initiativeIndex = view({
    about: 'one line each: file, name, status, health, owner, target date',
    path: '/initiatives/index.tsv',
    of: initiatives,
    columns: ['file', 'name', 'status', 'health', 'owner', ['target', 'target_date']],
  });
  return {
    documents,
    resources: [initiatives, documents, places],
    views: [documentIndex, ...(only === null ? [initiativeIndex] : [])],
    question: joint({
      id: 'documents',
      path: '',
      of: [initiatives, documents],
      list: ({ client }: At, asking) =>
        graph.followed(client, asking, SYNC_DOCUMENTS, {
          variables: (updated) => ({
            documents: updated('documents'),
            initiatives: updated('initiatives'),
            archived: asking.since !== null,
          }),
        }),
    }),
  };
}

const homeOf = ({ project, initiative: above, issue, team }: ApiDocument) =>
  project?.name ?? above?.name ?? issue?.identifier ?? team?.key;

async function findProject(name: string, at: At, only: string | null): Promise<Meant> {
  const { data } = await at.client.ask(FIND_PROJECT, { name });
  const { nodes } = expectShape(foundSchema, data['projects'], 'the projects of a name');
  if (only !== null) await at.ensure(projects, { team: only });
  const known = new Set(only === null ? [] : at.all(projects).map(({ id }) => id));
  const shown = nodes.filter(({ id }) => only === null || known.has(id));
  const [one] = shown;
  if (one === undefined) return { refused: `there is no project "${name}" that is shown here` };
  if (shown.length === 1) return one;
  const slugs = shown.map(({ slugId }) => slugId).join(', ');
  return {
    refused: `there are ${shown.length} projects with the name "${name}": give one of ${slugs}`,
  };
}

async function findIssue(name: string, { client }: At, only: string | null): Promise<Meant> {
  if (!isIdentifier(name)) return { refused: 'must be an issue such as ENG-12, or null' };
  if (only !== null && teamIn(name) !== only) {
    return { refused: `this mount shows one team, which ${teamIn(name)} is not` };
  }
  const variables = { id: name, after: null, comments: false, related: false };
  const found = issueSchema.safeParse(await client.find(LOOK_UP_ISSUE, 'issue', variables));
  if (!found.success || found.data.identifier !== name) {
    return { refused: `there is no issue ${name} on Linear` };
  }
  return { id: found.data.id, name };
}

async function findTeam(name: string, at: At, only: string | null, teams: Teams): Promise<Meant> {
  const refused = await refusedTeam(name, at, only, teams);
  const found = at.held(teams, name);
  return found === null || refused !== null ? { refused: refused ?? '' } : { id: found.id, name };
}

/** Does a document belong to a team, or to something of that team? */
const belongsTo =
  (key: string) =>
  ({ team, issue, project }: ApiDocument, place: Place): boolean =>
    team?.key === key ||
    (issue ? teamIn(issue.identifier) === key : false) ||
    place.all(projects).some(({ id }) => id === project?.id);
