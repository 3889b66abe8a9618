/** What tests of this room share: a mount of a service that is said by its resources, on a clock that is moved. */
import { onTestFinished } from 'vitest';
import { ChangeJournal } from '../../changes/journal.ts';
import { Replica } from '../../replica/replica.ts';
import { openResourceMount, type ResourceClient, type ServiceSpec } from './opening.ts';

/** How long nothing is asked again, and how long a listing tells of what is gone. */
export const FRESH_MS = 10_000;
export const RECONCILE_MS = 3_600_000;

/** Opens it with nothing held yet; it ends with the test. */
export function opened<C extends ResourceClient>(
  client: C,
  spec: Omit<ServiceSpec<C>, 'kind' | 'title' | 'about' | 'client'>,
) {
  let time = Date.parse('2026-01-31T10:00:00Z');
  const now = (): Date => new Date(time);
  const replica = new Replica(':memory:', now);
  const changes = new ChangeJournal(':memory:', { now });
  const notices: string[] = [];
  const mount = openResourceMount(
    {
      stage: false,
      replica,
      changes,
      freshMs: FRESH_MS,
      reconcileMs: RECONCILE_MS,
      now,
      onNotice: (text) => notices.push(text),
    },
    { kind: 'notes', title: 'Notes', about: 'Notes.', client: () => client, ...spec },
  );
  onTestFinished(async () => {
    await mount.close?.();
    replica.close();
    changes.close();
  });
  return {
    mount,
    notices,
    move: (ms: number): void => {
      time += ms;
    },
    names: async (path: string) => (await mount.readdir(path)).map(({ name }) => name).sort(),
    text: async (path: string) => Buffer.from(await mount.read(path)).toString(),
  };
}
