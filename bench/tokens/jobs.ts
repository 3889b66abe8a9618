/**
 * Twenty jobs, each as the shortest way to its answer that either side has: a fixed script of calls.
 * It knows what a person would have said (the repository, a title, a number), and looks up the rest:
 * ids by a search on the one side, the names of files and fields by a look at them on the other.
 */
import { z } from 'zod';
import type { Services } from './sides.ts';

export type Call = (server: string, name: string, input: object) => Promise<string>;

export interface Job {
  name: string;
  theirs(call: Call): Promise<string>;
  ours(sh: (command: string) => Promise<string>): Promise<string>;
  /** Of a write: what the service has after it, which is the answer. */
  written?: {
    read(services: Services): Promise<string>;
    /** What must be there, and was not before. */
    holds: string;
  };
}

const REPOSITORY = { owner: 'harbor', repo: 'quay' };
const QUAY = '/mnt/github/harbor/quay';
/** What a search by title gives, or a look at the directory. */
const OPERATIONS = '/mnt/notion/Operations--*';

const issue = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  labels: z.array(z.object({ name: z.string() })),
  assignees: z.array(z.object({ login: z.string() })),
  pull_request: z.unknown().optional(),
});
const parsed = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> =>
  schema.parse(JSON.parse(text));

/** Lines of what a command printed, without the marks about where they are from. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !/^<\/?untrusted|^The text between the marks/.test(line));
const sorted = (all: readonly (string | number)[]): string => all.map(String).sort().join(', ');

/** The issues that a search of GitHub finds. */
async function found(call: Call, q: string, more: object = {}): Promise<z.output<typeof issue>[]> {
  const text = await call('github', 'search_issues', { q, ...more });
  return parsed(z.object({ items: z.array(issue) }), text).items;
}

const result = z.object({
  id: z.string(),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
});
/** The first page, or data source, that Notion finds by a title. */
async function titled(call: Call, query: string, value: 'page' | 'data_source' = 'page') {
  const filter = { property: 'object', value };
  const text = await call('notion', 'API-post-search', { query, filter, page_size: 1 });
  const [first] = parsed(z.object({ results: z.array(result) }), text).results;
  if (first === undefined) throw new Error(`Notion found no ${query}`);
  return first;
}
async function markdownOf(call: Call, query: string): Promise<string> {
  const { id } = await titled(call, query);
  const text = await call('notion', 'API-retrieve-page-markdown', { page_id: id });
  return parsed(z.object({ markdown: z.string() }), text).markdown;
}

const plain = z.array(z.object({ plain_text: z.string() }));
const textOf = (property: Record<string, unknown> | undefined, kind: string): string =>
  plain
    .parse(property?.[kind])
    .map((run) => run.plain_text)
    .join('');
async function openIncidents(call: Call): Promise<z.output<typeof result>[]> {
  const { id } = await titled(call, 'Incidents', 'data_source');
  const text = await call('notion', 'API-query-data-source', {
    data_source_id: id,
    filter: { property: 'Status', status: { equals: 'Actions open' } },
  });
  return parsed(z.object({ results: z.array(result) }), text).results;
}

const READING: readonly Job[] = [
  {
    name: 'how many issues are open',
    theirs: async (call) => {
      const q = 'repo:harbor/quay is:issue is:open';
      const text = await call('github', 'search_issues', { q, per_page: 1 });
      return String(parsed(z.object({ total_count: z.number() }), text).total_count);
    },
    ours: async (sh) => {
      await sh(`ls ${QUAY}; head -n 2 ${QUAY}/issues/index.tsv`);
      return linesOf(await sh(`cut -f 2 ${QUAY}/issues/index.tsv | grep -c open`)).join();
    },
  },
  {
    name: 'what an issue says, and whose it is',
    theirs: async (call) => {
      const text = await call('github', 'get_issue', { ...REPOSITORY, issue_number: 12 });
      const { title, assignees } = parsed(issue, text);
      return `${title}: ${sorted(assignees.map(({ login }) => login))}`;
    },
    ours: async (sh) => {
      await sh(`ls ${QUAY}`);
      const text = await sh(`cat ${QUAY}/issues/12.md`);
      const field = (name: string): string =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
      return `${field('title')}: ${field('assignees').replace(/[[\]]/g, '')}`;
    },
  },
  {
    name: 'the ten issues that changed last',
    theirs: async (call) => {
      const q = 'repo:harbor/quay is:issue';
      const items = await found(call, q, { sort: 'updated', order: 'desc', per_page: 10 });
      return sorted(items.map(({ number }) => number));
    },
    ours: async (sh) => {
      await sh(`ls ${QUAY}; head -n 2 ${QUAY}/issues/index.tsv`);
      const text = await sh(`sort -t $'\\t' -k 6r ${QUAY}/issues/index.tsv | sed -n 2,11p`);
      return sorted(linesOf(text).map((line) => line.split('\t')[0] ?? ''));
    },
  },
  {
    name: 'open bugs of one area',
    theirs: async (call) => {
      const labels = ['bug', 'area/dashboard'];
      const input = { ...REPOSITORY, state: 'open', labels, per_page: 100 };
      const items = parsed(z.array(issue), await call('github', 'list_issues', input));
      return sorted(
        items.filter(({ pull_request }) => pull_request === undefined).map(({ number }) => number),
      );
    },
    ours: async (sh) => {
      await sh(`ls ${QUAY}; head -n 2 ${QUAY}/issues/index.tsv`);
      const text = await sh(`grep -P '\\topen\\t.*bug.*area/dashboard' ${QUAY}/issues/index.tsv`);
      return sorted(linesOf(text).map((line) => line.split('\t')[0] ?? ''));
    },
  },
  {
    name: 'which pull requests are open',
    theirs: async (call) => {
      const input = { ...REPOSITORY, state: 'open', per_page: 100 };
      const text = await call('github', 'list_pull_requests', input);
      return sorted(parsed(z.array(z.object({ number: z.number() })), text).map((p) => p.number));
    },
    ours: async (sh) => {
      await sh(`ls ${QUAY}; head -n 2 ${QUAY}/pulls/index.tsv`);
      const text = await sh(`cut -f -3 ${QUAY}/pulls/index.tsv | grep -P '\\topen\\t'`);
      return sorted(linesOf(text).map((line) => line.split('\t')[0] ?? ''));
    },
  },
  {
    name: 'which files a pull request changes',
    theirs: async (call) => {
      const input = { ...REPOSITORY, pull_number: 3 };
      const text = await call('github', 'get_pull_request_files', input);
      return sorted(
        parsed(z.array(z.object({ filename: z.string() })), text).map((f) => f.filename),
      );
    },
    ours: async (sh) => {
      await sh(`ls -d ${QUAY}/pulls/3*`);
      const text = await sh(`cat ${QUAY}/pulls/3.diff`);
      return sorted([...text.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file = '']) => file));
    },
  },
  {
    name: 'how the project is installed',
    theirs: async (call) => {
      const text = await call('github', 'get_file_contents', { ...REPOSITORY, path: 'README.md' });
      return (
        /npm install .*/.exec(parsed(z.object({ content: z.string() }), text).content)?.[0] ?? ''
      );
    },
    ours: async (sh) => {
      await sh(`ls ${QUAY}/files`);
      return /npm install .*/.exec(await sh(`cat ${QUAY}/files/README.md`))?.[0] ?? '';
    },
  },
  {
    name: 'a default in a source file',
    theirs: async (call) => {
      await call('github', 'get_file_contents', { ...REPOSITORY, path: 'src/webhooks' });
      const path = 'src/webhooks/pool.ts';
      const text = await call('github', 'get_file_contents', { ...REPOSITORY, path });
      return /perHostLimit` \(default (\d+)/.exec(text)?.[1] ?? '';
    },
    ours: async (sh) => {
      const text = await sh(`grep -rn perHostLimit ${QUAY}/files/src/webhooks`);
      return /perHostLimit` \(default (\d+)/.exec(text)?.[1] ?? '';
    },
  },
  {
    name: 'what a runbook says to do first',
    theirs: async (call) =>
      /1\. (Lower [^.]*\.timeoutMs` to \d+)/.exec(
        await markdownOf(call, 'Runbook: webhooks are late'),
      )?.[1] ?? '',
    ours: async (sh) => {
      const lines = linesOf(await sh('grep "runbook for late webhooks" /mnt/notion | head -n 3'));
      const [file = ''] = lines.map(
        (line) => /^(\/mnt\/notion\/[^:]*Runbook[^:]*)/.exec(line)?.[1],
      );
      return /1\. (Lower [^.]*\.timeoutMs` to \d+)/.exec(await sh(`cat '${file}'`))?.[1] ?? '';
    },
  },
  {
    name: 'which incidents have actions open',
    theirs: async (call) =>
      sorted(
        (await openIncidents(call)).map(({ properties }) => textOf(properties['Name'], 'title')),
      ),
    ours: async (sh) => {
      await sh(`cd ${OPERATIONS}/; ls -d *`);
      const text = await sh(`grep 'Actions open' ${OPERATIONS}/Incidents--*/index.tsv`);
      return sorted(linesOf(text).map((line) => line.split('\t')[1] ?? ''));
    },
  },
  {
    name: 'what is left to do after an incident',
    theirs: async (call) => {
      const text = await markdownOf(call, 'Database volume full');
      return sorted([...text.matchAll(/^- \[ \] (.*)$/gm)].map(([, item = '']) => item));
    },
    ours: async (sh) => {
      await sh(`ls ${OPERATIONS}/Incidents--*/`);
      const text = await sh(`cat ${OPERATIONS}/Incidents--*/Database-volume-full--*`);
      return sorted([...text.matchAll(/^- \[ \] (.*)$/gm)].map(([, item = '']) => item));
    },
  },
  {
    name: 'how many replicas a service has',
    theirs: async (call) => {
      const { properties } = await titled(call, 'quay-server');
      return String(properties['Replicas']?.['number']);
    },
    ours: async (sh) => {
      await sh(`cd ${OPERATIONS}/; ls -d *`);
      const text = await sh(`sed -n '1p;/quay-server/p' ${OPERATIONS}/Services--*/index.tsv`);
      const [head = [], row = []] = linesOf(text).map((line) => line.split('\t'));
      return row[head.indexOf('Replicas')] ?? '';
    },
  },
  {
    name: 'which issues of unfinished incidents are open',
    theirs: async (call) => {
      const open: number[] = [];
      for (const { properties } of await openIncidents(call)) {
        const [, number] = textOf(properties['Issue'], 'rich_text').split('#');
        const input = { ...REPOSITORY, issue_number: Number(number) };
        const { state } = parsed(issue, await call('github', 'get_issue', input));
        if (state === 'open') open.push(Number(number));
      }
      return `open: ${sorted(open)}`;
    },
    ours: async (sh) => {
      await sh(`cd ${OPERATIONS}/; ls -d *`);
      const text = await sh(`grep 'Actions open' ${OPERATIONS}/Incidents--*/index.tsv`);
      const numbers = [...text.matchAll(/harbor\/quay#(\d+)/g)].map(([, number]) => `${number}.md`);
      const states = await sh(
        `cd ${QUAY}/issues; grep -l '^state: open' ${numbers.join(' ')}; true`,
      );
      return `open: ${sorted([...states.matchAll(/^(\d+)\.md$/gm)].map(([, number = '']) => number))}`;
    },
  },
];

/** What GitHub has of an issue. */
async function issueOf({ github }: Services, matches: (title: string) => boolean): Promise<string> {
  const dumped = await github.dump();
  const quay = dumped.repositories.find(({ repository }) => repository.name === 'quay');
  const record = quay?.issues.find(({ title }) => matches(title));
  const comments = quay?.comments.filter(({ issue: of }) => of === record?.number) ?? [];
  return JSON.stringify({
    title: record?.title,
    body: record?.body?.trim(),
    state: record?.state,
    labels: record?.labels.toSorted(),
    comments: comments.map(({ body }) => body.trim()),
  });
}

/** What Notion has of a page; ids of blocks are each stand-in's own. */
async function pageOf({ notion }: Services, title: string): Promise<string> {
  const page = (await notion.dump()).find((each) => each.title === title);
  const { markdown = '', properties } = page ?? {};
  const written = JSON.stringify({ title, markdown, properties });
  return written.replaceAll(/"id":"[^"]*",?/g, '').replaceAll(/notion\.so\/[0-9a-f]{32}/g, '');
}

const NEW_ISSUE = 'Alert on the age of the oldest undelivered event';
const NEW_BODY = 'The first action of #12.';
const COMMENT = 'Done in 3.2; the page in the docs is left.';

const WRITING: readonly Job[] = [
  {
    name: 'file an issue with labels',
    theirs: (call) =>
      call('github', 'create_issue', {
        ...REPOSITORY,
        title: NEW_ISSUE,
        body: NEW_BODY,
        labels: ['enhancement', 'area/webhooks'],
      }),
    ours: async (sh) => {
      await sh(`cat ${QUAY}/issues/new.md`);
      return sh(
        `cd ${QUAY}/issues; printf '%s\\n' --- 'title: ${NEW_ISSUE}' 'labels: [enhancement, area/webhooks]' --- '' '${NEW_BODY}' > new.md; cat .last`,
      );
    },
    written: {
      read: (services) => issueOf(services, (title) => title === NEW_ISSUE),
      holds: '"labels":["area/webhooks","enhancement"]',
    },
  },
  {
    name: 'close an issue',
    theirs: (call) =>
      call('github', 'update_issue', { ...REPOSITORY, issue_number: 200, state: 'closed' }),
    ours: async (sh) => {
      await sh(`head -n 12 ${QUAY}/issues/200.md`);
      return sh(`sed -i 's/^state: .*/state: closed/' ${QUAY}/issues/200.md`);
    },
    written: {
      read: (services) => issueOf(services, (title) => title.startsWith('Run the snippets')),
      holds: '"state":"closed"',
    },
  },
  {
    name: 'comment on an issue',
    theirs: (call) =>
      call('github', 'add_issue_comment', { ...REPOSITORY, issue_number: 12, body: COMMENT }),
    ours: async (sh) => {
      await sh(`cat ${QUAY}/issues/12/comments/new.md`);
      return sh(`echo '${COMMENT}' > ${QUAY}/issues/12/comments/new.md`);
    },
    written: {
      read: (services) => issueOf(services, (title) => title.startsWith('Post-mortem actions')),
      holds: 'Done in 3.2',
    },
  },
  {
    name: 'add a label to an issue',
    theirs: async (call) => {
      const input = { ...REPOSITORY, issue_number: 199 };
      const { labels } = parsed(issue, await call('github', 'get_issue', input));
      const all = [...labels.map(({ name }) => name), 'priority/high'];
      return call('github', 'update_issue', { ...input, labels: all });
    },
    ours: async (sh) => {
      await sh(`head -n 12 ${QUAY}/issues/199.md`);
      return sh(`sed -i '/^labels:/s/]/, priority\\/high]/' ${QUAY}/issues/199.md`);
    },
    written: {
      read: (services) => issueOf(services, (title) => title.startsWith('Contrast of grey')),
      holds: 'priority/high',
    },
  },
  {
    name: 'set the status of an incident',
    theirs: async (call) => {
      const { id } = await titled(call, 'Database volume full');
      const properties = { Status: { status: { name: 'Closed' } } };
      return call('notion', 'API-patch-page', { page_id: id, properties });
    },
    ours: async (sh) => {
      await sh(`head -n 12 ${OPERATIONS}/Incidents--*/Database-volume-full--*`);
      return sh(
        `sed -i 's/^Status: .*/Status: Closed/' ${OPERATIONS}/Incidents--*/Database-volume-full--*`,
      );
    },
    written: {
      read: (services) => pageOf(services, 'Database volume full'),
      holds: '"name":"Closed"',
    },
  },
  {
    name: 'change a line of a page',
    theirs: async (call) => {
      const { id } = await titled(call, 'On call');
      const [old_str, new_str] = [
        'Anything with tokens: Jonas Weber',
        'Anything with tokens: Priya Raman',
      ];
      return call('notion', 'API-update-page-markdown', {
        page_id: id,
        type: 'update_content',
        update_content: { content_updates: [{ old_str, new_str }] },
      });
    },
    ours: async (sh) => {
      await sh(`grep -n tokens ${OPERATIONS}/On-call--*.md`);
      return sh(`sed -i 's/tokens: Jonas Weber/tokens: Priya Raman/' ${OPERATIONS}/On-call--*.md`);
    },
    written: {
      read: (services) => pageOf(services, 'On call'),
      holds: 'tokens: Priya Raman',
    },
  },
  {
    name: 'a new row of a database',
    theirs: async (call) => {
      const { id } = await titled(call, 'Incidents', 'data_source');
      return call('notion', 'API-post-page', {
        parent: { data_source_id: id },
        properties: {
          Name: { title: [{ text: { content: 'Search is slow' } }] },
          Severity: { select: { name: 'SEV3' } },
          Status: { status: { name: 'Investigating' } },
        },
      });
    },
    ours: async (sh) => {
      await sh(`cd ${OPERATIONS}/Incidents--*/; cat new.md`);
      return sh(
        `cd ${OPERATIONS}/Incidents--*/; printf '%s\\n' --- 'title: Search is slow' 'Severity: SEV3' 'Status: Investigating' --- > new.md; cat .last`,
      );
    },
    written: {
      read: (services) => pageOf(services, 'Search is slow'),
      holds: '"name":"SEV3"',
    },
  },
];

export const JOBS: readonly Job[] = [...READING, ...WRITING];
