// A mount as somebody publishes it: JavaScript in a package of its own, made of
// nothing but `dirigent/mount`. Notes of a small server, one file each.

import {
  ConfigError,
  FsError,
  HttpClient,
  openServiceMount,
  ServiceFailure,
  ServiceStore,
} from 'dirigent/mount';
import { z } from 'zod';

const options = z.strictObject({ folder: z.string() });
const note = z.object({ id: z.string(), title: z.string(), text: z.string(), at: z.string() });

const record = {
  name: 'note',
  fields: {
    title: { schema: z.string().min(1), access: 'create', required: true, about: 'a line' },
    body: { schema: z.string(), access: 'create', about: 'the text' },
  },
};

class Notes extends HttpClient {
  #options;
  constructor(given) {
    super(given);
    this.#options = given;
  }

  async send(method, path, body) {
    const { baseUrl, headers } = this.#options;
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status === 403)
      throw new ServiceFailure('forbidden', 'the notes are locked on Sundays; write them tomorrow');
    if (!answer.ok) throw new ServiceFailure('server', `the notes answered ${answer.status}`);
    return note.parse(await answer.json());
  }
}

export default (given) => {
  const { folder } = options.parse(given.options);
  if (folder === 'nowhere') throw new ConfigError('options.folder', 'there is no such folder');
  return openServiceMount(given, {
    kind: 'notes',
    title: 'the notes',
    client: (rest) =>
      new Notes({
        ...rest,
        service: 'the notes',
        baseUrl: given.baseUrl,
        headers: { authorization: `Bearer ${given.token}` },
      }),
    store: (...rest) => new ServiceStore(...rest),
    table: ({ client, store: { replica, mount } }) => {
      const keep = (value) =>
        replica.upsert(mount, 'notes', {
          key: value.id,
          updatedAt: value.at,
          size: value.text.length,
          path: `/${value.id}.md`,
          value,
        });
      const get = ({ id = '' }) => {
        const found = replica.get(mount, 'notes', id);
        return found === null ? null : { ...found, value: note.parse(found.value) };
      };
      const outcome = (value) => {
        keep(value);
        return { path: `/${value.id}.md` };
      };
      let heldSince = null;
      return {
        about: 'Notes.',
        hints: [],
        params: { id: { matches: /^n\d+$/, example: 'n1' } },
        collections: {
          notes: {
            scope: [],
            heldSince: () => heldSince,
            sync: async () => {
              const { data } = await client.get('/notes');
              for (const each of z.array(note).parse(data)) keep(each);
              heldSince = Date.now();
            },
          },
        },
        routes: [
          {
            pattern: '/:id.md',
            type: 'file',
            about: 'a note',
            needs: ['notes'],
            entries: () =>
              [...replica.heads(mount, 'notes')].map(({ key, size, updatedAt }) => ({
                name: key,
                size,
                mtime: new Date(updatedAt),
              })),
            stat: (params) => {
              const found = get(params);
              return found === null
                ? null
                : { size: found.size + 1, mtime: new Date(found.updatedAt) };
            },
            read: (params) => {
              const found = get(params);
              if (found === null) return null;
              if (found.value.title === 'Sealed')
                throw new FsError('EBUSY', {
                  path: `/${params.id}.md`,
                  op: 'open',
                  rule: 'seals',
                  reason: 'it is sealed; break the seal first',
                });
              const { title, text } = found.value;
              return {
                text: `---\ntitle: ${title}\n---\n\n${text}\n`,
                version: String(found.version),
                mtime: new Date(found.updatedAt),
              };
            },
            edit: {
              record,
              current: (params) => {
                const found = get(params);
                if (found === null) return null;
                const { title, text } = found.value;
                return { values: { title, body: text }, version: String(found.version) };
              },
              refresh: async ({ id }) => keep(note.parse((await client.get(`/notes/${id}`)).data)),
              request: ({ id }, delta) => ({ method: 'PATCH', url: `/notes/${id}`, body: delta }),
              send: async (_, { method, url, body }) =>
                outcome(await client.send(method, url, body)),
            },
          },
          {
            pattern: '/new.md',
            type: 'file',
            about: 'makes a note',
            hidden: true,
            create: {
              record,
              request: (_, values) => ({ method: 'POST', url: '/notes', body: values }),
              send: async (_, { method, url, body }) =>
                outcome(await client.send(method, url, body)),
              find: async () => null,
            },
          },
        ],
      };
    },
  });
};
