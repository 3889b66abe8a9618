/** Linear's habits in GraphQL: whoever creates gives the id, and what was updated is listed by its time. */
import type { z } from 'zod';
import { expectShape as expectShapeOf, Graph } from '../../src/mount/index.ts';
import { isDuplicate, type LinearClient } from './client.ts';

export const graph = new Graph<LinearClient>({
  title: 'Linear',
  pageSize: 250,
  idType: 'String!',
  payload: 'success',
  removed: 'entityId',
  archived: 'includeArchived',
  taken: isDuplicate,
  updatedAfter: (gt) => ({ updatedAt: { gt } }),
});

/** What Linear answered, as the shape that was expected of it. Throws ServiceFailure `protocol`, naming what was not. */
export function expectShape<T extends z.ZodType>(
  schema: T,
  data: unknown,
  what: string,
): z.infer<T> {
  return expectShapeOf('Linear', schema, data, what);
}
