/** The rows of documents and initiatives, and how documents are written. */
import { z } from 'zod';
import {
  type Content,
  dateOf,
  type Params,
  type Problem,
  type Route,
  readOnlyCollection,
  renderRecord,
  renderTemplate,
  type StoredRecord,
  tsvContent,
  tsvEntry,
  unknownName,
  type Values,
} from '../../src/mount/index.ts';
import {
  type ApiDocument,
  belongsTo,
  CREATE_DOCUMENT,
  documentRecord,
  documentSchema,
  documentValues,
  HOMES,
  held,
  initiativeRecord,
  initiativeSchema,
  initiativeValues,
  LOOK_UP_DOCUMENT,
  named,
  put,
  UPDATE_DOCUMENT,
} from './documents.ts';
import { teamId } from './names.ts';
import { type PlainKind, plainCreate, plainEdit } from './plain-writes.ts';
import { expectShape } from './schemas.ts';
import { type LinearStore, TEAMS, teamIn } from './store.ts';
import { uploadRoutes, uploadsIn } from './uploads.ts';
import type { WriteParts } from './write-parts.ts';
import { checkTeam } from './writes.ts';

/** Projects that a document may name: by name, or by the id in the address. */
const FIND_PROJECT = `query FindProject($name: String!) {
  projects(first: 10, filter: { or: [
    { name: { eqIgnoreCase: $name } }, { slugId: { eq: $name } }
  ] }) { nodes { id name slugId } }
}`;

/** `only`: the key of the one team that is shown. */
export function documentRoutes(parts: WriteParts, only: string | null): Route[] {
  return [...documents(parts, only), ...(only === null ? initiatives(parts) : [])];
}

function documents(parts: WriteParts, only: string | null): Route[] {
  const { client, store, sync } = parts;
  const kind = documentKind(parts, only);
  const all = () =>
    store.replica
      .all(store.mount, 'documents')
      .map((record) => ({ record, value: documentSchema.parse(record.value) }))
      .filter(({ value }) => only === null || belongsTo(store, value, only));
  const find = (params: Params) => held(store, params, only);
  return [
    {
      pattern: '/documents',
      type: 'directory',
      about: 'documents of projects, initiatives, issues and teams',
    },
    {
      pattern: '/documents/index.tsv',
      type: 'file',
      about: 'one line each: file, title, what it belongs to, who updated it, updated',
      needs: ['documents'],
      stat: () => tsvEntry(all().map(({ record }) => record)),
      read: () => indexContent(all()),
    },
    {
      pattern: '/documents/new.md',
      type: 'file',
      about: 'write here to make a document; reading gives a template',
      hidden: true,
      prepare: async (_params, purpose) => {
        if (purpose === 'read') await sync.ensure('documents', {});
      },
      read: () => ({
        text: renderTemplate(documentRecord, {
          initiative: namesOfInitiatives(store).sort(),
          team: store.replica.heads(store.mount, TEAMS).map(({ key }) => key),
        }),
        version: '',
        mtime: new Date(0),
      }),
      create: plainCreate(kind, CREATE_DOCUMENT),
    },
    {
      pattern: '/documents/:slug.md',
      type: 'file',
      about: 'a document, by the id in its address, which a new title does not change',
      document: true,
      needs: ['documents'],
      entries: () => all().map(({ record }) => ({ name: record.key, ...entryOf(record) })),
      stat: (params) => {
        const found = find(params);
        return found === null ? null : entryOf(found.record);
      },
      read: (params) => {
        const found = find(params);
        return found === null ? null : contentOf(found, renderRecord(documentRecord, found.values));
      },
      edit: plainEdit(kind),
      removeHint: 'delete it in Linear, where it can be restored',
    },
    {
      pattern: '/documents/:slug',
      type: 'directory',
      about: 'what belongs to a document that links to uploaded files',
      needs: ['documents'],
      entries: () =>
        all()
          .filter(({ value }) => uploadsIn([value.content ?? ''], client.uploads).length > 0)
          .map(({ record }) => ({ name: record.key, ...entryOf(record) })),
      stat: (params) => {
        const found = find(params);
        const links = uploadsIn([found?.value.content ?? ''], client.uploads);
        return found === null || links.length === 0 ? null : entryOf(found.record);
      },
    },
    ...uploadRoutes(parts, {
      record: '/documents/:slug',
      needs: ['documents'],
      prepare: (_params, _purpose, eagerness) => sync.ensure('documents', {}, eagerness),
      texts: (params) => [find(params)?.value.content ?? ''],
    }),
  ];
}

function initiatives({ store }: WriteParts): Route[] {
  const rows = () =>
    store.replica
      .all(store.mount, 'initiatives')
      .map((record) => ({ record, value: initiativeSchema.parse(record.value) }));
  return readOnlyCollection({
    directory: '/initiatives',
    param: 'slug',
    about: {
      directory: 'initiatives of the workspace',
      index: 'one line each: file, name, status, health, owner, target date',
      file: 'an initiative, by the id in its address',
    },
    readOnly: 'initiatives are made and changed in Linear',
    needs: ['documents'],
    document: true,
    all: () => store.replica.all(store.mount, 'initiatives'),
    nameOf: ({ key }) => key,
    entry: entryOf,
    index: () =>
      tsvContent(
        ['file', 'name', 'status', 'health', 'owner', 'target'],
        rows().map(({ value }) =>
          [value.slugId, value.name, value.status, value.health]
            .concat([value.owner?.displayName, value.targetDate])
            .map((cell) => cell ?? ''),
        ),
        rows().map(({ record }) => record),
      ),
    content: (record) => {
      const values = initiativeValues(initiativeSchema.parse(record.value));
      return contentOf({ record }, renderRecord(initiativeRecord, values));
    },
  });
}

function indexContent(rows: readonly { record: StoredRecord; value: ApiDocument }[]): Content {
  const sorted = [...rows].sort((a, b) => (a.value.updatedAt < b.value.updatedAt ? 1 : -1));
  return tsvContent(
    ['file', 'title', 'of', 'updated_by', 'updated'],
    sorted.map(({ value }) => {
      const { project, initiative, issue, team, updatedBy } = documentValues(value);
      const of = [project, initiative, issue, team].find((one) => one !== null);
      const by = updatedBy ?? value.updatedBy?.displayName;
      return [value.slugId, value.title, String(of ?? ''), String(by ?? ''), value.updatedAt];
    }),
    rows.map(({ record }) => record),
  );
}

function entryOf({ size, updatedAt, version }: StoredRecord) {
  return { size, version, mtime: dateOf(updatedAt) };
}

function contentOf({ record }: { record: StoredRecord }, text: string): Content {
  return { text, version: record.version, mtime: dateOf(record.updatedAt) };
}

function documentKind(parts: WriteParts, only: string | null): PlainKind<ApiDocument> {
  const { client, store, sync } = parts;
  return {
    client,
    record: documentRecord,
    field: 'document',
    schema: documentSchema,
    lookUp: LOOK_UP_DOCUMENT,
    update: UPDATE_DOCUMENT,
    held: (params) => {
      const found = held(store, params, only);
      if (found === null) return null;
      return { id: found.value.id, values: found.values, version: found.record.version };
    },
    ensure: () => sync.ensure('documents', {}),
    put: (_params, value) => {
      put(store, 'documents', value, 'lookup');
      return { path: `/documents/${value.slugId}.md`, url: value.url };
    },
    drop: (params) => {
      store.replica.remove(store.mount, 'documents', params['slug'] ?? '');
    },
    check: (params, values) => checkHomes(parts, only, params, values),
    normal: (_params, values) => spelled(store, values),
    input: (_params, values) => inputOf(store, values),
  };
}

/** What a document is to belong to must be there, and be one thing. */
async function checkHomes(
  parts: WriteParts,
  only: string | null,
  params: Params,
  values: Values,
): Promise<Problem[]> {
  const { store, sync } = parts;
  const wanted = HOMES.filter((field) => typeof values[field] === 'string');
  const before = params['slug'] === undefined ? null : held(store, params, only);
  const after: Values = { ...before?.values, ...values };
  if (HOMES.every((field) => (after[field] ?? null) === null)) {
    const message = `a document belongs to one of ${HOMES.join(', ')}: name it`;
    return [{ field: 'project', message }];
  }
  const problems: Problem[] = [];
  for (const field of wanted) {
    const name = String(values[field]);
    const message = await refusal(field, name);
    if (message !== null) problems.push({ field, message });
  }
  return problems;

  async function refusal(field: (typeof HOMES)[number], name: string): Promise<string | null> {
    if (field === 'team') return checkTeam(parts, { team: name });
    if (field === 'project') return findProject(parts, only, name);
    if (field === 'initiative') {
      await sync.ensure('documents', {});
      return initiative(store, name) === null
        ? unknownName('initiative', name, namesOfInitiatives(store).sort())
        : null;
    }
    if (!/^[A-Z][A-Z0-9]*-[1-9]\d*$/.test(name)) return 'must be an issue such as ENG-12, or null';
    if (sync.isHidden(teamIn(name)))
      return `this mount shows one team, which ${teamIn(name)} is not`;
    if (store.issue(name) === null) await sync.lookups.issue(name, false);
    return store.issue(name) === null ? `there is no issue ${name} on Linear` : null;
  }
}

/** Projects that were looked for, by what was written. */
const FOUND = 'found-projects';

const foundSchema = z.looseObject({
  nodes: z.array(z.looseObject({ id: z.string(), name: z.string(), slugId: z.string() })),
});

/** Why a name stands for no project; null where it does, and its id is kept. */
async function findProject(
  { client, store }: WriteParts,
  only: string | null,
  name: string,
): Promise<string | null> {
  const { data } = await client.ask(FIND_PROJECT, { name });
  const { nodes } = expectShape(foundSchema, data['projects'], 'the projects of a name');
  const shown = nodes.filter(
    ({ id }) => only === null || store.head('projects', only, id) !== null,
  );
  const [one] = shown;
  if (one === undefined) return `there is no project "${name}" that is shown here`;
  if (shown.length > 1) {
    const slugs = shown.map(({ slugId }) => slugId).join(', ');
    return `there are ${shown.length} projects with the name "${name}": give one of ${slugs}`;
  }
  // By what was written, and by the name that stands for it from here on.
  for (const key of new Set([name.toLowerCase(), one.name.toLowerCase()])) {
    const place = { key, updatedAt: '', size: 1, path: null };
    store.replica.upsert(store.mount, FOUND, { ...place, value: one });
  }
  return null;
}

function namesOfInitiatives(store: LinearStore): string[] {
  return store.replica
    .all(store.mount, 'initiatives')
    .map(({ value }) => initiativeSchema.parse(value).name);
}

function initiative(store: LinearStore, name: string): z.infer<typeof named> | null {
  const found = store.replica
    .all(store.mount, 'initiatives')
    .map(({ value }) => initiativeSchema.parse(value))
    .find((one) => one.name.toLowerCase() === name.toLowerCase());
  return found ?? null;
}

function project(store: LinearStore, name: string): z.infer<typeof named> | null {
  const found = store.replica.get(store.mount, FOUND, name.toLowerCase());
  return found === null ? null : named.parse(found.value);
}

/** Names that were checked, as Linear spells them. */
function spelled(store: LinearStore, values: Values): Values {
  const names = { project, initiative };
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      const found = Object.hasOwn(names, field)
        ? names[field as keyof typeof names](store, String(value))
        : null;
      return [field, found?.name ?? value];
    }),
  );
}

function inputOf(store: LinearStore, values: Values): Values {
  const input: Values = {};
  if (values['title'] !== undefined) input['title'] = values['title'];
  if (values['body'] !== undefined) input['content'] = values['body'];
  const ids: Readonly<Record<(typeof HOMES)[number], (name: string) => string | null>> = {
    project: (name) => project(store, name)?.id ?? null,
    initiative: (name) => initiative(store, name)?.id ?? null,
    issue: (name) => store.issue(name)?.issue.id ?? null,
    team: (name) => teamId(store, name),
  };
  for (const field of HOMES) {
    const value = values[field];
    if (value === undefined) continue;
    input[`${field}Id`] = typeof value === 'string' ? ids[field](value) : null;
  }
  return input;
}
