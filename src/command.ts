/**
 * What a command is made of: for the modules that a deployment names in `shims`.
 *
 * @module dirigent/command
 */
export { type Command, defineCommand } from 'just-bash';
export { ConfigError, type Errno, FsError, isFsError } from './errors.ts';
export type { NamespaceFs } from './namespace/types.ts';
export type { SearchService } from './search/contract.ts';
export {
  type CommandModule,
  type MountedAt,
  type Network,
  type NetworkAnswer,
  NetworkError,
  type NetworkRequest,
  type ShimHost,
} from './shell/command.ts';
