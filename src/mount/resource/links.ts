/** Directories of links to records that a service names in answer to a question of its own. */
import {
  type HitList,
  LinkedListings,
  type LinkedListingsOptions,
  searchRoutes,
} from '../reading/linked-listings.ts';
import type { Collection, Params, Route } from '../table/route.ts';
import type { Links, NamedLinks } from './questions.ts';

type LinksParts = Pick<LinkedListingsOptions, 'store' | 'freshness' | 'now'> & {
  /** What sentences call the service. */
  title: string;
  /** What the mount is narrowed to: answers to it are others, and kept apart. */
  narrowed: Params;
};

/** What a kind of links stands for in the table. */
interface LinkedTable {
  routes: Route[];
  collections: Readonly<Record<string, Collection>>;
}

export function linkedTable(given: Links, parts: LinksParts): LinkedTable {
  const within = Object.values(parts.narrowed).join('/');
  const of = within === '' ? given : { ...given, id: `${given.id} in ${within}` };
  if (!('directories' in of)) {
    const listings = linkedListings(of, parts, (question) => of.find(question));
    return { routes: searchRoutes(listings, parts.title, of.path), collections: {} };
  }
  const { id, path, about, find, findAll } = of;
  const top: Route = { pattern: path, type: 'directory', about };
  const listings = linkedListings(of, parts, async (name) =>
    ofName({ ...(await findAll?.()), ...(find && { [name]: await find(name) }) }, name),
  );
  if (findAll === undefined) {
    return { routes: [top, ...eachAsked(of, listings)], collections: {} };
  }
  return {
    routes: [top, ...askedTogether(of, listings)],
    collections: { [id]: collectionOf(of, listings, parts) },
  };
}

function linkedListings(
  { id, columns }: Links,
  parts: LinksParts,
  ask: LinkedListingsOptions['ask'],
): LinkedListings {
  return new LinkedListings({ ...parts, kind: id, columns, ask });
}

/** Each directory costs a question of its own: a walk that does not begin there passes over it. */
function eachAsked({ path, directories }: NamedLinks, listings: LinkedListings): Route[] {
  return Object.entries(directories).flatMap(([name, about]): Route[] => [
    {
      pattern: `${path}/${name}`,
      type: 'directory',
      about,
      costly: () => !listings.isFresh(name),
    },
    ...listings.routes(`${path}/${name}`, about, () => name),
  ]);
}

/** One question brings all of them in step, so that none is costly. */
function askedTogether({ id, path, directories }: NamedLinks, listings: LinkedListings): Route[] {
  return Object.entries(directories).flatMap(([name, about]): Route[] => [
    { pattern: `${path}/${name}`, type: 'directory', about },
    ...listings
      .routes(`${path}/${name}`, about, () => name)
      .map(({ costly: _costly, prepare: _prepare, ...route }) => ({ ...route, needs: [id] })),
  ]);
}

function collectionOf(
  { directories, findAll }: NamedLinks,
  listings: LinkedListings,
  { store }: LinksParts,
): Collection {
  const names = Object.keys(directories);
  return {
    scope: [],
    heldSince: () => {
      const times = names.map((name) => listings.heldSince(name));
      const oldest = times.includes(null) ? null : Math.min(...times.map(Number));
      // What was written here since may have come to be in it, or not to be any more.
      return oldest !== null && (store.wroteAt ?? 0) >= oldest ? 0 : oldest;
    },
    lacking: () => names.map((name) => listings.shortfall(name)).find(Boolean) ?? null,
    sync: async () => {
      const found = (await findAll?.()) ?? {};
      for (const name of names) listings.keep(name, ofName(found, name));
    },
  };
}

function ofName(found: Readonly<Record<string, HitList>>, name: string): HitList {
  return found[name] ?? { hits: [], shortfall: null };
}
