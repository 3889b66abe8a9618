/**
 * What a mount of a service is made of: for the modules that a deployment brings along.
 *
 * @module dirigent/mount
 */
export type { ChangeJournal } from '../changes/journal.ts';
export { ConfigError, type Errno, FsError, isFsError } from '../errors.ts';
export type { RecordHead, Replica, StoredRecord } from '../replica/replica.ts';
export { expectShape, failureOfFetch, ServiceFailure } from './client/failure.ts';
export { type HttpAnswer, HttpClient, type HttpOptions } from './client/http.ts';
export type { ClientOptions } from './client/options.ts';
export type { Mount } from './contract/contract.ts';
export {
  type Found,
  HIT,
  type Hit,
  LinkedListings,
  QUERY,
  searchRoutes,
} from './reading/linked-listings.ts';
export type { RecordType, Values } from './record/record.ts';
export type { MountModule, MountModuleOptions } from './service/module.ts';
export {
  openServiceMount,
  type ServiceDefinition,
  type ServiceOptions,
  type ServiceParts,
} from './service/opening.ts';
export type { ServiceMount } from './service/service.ts';
export type { Content, Entry, NamedEntry, Params, Route, Service } from './table/route.ts';
export { ServiceStore } from './table/service-store.ts';
export { dateOf, tsvContent } from './table/tsv.ts';
