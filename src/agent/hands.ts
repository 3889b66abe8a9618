/** What an agent's tools act with: the shell and the files of a world, on that agent's behalf. */
import type { ActingContext } from '../policy/context.ts';
import type { CallWatch } from '../world/supervisor.ts';
import type { ExecOptions, ExecResult, World, WorldFs } from '../world/world.ts';

/** The file operations that tools need. */
export type AgentFiles = Pick<
  WorldFs,
  'exists' | 'mkdir' | 'readdir' | 'readFileBuffer' | 'resolvePath' | 'stat' | 'writeFile'
>;

/** Shell and files, as one agent may use them. */
export interface Hands {
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
  readonly files: AgentFiles;
  readonly cwd: string;
  /** The same for one call of a tool, of which it is known what it read. */
  forCall(watch?: Omit<CallWatch, 'onRead'>): CallHands;
}

/** Shell and files for one call. */
export interface CallHands extends Hands {
  /** Points of the service mounts that the call has read so far: where text in its result may come from. */
  origins(): string[];
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
  const handsOf = (watch: CallWatch): Hands => ({
    exec: async (command, options) => {
      const { onParked, onTraffic } = watch;
      const result = await world.exec(command, {
        ...options,
        ...(onParked === undefined ? {} : { onParked }),
        ...(onTraffic === undefined ? {} : { onTraffic }),
        context: { origin: 'shell', ...context },
      });
      // Of a command that was killed it is not known: rather one label too many.
      watch.onRead?.(result.read ?? services);
      return result;
    },
    files: world.fsAs({ origin: 'tool', ...context }, watch),
    get cwd() {
      return world.cwd;
    },
    forCall: (more = {}) => {
      const read = new Set<string>();
      const hands = handsOf({
        ...more,
        onRead: (points) => {
          for (const point of points) read.add(point);
        },
      });
      return Object.assign(hands, { origins: () => services.filter((point) => read.has(point)) });
    },
  });
  return handsOf({});
}
