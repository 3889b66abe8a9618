/** Updates of projects: read with the team, each a file below its project. */
import { z } from 'zod';
import {
  dateOf,
  type Params,
  type RecordType,
  type Route,
  renderRecord,
  renderTemplate,
  type StoredRecord,
  tsvContent,
  tsvEntry,
} from '../../src/mount/index.ts';
import { type PlainKind, plainCreate, plainEdit } from './plain-writes.ts';
import { UPDATE_FIELDS } from './queries.ts';
import { notBlank, readOnly, times } from './records.ts';
import { type ApiUpdate, projectSchema, updateSchema } from './schemas.ts';
import { collection, pathOfUpdate, teamOf } from './store.ts';
import type { WriteParts } from './write-parts.ts';

const FRAGMENT = `fragment update on ProjectUpdate { ${UPDATE_FIELDS} }`;

const LOOK_UP = `query LookUpProjectUpdate($id: String!) {
  projectUpdate(id: $id) { ...update }
}
${FRAGMENT}`;

const CREATE = `mutation CreateProjectUpdate($input: ProjectUpdateCreateInput!) {
  projectUpdateCreate(input: $input) { success projectUpdate { ...update } }
}
${FRAGMENT}`;

const UPDATE = `mutation UpdateProjectUpdate($id: String!, $input: ProjectUpdateUpdateInput!) {
  projectUpdateUpdate(id: $id, input: $input) { success projectUpdate { ...update } }
}
${FRAGMENT}`;

/** As the schema's `ProjectUpdateHealthType` has them, by what files say. */
const HEALTH = { 'on track': 'onTrack', 'at risk': 'atRisk', 'off track': 'offTrack' } as const;
const HEALTHS = Object.keys(HEALTH) as (keyof typeof HEALTH)[];

const updateRecord: RecordType = {
  name: 'project update',
  fields: {
    health: {
      schema: z.enum(HEALTHS, { error: `must be one of ${HEALTHS.join(', ')}` }),
      access: 'create',
      initial: 'on track',
      about: HEALTHS.join(', '),
    },
    author: readOnly('display name'),
    ...times,
    url: readOnly('address'),
    body: {
      schema: z.string().refine(notBlank, 'must not be empty'),
      access: 'create',
      required: true,
      about: 'markdown below the fields',
    },
  },
};

function updateValues({ health, user, createdAt, updatedAt, url, body }: ApiUpdate) {
  return {
    health: HEALTHS.find((name) => HEALTH[name] === health) ?? health,
    author: user.displayName,
    created_at: createdAt,
    updated_at: updatedAt,
    url,
    body,
  };
}

/** The rows below a project. */
export function updateRoutes(parts: WriteParts, projects: string): Route[] {
  const { store } = parts;
  const top = `${projects}/:slug/updates`;
  const kind = updateKind(parts);
  const project = (params: Params) =>
    store
      .all('projects', teamOf(params))
      .map((record) => ({ record, value: projectSchema.parse(record.value) }))
      .find(({ value }) => value.slugId === params['slug']);
  const all = (params: Params) =>
    store.replica
      .all(store.mount, collection('updates', teamOf(params)), params['slug'] ?? '')
      .map((record) => ({ record, value: updateSchema.parse(record.value) }))
      .sort((a, b) => (a.value.createdAt < b.value.createdAt ? 1 : -1));
  const find = (params: Params) =>
    all(params).find(({ record }) => record.key === params['id']) ?? null;
  return [
    {
      pattern: `${projects}/:slug`,
      type: 'directory',
      about: 'what belongs to a project',
      needs: ['team'],
      entries: (params) =>
        store.all('projects', teamOf(params)).map((record) => ({
          ...entryOf(record),
          name: projectSchema.parse(record.value).slugId,
        })),
      stat: (params) => {
        const found = project(params);
        return found === undefined ? null : entryOf(found.record);
      },
    },
    { pattern: top, type: 'directory', about: 'updates of the project' },
    {
      pattern: `${top}/index.tsv`,
      type: 'file',
      about: 'one line each, the newest first: file, health, author, created',
      needs: ['team'],
      read: (params) => {
        const rows = all(params);
        return tsvContent(
          ['file', 'health', 'author', 'created'],
          rows.map(({ value }) => {
            const { health, author, created_at } = updateValues(value);
            return [value.id, health, author, created_at];
          }),
          rows.map(({ record }) => record),
        );
      },
      stat: (params) =>
        project(params) === undefined ? null : tsvEntry(all(params).map(({ record }) => record)),
    },
    {
      pattern: `${top}/new.md`,
      type: 'file',
      about: 'write here to post an update; reading gives a template',
      hidden: true,
      needs: ['team'],
      stat: (params) => (project(params) === undefined ? null : { size: 1, mtime: dateOf('') }),
      read: () => ({ text: renderTemplate(updateRecord, {}), version: '', mtime: dateOf('') }),
      create: plainCreate(kind, CREATE),
    },
    {
      pattern: `${top}/:id.md`,
      type: 'file',
      about: 'an update',
      document: true,
      needs: ['team'],
      entries: (params) =>
        all(params).map(({ record }) => ({ ...entryOf(record), name: record.key })),
      stat: (params) => {
        const found = find(params);
        return found === null ? null : entryOf(found.record);
      },
      read: (params) => {
        const found = find(params);
        if (found === null) return null;
        const { version, updatedAt } = found.record;
        const text = renderRecord(updateRecord, updateValues(found.value));
        return { text, version, mtime: dateOf(updatedAt) };
      },
      edit: plainEdit(kind),
      removeHint: 'delete it in Linear',
    },
  ];

  function updateKind({ client, sync }: WriteParts): PlainKind<ApiUpdate> {
    return {
      client,
      record: updateRecord,
      field: 'projectUpdate',
      schema: updateSchema,
      lookUp: LOOK_UP,
      update: UPDATE,
      held: (params) => {
        const found = find(params);
        if (found === null) return null;
        const { record, value } = found;
        return { id: value.id, values: updateValues(value), version: record.version };
      },
      ensure: (params) => sync.ensure('team', params),
      put: (params, value) => {
        store.putUpdate(teamOf(params), value, 'lookup');
        return { path: pathOfUpdate(teamOf(params), value), url: value.url };
      },
      drop: (params) => store.drop('updates', teamOf(params), params['id'] ?? ''),
      check: async (params) => {
        await sync.ensure('team', params);
        const problem = { field: '', message: `there is no project ${params['slug']} here` };
        return project(params) === undefined ? [problem] : [];
      },
      input: (params, { health, body }) => ({
        ...(params['id'] === undefined ? { projectId: project(params)?.value.id } : {}),
        ...(health === undefined ? {} : { health: HEALTH[health as keyof typeof HEALTH] }),
        ...(body === undefined ? {} : { body }),
      }),
    };
  }
}

function entryOf({ size, updatedAt, version }: StoredRecord) {
  return { size, version, mtime: dateOf(updatedAt) };
}
