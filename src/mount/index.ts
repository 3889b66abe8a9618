/**
 * What a mount of a service is made of: for the modules that a deployment brings along.
 *
 * @module dirigent/mount
 */
export type { ChangeJournal } from '../changes/journal.ts';
export { ConfigError, type Errno, FsError, isFsError } from '../errors.ts';
export type { RecordHead, Replica, StoredRecord } from '../replica/replica.ts';
export type { Mount } from './contract.ts';
export { expectShape, failureOfFetch, ServiceFailure } from './failure.ts';
export { type HttpAnswer, HttpClient, type HttpOptions } from './http.ts';
export {
  type Found,
  HIT,
  type Hit,
  LinkedListings,
  QUERY,
  searchRoutes,
} from './linked-listings.ts';
export type { MountModule, MountModuleOptions } from './module.ts';
export {
  type ClientOptions,
  openServiceMount,
  type ServiceDefinition,
  type ServiceOptions,
  type ServiceParts,
} from './opening.ts';
export type { RecordType, Values } from './record.ts';
export type { Content, Entry, NamedEntry, Params, Route, Service } from './route.ts';
export type { ServiceMount } from './service.ts';
export { ServiceStore } from './service-store.ts';
export { dateOf, tsvContent } from './tsv.ts';
