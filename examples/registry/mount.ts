/** A package registry as a directory: read-only, one request a package, asked again only for what changed. */
import { z } from 'zod';
import {
  HttpClient,
  type MountModule,
  openResourceMount,
  resource,
} from '../../src/mount/index.ts';

const packageSchema = z.object({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()),
  versions: z.record(z.string(), z.looseObject({ deprecated: z.unknown().optional() })),
  time: z.record(z.string(), z.string()).default({}),
  readme: z.string().default(''),
});

const optionsSchema = z.object({
  baseUrl: z.url('the address of the registry is needed'),
  packages: z.array(z.string()).default([]),
});

/** Packages at `path`. `listed`: the names that a listing shows of a scope, '' for none. */
const packages = (path: string, listed: (scope: string) => string[]) =>
  resource<z.infer<typeof packageSchema>, HttpClient>(path.replaceAll(/[/:]/g, ''), {
    about: 'a package; those of the config are listed, every other one is found when named',
    path,
    schema: packageSchema,
    key: ({ name }) => name.slice(name.indexOf('/') + 1),
    updatedAt: ({ time }) => time['modified'] ?? '',
    names: ({ scope = '' }) => listed(scope),
    get: (name, { client, params: { scope } }, etag) =>
      client.get(scope === undefined ? name : `${scope}%2f${name}`, etag),
    files: {
      'package.json': {
        about: "the newest version's manifest",
        json: (one) => one.versions[one['dist-tags']['latest'] ?? ''],
      },
      'readme.md': { about: 'what it says of itself', text: (one) => one.readme, document: true },
      'versions.tsv': {
        about: 'every version',
        columns: ['version', 'published', 'deprecated'],
        rows: ({ versions: of, time }) =>
          Object.keys(of).map((one) => [one, time[one] ?? '', String(of[one]?.deprecated ?? '')]),
      },
      'versions/:version.json': {
        about: 'the manifest of one',
        by: ({ versions }) => Object.keys(versions),
        json: ({ versions }, { params }) => versions[params['version'] ?? ''],
      },
    },
  });

/** The mount, for a config: `{ source: 'module:./mount.ts', baseUrl, options: { packages: […] } }`. */
export default (({ freshMs = 60_000, ...given }) => {
  const options = optionsSchema.parse({ ...given.options, baseUrl: given.baseUrl });
  const all = options.packages.map((one) => ['', ...one.split('/')].slice(-2));
  const listed = (scope: string) => all.flatMap(([of, name = '']) => (of === scope ? name : []));
  const scopes = resource('scopes', {
    about: 'packages of a scope',
    path: '/:scope',
    schema: z.string(),
    key: (scope) => scope,
    names: () => [...new Set(all.flatMap(([scope]) => scope || []))],
    get: async (scope) => ({ data: scope }),
  });
  const own = { ...given, freshMs };
  return openResourceMount(own, {
    kind: 'registry',
    title: 'the package registry',
    about: 'Packages, their manifests and readmes; read-only.',
    client: (line) => new HttpClient({ ...line, service: 'the registry', ...options }),
    params: {
      scope: { matches: /^@[a-z0-9~-][a-z0-9._~-]*$/, example: '@scope' },
      name: { matches: /^[a-z0-9~-][a-z0-9._~-]*$/i, example: 'name' },
      version: { matches: /^\d[0-9A-Za-z.+-]*$/, example: '1.2.3' },
    },
    resources: [scopes, packages('/:name', listed), packages('/:scope/:name', listed)],
  });
}) satisfies MountModule;
