/**
 * Documents and initiatives of the workspace, in one question. A document belongs to a project, an
 * initiative, an issue or a team; a mount of one team shows those that belong to it, and no
 * initiatives, which stand above teams.
 */
import { z } from 'zod';
import {
  descending,
  joint,
  type Meant,
  nameFields,
  naming,
  type Place,
  resource,
  type Scope,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { expectShape, graph } from './graph.ts';
import { issueKind } from './issues.ts';
import { teamIn } from './paths.ts';
import { type ApiDocument, document, initiative, isIdentifier, isPutAway } from './records.ts';
import { projects, refusedBy, refusedTeam, teams } from './teams.ts';

type At = Scope<LinearClient>;

const initiatives = resource('initiatives', {
  ...initiative,
  about: 'an initiative, by the id in its address; read-only',
  directory: 'initiatives of the workspace',
  readOnly: 'initiatives are made and changed in Linear',
  path: '/initiatives/:slug.md',
  unnarrowed: true,
  document: true,
  gone: isPutAway,
  shown: ({ name }) => name,
  table: {
    about: 'one line each: file, name, status, health, owner, target date',
    columns: ['file', 'name', 'status', 'health', 'owner', ['target', 'target_date']],
  },
});

/** What was updated lately, or all of it. */
const SYNC_DOCUMENTS = graph.collections(
  'SyncDocuments',
  {},
  {
    documents: { of: document.schema, filter: 'documents: DocumentFilter!', archived: true },
    initiatives: {
      of: initiative.schema,
      filter: 'initiatives: InitiativeFilter!',
      archived: true,
    },
  },
);

const documentKind = graph.kind('document', document.schema);

/** What a document may belong to. */
const HOMES = ['project', 'initiative', 'issue', 'team'] as const;

export function documentsOf() {
  const homes = nameFields<LinearClient>([
    { field: 'project', sent: 'projectId', find: findProject },
    { field: 'initiative', sent: 'initiativeId', ...naming(initiatives) },
    { field: 'issue', sent: 'issueId', find: findIssue },
    { field: 'team', sent: 'teamId', find: findTeam },
  ]);
  const inputOf = (values: Values, place: Place): Values => ({
    ...document.input(values),
    ...homes.ids(values, place),
  });

  const documents = resource('documents', {
    ...document,
    ...documentKind.ways,
    about: 'a document, by the id in its address, which a new title does not change',
    directory: 'documents of projects, initiatives, issues and teams',
    removeHint: 'delete it in Linear, where it can be restored',
    path: '/documents/:slug.md',
    document: true,
    with: [projects],
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
    table: {
      about: 'one line each: file, title, what it belongs to, who updated it, updated',
      columns: ['file', 'title', ['of', homeOf], 'updated_by', ['updated', 'updated_at']],
      order: descending(({ updatedAt }) => updatedAt),
    },
  });

  const places = resource('document-places', {
    ...document,
    about: 'what belongs to a document that links to uploaded files',
    path: '/documents/:slug',
    of: documents,
    uploads: ({ content }) => [content ?? ''],
    where: (one, place) => isShown(one, place) && place.uploads([one.content ?? '']).length > 0,
  });

  return {
    resources: [initiatives, documents, places],
    question: joint({
      id: 'documents',
      path: '',
      of: [initiatives, documents],
      list: graph.follows(SYNC_DOCUMENTS),
    }),
  };
}

const homeOf = ({ project, initiative: above, issue, team }: ApiDocument) =>
  project?.name ?? above?.name ?? issue?.identifier ?? team?.key;

/** Is there no other team that is shown alone, or does it belong to that, or to something of that team? */
function isShown({ team, issue, project }: ApiDocument, place: Place): boolean {
  const { team: only } = place.narrowed;
  if (only === undefined || team?.key === only) return true;
  if (issue && teamIn(issue.identifier) === only) return true;
  return place.all(projects).some(({ id }) => id === project?.id);
}

/** Projects that a document may name: by name, or by the id in the address. */
const FIND_PROJECT = `query FindProject($name: String!) {
  projects(first: 10, filter: { or: [
    { name: { eqIgnoreCase: $name } }, { slugId: { eq: $name } }
  ] }) { nodes { id name slugId } }
}`;

const foundSchema = z.looseObject({
  nodes: z.array(z.looseObject({ id: z.string(), name: z.string(), slugId: z.string() })),
});

async function findProject(name: string, at: At): Promise<Meant> {
  const { data } = await at.client.ask(FIND_PROJECT, { name });
  const { nodes } = expectShape(foundSchema, data['projects'], 'the projects of a name');
  const isNarrowed = at.narrowed['team'] !== undefined;
  if (isNarrowed) await at.ensure(projects);
  const known = new Set(isNarrowed ? at.all(projects).map(({ id }) => id) : []);
  const shown = nodes.filter(({ id }) => !isNarrowed || known.has(id));
  const [one] = shown;
  if (one === undefined) return { refused: `there is no project "${name}" that is shown here` };
  if (shown.length === 1) return one;
  const slugs = shown.map(({ slugId }) => slugId).join(', ');
  return {
    refused: `there are ${shown.length} projects with the name "${name}": give one of ${slugs}`,
  };
}

const issueSchema = z.looseObject({ id: z.string(), identifier: z.string() });

async function findIssue(name: string, { client, narrowed }: At): Promise<Meant> {
  if (!isIdentifier(name)) return { refused: 'must be an issue such as ENG-12, or null' };
  const refused = refusedBy(narrowed, teamIn(name));
  if (refused !== null) return { refused };
  const found = issueSchema.safeParse(await issueKind.look(client, name));
  if (!found.success || found.data.identifier !== name) {
    return { refused: `there is no issue ${name} on Linear` };
  }
  return { id: found.data.id, name };
}

async function findTeam(name: string, at: At): Promise<Meant> {
  const refused = await refusedTeam(name, at);
  const found = at.held(teams, name);
  return found === null || refused !== null ? { refused: refused ?? '' } : { id: found.id, name };
}
