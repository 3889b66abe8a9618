/**
 * The workspace of the demo world: the pages of the team that runs Quay, the job queue whose issues
 * the GitHub stand-in has. Incidents, numbers and people are the same in both. Nothing depends on
 * the time or the machine.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { credential } from '../../credentials/tokens.ts';
import { type PageSeed, type SeedData, type SeedInput, seedDataSchema } from './model.ts';

/** Signs in as the integration that the workspace has. */
const DEMO_TOKEN = credential('', 'demo_notion');

/** An id that is the same on every call. */
function seedId(name: string): string {
  const hex = createHash('sha256').update(`notion ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const PEOPLE: readonly [name: string, email: string | null][] = [
  ['Dirigent', null],
  ['Mara Lindqvist', 'mara@harbor.example'],
  ['Tomasz Kowalczyk', 'tomasz@harbor.example'],
  ['Priya Raman', 'priya@harbor.example'],
  ['Jonas Weber', 'jonas@harbor.example'],
  ['Adaeze Okafor', 'adaeze@harbor.example'],
];

/**
 * A page of a file under `seed/`: its first line is `key | parent's key | author | created | edited`,
 * its second the title, the rest its text. Pages are separated by a line `=== `.
 */
function pagesOf(text: string): PageSeed[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block): PageSeed => {
      const [head = '', title = '', ...rest] = block.split('\n');
      const [key = '', parent = '', author = '', created = '', edited = ''] = head
        .split('|')
        .map((part) => part.trim());
      return {
        id: seedId(key),
        parent: parent === '' ? null : seedId(parent),
        title,
        markdown: rest.join('\n').trim(),
        createdAt: `${created}:00.000Z`,
        editedAt: `${edited}:00.000Z`,
        by: seedId(author),
      };
    });
}

const INCIDENTS: readonly [
  key: string,
  title: string,
  date: string,
  severity: string,
  status: string,
  owner: string,
  issues: string,
  areas: string[],
][] = [
  [
    'inc-webhooks',
    'Customer notifications stopped for 47 minutes',
    '2024-06-03',
    'SEV1',
    'Actions open',
    'Mara Lindqvist',
    'harbor/quay#4',
    ['webhooks'],
  ],
  [
    'inc-memory',
    'Replicas killed by the memory limit every nine days',
    '2024-06-21',
    'SEV2',
    'Actions open',
    'Tomasz Kowalczyk',
    'harbor/quay#6',
    ['server'],
  ],
  [
    'inc-pool',
    'API hung during the nightly import',
    '2024-07-27',
    'SEV2',
    'Closed',
    'Mara Lindqvist',
    'harbor/quay#18',
    ['storage'],
  ],
  [
    'inc-disk',
    'Database volume full',
    '2024-08-15',
    'SEV1',
    'Actions open',
    'Tomasz Kowalczyk',
    'harbor/quay#24',
    ['storage'],
  ],
  [
    'inc-tls',
    'Expired certificate served after its renewal',
    '2024-09-01',
    'SEV2',
    'Investigating',
    'Jonas Weber',
    'harbor/quay#31',
    ['server', 'auth'],
  ],
];

const SERVICES: readonly [
  name: string,
  tier: string,
  owner: string,
  incidents: string[],
  replicas: number,
][] = [
  ['quay-server', 'Tier 1', 'Mara Lindqvist', ['inc-memory', 'inc-tls'], 3],
  ['webhook-delivery', 'Tier 1', 'Mara Lindqvist', ['inc-webhooks'], 2],
  ['quay-dashboard', 'Tier 2', 'Priya Raman', [], 2],
  ['quayctl', 'Tier 3', 'Adaeze Okafor', [], 0],
];

function incidents(texts: ReadonlyMap<string, string>): PageSeed[] {
  return INCIDENTS.map(([key, title, date, severity, status, owner, issues, areas]) => ({
    id: seedId(key),
    parent: seedId('db-incidents'),
    title,
    markdown: texts.get(key) ?? '',
    values: {
      Severity: severity,
      Status: status,
      Date: date,
      Owner: [owner],
      Issue: issues,
      Areas: areas,
      Published: status === 'Closed',
    },
    createdAt: `${date}T12:00:00.000Z`,
    editedAt: `${date}T16:40:00.000Z`,
    by: seedId(owner),
  }));
}

function services(): PageSeed[] {
  return SERVICES.map(([name, tier, owner, related, replicas]) => ({
    id: seedId(`svc-${name}`),
    parent: seedId('db-services'),
    title: name,
    markdown: '',
    values: {
      Tier: tier,
      Owner: [owner],
      Incidents: related.map(seedId),
      Replicas: replicas,
      Repository:
        name === 'quayctl'
          ? 'https://github.com/harbor/quay-cli'
          : 'https://github.com/harbor/quay',
    },
    createdAt: '2024-05-06T09:00:00.000Z',
    editedAt: '2025-02-11T10:05:00.000Z',
    by: seedId(owner),
  }));
}

/** The demo's workspace, the same on every call. */
export function demoSeed(): SeedData {
  const directory = new URL('./seed/', import.meta.url);
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  const all = files.flatMap((file) => pagesOf(readFileSync(new URL(file, directory), 'utf8')));
  const rows = new Set(INCIDENTS.map(([key]) => seedId(key)));
  const texts = new Map(
    INCIDENTS.map(([key]) => [key, all.find(({ id }) => id === seedId(key))?.markdown ?? '']),
  );
  const bookmark = {
    type: 'bookmark',
    content: { url: 'https://status.harbor.example/', caption: [] },
  };
  const pages = all
    .filter(({ id }) => !rows.has(id))
    .map((page) => (page.id === seedId('on-call') ? { ...page, extra: [bookmark] } : page));
  const seed: SeedInput = {
    users: PEOPLE.map(([name, email]) => ({ id: seedId(name), name, email })),
    tokens: { [DEMO_TOKEN]: seedId('Dirigent') },
    pages: [...pages, ...incidents(texts), ...services()],
    databases: [
      {
        id: seedId('db-incidents'),
        dataSourceId: seedId('ds-incidents'),
        parent: seedId('operations'),
        title: 'Incidents',
        properties: {
          Name: { type: 'title' },
          Severity: { type: 'select', options: ['SEV1', 'SEV2', 'SEV3'] },
          Status: { type: 'status', options: ['Investigating', 'Actions open', 'Closed'] },
          Date: { type: 'date' },
          Owner: { type: 'people' },
          Issue: { type: 'rich_text' },
          Areas: {
            type: 'multi_select',
            options: ['webhooks', 'server', 'storage', 'auth', 'scheduler'],
          },
          Published: { type: 'checkbox' },
        },
        createdAt: '2024-05-06T08:30:00.000Z',
        by: seedId('Mara Lindqvist'),
      },
      {
        id: seedId('db-services'),
        dataSourceId: seedId('ds-services'),
        parent: seedId('operations'),
        title: 'Services',
        properties: {
          Name: { type: 'title' },
          Tier: { type: 'select', options: ['Tier 1', 'Tier 2', 'Tier 3'] },
          Owner: { type: 'people' },
          Incidents: { type: 'relation', target: seedId('db-incidents') },
          Replicas: { type: 'number' },
          Repository: { type: 'url' },
        },
        createdAt: '2024-05-06T08:40:00.000Z',
        by: seedId('Tomasz Kowalczyk'),
      },
    ],
    comments: [
      comment(
        'c1',
        'inc-webhooks',
        'Mara Lindqvist',
        'The per-host cap is in 3.2. Only the alert on delivery lag and the docs page are left, see harbor/quay#12.',
        '2024-07-12T09:20:31.000Z',
      ),
      comment(
        'c2',
        'inc-memory',
        'Tomasz Kowalczyk',
        'It is back with ack-batch: harbor/quay#30. I reopened the actions here.',
        '2024-08-30T10:02:12.000Z',
      ),
      comment(
        'c3',
        'rb-certificates',
        'Jonas Weber',
        'Until #58 is done, check the expiry by hand on the first of each month.',
        '2024-11-02T08:15:44.000Z',
      ),
    ],
  };
  return seedDataSchema.parse(seed);
}

function comment(
  key: string,
  page: string,
  by: string,
  text: string,
  createdAt: string,
): SeedData['comments'][number] {
  return {
    id: seedId(key),
    page: seedId(page),
    discussion: seedId(`d-${key}`),
    text,
    by: seedId(by),
    createdAt,
  };
}

/** A seed, or that of the demo world. */
export function seedOf(seed: 'demo' | SeedData): SeedData {
  return seed === 'demo' ? demoSeed() : seed;
}
