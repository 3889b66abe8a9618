/**
 * Descriptions that strangers have published, and what a reader of them finds there: which paths
 * list what, where the rows are, what their ids are, how the listing goes on. Written by hand, so
 * that what the mount infers is held against something else.
 */

/** A listing, and the path of one of its records. */
export interface Truth {
  list: string;
  one?: string;
  /** Where rows are in an answer of the listing, and a record in the answer for one. */
  rows: readonly string[];
  record?: readonly string[];
  id: string;
  /** Where the description wants its ids of a form: digits, or what stands before them; anything by default. */
  ids?: string;
  /** Its directory in the mount, with `*` for the id of the first record above it. */
  directory: string;
  pages: Pages;
}

/** How it goes on. `size`: the parameter for how many a page has, and the most that are given. */
export type Pages =
  | { by: 'none' }
  | { by: 'page' | 'offset'; param: string; size?: readonly [string, number]; first?: number }
  | { by: 'cursor'; param: string; next: readonly string[]; size?: readonly [string, number] }
  | { by: 'after'; param: string; size: readonly [string, number] }
  | { by: 'address'; next: readonly string[]; size?: readonly [string, number] }
  | { by: 'link'; size: readonly [string, number] };

/** A description that a package carries. */
export interface Stranger {
  name: string;
  /** With its exact version; and the file in it. */
  package: string;
  file: string;
  /** The path of its server. */
  base: string;
  truths: readonly Truth[];
  /** Instead of them: why it cannot be mounted. */
  refused?: RegExp;
}

const DIRECTUS = {
  rows: ['data'],
  record: ['data'],
  id: 'id',
  pages: { by: 'page', param: 'page', size: ['limit', 100] },
} as const;
const BLOCKFROST = {
  rows: [],
  pages: { by: 'page', param: 'page', size: ['count', 100] },
} as const;
const GITBOOK = {
  ids: 'id-',
  rows: ['items'],
  id: 'id',
  pages: { by: 'cursor', param: 'page', next: ['next', 'page'], size: ['limit', 1000] },
} as const;
const GITHUB = { rows: [], pages: { by: 'link', size: ['per_page', 100] } } as const;
const REPO = '/repos/{owner}/{repo}';
const TRAINS = {
  rows: ['data'],
  id: 'id',
  pages: { by: 'address', next: ['links', 'next'] },
} as const;
const DIALOGS = '/api/v1/enduser/dialogs';

export const STRANGERS: readonly Stranger[] = [
  {
    name: 'github',
    package: '@octokit/openapi@23.0.2',
    file: 'generated/api.github.com.json',
    base: '',
    truths: [
      {
        ...GITHUB,
        list: `${REPO}/issues`,
        one: `${REPO}/issues/{issue_number}`,
        id: 'number',
        directory: '/repos/issues',
      },
      {
        ...GITHUB,
        list: `${REPO}/labels`,
        one: `${REPO}/labels/{name}`,
        id: 'name',
        directory: '/repos/labels',
      },
      {
        ...GITHUB,
        list: `${REPO}/milestones`,
        one: `${REPO}/milestones/{milestone_number}`,
        id: 'number',
        directory: '/repos/milestones',
      },
      {
        ...GITHUB,
        list: `${REPO}/issues/{issue_number}/comments`,
        id: 'id',
        directory: '/repos/issues/*/comments',
      },
      { ...GITHUB, list: '/gists', one: '/gists/{gist_id}', id: 'id', directory: '/gists' },
    ],
  },
  {
    name: 'directus',
    package: '@directus/specs@15.2.0',
    file: 'dist/openapi.json',
    base: '',
    truths: ['files', 'users', 'roles', 'flows'].map((what) => ({
      ...DIRECTUS,
      list: `/${what}`,
      one: `/${what}/{id}`,
      directory: `/${what}`,
    })),
  },
  {
    name: 'blockfrost',
    package: '@blockfrost/openapi@0.1.93',
    file: 'openapi.yaml',
    base: '/api/v0',
    truths: [
      { ...BLOCKFROST, list: '/assets', one: '/assets/{asset}', id: 'asset', directory: '/assets' },
      {
        ...BLOCKFROST,
        list: '/governance/dreps',
        one: '/governance/dreps/{drep_id}',
        id: 'drep_id',
        directory: '/governance/dreps',
      },
      {
        ...BLOCKFROST,
        list: '/scripts',
        one: '/scripts/{script_hash}',
        id: 'script_hash',
        directory: '/scripts',
      },
    ],
  },
  {
    name: 'ideal-postcodes',
    package: '@ideal-postcodes/openapi@4.21.0',
    file: 'dist/openapi.json',
    base: '/v1',
    truths: [
      {
        list: '/keys/{key}/licensees',
        one: '/keys/{key}/licensees/{licensee}',
        rows: ['result', 'licensees'],
        record: ['result'],
        id: 'id',
        ids: '',
        directory: '/keys/licensees',
        pages: { by: 'after', param: 'starting_after', size: ['limit', 100] },
      },
      {
        list: '/keys/{key}/configs',
        one: '/keys/{key}/configs/{config}',
        rows: ['result', 'configs'],
        record: ['result'],
        id: 'name',
        directory: '/keys/configs',
        pages: { by: 'none' },
      },
    ],
  },
  {
    name: 'dialogporten',
    package: '@digdir/dialogporten-schema@1.40.0',
    file: 'swagger.verified.json',
    base: '',
    truths: [
      {
        list: DIALOGS,
        one: `${DIALOGS}/{dialogId}`,
        rows: ['items'],
        id: 'id',
        directory: DIALOGS,
        pages: {
          by: 'cursor',
          param: 'continuationToken',
          next: ['continuationToken'],
          size: ['limit', 1000],
        },
      },
      {
        list: `${DIALOGS}/{dialogId}/activities`,
        one: `${DIALOGS}/{dialogId}/activities/{activityId}`,
        rows: [],
        id: 'id',
        directory: `${DIALOGS}/*/activities`,
        pages: { by: 'none' },
      },
    ],
  },
  {
    name: 'galaxy',
    package: '@scalar/galaxy@0.2.20',
    file: 'dist/3.1.yaml',
    base: '',
    truths: [
      {
        list: '/planets',
        one: '/planets/{planetId}',
        rows: ['data'],
        id: 'id',
        directory: '/planets',
        pages: { by: 'address', next: ['meta', 'next'], size: ['limit', 50] },
      },
    ],
  },
  {
    name: 'figma',
    package: '@figma/rest-api-spec@0.43.0',
    file: 'openapi/openapi.yaml',
    base: '',
    truths: [
      {
        list: '/v1/files/{file_key}/comments',
        rows: ['comments'],
        id: 'id',
        directory: '/v1/files/comments',
        pages: { by: 'none' },
      },
      {
        list: '/v1/files/{file_key}/versions',
        rows: ['versions'],
        id: 'id',
        directory: '/v1/files/versions',
        pages: { by: 'address', next: ['pagination', 'next_page'], size: ['page_size', 50] },
      },
      {
        list: '/v2/webhooks',
        one: '/v2/webhooks/{webhook_id}',
        rows: ['webhooks'],
        id: 'id',
        directory: '/v2/webhooks',
        pages: { by: 'none' },
      },
    ],
  },
  {
    name: 'gitbook',
    package: '@gitbook/api@0.202.0',
    file: 'spec/openapi.json',
    base: '/v1',
    truths: [
      { ...GITBOOK, list: '/orgs', one: '/orgs/{organizationId}', directory: '/orgs' },
      {
        ...GITBOOK,
        list: '/orgs/{organizationId}/sites',
        one: '/orgs/{organizationId}/sites/{siteId}',
        directory: '/orgs/*/sites',
      },
      {
        ...GITBOOK,
        list: '/orgs/{organizationId}/teams',
        one: '/orgs/{organizationId}/teams/{teamId}',
        directory: '/orgs/*/teams',
      },
    ],
  },
  {
    name: 'shipengine',
    package: 'shipengine-openapi@1.4.0',
    file: 'openapi.json',
    base: '',
    truths: [
      {
        list: '/v1/labels',
        one: '/v1/labels/{label_id}',
        rows: ['labels'],
        id: 'label_id',
        ids: 'se-',
        directory: '/v1/labels',
        pages: { by: 'page', param: 'page', size: ['page_size', 25] },
      },
      {
        list: '/v1/carriers',
        one: '/v1/carriers/{carrier_id}',
        rows: ['carriers'],
        id: 'carrier_id',
        ids: 'se-',
        directory: '/v1/carriers',
        pages: { by: 'none' },
      },
      {
        list: '/v1/carriers/{carrier_id}/packages',
        rows: ['packages'],
        id: 'package_id',
        ids: 'se-',
        directory: '/v1/carriers/*/packages',
        pages: { by: 'none' },
      },
    ],
  },
  {
    name: 'train-travel',
    package: '@readme/oas-examples@8.2.2',
    file: '3.1/json/train-travel.json',
    base: '',
    truths: [
      { ...TRAINS, list: '/stations', directory: '/stations' },
      { ...TRAINS, list: '/bookings', one: '/bookings/{bookingId}', directory: '/bookings' },
    ],
  },
  {
    name: 'rclone',
    package: 'rclone-openapi@1.75.0',
    file: 'openapi.json',
    base: '',
    truths: [],
    refused: /nothing that can be mounted, such as \S+: it is not read with GET/,
  },
  {
    name: 'netlify',
    package: '@netlify/open-api@2.60.0',
    file: 'dist/swagger.json',
    base: '/api/v1',
    truths: [],
    refused: /is of OpenAPI 2\.0: 3\.0 and 3\.1 are read/,
  },
];
