/** What a line to a service fails with, for tests of lines. */
import { ServiceFailure } from '../../src/mount/client/failure.ts';

/** The failure of work that has to fail as a service does. */
export async function failed(work: Promise<unknown>): Promise<ServiceFailure> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ServiceFailure) return error;
  throw new Error('it did not fail as a service');
}
