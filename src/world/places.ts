/** What of a world is where. */
import type { MountSpec, SourceKind } from './protocol.ts';

/** A mount, as front ends see it. */
export interface WorldMount {
  point: string;
  /** `disk`, `memory`; of a service its name. */
  kind: string;
  /** Its text comes from a service outside, and is not to be trusted. */
  service: boolean;
}

/** A directory of the host that files of a world are in. */
export interface HostDirectory {
  directory: string;
  /** In a few words: `mounted at /workspace`, `the state directory`. */
  what: string;
}

/** What every world has; an agent need not be told of it as mounted. */
const OWN: ReadonlySet<SourceKind> = new Set([
  'bin',
  'dev',
  'changes',
  'approvals',
  'questions',
  'schedule',
  'harness',
  'session',
]);

/** What is mounted, but for what belongs to every world. */
export function visible(mounts: readonly MountSpec[]): WorldMount[] {
  return mounts
    .filter(({ point, source }) => point !== '/' && !OWN.has(source.kind))
    .map(({ point, source }) => {
      const service = source.kind === 'service';
      return { point, kind: service ? source.scheme : source.kind, service };
    });
}

/** Where on the host the files of a world are, and its state. */
export const hostDirectoriesOf = (mounts: readonly MountSpec[], state: string): HostDirectory[] => [
  ...mounts.flatMap(directoriesOf),
  { directory: state, what: 'the state directory' },
];

/** Where on the host the files of a mount are. */
function directoriesOf({ point, source }: MountSpec): HostDirectory[] {
  const what = `mounted at ${point}`;
  if (source.kind === 'disk') return [{ directory: source.root, what }];
  if (source.kind !== 'harness' || source.own === null) return [];
  return [{ directory: source.own, what }];
}
