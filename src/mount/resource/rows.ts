/** The rows of the core's table that resources and views stand for. */
import { createHash } from 'node:crypto';
import type { StoredRecord } from '../../replica/replica.ts';
import type { Freshness } from '../reading/freshness.ts';
import { renderRecord, renderTemplate } from '../record/record.ts';
import type { Content, NamedEntry, Params, Route } from '../table/route.ts';
import { dateOf, latestOf, recordEntry, tsvContent, tsvEntry } from '../table/tsv.ts';
import { type UploadParts, uploadRoutes } from '../table/uploads.ts';
import type { Column, Resource } from './definition.ts';
import { above, isFile, ownParam, paramsOf, through } from './paths.ts';
import { fileOf, nameOf } from './record-names.ts';
import type { Records } from './records.ts';
import type { Syncing } from './syncing.ts';
import { type AnyView, groupsOf, isOfOne } from './views.ts';
import type { Writes } from './writes.ts';

type AnyResource = Resource<unknown>;

export interface RowsOptions {
  resources: readonly AnyResource[];
  records: Records;
  syncing: Syncing<unknown>;
  writes: Writes;
  freshness: Freshness;
  /** What texts may link to; null where a service keeps no files. */
  uploads: UploadParts | null;
}

/** What looks at records asks for them first: by listings, and by name where these do not reach. */
type Asking = Pick<Route, 'needs' | 'prepare' | 'costly' | 'listed' | 'prefetch' | 'prefetched'>;

export class Rows {
  readonly #options: RowsOptions;

  constructor(options: RowsOptions) {
    this.#options = options;
  }

  /** The rows of a resource: its records, and where new ones are written. */
  resource(of: AnyResource): Route[] {
    const { records, writes, syncing } = this.#options;
    const { path } = of;
    if (path === undefined) return [];
    const asking = this.#asking(path, of);
    const row: Route = {
      pattern: path,
      about: of.about,
      type: isFile(path) ? 'file' : 'directory',
      ...asking,
      ...this.#whole(of, asking),
      ...(of.document === true ? { document: true } : {}),
      ...((of.of ?? of).moved && {
        elsewhere: (params) => records.elsewhere(of, params)?.says ?? null,
      }),
      entries: (params) => this.#entries(of, params),
      stat: (params) => {
        const found = records.find(of, params);
        return found && recordEntry(found);
      },
    };
    if (!isFile(path)) return [row, ...this.#uploads(of, asking)];
    const directory = this.#directory(of, path);
    if (of.linked === true) return [...directory, this.#link(of, row)];
    const [edit, create, remove] = [writes.edit(of), writes.create(of), writes.remove(of)];
    const readOnly = of.readOnly ?? 'it is only shown here';
    const file: Route = {
      ...row,
      read: (params) => this.#content(of, params),
      ...(edit && { edit }),
      ...(remove && { remove }),
      ...((edit ?? remove) ? {} : { readOnly }),
      ...(of.removeHint === undefined ? {} : { removeHint: of.removeHint }),
    };
    if (create === undefined) return [...directory, file];
    const needs = (asking.needs ?? []).filter((id) => id !== syncing.collectionOf(of));
    const chain = syncing.chain(path, of).filter((one) => one !== of);
    const owners = through(path, this.#options.resources);
    const isAskedAhead = (one: AnyResource): boolean =>
      !syncing.isKnownByName(one) && (owners.includes(one) || !syncing.isJoint(one));
    return [
      ...directory,
      file,
      {
        pattern: `${above(path)}/new${path.slice(path.lastIndexOf('.'))}`,
        type: 'file',
        about: 'write here to make one; reading gives a template',
        hidden: true,
        needs,
        prepare: async (params, purpose, eagerness) => {
          const isRead = purpose === 'read';
          // A write asks for what it checks, once its change is noted.
          const leading = isRead ? [...chain, ...(of.offers ?? [])] : chain.filter(isAskedAhead);
          await syncing.ensure(leading, params, eagerness);
        },
        read: (params) => ({ text: this.#template(of, params), version: '', mtime: new Date(0) }),
        create,
      },
    ];
  }

  /** The row of a view. */
  view(made: AnyView): Route {
    const { records, freshness, syncing } = this.#options;
    const { of, by } = made;
    const chain = syncing.chain(made.path, of);
    const asking = this.#asking(made.path, of);
    const members = (params: Params) => records.members(made, params);
    // A table of nothing is a table.
    const isThere = (all: readonly StoredRecord[]) =>
      all.length > 0 || (by === undefined && !isOfOne(made));
    const read = (params: Params) => {
      const all = members(params);
      return isThere(all) ? this.#made(made, all, params) : null;
    };
    return {
      pattern: made.path,
      type: 'file',
      about: made.about,
      ...asking,
      prepare: async (params, purpose, eagerness) => {
        await syncing.ensure(chain, params, eagerness);
        const lacking = purpose === 'read' && !isOfOne(made) ? syncing.lacking(of, params) : null;
        if (lacking !== null) freshness.notice(`${of.id}: incomplete, ${lacking}`);
      },
      ...(made.document === true ? { document: true } : {}),
      ...(made.hidden === true ? { hidden: true } : {}),
      readOnly: made.readOnly ?? 'it is made of the records: write those',
      ...(isOfOne(made) &&
        (made.rows ?? made.where) && { where: (params: Params) => read(params) !== null }),
      ...(by === undefined
        ? this.#beside(made)
        : { entries: (params) => this.#groups(made, params) }),
      stat: (params) => {
        const all = members(params);
        if (!isThere(all) || (isOfOne(made) && this.#made(made, all, params) === null)) return null;
        return tsvEntry(all);
      },
      read,
    };
  }

  /** A directory of records whose listing costs a request of its own: walks pass over it, too, until it was listed. */
  directory(route: Route): Route {
    const { resources, syncing } = this.#options;
    const own = resources.filter(
      ({ costly, list, path = '' }) =>
        costly === true && list !== undefined && above(path) === route.pattern,
    );
    if (route.type !== 'directory' || route.costly !== undefined || own.length === 0) return route;
    return { ...route, costly: (params) => own.some((one) => !syncing.isFresh(one, params)) };
  }

  // --- within

  #asking(pattern: string, of: AnyResource): Asking {
    const { syncing } = this.#options;
    const chain = syncing.chain(pattern, of);
    const prepare: Route['prepare'] = (params, _purpose, eagerness) =>
      syncing.ensure(chain, params, eagerness);
    const isCostly = (one: AnyResource): boolean => (one.of ?? one).costly === true;
    const costly = chain.filter(isCostly);
    if (costly.length === 0) {
      const { needs } = this.#needing(chain);
      const isFresh = (params: Params): boolean =>
        of.names !== undefined || syncing.isFresh(of, params);
      return { ...(needs.length > 0 ? { needs } : { listed: isFresh }), prepare };
    }
    const isHeld = (params: Params): boolean => costly.every((one) => syncing.isFresh(one, params));
    return {
      prepare,
      listed: () => true,
      costly: (params) => !isHeld(params),
      // A walk over more than this directory passes over it; one that begins here asks for it.
      prefetch: async (params, named) => {
        if (named) await syncing.ensure(chain, params, 'cover');
      },
      prefetched: (params, named) => !named || isHeld(params),
    };
  }

  #directory(of: AnyResource, path: string): Route[] {
    const { records, syncing } = this.#options;
    const { directory: about, isThere } = of;
    if (about === undefined) return [];
    const row: Route = { pattern: above(path), type: 'directory', about };
    if (isThere === undefined) return [row];
    const chain = syncing.chain(path, of).filter((one) => one !== of);
    const where = (params: Params) => isThere.call(of, records.place(params));
    return [
      {
        ...row,
        ...this.#needing(chain),
        where,
        stat: (params) => (where(params) ? { size: 1, mtime: new Date(0) } : null),
      },
    ];
  }

  /** A row that leads to where its records are. */
  #link(of: AnyResource, { document: _document, ...row }: Route): Route {
    const { records } = this.#options;
    return {
      ...row,
      readOnly: of.readOnly ?? 'it leads to the record: write that one',
      target: (params) => {
        const found = records.find(of, params);
        return found && records.pathOf(of.of ?? of, params, found.value);
      },
    };
  }

  /** `attachments/` of each record. */
  #uploads(of: AnyResource, { needs = [], prepare }: Asking): Route[] {
    const { records, uploads } = this.#options;
    const { path = '', uploads: textsOf } = of;
    if (textsOf === undefined || uploads === null || prepare === undefined) return [];
    const texts = (params: Params) => {
      const found = records.find(of, params);
      return found === null ? [] : textsOf.call(of, found.value, records.place(params));
    };
    return uploadRoutes(uploads, { record: path, needs, prepare, texts });
  }

  /** The collections that bring resources in step. */
  #needing(chain: readonly AnyResource[]): Required<Pick<Route, 'needs'>> {
    const { syncing } = this.#options;
    return {
      needs: chain.flatMap((one) =>
        syncing.isKnownByName(one) ? [] : (syncing.collectionOf(one) ?? []),
      ),
    };
  }

  /** Of records that listings give a part of: the rest is asked for when a file is read. */
  #whole(of: AnyResource, { prepare, costly }: Asking): Pick<Route, 'prepare' | 'costly'> {
    if (of.isWhole === undefined || !isFile(of.path ?? '')) return {};
    const { records, syncing } = this.#options;
    return {
      prepare: async (params, purpose, eagerness) => {
        await prepare?.(params, purpose, eagerness);
        if (purpose === 'read') await syncing.ensureWhole(of, params);
      },
      costly: (params) =>
        (typeof costly === 'function' && costly(params)) || !records.isWhole(of, params),
    };
  }

  #entries(of: AnyResource, params: Params): NamedEntry[] {
    const { records } = this.#options;
    const named = of.names?.(params);
    if (named !== undefined) return named.map((name) => ({ name, size: 1, mtime: new Date(0) }));
    return records
      .all(of, params)
      .filter(({ value }) => of.listed?.(value) !== false)
      .map((record) => ({ ...recordEntry(record), name: nameOf(of, record.value) }));
  }

  #content(of: AnyResource, params: Params): Content | null {
    const { records, writes } = this.#options;
    const found = records.find(of, params);
    if (found === null) return null;
    const { value, updatedAt } = found;
    const text =
      of.text?.(value, records.place(params)) ??
      renderRecord(writes.typeOf(of, params), writes.values(of, params, value));
    return { text, version: found.version, mtime: dateOf(updatedAt) };
  }

  #template(of: AnyResource, params: Params): string {
    const { records, writes } = this.#options;
    const allowed = of.allowed?.(records.place(params)) ?? {};
    return renderTemplate(writes.typeOf(of, params, true), allowed);
  }

  /** A file beside each directory of a resource is listed with it. */
  #beside({ path }: AnyView): Pick<Route, 'entries'> {
    const last = paramsOf(path.slice(above(path).length)).at(-1);
    const of = this.#options.resources.find(
      (one) => one.path !== undefined && above(one.path) === above(path) && ownParam(one) === last,
    );
    return of === undefined ? {} : { entries: (params) => this.#entries(of, params) };
  }

  #groups(made: AnyView, params: Params): NamedEntry[] {
    const members = new Map<string, StoredRecord[]>();
    for (const record of this.#options.records.members(made, params)) {
      for (const group of groupsOf(made, record.value)) {
        members.set(group, [...(members.get(group) ?? []), record]);
      }
    }
    return [...members].map(([name, all]) => ({ ...tsvEntry(all), name }));
  }

  /** The row of one record, by what the columns are of. */
  #row(
    of: AnyResource,
    columns: readonly Column<unknown>[],
    value: unknown,
    params: Params,
  ): string[] {
    const values = this.#options.writes.values(of, params, value);
    const file = fileOf(of, value);
    return columns.map((column) => {
      const cell = typeof column === 'string' ? column : column[1];
      if (typeof cell !== 'string') return cellOf(cell(value));
      return cellOf(cell === 'file' ? file : values[cell]);
    });
  }

  #made(made: AnyView, all: readonly StoredRecord[], params: Params): Content | null {
    const place = this.#options.records.place(params);
    const values = all.map(({ value }) => value);
    const { order } = made;
    if (order !== undefined) values.sort((a, b) => order.call(made, a, b));
    const columns = made.columnsAt?.(place) ?? made.columns;
    if (columns !== undefined) {
      const shown = values.filter((value) => made.where?.(value, place) !== false);
      const row = made.rows ?? ((value) => [this.#row(made.of, columns, value, params)]);
      const rows = shown.flatMap((value) => row.call(made, value, place));
      if (rows.length === 0 && isOfOne(made)) return null;
      return tsvContent(columns.map(headOf), rows, all);
    }
    const text = made.text?.(values, place) ?? null;
    if (text === null) return null;
    const digest = createHash('sha256').update(all.map(({ version }) => version).join());
    const mtime = dateOf(latestOf(all.map(({ updatedAt }) => updatedAt)));
    return { text, version: digest.digest('hex').slice(0, 16), mtime };
  }
}

const headOf = (column: Column<unknown>): string =>
  typeof column === 'string' ? column : column[0];

function cellOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value ?? '');
}

/** Directories that stand between those of the resources, with nothing to list of their own. */
export function directoriesBetween(routes: readonly Route[]): Route[] {
  const known = new Set(routes.map(({ pattern }) => pattern));
  const between: Route[] = [];
  for (const { pattern } of routes) {
    for (let up = above(pattern); up !== '' && !known.has(up); up = above(up)) {
      known.add(up);
      between.push({ pattern: up, type: 'directory', about: up.slice(up.lastIndexOf('/') + 1) });
    }
  }
  return between;
}
