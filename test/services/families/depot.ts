/** A depot with an API in GraphQL, whose changes say in their answers what is wrong: a second one beside Linear. */
import { z } from 'zod';
import {
  Graph,
  GraphqlClient,
  joint,
  line,
  type MountModule,
  openResourceMount,
  resource,
  selectionOf,
  shown,
} from '../../../src/mount/index.ts';

const productSchema = z.object({
  id: z.string(),
  name: z.string(),
  stock: z.number(),
  shelf: z.object({ code: z.string() }).nullish(),
  updatedAt: z.string(),
});
type Product = z.infer<typeof productSchema>;

const graph = new Graph<GraphqlClient>({
  title: 'Depot',
  pageSize: 2,
  payload: 'errors { field message }',
  taken: ({ kind, message }) => kind === 'invalid' && message.includes('taken'),
  updatedAfter: (changedAfter) => ({ changedAfter }),
});
const PRODUCTS = graph.collections(
  'Products',
  { changedAfter: 'String' },
  { products: { of: productSchema, given: 'changedAfter: $changedAfter' } },
);
const product = graph.kind<Product>('product', selectionOf(productSchema));

const products = resource<Product, GraphqlClient>('products', {
  ...product.ways,
  about: 'a product',
  directory: 'products',
  path: '/products/:product.md',
  schema: productSchema,
  key: ({ id }) => id,
  updatedAt: ({ updatedAt }) => updatedAt,
  type: {
    name: 'product',
    fields: {
      name: line('what it is', { required: true, initial: '' }),
      stock: { schema: z.int('must be a number'), access: 'create', initial: 1, about: 'how many' },
      shelf: shown('where it lies'),
    },
  },
  values: ({ name, stock, shelf }) => ({ name, stock, shelf: shelf?.code ?? null }),
  create: (values, _at, key) => product.create({ id: key, ...values }),
  update: ({ id }, delta) => product.update(id, delta),
  remove: ({ id }) => product.remove(id),
});

const errors = z.looseObject({ errors: z.array(z.looseObject({ message: z.string() })) });

const ID = { matches: /^[0-9a-f-]{36}$/, example: '00000000-0000-4000-8000-000000000001' };

/** The mount, as a config names it. */
export default ((given) =>
  openResourceMount(given, {
    kind: 'depot',
    title: 'Depot',
    about: 'Products.',
    params: { product: ID },
    client: ({ baseUrl: url = '', ...options }) =>
      new GraphqlClient({
        ...options,
        service: 'Depot',
        url,
        kindOf: ({ extensions: { code } }) => (code === 'NOT_FOUND' ? 'missing' : undefined),
        refused: (payload) => {
          const [first] = errors.safeParse(payload).data?.errors ?? [];
          return first === undefined ? null : { kind: 'invalid', message: first.message };
        },
      }),
    resources: [products],
    joints: [
      joint({
        id: 'depot',
        path: '',
        of: [products],
        list: graph.follows(PRODUCTS, () => ({
          variables: (updated) => ({ ...updated('products') }),
        })),
      }),
    ],
  })) satisfies MountModule;
