/**
 * What a mount is made of: the door for every service, the house's own and those that a deployment
 * brings along. A service is its client, its records and its table of routes; `openServiceMount`
 * makes a file system of them.
 *
 * @module dirigent/mount
 */

// What a mount is, and how an operation of it fails.

export { ConfigError, type Errno, FsError, type FsErrorInit, isFsError } from '../errors.ts';
export { schemaFaults } from '../schema-faults.ts';
export { readYaml, type Yaml, YamlFault, type YamlLimits } from '../yaml.ts';
export type { Progress } from './contract/activity.ts';
export type {
  Capacity,
  Dirent,
  FileType,
  Mode,
  Mount,
  MountStat,
  MountUsage,
  Probe,
} from './contract/contract.ts';
export type { CallEffect, PlannedCall, ProgramInput, ProgramOutput } from './contract/program.ts';
export { addUsage } from './contract/usage.ts';
export type { WalkedContent, WalkedFile } from './contract/walked-file.ts';
export {
  type Delivery,
  type DeliveryCheck,
  DeliveryRefusal,
  eventText,
  type Heard,
  readBody,
  requireHeader,
  requireRecent,
  requireSignature,
  type Told,
  type Webhook,
  type WebhookEvent,
} from './contract/webhook.ts';

// What services say of what they take: JSON Schema, which may be hostile.

export { SchemaFault, untrustedSchema } from '../json-schema.ts';

// The line to a service: requests, limits, and failures as sentences.

export { type Conceal, concealedData, concealing } from '../conceal.ts';
export { askAgain } from './client/asking-again.ts';
export { Breaker } from './client/breaker.ts';
export { type Allowance, Budget, type BudgetOptions } from './client/budget.ts';
export { Cursors } from './client/cursors.ts';
export {
  clock,
  expectShape,
  type FailureKind,
  failureOfFetch,
  kindOfCode,
  ServiceFailure,
  tryAgain,
} from './client/failure.ts';
export { Flights, Pool } from './client/flight.ts';
export {
  type GraphqlAnswer,
  GraphqlClient,
  type GraphqlOptions,
  type GraphqlSending,
  type GraphqlVariables,
  mutation,
} from './client/graphql.ts';
export type { GraphqlError, GraphqlRefusals, GraphqlReply } from './client/graphql-answers.ts';
export { type HttpAnswer, HttpClient, type HttpOptions, type Refusal } from './client/http.ts';
export {
  byCursor,
  byLink,
  byOffset,
  type Next,
  type OffsetOptions,
  type Page,
  type Query,
  type Within,
} from './client/http-pages.ts';
export { Line, type LineOptions, TIMEOUT_MS } from './client/line.ts';
export { Meter } from './client/meter.ts';
export type { ClientOptions, ServiceClient } from './client/options.ts';
export type { Redirect } from './client/redirects.ts';
export { type RefusalWords, refusalByWord } from './client/refusals.ts';

// Records: their fields, and their form as a file.

export { nearest, someOf, unknownName } from '../nearest.ts';
export {
  choice,
  coded,
  count,
  day,
  type FieldKind,
  type FieldOptions,
  field,
  flag,
  flagSince,
  line,
  list,
  listChanges,
  moment,
  named,
  prose,
  shown,
} from './record/fields.ts';
export { fileNameOf, keyNamed } from './record/file-name.ts';
export {
  type Frontmatter,
  FrontmatterError,
  parseFrontmatter,
  renderFrontmatter,
} from './record/frontmatter.ts';
export { type Person, peopleHint, personOf } from './record/people.ts';
export {
  type FieldSpec,
  type Problem,
  parseRecord,
  RecordError,
  type RecordType,
  renderRecord,
  renderTemplate,
  type Values,
} from './record/record.ts';

// The replica, what is kept of a service; and what is on its way to it.

export type { ChangeOp, ChangeResult, ChangeState, ServiceRequest } from '../changes/change.ts';
export type { ChangeJournal } from '../changes/journal.ts';
export type {
  ListingState,
  RecordHead,
  RecordInput,
  Replica,
  StoredRecord,
} from '../replica/replica.ts';
export { type Origin, RECENT_MS, ServiceStore } from './table/service-store.ts';

// The table: one row a path pattern.

export type {
  Collection,
  Content,
  Create,
  Eagerness,
  Edit,
  Entry,
  NamedEntry,
  Outcome,
  Params,
  ParamType,
  Program,
  ProgramRequest,
  Remove,
  RemoveTree,
  Replace,
  Route,
  Service,
  Versioned,
} from './table/route.ts';
export { dateOf, latestOf, recordEntry, tsvContent, tsvEntry } from './table/tsv.ts';
export {
  UPLOAD_NAME,
  type Upload,
  type UploadParts,
  type UploadPlace,
  uploadRoutes,
  uploadsIn,
} from './table/uploads.ts';

// Reading: when is asked, what is found, and how a long listing goes on where it stood.

export type { Freshness } from './reading/freshness.ts';
export {
  HIT_NAME,
  type Hit,
  type HitList,
  LinkedListings,
  QUERY_NAME,
  searchRoutes,
} from './reading/linked-listings.ts';
export type { ChangeProbe } from './reading/prober.ts';
export type { Question } from './reading/question.ts';
export { Singles } from './reading/singles.ts';
export {
  isUnderWay,
  type Kept,
  type Round,
  readWhole,
  type Step,
  type WholeListing,
} from './reading/whole-listing.ts';

// Opening: the mount, of all of that.

export type { MountModule, MountModuleOptions } from './service/module.ts';
export {
  openServiceMount,
  type ServiceDefinition,
  type ServiceOptions,
  type ServiceParts,
} from './service/opening.ts';
export type { ServiceMount } from './service/service-mount.ts';

// Or, shorter: a service said by its resources, of which the table and its upkeep follow.

export {
  ascending,
  type Brought,
  type Column,
  descending,
  directories,
  type Got,
  type Identity,
  identity,
  type ListedPage,
  type Listing,
  type MatchedTags,
  type Owner,
  type Place,
  type Resource,
  type ResourceSpec,
  type RowsOf,
  resource,
  type Scope,
  type TableOf,
  type View,
  view,
} from './resource/definition.ts';
export type { Family } from './resource/family.ts';
export {
  type Asking,
  type Joint,
  type JointListing,
  type JointPage,
  joint,
} from './resource/joint.ts';
export {
  openResourceMount,
  type ResourceClient,
  type ResourceParts,
  type ServiceSpec,
} from './resource/opening.ts';
export {
  type Answer,
  type Finding,
  finding,
  firstOf,
  type Inquiry,
  type Links,
} from './resource/questions.ts';
export {
  at,
  type FieldAt,
  ifAny,
  type RecordTable,
  record,
  times,
} from './resource/record-table.ts';
export {
  type Related,
  type RelationField,
  type Relations,
  type RelationsSpec,
  relationLists,
} from './resource/relations.ts';

// Kinds of resources that are ready.

export { conversations } from './resource/conversations.ts';
export type { FieldsOf, TimeForm } from './resource/fields-of.ts';
export {
  type CollectionSpec,
  type Collections,
  type CollectionsOfOne,
  type Following,
  Graph,
  type GraphChange,
  type GraphSpec,
  type Kind,
  type Latest,
  selectionOf,
} from './resource/graph.ts';
export {
  type Meant,
  type Named,
  type NameField,
  type NameFields,
  nameFields,
  namesAt,
  naming,
} from './resource/name-fields.ts';
export { type Member, type People, type PeopleSpec, people } from './resource/people.ts';
export {
  keyColumns,
  type Table,
  type TableColumn,
  type TableInput,
  type TableKey,
  type TableRow,
  type TableValue,
} from './resource/table-fields.ts';
export { type Selection, type TableStore, tableRows } from './resource/table-rows.ts';
export type {
  Channel,
  Conversations,
  Message,
  MessagesSpec,
  Said,
  Talk,
} from './resource/talk.ts';
