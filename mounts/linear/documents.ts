/**
 * Documents and initiatives of the workspace, in one question. A document belongs to a project, an
 * initiative, an issue or a team; a mount of one team shows those that belong to it, and no
 * initiatives, which stand above teams.
 */
import { z } from 'zod';
import type {
  Collection,
  Params,
  RecordType,
  ServiceParts,
  StoredRecord,
  Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { cursorOf, everyPage, startOf } from './paging.ts';
import { PAGE } from './queries.ts';
import { readOnly, times, title } from './records.ts';
import { expectShape } from './schemas.ts';
import { type LinearStore, teamIn } from './store.ts';

const DOCUMENT = `fragment document on Document {
  id slugId title content url createdAt updatedAt archivedAt trashed
  creator { displayName } updatedBy { displayName }
  project { id name } initiative { id name } issue { id identifier } team { id key }
}`;

/** What was updated after `$since`, or all of it. */
const SYNC_DOCUMENTS = `query SyncDocuments(
  $documents: DocumentFilter!, $initiatives: InitiativeFilter!, $archived: Boolean!,
  $documentsAfter: String, $withdocuments: Boolean!,
  $initiativesAfter: String, $withinitiatives: Boolean!
) {
  documents(first: 250, after: $documentsAfter, filter: $documents, includeArchived: $archived)
    @include(if: $withdocuments) { nodes { ...document } ${PAGE} }
  initiatives(first: 250, after: $initiativesAfter, filter: $initiatives,
    includeArchived: $archived) @include(if: $withinitiatives) {
      nodes {
        id slugId name description content status health targetDate url
        createdAt updatedAt archivedAt trashed owner { displayName }
      } ${PAGE}
    }
}
${DOCUMENT}`;

export const LOOK_UP_DOCUMENT = `query LookUpDocument($id: String!) { document(id: $id) { ...document } }
${DOCUMENT}`;

export const CREATE_DOCUMENT = `mutation CreateDocument($input: DocumentCreateInput!) {
  documentCreate(input: $input) { success document { ...document } }
}
${DOCUMENT}`;

export const UPDATE_DOCUMENT = `mutation UpdateDocument($id: String!, $input: DocumentUpdateInput!) {
  documentUpdate(id: $id, input: $input) { success document { ...document } }
}
${DOCUMENT}`;

const person = z.looseObject({ displayName: z.string() });
export const named = z.looseObject({ id: z.string(), name: z.string() });
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

export const documentSchema = z.looseObject({
  ...shelved,
  title: z.string(),
  creator: person.nullish(),
  updatedBy: person.nullish(),
  project: named.nullish(),
  initiative: named.nullish(),
  issue: z.looseObject({ id: z.string(), identifier: z.string() }).nullish(),
  team: z.looseObject({ id: z.string(), key: z.string() }).nullish(),
});
export type ApiDocument = z.infer<typeof documentSchema>;

export const initiativeSchema = z.looseObject({
  ...shelved,
  name: z.string(),
  description: z.string().nullish(),
  status: z.string(),
  health: z.string().nullish(),
  targetDate: z.string().nullish(),
  owner: person.nullish(),
});

const SCHEMAS = { documents: documentSchema, initiatives: initiativeSchema } as const;
const KINDS = ['documents', 'initiatives'] as const;
type Kind = (typeof KINDS)[number];

// --- the records

const home = (what: string) => ({
  schema: z.string({ error: `must be ${what} or null` }).nullable(),
  access: 'create' as const,
  initial: null,
  about: `${what} that it belongs to, or null`,
});

export const documentRecord: RecordType = {
  name: 'document',
  fields: {
    title,
    project: home('the name of a project'),
    initiative: home('the name of an initiative'),
    issue: home('an issue such as ENG-12'),
    team: home('the key of a team'),
    creator: readOnly('display name'),
    updated_by: readOnly('display name'),
    ...times,
    url: readOnly('address'),
    body: {
      schema: z.string({ error: 'must be text' }),
      access: 'create',
      about: 'markdown below the fields',
    },
  },
};
/** What a document may belong to. */
export const HOMES = ['project', 'initiative', 'issue', 'team'] as const;

export const initiativeRecord: RecordType = {
  name: 'initiative',
  fields: Object.fromEntries(
    ['name', 'summary', 'status', 'health', 'owner', 'target_date']
      .concat(['created_at', 'updated_at', 'url', 'body'])
      .map((name) => [name, readOnly('')]),
  ),
};

export function documentValues(value: ApiDocument): Values {
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

export function initiativeValues(value: z.infer<typeof initiativeSchema>): Values {
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

/** The one collection of documents and initiatives. */
export function documentsCollection({
  client,
  store,
  reconcileMs,
}: ServiceParts<LinearClient, LinearStore>): Collection {
  return {
    scope: [],
    heldSince: () => store.heldSince('documents'),
    sync: async () => {
      const since = store.deltaFrom('documents', reconcileMs);
      const updated = since === null ? {} : { updatedAt: { gt: startOf(since) } };
      const variables = { documents: updated, initiatives: updated, archived: since !== null };
      const seen = { documents: new Set<string>(), initiatives: new Set<string>() };
      const found: string[] = [];
      const at = await everyPage(client, SYNC_DOCUMENTS, variables, KINDS, (name, nodes) => {
        const kind = name as Kind;
        for (const node of nodes) {
          const value = expectShape(SCHEMAS[kind], node, `one of the ${kind}`);
          seen[kind].add(value.slugId);
          found.push(value.updatedAt);
          put(store, kind, value, 'listing');
        }
      });
      for (const kind of since === null ? KINDS : []) {
        for (const head of store.replica.heads(store.mount, kind)) {
          // A listing may lag behind what was made just now.
          if (seen[kind].has(head.key) || store.isRecent(head)) continue;
          store.replica.remove(store.mount, kind, head.key);
        }
      }
      const cursor = cursorOf({ since, times: found }, at);
      store.listed('documents', { cursor, whole: since === null });
    },
  };
}

/** Stores a document or an initiative. */
export function put(
  store: LinearStore,
  kind: Kind,
  value: z.infer<(typeof SCHEMAS)[Kind]>,
  origin: 'listing' | 'lookup',
): void {
  const key = value.slugId;
  const held = store.replica.head(store.mount, kind, key);
  if (origin === 'listing' && held !== null && held.updatedAt > value.updatedAt) return;
  if (value.trashed === true || (value.archivedAt ?? null) !== null) {
    store.replica.remove(store.mount, kind, key);
    return;
  }
  store.replica.upsert(store.mount, kind, {
    key,
    updatedAt: value.updatedAt,
    size: 300 + (value.content ?? '').length,
    path: `/${kind}/${key}.md`,
    value,
  });
}

/** A document that is held. */
export interface HeldDocument {
  record: StoredRecord;
  value: ApiDocument;
  values: Values;
}

/** A document by the id in its address, as a mount shows it that may be narrowed to one team. */
export function held(store: LinearStore, params: Params, only: string | null): HeldDocument | null {
  const record = store.replica.get(store.mount, 'documents', params['slug'] ?? '');
  if (record === null) return null;
  const value = documentSchema.parse(record.value);
  if (only !== null && !belongsTo(store, value, only)) return null;
  return { record, value, values: documentValues(value) };
}

/** Does a document belong to a team, or to something of that team? */
export function belongsTo(store: LinearStore, value: ApiDocument, team: string): boolean {
  const { project, issue } = value;
  if (value.team?.key === team || (issue && teamIn(issue.identifier) === team)) return true;
  return project ? store.head('projects', team, project.id) !== null : false;
}
