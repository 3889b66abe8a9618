/** Milestones and releases: read-only records, each a file, whole collections in a request. */
import { z } from 'zod';
import {
  dateOf,
  type Params,
  type RecordType,
  type Route,
  readOnlyCollection,
  renderRecord,
  type StoredRecord,
  tsvContent,
} from '../../src/mount/index.ts';
import { releaseSchema } from './schemas.ts';
import { collection, type GithubStore, repoOf } from './store.ts';

const shown = (...names: string[]): RecordType['fields'] =>
  Object.fromEntries(
    names.map((name) => [name, { schema: z.unknown(), access: 'read' as const, about: name }]),
  );

const milestoneRecord: RecordType = {
  name: 'milestone',
  fields: shown(
    'number',
    'title',
    'state',
    'open_issues',
    'closed_issues',
    'due_on',
    'created_at',
    'updated_at',
    'closed_at',
    'url',
    'body',
  ),
};

const releaseRecord: RecordType = {
  name: 'release',
  fields: shown(
    'tag',
    'name',
    'draft',
    'prerelease',
    'author',
    'target',
    'created_at',
    'published_at',
    'assets',
    'url',
    'body',
  ),
};

const milestoneSchema = z.looseObject({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  updated_at: z.string().nullish(),
});

/** What is kept of both kinds: how one is named, and what its file says. */
interface Plan {
  collection: 'milestones' | 'releases';
  top: string;
  param: 'number' | 'tag';
  about: [directory: string, index: string, file: string];
  readOnly: string;
  head: string[];
  name(value: unknown): string;
  row(value: unknown): string[];
  text(value: unknown): string;
  updated(value: unknown): string;
}

const MILESTONES: Omit<Plan, 'top'> = {
  collection: 'milestones',
  param: 'number',
  about: ['milestones', 'one line each: number, state, title, due', 'a milestone'],
  readOnly:
    'milestones are made and changed on GitHub; an issue is planned by its own field `milestone`',
  head: ['number', 'state', 'title', 'due'],
  name: (value) => String(milestoneSchema.parse(value).number),
  row: (value) => {
    const { number, state, title, ...rest } = milestoneSchema.parse(value);
    return [String(number), state, title, String(rest['due_on'] ?? '')];
  },
  text: (value) => {
    const { description, html_url: url, ...rest } = milestoneSchema.parse(value);
    return renderRecord(milestoneRecord, { ...rest, url, body: description ?? '' });
  },
  updated: (value) => milestoneSchema.parse(value).updated_at ?? '',
};

const RELEASES: Omit<Plan, 'top'> = {
  collection: 'releases',
  param: 'tag',
  about: [
    'releases, by their tags; a `/` in a tag is `%2F`',
    'one line each: tag, published, name',
    'a release',
  ],
  readOnly: 'releases are made and changed on GitHub',
  head: ['tag', 'published', 'name'],
  name: (value) => encodeURIComponent(releaseSchema.parse(value).tag_name),
  row: (value) => {
    const { tag_name, published_at, name } = releaseSchema.parse(value);
    return [tag_name, published_at ?? '', name ?? ''];
  },
  text: (value) => {
    const release = releaseSchema.parse(value);
    return renderRecord(releaseRecord, {
      ...release,
      tag: release.tag_name,
      author: release.author?.login,
      target: release['target_commitish'],
      assets: (release.assets ?? []).map(({ name }) => name),
      url: release['html_url'],
      body: release.body ?? '',
    });
  },
  updated: (value) => {
    const { published_at, created_at } = releaseSchema.parse(value);
    return published_at ?? created_at ?? '';
  },
};

/** The rows of `milestones/` and `releases/`. */
export function planRoutes(store: GithubStore, repo: string): Route[] {
  return [
    ...rows(store, { ...MILESTONES, top: `${repo}/milestones` }),
    ...rows(store, { ...RELEASES, top: `${repo}/releases` }),
  ];
}

function rows(store: GithubStore, plan: Plan): Route[] {
  const all = (params: Params): StoredRecord[] =>
    store.replica.all(store.mount, collection(plan.collection, repoOf(params)));
  const [directory, index, file] = plan.about;
  return readOnlyCollection({
    directory: plan.top,
    param: plan.param,
    about: { directory, index, file },
    readOnly: plan.readOnly,
    needs: [plan.collection],
    all,
    nameOf: ({ value }) => plan.name(value),
    entry: ({ value }) => ({ size: 512, mtime: dateOf(plan.updated(value)) }),
    index: (params) => {
      const records = all(params).sort((a, b) =>
        plan.name(a.value) < plan.name(b.value) ? -1 : 1,
      );
      const lines = records.map(({ value }) => plan.row(value));
      return tsvContent(plan.head, lines, records);
    },
    content: ({ value, version }) => ({
      text: plan.text(value),
      version,
      mtime: dateOf(plan.updated(value)),
    }),
  });
}
