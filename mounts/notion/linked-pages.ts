/** Links to pages and databases: by their ids or addresses, and by what Notion's search finds. */
import {
  dateOf,
  type Hit,
  LinkedListings,
  type Params,
  type ParamType,
  type Route,
  searchRoutes,
} from '../../src/mount/index.ts';
import { nodesOf } from './listings.ts';
import { idIn } from './markdown/references.ts';
import { keyOf } from './names.ts';
import { titleOf } from './properties.ts';
import type { ApiNode } from './schemas.ts';
import { placeOf } from './store.ts';
import type { WriteParts } from './write-parts.ts';

/** An id, or an address that ends in one: of several segments where it was not encoded. */
export const ADDRESS: ParamType = {
  matches: /^(?!\.)[^/\0]+$/,
  example: '0123456789abcdef0123456789abcdef',
};

/** `by-id/ID` and `by-id/https://…`: found when named, never listed. */
export function byIdRoutes({ store, sync, freshness }: WriteParts): Route[] {
  const idOf = (params: Params) => idOfAddress(params['address'] ?? '');
  const isAbove = (params: Params) =>
    idOf(params) === null && /^https?:/.test(params['address'] ?? '');
  const pathOf = (params: Params) => {
    const id = idOf(params);
    return id === null ? null : store.pathOf(id);
  };
  return [
    {
      pattern: '/by-id',
      type: 'directory',
      about: 'name an id or an address of Notion in here: a link to the page or database',
    },
    {
      pattern: '/by-id/:address+',
      type: 'file',
      typeOf: (params) => (isAbove(params) ? 'directory' : 'file'),
      about: 'a link to the page or database with this id, or with the id in this address',
      listed: () => true,
      prepare: async (params) => {
        const id = idOf(params);
        const isHeld = () => id !== null && store.pathOf(id) !== null;
        if (id === null || isHeld()) return;
        const key = `id ${id}`;
        await freshness.ensureOne(
          { key, heldSince: () => null, ask: () => sync.lookupAny(id) },
          isHeld,
        );
      },
      entries: () => [],
      stat: (params) => {
        const path = pathOf(params);
        if (path !== null) return { size: 1, mtime: dateOf(store.updatedAt(path)) };
        return isAbove(params) ? { size: 1, mtime: new Date(0) } : null;
      },
      elsewhere: (params) =>
        idOf(params) === null
          ? 'name the id of a page, 32 digits, or its address'
          : 'Notion has no such page, or does not share it with the integration',
      target: pathOf,
      readOnly: 'it is a link: write the page that it leads to',
    },
  ];
}

function idOfAddress(address: string): string | null {
  try {
    return idIn(decodeURIComponent(address));
  } catch (error) {
    // A `%` that is none of an encoded address.
    if (error instanceof URIError) return idIn(address);
    throw error;
  }
}

/** `search/QUERY_NAME/`: Notion searches titles, and does not promise to find everything. */
export function foundRoutes({ client, store, sync, freshness, now }: WriteParts): Route[] {
  const listings = new LinkedListings({
    store,
    freshness,
    now,
    kind: 'search',
    columns: ['title', 'kind', 'last_edited_time'],
    ask: async (query) => {
      const answer = await client.list('search', { body: { query } });
      const nodes = nodesOf(answer.results);
      await sync.putFound(nodes);
      const shortfall = answer.has_more
        ? `Notion's search found more than these ${nodes.length}: search for more of the title`
        : null;
      return { hits: nodes.flatMap((node) => hitOf(node, store.pathOf(node.id))), shortfall };
    },
  });
  return searchRoutes(listings, 'Notion');
}

function hitOf(node: ApiNode, path: string | null): Hit[] {
  if (path === null) return [];
  const isPage = node.object === 'page';
  const name = placeOf(path).split('/').at(-1) ?? keyOf(node.id);
  const cells = [titleOf(node), isPage ? 'page' : 'database', node.last_edited_time];
  return [{ name: isPage ? `${name}.md` : name, path, updatedAt: node.last_edited_time, cells }];
}
