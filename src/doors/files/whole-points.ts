import { isWithin } from '../../paths.ts';

/** Mounts of every world whose files are written as a whole: each is a form that is checked. */
const FORMS = ['/session/approvals', '/session/changes', '/session/schedule'];

/** Points of mounts whose files are written as a whole, by a close: services, and forms. */
export const wholePoints = (mounts: readonly { point: string; service: boolean }[]): string[] => [
  ...mounts.flatMap(({ point, service }) => (service ? [point] : [])),
  ...FORMS,
];

/** Points of mounts in memory, in which nothing changes but through the world, and of others inside of those. */
export function memoryPoints(mounts: readonly { point: string; kind: string }[]): {
  inMemory: string[];
  elsewhere: string[];
} {
  const points = (isMemory: boolean): string[] =>
    mounts.flatMap(({ point, kind }) => ((kind === 'memory') === isMemory ? [point] : []));
  const inMemory = points(true);
  const isInside = (point: string): boolean => inMemory.some((memory) => isWithin(memory, point));
  return { inMemory, elsewhere: points(false).filter(isInside) };
}
