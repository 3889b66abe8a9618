/** The service behind that depot: in memory, its documents executed by graphql-js, so that a wrong one is refused. */
import { buildSchema, GraphQLError, graphqlSync } from 'graphql';
import type { StandIn } from '../../../src/mount-testing/index.ts';
import { serveJson } from './serve-json.ts';

export interface Product {
  id: string;
  name: string;
  stock: number;
  shelf: { code: string } | null;
  updatedAt: string;
}

const SCHEMA = buildSchema(`
  type Shelf { code: String! hall: String }
  type Product { id: ID! name: String! stock: Int! shelf: Shelf updatedAt: String! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Products { nodes: [Product!]! pageInfo: PageInfo! }
  type ProductError { field: String message: String! }
  type ProductPayload { product: Product errors: [ProductError!]! }
  input ProductCreateInput { id: ID! name: String! stock: Int }
  input ProductUpdateInput { name: String stock: Int }
  type Query {
    products(first: Int!, after: String, changedAfter: String): Products!
    product(id: ID!): Product
  }
  type Mutation {
    productCreate(input: ProductCreateInput!): ProductPayload!
    productUpdate(id: ID!, input: ProductUpdateInput!): ProductPayload!
    productDelete(id: ID!): ProductPayload!
  }
`);

interface Asked {
  first: number;
  after?: string | null;
  changedAfter?: string | null;
}

interface Input {
  id?: string;
  name?: string;
  stock?: number;
}

export const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export async function startDepot(): Promise<StandIn<readonly Product[]>> {
  let made = 0;
  const now = (): string => new Date().toISOString();
  const product = (name: string, id = idOf(++made)): Product => ({
    id,
    name,
    stock: 1,
    shelf: made % 2 === 0 ? null : { code: `A${made}` },
    updatedAt: now(),
  });
  const all = ['Anchor', 'Buoy', 'Chain', 'Davit', 'Eyebolt'].map((name) => product(name));
  const refused = (field: string, message: string) => ({ errors: [{ field, message }] });
  const found = (id: string): Product => {
    const one = all.find((each) => each.id === id);
    if (one !== undefined) return one;
    throw new GraphQLError(`no product ${id}`, { extensions: { code: 'NOT_FOUND' } });
  };
  const root = {
    products: ({ first, after, changedAfter }: Asked) => {
      const listed = all.filter(({ updatedAt }) => updatedAt > (changedAfter ?? ''));
      const from = Number(after ?? 0);
      const to = from + first;
      const pageInfo = { hasNextPage: to < listed.length, endCursor: String(to) };
      return { nodes: listed.slice(from, to), pageInfo };
    },
    product: ({ id }: { id: string }) => found(id),
    productCreate: ({ input: { id = '', name = '', stock = 1 } }: { input: Input }) => {
      if (all.some((one) => one.id === id)) return refused('id', 'taken');
      if (name === 'Nothing') return refused('name', 'must be something');
      const one = { ...product(name, id), stock };
      all.push(one);
      return { product: one, errors: [] };
    },
    productUpdate: ({ id, input }: { id: string; input: Input }) => ({
      product: Object.assign(found(id), input, { updatedAt: now() }),
      errors: [],
    }),
    productDelete: ({ id }: { id: string }) => {
      const [gone] = all.splice(all.indexOf(found(id)), 1);
      return { product: gone, errors: [] };
    },
  };
  const { url, close } = await serveJson((_request, body) => {
    const { query, variables } = body as { query: string; variables: Record<string, unknown> };
    const asked = { schema: SCHEMA, source: query, variableValues: variables, rootValue: root };
    const { data = null, errors } = graphqlSync(asked);
    return [200, { data, ...(errors && { errors }) }];
  });
  return {
    url,
    close,
    held: () => all,
    add: (name) => void all.push(product(name)),
    removeRecord: () => void all.shift(),
  };
}
