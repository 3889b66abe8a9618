/** Opens a mount of a service that is said by its resources: rows, collections and their upkeep follow. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { expectShape } from '../client/failure.ts';
import type { ClientOptions, ServiceClient } from '../client/options.ts';
import { HIT_NAME, QUERY_NAME } from '../reading/linked-listings.ts';
import type { RecordType } from '../record/record.ts';
import {
  openServiceMount,
  type ServiceDefinition,
  type ServiceOptions,
  type ServiceParts,
} from '../service/opening.ts';
import type { ServiceMount } from '../service/service-mount.ts';
import type { Params, ParamType, Route, Service } from '../table/route.ts';
import { ServiceStore } from '../table/service-store.ts';
import { UPLOAD_NAME, type UploadParts } from '../table/uploads.ts';
import type { Identity, Resource, Scope, View } from './definition.ts';
import type { Family } from './family.ts';
import { Findings } from './findings.ts';
import { Inquiries } from './inquiries.ts';
import type { Joint } from './joint.ts';
import { linkedTable } from './links.ts';
import { ownParam, paramsOf, placeParams } from './paths.ts';
import type { Finding, Inquiry, Links } from './questions.ts';
import { Records } from './records.ts';
import { directoriesBetween, Rows } from './rows.ts';
import { Syncing } from './syncing.ts';
import { filesOf, tableOf } from './views.ts';
import { type Sender, Writes } from './writes.ts';

/** A line to a service that carries out what resources ask and request. */
export type ResourceClient = ServiceClient & Sender;

/** A service, said by its resources. */
export interface ServiceSpec<C extends ResourceClient, S extends ServiceStore = ServiceStore> {
  /** Says who the credential is: the account, and what `dirigent doctor` shows, in place of these two. */
  self?: Identity<unknown, C>;
  /** Asks who the credential is: see {@link ServiceDefinition}. */
  account?: ServiceDefinition<C, S>['account'];
  /** Asks whether the credential and what the mount is narrowed to are good: see {@link ServiceDefinition}. */
  probe?: ServiceDefinition<C, S>['probe'];
  /** `tracker`: what names in the replica and the journal begin with. */
  kind: string;
  /** The file of this machine that it is made of, where it is: what is kept of two of them is kept apart. */
  file?: string | null;
  /** What sentences call it: `Tracker`. */
  title: string;
  /** A paragraph for README.md. */
  about: string;
  /** Limits and habits worth knowing, a line each, for README.md. */
  hints?: readonly string[];
  /** Kinds of records whose fields depend on their place, as far as they are the same everywhere: for README.md. */
  records?: readonly RecordType[];
  params?: Readonly<Record<string, ParamType>>;
  /**
   * Collections in the replica that nothing is kept under any more, by their names, or by how these
   * began (`issues:`, `issues/`): what an earlier version left there is dropped when the mount is opened.
   */
  former?: readonly string[];
  /** Makes the client. */
  client(options: ClientOptions): C;
  /** Does a listing know of every write that was answered before it was asked for? Databases' do. */
  consistent?: boolean;
  /** How it is told cheaply that something changed: see {@link ServiceDefinition}. */
  changes?: ServiceDefinition<C, S>['changes'];
  /** What the mount is narrowed to: parameters of paths that do not have them. */
  narrowed?: Params;
  /** Is there a `search/QUERY/` that has what the service itself finds? */
  search?: boolean;
  /** What texts of its records may link to that lies with the service. */
  uploads?(client: C): Omit<UploadParts, 'title' | 'store'>;
  /** Kinds of resources that the layer has ready, such as `tableRows`: they bring what they need of all below. */
  families?: readonly Family[];
  resources?: readonly Resource<unknown>[];
  /** Questions that list several of them at once. */
  joints?: readonly Joint<never>[];
  views?: readonly View<unknown>[];
  inquiries?: readonly Inquiry<never>[];
  findings?: readonly Finding<unknown, never>[];
  /** Makes a store that knows more than others do: see {@link ServiceDefinition}. */
  store?: ServiceDefinition<C, S>['store'];
  /** What it brings of its own beside what follows of its resources. */
  more?(parts: ResourceParts<C, S>): OwnParts;
}

/** Rows for what is no record. */
export interface OwnParts extends Partial<Pick<Service, 'routes' | 'collections'>> {
  /** What the service names in answer to questions of its own. */
  links?: readonly Links[];
}

/** What rows of a mount's own are made of. */
export interface ResourceParts<C, S = ServiceStore> extends ServiceParts<C, S> {
  /** What is known at a place, and can be asked for. */
  scope(params: Params): Scope<C>;
  /** Stores what an answer brought of a resource; the value as it is held, null where it is gone. */
  put<T>(of: Resource<T>, params: Params, raw: unknown): T | null;
  /** Forgets all that is held of a resource at a place that is gone. */
  forget(of: Resource<unknown>, params: Params): void;
}

/**
 * Opens the mount.
 * @throws ConfigError where two rows can stand for one path; what the client throws
 */
export function openResourceMount<C extends ResourceClient, S extends ServiceStore = ServiceStore>(
  options: ServiceOptions,
  spec: ServiceSpec<C, S>,
): ServiceMount {
  const { kind, title, about, hints = [], self, changes, joints = [], narrowed = {} } = spec;
  const { account, probe } = self === undefined ? spec : identified(title, self);
  const said = withFamilies(spec);
  const all = self === undefined ? said.resources : [self, ...said.resources];
  const resources = all.map((one) => narrowedTo(narrowed, one));
  const views = [...resources.flatMap(filesOf), ...resources.flatMap(tableOf), ...said.views];
  return openServiceMount(options, {
    kind: spec.file ? `${kind}-${digestOf(spec.file)}` : kind,
    title,
    ...(account && { account }),
    ...(probe && { probe }),
    ...(changes && { changes }),
    client: (given) => spec.client(given),
    store: spec.store ?? ((...given) => new ServiceStore(...given) as S),
    table: (parts) => {
      const { client, store, freshness, freshMs, reconcileMs, now } = parts;
      const consistent = spec.consistent === true;
      const places = { resources, joints, narrowed };
      dropFormer(store, spec.former ?? []);
      const { params } = said;
      const uploads = spec.uploads === undefined ? null : { title, store, ...spec.uploads(client) };
      const records = new Records(store, { title, views, consistent, params, uploads, ...places });
      const syncing = new Syncing<unknown>({
        client,
        records,
        ...places,
        freshness,
        freshMs,
        reconcileMs,
        now,
      });
      const writes = new Writes({ client, records, syncing, resources });
      const rows = new Rows({ resources, records, syncing, writes, freshness, uploads });
      const scope = (params: Parameters<typeof syncing.scope>[0]) => syncing.scope(params);
      const inquiries = new Inquiries({ store, freshness, now, scope: scope as never });
      const findings = new Findings({ records, syncing, freshness, now });
      const more = spec.more?.({
        ...parts,
        scope: scope as never,
        put: <T>(of: Resource<T>, params: Params, raw: unknown) =>
          (records.put(of, params, raw, 'lookup')?.value ?? null) as T | null,
        forget: (of, params) => records.forget(of, params),
      });
      const links = (more?.links ?? []).map((one) =>
        linkedTable(one, { ...parts, title, narrowed }),
      );
      const routes: Route[] = [
        ...resources.flatMap((one) => rows.resource(one)),
        ...views.map((one) => rows.view(one)),
        ...said.inquiries.flatMap((one) => inquiries.rows(one)),
        ...said.findings.flatMap((one) => findings.rows(one)),
        ...links.flatMap((one) => one.routes),
        ...(more?.routes ?? []),
      ];
      return {
        about,
        hints,
        ...(spec.records && { records: spec.records }),
        ofRecords: true,
        stamped: true,
        ...(writes.together && { together: writes.together }),
        params: { query: QUERY_NAME, hit: HIT_NAME, file: UPLOAD_NAME, ...params },
        ...(spec.search === true ? { search: true } : {}),
        collections: Object.assign(
          {},
          syncing.collections,
          more?.collections,
          ...links.map((one) => one.collections),
        ),
        routes: [...directoriesBetween(routes), ...routes].map((route) => rows.directory(route)),
      };
    },
  });
}

/** What a service says, with what its families say for it. */
function withFamilies({
  families = [],
  ...own
}: Partial<Family> & { families?: readonly Family[] }) {
  const all = [...families, own];
  return {
    params: Object.assign({}, ...all.map(({ params }) => params)) as Family['params'],
    resources: all.flatMap(({ resources = [] }) => resources),
    views: all.flatMap(({ views = [] }) => views),
    inquiries: all.flatMap(({ inquiries = [] }) => inquiries),
    findings: all.flatMap(({ findings = [] }) => findings),
  };
}

/** A resource as a mount shows it that is narrowed: one that its parameter names is the only one. */
function narrowedTo(narrowed: Params, of: Resource<unknown>): Resource<unknown> {
  const { list, path, table, with: beside = [], ...own } = of;
  const only = narrowed[ownParam(of)];
  const isShown = of.unnarrowed !== true || Object.keys(narrowed).length === 0;
  const known = [...paramsOf(path ?? of.at ?? ''), ...Object.keys(narrowed)];
  return {
    ...own,
    with: beside.filter((one) => placeParams(one).every((param) => known.includes(param))),
    ...(only === undefined ? list && { list } : { names: () => [only] }),
    ...(isShown && path !== undefined && { path }),
    ...(isShown && table && { table }),
  };
}

/** Drops what earlier versions kept under names that nothing reads any more. */
function dropFormer({ replica, mount }: ServiceStore, former: readonly string[]): void {
  for (const prefix of former)
    for (const collection of replica.collections(mount, prefix))
      if (collection === prefix || /[:/]$/.test(prefix))
        replica.removeCollection(mount, collection);
}

const digestOf = (file: string): string =>
  createHash('sha256').update(resolve(file)).digest('hex').slice(0, 12);

/** Who the credential is, and what is said of it. */
function identified<C>(
  title: string,
  { ask, schema, key, says }: Identity<unknown, C>,
): Required<Pick<ServiceDefinition<C & ServiceClient, ServiceStore>, 'account' | 'probe'>> {
  const asked = async (client: C) => expectShape(title, schema, await ask(client), 'who we are');
  return {
    account: async (client) => key(await asked(client)),
    probe: async (client) => says(await asked(client)),
  };
}
