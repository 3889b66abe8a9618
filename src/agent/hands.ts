/** What an agent's tools act with: the shell and the files of a world, on that agent's behalf. */
import { isWithin } from '../namespace/paths.ts';
import type { ExecOptions, ExecResult, World, WorldFs } from '../world/world.ts';

/** The file operations that tools need. */
export type AgentFiles = Pick<
  WorldFs,
  'exists' | 'mkdir' | 'readdir' | 'readFileBuffer' | 'resolvePath' | 'stat' | 'writeFile'
>;

/** A command's result, and where text in it may come from. */
export interface HandsResult extends ExecResult {
  /** Mount points of services that it read. */
  untrusted: string[];
}

/** Shell and files, as one agent may use them. */
export interface Hands {
  exec(command: string, options: ExecOptions): Promise<HandsResult>;
  readonly files: AgentFiles;
  /** The service mounts whose text a read of the path may bring. */
  originsOf(path: string): string[];
  readonly cwd: string;
}

/** @param services mount points of services */
export function worldHands(world: World, services: readonly string[]): Hands {
  return {
    exec: async (command, options) => ({
      ...(await world.exec(command, options)),
      untrusted: services.filter((point) => command.includes(point)),
    }),
    files: world.fs,
    originsOf: (path) => services.filter((point) => isWithin(point, path)),
    get cwd() {
      return world.cwd;
    },
  };
}
