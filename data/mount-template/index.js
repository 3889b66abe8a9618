// @ts-check
/** @TITLE@ as files: `items/ID.md` is an item, `items/new.md` makes one, `items/index.tsv` lists them. */
import {
  choice,
  HttpClient,
  line,
  openResourceMount,
  prose,
  resource,
  shown,
  view,
} from 'dirigent/mount';
import { z } from 'zod';

/** What a config may say under `options`. It is checked before anything is opened. */
export const options = z.strictObject({
  /** Shows this project alone. */
  project: z.string().min(1).optional(),
});

/** An item, as the service gives it. What is not named here is not kept. */
const itemSchema = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['open', 'done']),
  text: z.string().default(''),
  updatedAt: z.string(),
});

/** An item as a file: who may give each field, and what it may be. */
const itemRecord = {
  name: 'item',
  fields: {
    id: shown('the id'),
    title: line('one line', { required: true }),
    state: choice(['open', 'done']),
    body: prose('the text'),
  },
};

/** What the service calls the fields. */
const sent = ({ body, ...fields }) => ({
  ...fields,
  ...(body === undefined ? {} : { text: body }),
});

const items = (project) => {
  const query = project === undefined ? {} : { project };
  const all = ({ client }) => client.rows('items', query);
  return resource('items', {
    about: 'an item',
    path: '/items/:id.md',
    schema: itemSchema,
    key: ({ id }) => id,
    updatedAt: ({ updatedAt }) => updatedAt,
    type: itemRecord,
    values: ({ text, updatedAt: _, ...fields }) => ({ ...fields, body: text }),
    document: true,
    list: all,
    get: (id, { client }, etag) => client.get(`items/${encodeURIComponent(id)}`, etag),
    create: (values, _, key) => ({
      method: 'POST',
      url: 'items',
      body: { ...sent(values), ...query, key },
    }),
    // The service keeps the key: the same request makes no second item, and the one it made is found.
    repeatable: true,
    find: async ({ body }, scope) =>
      (await all(scope)).find((one) => /** @type {any} */ (one).key === body.key) ?? null,
    update: ({ id }, delta) => ({ method: 'PATCH', url: `items/${id}`, body: sent(delta) }),
    remove: ({ id }) => ({ method: 'DELETE', url: `items/${id}`, body: null }),
    // A removal is answered with nothing.
    made: (answer) => answer ?? null,
  });
};

/**
 * The mount. A config names it: `{ source: 'module:@NAME@', baseUrl: 'https://…', tokenEnv: '@TOKEN@' }`.
 * @type {import('dirigent/mount').MountModule}
 */
export default (given) => {
  const { project } = options.parse(given.options);
  const { baseUrl = 'https://@SLUG@.example.com/api', token } = given;
  const all = items(project);
  return openResourceMount(given, {
    kind: '@SLUG@',
    title: '@TITLE@',
    about: 'Items of @TITLE@ as files. Writing a file changes the item.',
    client: (line) => new HttpClient({ ...line, service: '@TITLE@', baseUrl, token }),
    // No id is called `new` or `index`: these names are taken.
    params: { id: { matches: /^i\d+$/, example: 'i1' } },
    resources: [all],
    views: [
      view({
        about: 'all items',
        path: '/items/index.tsv',
        of: all,
        columns: ['id', 'state', 'title'],
        rows: ({ id, state, title }) => [[id, state, title]],
      }),
    ],
  });
};
