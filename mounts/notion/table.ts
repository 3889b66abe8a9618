/**
 * Notion as a table of routes.
 *
 * A page is the file `Title--ID.md`, and what is below it is in the directory
 * `Title--ID/`. That directory is always there, so that a first page can be
 * made in it; it is listed when something is in it. A database is a directory
 * of rows. Only the digits behind `--` count: what stands before them is the
 * title as it is now, and a path with an older one leads to the same page.
 */
import {
  dateOf,
  HIT_NAME,
  type NamedEntry,
  type Params,
  type ParamType,
  QUERY_NAME,
  type RecordHead,
  type Route,
  renderTemplate,
  tsvEntry,
} from '../../src/mount/index.ts';
import { attachmentRoutes, FILE } from './attachments.ts';
import { commentRoutes, PLAIN_ID } from './comment-routes.ts';
import { pageCreate } from './creates.ts';
import { ADDRESS, byIdRoutes, foundRoutes } from './linked-pages.ts';
import { keyOfPlace, PLACE } from './names.ts';
import * as render from './render.ts';
import { placeOf } from './store.ts';
import { WALK_MOST } from './sync.ts';
import type { WriteParts } from './write-parts.ts';
import { pageEdit, pageRemove } from './writes.ts';

export const PARAMS: Readonly<Record<string, ParamType>> = {
  place: PLACE,
  address: ADDRESS,
  query: QUERY_NAME,
  hit: HIT_NAME,
  comment: PLAIN_ID,
  block: PLAIN_ID,
  file: FILE,
};

const placeIn = (params: Params): string => params['place'] ?? '';
const keyIn = (params: Params): string => keyOfPlace(placeIn(params));
const isPage = ({ path }: RecordHead): boolean => path?.endsWith('.md') === true;

/** Every row. */
export function notionRoutes(parts: WriteParts): Route[] {
  return [
    ...tree(parts),
    ...databases(parts),
    ...commentRoutes(parts),
    ...attachmentRoutes(parts),
    ...byIdRoutes(parts),
    ...foundRoutes(parts),
  ];
}

function tree(parts: WriteParts): Route[] {
  const { store, sync } = parts;
  const below = (params: Params) => store.below(placeIn(params) === '' ? '' : keyIn(params));
  const needs = ['tree'];
  const list: Pick<Route, 'needs' | 'prepare'> = {
    needs,
    prepare: async (params, purpose, eagerness) => {
      if (purpose === 'list') await sync.ensureBelow(placeIn(params), eagerness);
      else await sync.seekPlace(placeIn(params), eagerness);
    },
  };
  return [
    {
      pattern: '/index.tsv',
      type: 'file',
      about: 'everything that is shared with the integration: path, title, kind, last edited',
      needs,
      stat: () => tsvEntry(store.heads()),
      read: () => render.treeContent(store),
    },
    {
      pattern: '/:place+',
      type: 'directory',
      about: 'what is below a page, or the rows of a database; at any depth',
      costly: (params) => {
        const head = store.at(placeIn(params));
        return head !== null && sync.below.isOpen(head) && sync.below.areManyOpen();
      },
      ...list,
      entries: (params) =>
        below(params)
          .filter(
            (head) => !isPage(head) || store.below(head.key).length > 0 || sync.below.isOpen(head),
          )
          .map(entryOf),
      stat: (params) => entryAt(store.at(placeIn(params))),
    },
    {
      pattern: '/:place+.md',
      type: 'file',
      about: 'a page or a row: its properties, and its text below',
      document: true,
      costly: (params) =>
        sync.texts.missing().length > WALK_MOST && !sync.texts.isCurrent(keyIn(params)),
      needs,
      prefetch: (params) => sync.fetchBodies(params['place']),
      prefetched: (params) => sync.hasBodies(params['place']),
      prepare: async (params, purpose, eagerness) => {
        await list.prepare?.(params, purpose, eagerness);
        if (purpose !== 'read' || store.at(placeIn(params)) === null) return;
        await sync.ensureUnsearched(keyIn(params));
        await sync.texts.ensure(keyIn(params));
        await sync.below.seed(keyIn(params));
      },
      entries: (params) => below(params).filter(isPage).map(entryOf),
      stat: (params) => {
        const head = store.at(placeIn(params));
        return head !== null && isPage(head) ? entryAt(head) : null;
      },
      read: (params) =>
        store.at(placeIn(params)) === null ? null : render.pageContent(store, keyIn(params)),
      edit: pageEdit(parts),
      remove: pageRemove(parts),
    },
    {
      pattern: '/:place+/new.md',
      type: 'file',
      about: 'write here to make a page, or a row; reading gives a template',
      hidden: true,
      prepare: async (params) => {
        await sync.ensurePlace(placeIn(params));
      },
      read: (params) => {
        const { record } = pageCreate(parts);
        return template(renderTemplate(typeof record === 'function' ? record(params) : record));
      },
      create: pageCreate(parts),
    },
  ];
}

function databases({ store, sync }: WriteParts): Route[] {
  const inDatabase: Pick<Route, 'where' | 'needs' | 'prepare'> = {
    needs: ['tree'],
    where: (params) => store.source(keyIn(params)) !== null,
    prepare: async (params, purpose, eagerness) => {
      await sync.ensurePlace(placeIn(params));
      if (purpose === 'read') await sync.ensureRows(keyIn(params), eagerness);
    },
  };
  const at = (params: Params) => (store.at(placeIn(params)) === null ? '' : keyIn(params));
  return [
    {
      pattern: '/:place+/schema.json',
      type: 'file',
      about: "of a database: its rows' fields, their types and options",
      readOnly: 'properties and their options are made and changed in Notion',
      ...inDatabase,
      stat: (params) => entryAt(store.source(at(params))?.record ?? null),
      read: (params) => render.schemaContent(store, at(params)),
    },
    {
      pattern: '/:place+/index.tsv',
      type: 'file',
      about: 'of a database: one line a row, with every field',
      ...inDatabase,
      answered: (params) => store.heldSince(`rows:${at(params)}`) !== null,
      stat: (params) =>
        store.source(at(params)) === null ? null : tsvEntry(store.below(at(params))),
      read: (params) => render.indexContent(store, at(params)),
    },
  ];
}

function template(text: string) {
  return { text, version: '', mtime: new Date(0) };
}

interface Stat {
  size: number;
  mtime: Date;
}

function entryAt(head: RecordHead): Stat;
function entryAt(head: RecordHead | null): Stat | null;
function entryAt(head: RecordHead | null): Stat | null {
  return head === null ? null : { size: head.size, mtime: dateOf(head.updatedAt) };
}

function entryOf(head: RecordHead): NamedEntry {
  return {
    ...entryAt(head),
    name:
      placeOf(head.path ?? '')
        .split('/')
        .at(-1) ?? '',
  };
}
