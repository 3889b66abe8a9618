/**
 * Documents and initiatives of the workspace, in one question. A document belongs to a project, an
 * initiative, an issue or a team; a mount of one team shows those that belong to it, and no
 * initiatives, which stand above teams.
 */
import { z } from 'zod';
import {
  expectShape,
  joint,
  type Place,
  type Problem,
  type RecordType,
  resource,
  type Scope,
  shown,
  unknownName,
  type Values,
  type View,
  view,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { teamIn } from './paths.ts';
import { LOOK_UP_ISSUE } from './queries.ts';
import { body, isIdentifier, times, title } from './records.ts';
import { projects, refusedTeam, type teamsOf } from './teams.ts';
import { uploadsIn } from './uploads.ts';

const person = z.looseObject({ displayName: z.string() });
const named = z.looseObject({ id: z.string(), name: z.string() });
const shelved = {
  id: z.string(),
  slugId: z.string(),
  content: z.string().nullish(),
  url: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  trashed: z.boolean().nullish(),
};

const documentSchema = z.looseObject({
  ...shelved,
  title: z.string(),
  creator: person.nullish(),
  updatedBy: person.nullish(),
  project: named.nullish(),
  initiative: named.nullish(),
  issue: z.looseObject({ id: z.string(), identifier: z.string() }).nullish(),
  team: z.looseObject({ id: z.string(), key: z.string() }).nullish(),
});
type ApiDocument = z.infer<typeof documentSchema>;

const initiativeSchema = z.looseObject({
  ...shelved,
  name: z.string(),
  description: z.string().nullish(),
  status: z.string(),
  health: z.string().nullish(),
  targetDate: z.string().nullish(),
  owner: person.nullish(),
});

type ApiInitiative = z.infer<typeof initiativeSchema>;

/** What was updated lately, or all of it. */
const SYNC_DOCUMENTS = graph.collections(
  'SyncDocuments',
  { documents: 'DocumentFilter!', initiatives: 'InitiativeFilter!', archived: 'Boolean!' },
  {
    documents: { of: documentSchema, given: 'filter: $documents, includeArchived: $archived' },
    initiatives: {
      of: initiativeSchema,
      given: 'filter: $initiatives, includeArchived: $archived',
    },
  },
);

// --- the records

const home = (what: string) => ({
  schema: z.string({ error: `must be ${what} or null` }).nullable(),
  access: 'create' as const,
  initial: null,
  about: `${what} that it belongs to, or null`,
});

const documentRecord: RecordType = {
  name: 'document',
  fields: {
    title,
    project: home('the name of a project'),
    initiative: home('the name of an initiative'),
    issue: home('an issue such as ENG-12'),
    team: home('the key of a team'),
    creator: shown('display name'),
    updated_by: shown('display name'),
    ...times,
    url: shown('address'),
    body,
  },
};
/** What a document may belong to. */
const HOMES = ['project', 'initiative', 'issue', 'team'] as const;

function documentValues(value: ApiDocument): Values {
  return {
    title: value.title,
    project: value.project?.name ?? null,
    initiative: value.initiative?.name ?? null,
    issue: value.issue?.identifier ?? null,
    team: value.team?.key ?? null,
    creator: value.creator?.displayName ?? null,
    updated_by: value.updatedBy?.displayName ?? null,
    created_at: value.createdAt,
    updated_at: value.updatedAt,
    url: value.url,
    body: value.content ?? '',
  };
}

function initiativeValues(value: ApiInitiative): Values {
  return {
    name: value.name,
    summary: value.description ?? '',
    status: value.status,
    health: value.health ?? undefined,
    owner: value.owner?.displayName ?? null,
    target_date: value.targetDate ?? null,
    created_at: value.createdAt,
    updated_at: value.updatedAt,
    url: value.url,
    body: value.content ?? '',
  };
}

const document = graph.kind<ApiDocument>('document', documentSchema);

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

/** What a name stands for, or why it stands for nothing. */
type Meant = { id: string; name: string } | { refused: string };

const shelf = {
  document: true,
  key: ({ id }: { id: string }) => id,
  name: ({ slugId }: { slugId: string }) => slugId,
  updatedAt: ({ updatedAt }: { updatedAt: string }) => updatedAt,
  gone: (one: { trashed?: boolean | null | undefined; archivedAt?: string | null | undefined }) =>
    one.trashed === true || (one.archivedAt ?? null) !== null,
  url: ({ url }: { url: string }) => url,
};

/** `only`: the key of the one team that is shown; `uploads`: the origin of uploaded files. */
export function documentsOf(only: string | null, teams: Teams, uploads: string) {
  const initiatives = resource<ApiInitiative, LinearClient>('initiatives', {
    ...shelf,
    about: 'an initiative, by the id in its address; read-only',
    directory: 'initiatives of the workspace',
    readOnly: 'initiatives are made and changed in Linear',
    ...(only === null ? { path: '/initiatives/:slug.md' } : {}),
    schema: initiativeSchema,
    values: initiativeValues,
  });
  const isShown = only === null ? () => true : belongsTo(only);
  /** What names were checked to stand for, by field and name. */
  const meant = new Map<string, { id: string; name: string }>();
  const keyOf = (field: string, name: unknown) => `${field} ${String(name).toLowerCase()}`;

  const documents = resource<ApiDocument, LinearClient>('documents', {
    ...shelf,
    ...document.ways,
    about: 'a document, by the id in its address, which a new title does not change',
    directory: 'documents of projects, initiatives, issues and teams',
    removeHint: 'delete it in Linear, where it can be restored',
    path: '/documents/:slug.md',
    schema: documentSchema,
    ...(only === null ? {} : { with: [projects] }),
    where: isShown,
    type: documentRecord,
    values: documentValues,
    offers: [initiatives],
    allowed: (place) => ({
      initiative: place
        .all(initiatives)
        .map(({ name }) => name)
        .sort(),
      team: place.all(teams).map(({ key }) => key),
    }),
    check: async (values, one, at: At) => {
      const after: Values = { ...(one && documentValues(one)), ...values };
      if (HOMES.every((field) => (after[field] ?? null) === null)) {
        const message = `a document belongs to one of ${HOMES.join(', ')}: name it`;
        return [{ field: 'project', message }];
      }
      const problems: Problem[] = [];
      for (const field of HOMES.filter((home) => typeof values[home] === 'string')) {
        const name = String(values[field]);
        const found = await find[field](name, at);
        if ('refused' in found) problems.push({ field, message: found.refused });
        // By what was written, and by the name that stands for it from here on.
        else for (const key of [name, found.name]) meant.set(keyOf(field, key), found);
      }
      return problems;
    },
    normal: (values) =>
      Object.fromEntries(
        Object.entries(values).map(([field, value]) => {
          const found = meant.get(keyOf(field, value));
          return [field, found?.name ?? value];
        }),
      ),
    create: (values, _at, key) => document.create({ id: key, ...inputOf(values) }),
    update: ({ id }, delta) => document.update(id, inputOf(delta)),
  });

  const places = resource('document-places', {
    about: 'what belongs to a document that links to uploaded files',
    path: '/documents/:slug',
    of: documents,
    schema: documentSchema,
    key: ({ id }) => id,
    uploads: ({ content }) => [content ?? ''],
    where: (one, place) =>
      isShown(one, place) && uploadsIn([one.content ?? ''], uploads).length > 0,
  });

  const find: Record<(typeof HOMES)[number], (name: string, at: At) => Promise<Meant>> = {
    project: (name, at) => findProject(name, at, only),
    initiative: async (name, at) => {
      await at.ensure(initiatives);
      const all = at.all(initiatives);
      const found = all.find((one) => one.name.toLowerCase() === name.toLowerCase());
      const names = all.map((one) => one.name).sort();
      return found ?? { refused: unknownName('initiative', name, names) };
    },
    issue: (name, at) => findIssue(name, at, only),
    team: async (name, at) => {
      const refused = await refusedTeam(name, at, only, teams);
      const found = at.held(teams, name);
      if (found === null) return { refused: refused ?? '' };
      return refused === null ? { id: found.id, name } : { refused };
    },
  };

  function inputOf(values: Values): Values {
    const input: Values = {};
    if (values['title'] !== undefined) input['title'] = values['title'];
    if (values['body'] !== undefined) input['content'] = values['body'];
    for (const field of HOMES) {
      const value = values[field];
      if (value === undefined) continue;
      input[`${field}Id`] = value === null ? null : (meant.get(keyOf(field, value))?.id ?? null);
    }
    return input;
  }

  const documentIndex: View<ApiDocument> = view({
    about: 'one line each: file, title, what it belongs to, who updated it, updated',
    path: '/documents/index.tsv',
    of: documents,
    columns: ['file', 'title', 'of', 'updated_by', 'updated'],
    order: (a, b) => (a.updatedAt < b.updatedAt ? 1 : -1),
    rows: (one) => {
      const values = documentValues(one);
      const of = HOMES.map((field) => values[field]).find((home) => home !== null);
      return [[one.slugId, one.title, of, values['updated_by'], one.updatedAt].map(cell)];
    },
  });
  const initiativeIndex: View<ApiInitiative> = view({
    about: 'one line each: file, name, status, health, owner, target date',
    path: '/initiatives/index.tsv',
    of: initiatives,
    columns: ['file', 'name', 'status', 'health', 'owner', 'target'],
    rows: (one) => [
      [one.slugId, one.name, one.status, one.health, one.owner?.displayName, one.targetDate].map(
        cell,
      ),
    ],
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

function cell(value: unknown): string {
  return String(value ?? '');
}

async function findProject(name: string, at: At, only: string | null): Promise<Meant> {
  const { data } = await at.client.ask(FIND_PROJECT, { name });
  const { nodes } = expectShape('Linear', foundSchema, data['projects'], 'the projects of a name');
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

/** Does a document belong to a team, or to something of that team? */
const belongsTo =
  (key: string) =>
  ({ team, issue, project }: ApiDocument, place: Place): boolean =>
    team?.key === key ||
    (issue ? teamIn(issue.identifier) === key : false) ||
    place.all(projects).some(({ id }) => id === project?.id);
