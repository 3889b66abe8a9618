/** What an agent's tools act with: the shell and the files of a world, on that agent's behalf. */
import { isWithin } from '../namespace/paths.ts';
import type { ActingContext } from '../policy/context.ts';
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

/** On whose behalf a world is acted on. */
export type HandsContext = Partial<ActingContext> & Pick<ActingContext, 'actor'>;

/**
 * @param services mount points of services
 * @param context who acts, in which turn, with which rights
 */
export function worldHands(
  world: World,
  services: readonly string[],
  context: HandsContext,
): Hands {
  const requests = (point: string): number => world.usage()[point]?.requests ?? 0;
  return {
    exec: async (command, options) => {
      const near = (point: string): boolean =>
        command.includes(point) || isWithin(point, world.cwd);
      const before = services.map((point) => (near(point) ? -1 : requests(point)));
      const result = await world.exec(command, {
        ...options,
        context: { origin: 'shell', ...context },
      });
      // Rather one label too many: a replica answers without a request.
      const untrusted = services.filter(
        (point, index) => requests(point) > (before[index] ?? 0) || near(point),
      );
      return { ...result, untrusted };
    },
    files: world.fsAs({ origin: 'tool', ...context }),
    originsOf: (path) => services.filter((point) => isWithin(point, path)),
    get cwd() {
      return world.cwd;
    },
  };
}
