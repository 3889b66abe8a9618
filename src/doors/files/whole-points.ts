/** Mounts of every world whose files are written as a whole: each is a form that is checked. */
const FORMS = ['/session/approvals', '/session/changes', '/session/schedule'];

/** Points of mounts whose files are written as a whole, by a close: services, and forms. */
export const wholePoints = (mounts: readonly { point: string; service: boolean }[]): string[] => [
  ...mounts.flatMap(({ point, service }) => (service ? [point] : [])),
  ...FORMS,
];

/** Points of mounts in memory: what is in them is changed through the world alone. */
export const memoryPoints = (mounts: readonly { point: string; kind: string }[]): string[] =>
  mounts.flatMap(({ point, kind }) => (kind === 'memory' ? [point] : []));
