/**
 * A package registry as a directory: read-only, one request a package, asked
 * again only for what changed. The fourth service, as the proof that a service
 * is a client, its records and a table.
 *
 *     NAME/package.json         the newest version's manifest
 *     NAME/readme.md            what it says of itself
 *     NAME/versions.tsv         every version: number, published, deprecated
 *     NAME/versions/1.2.3.json  the manifest of one
 */
import { z } from 'zod';
import {
  type Content,
  dateOf,
  expectShape,
  HttpClient,
  type MountModule,
  openServiceMount,
  type Params,
  type Route,
  ServiceFailure,
  ServiceStore,
  tsvContent,
} from '../../src/mount/index.ts';

const packageSchema = z.looseObject({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.looseObject({ deprecated: z.unknown().optional() })),
  time: z.record(z.string(), z.string()).default({}),
  readme: z.string().default(''),
});
type Package = z.infer<typeof packageSchema>;

const optionsSchema = z.object({
  baseUrl: z.url('the address of the registry is needed'),
  packages: z.array(z.string()).default([]),
});

const PACKAGES = 'packages';

/** `name`, or `@scope/name`. */
const nameOf = ({ scope, name = '' }: Params): string =>
  scope === undefined ? name : `${scope}/${name}`;

/** What the replica holds of the registry, and how it is brought in step. */
class Registry {
  readonly #http: HttpClient;
  readonly #store: ServiceStore;

  constructor(http: HttpClient, store: ServiceStore) {
    this.#http = http;
    this.#store = store;
  }

  /** When a package was last confirmed, ms; null when it is not held. */
  heldSince(params: Params): number | null {
    const { replica, mount } = this.#store;
    return replica.head(mount, PACKAGES, nameOf(params))?.checkedAt ?? null;
  }

  get(params: Params) {
    const { replica, mount } = this.#store;
    const record = replica.get(mount, PACKAGES, nameOf(params));
    if (record === null) return null;
    const { version, updatedAt, size } = record;
    return { data: packageSchema.parse(record.value), version, size, mtime: dateOf(updatedAt) };
  }

  /** Asks for a package; what is held is confirmed by its ETag. */
  async sync(params: Params): Promise<void> {
    const key = nameOf(params);
    const { replica, mount } = this.#store;
    try {
      const etag = this.heldSince(params) === null ? null : replica.validator(mount, key);
      const answer = await this.#http.get(key.replace('/', '%2f'), etag);
      if (answer.unchanged) return replica.touch(mount, PACKAGES, key);
      const value = expectShape('the registry', packageSchema, answer.data, key);
      const [updatedAt, size] = [value.time['modified'] ?? '', value.readme.length];
      replica.upsert(mount, PACKAGES, {
        key,
        updatedAt,
        size,
        path: `/${key}/readme.md`,
        value,
      });
      replica.setValidator(mount, key, answer.etag);
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      replica.remove(mount, PACKAGES, key);
      throw error;
    }
  }
}

const named = (name: string) => ({ name, size: 1, mtime: new Date(0) });
const json = (value: unknown) =>
  value === undefined ? null : `${JSON.stringify(value, null, 2)}\n`;

function versions({ versions: all, time }: Package): string {
  const rows = Object.entries(all).map(([version, { deprecated }]) => {
    return [version, time[version] ?? '', typeof deprecated === 'string' ? deprecated : ''];
  });
  return tsvContent(['version', 'published', 'deprecated'], rows, []).text;
}

/** The rows of a package. `listed`: the names that a listing shows. */
function rows(registry: Registry, top: string, listed: (params: Params) => string[]): Route[] {
  const needs = [top.includes(':scope') ? 'scoped' : 'plain'];
  const file = (
    name: string,
    about: string,
    text: (data: Package, params: Params) => string | null,
  ): Route => ({
    pattern: `${top}/${name}`,
    type: 'file',
    about,
    needs,
    read: (params): Content | null => {
      const found = registry.get(params);
      const made = found === null ? null : text(found.data, params);
      return found === null || made === null ? null : { ...found, text: made };
    },
  });
  const manifest = file('versions/:version.json', 'the manifest of a version', (data, params) =>
    json(data.versions[params['version'] ?? '']),
  );
  return [
    {
      pattern: top,
      type: 'directory',
      about: 'a package; those of the config are listed, every other one is found when named',
      needs,
      entries: (params) => listed(params).map(named),
      stat: (params) => registry.get(params),
    },
    file('package.json', "the newest version's manifest", (data) =>
      json(data.versions[data['dist-tags']['latest'] ?? '']),
    ),
    { ...file('readme.md', 'what it says of itself', (data) => data.readme), document: true },
    file('versions.tsv', 'every version: number, published, deprecated', versions),
    { pattern: `${top}/versions`, type: 'directory', about: 'its versions' },
    {
      ...manifest,
      entries: (params) => Object.keys(registry.get(params)?.data.versions ?? {}).map(named),
      stat: (params) => (manifest.read?.(params) === null ? null : registry.get(params)),
    },
  ];
}

/** The mount, for a config: `{ source: 'module:./mount.ts', baseUrl, options: { packages: […] } }`. */
const createRegistryMount: MountModule = ({ freshMs = 60_000, ...given }) => {
  const { packages, baseUrl } = optionsSchema.parse({ ...given.options, baseUrl: given.baseUrl });
  const scoped = packages.filter((one) => one.startsWith('@')).map((one) => one.split('/'));
  return openServiceMount(
    { ...given, freshMs },
    {
      kind: 'registry',
      title: 'the package registry',
      client: (options) => new HttpClient({ ...options, service: 'the registry', baseUrl }),
      store: (...options) => new ServiceStore(...options),
      table: ({ client, store }) => {
        const registry = new Registry(client, store);
        const collection = (scope: string[]) => ({
          scope,
          heldSince: (params: Params) => registry.heldSince(params),
          sync: (params: Params) => registry.sync(params),
        });
        return {
          about: 'Packages, their manifests and readmes; read-only.',
          hints: ['One request a package; within a minute nothing is asked again.'],
          params: {
            scope: { matches: /^@[a-z0-9~-][a-z0-9._~-]*$/, example: '@scope' },
            name: { matches: /^[a-z0-9~-][a-z0-9._~-]*$/i, example: 'name' },
            version: { matches: /^\d[0-9A-Za-z.+-]*$/, example: '1.2.3' },
          },
          ofRecords: true,
          collections: { plain: collection(['name']), scoped: collection(['scope', 'name']) },
          routes: [
            ...rows(registry, '/:name', () => packages.filter((one) => !one.startsWith('@'))),
            {
              pattern: '/:scope',
              type: 'directory',
              about: 'packages of a scope',
              entries: () => [...new Set(scoped.map(([scope = '']) => scope))].map(named),
              stat: () => named(''),
            },
            ...rows(registry, '/:scope/:name', ({ scope }) =>
              scoped.filter(([of]) => of === scope).map(([, own = '']) => own),
            ),
          ],
        };
      },
    },
  );
};

export default createRegistryMount;
