/** Linear's habits in GraphQL: whoever creates gives the id, and what was updated is listed by its time. */
import { Graph } from '../../src/mount/index.ts';
import { isDuplicate, type LinearClient } from './client.ts';

export const graph = new Graph<LinearClient>({
  title: 'Linear',
  pageSize: 250,
  idType: 'String!',
  payload: 'success',
  taken: isDuplicate,
  updatedAfter: (gt) => ({ updatedAt: { gt } }),
});
