/** Requests that change something, and what came of one whose id is taken. */
import {
  type Outcome,
  ServiceFailure,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import { isDuplicate } from './failures.ts';

export function mutation(query: string, variables: Values): ServiceRequest {
  return { method: 'POST', url: '/graphql', body: { query, variables } };
}

/** The id of our own that a record is made under. */
export function idOf(request: ServiceRequest): string {
  return (request.body as { variables: { input: { id: string } } }).variables.input.id;
}

/** A create that was refused since its id is taken was carried out before. */
export async function orMade(
  error: unknown,
  find: () => Promise<Outcome | null>,
): Promise<Outcome> {
  if (!(error instanceof ServiceFailure) || !isDuplicate(error)) throw error;
  const made = await find();
  if (made === null) throw error;
  return made;
}
