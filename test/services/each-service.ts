/**
 * The services, as tests of what holds for each of them see them: one small world, the same
 * writes, someone else's hand, and what the service holds in the end.
 */

import { createGithubMount } from '../../mounts/github/index.ts';
import * as github from '../../mounts/github/testing.ts';
import { createLinearMount } from '../../mounts/linear/index.ts';
import * as linear from '../../mounts/linear/testing.ts';
import { createNotionMount } from '../../mounts/notion/index.ts';
import * as notion from '../../mounts/notion/testing.ts';
import { createSlackMount } from '../../mounts/slack/index.ts';
import * as slack from '../../mounts/slack/testing.ts';
import { textOf as plainOf } from '../../mounts/slack/text.ts';
import type { ServiceOptions } from '../../src/mount/service/opening.ts';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import type { LineFault, Opener, Subject, TestedWrite } from '../../src/mount-testing/index.ts';
import {
  type EditInput as GithubEdit,
  type GithubStandIn,
  startGithubStandIn,
} from '../stand-ins/github/index.ts';
import { type LinearStandIn, startLinearStandIn } from '../stand-ins/linear/index.ts';
import { type NotionStandIn, startNotionStandIn } from '../stand-ins/notion/index.ts';
import type { StandIn } from '../stand-ins/process.ts';
import { type SlackStandIn, startSlackStandIn } from '../stand-ins/slack/index.ts';
import { ServiceBench } from './testing.ts';

export type ServiceName = 'github' | 'linear' | 'notion' | 'slack';
export const SERVICES: readonly ServiceName[] = ['github', 'linear', 'notion', 'slack'];

/** How a process of its own opens the mount of a service. */
export const openerOf = (name: ServiceName, url: string, token: string): Opener => ({
  module: new URL(`./openers/${name}.ts`, import.meta.url).href,
  baseUrl: url,
  token,
  options: {},
});

/** What a service holds: titles and texts of records that are neither archived nor in the trash, and comments. */
export interface Held {
  records: { title: string; text: string }[];
  comments: string[];
  /** Contents of files that are no records, by path. */
  files: Readonly<Record<string, string>>;
}

export type Write = TestedWrite<Held>;

/** All texts of what is held. */
export const textsOf = ({ records, files }: Held): string[] => [
  ...records.map((one) => one.text),
  ...Object.values(files),
];

/** Where things are in the small world: two records with a comment each. */
export interface Places {
  /** The directory that lists the records. */
  list: string;
  record: string;
  other: string;
  comment: string;
}

/** A service's stand-in, running. `bench` begins anew. */
export interface RunningService extends Subject<Held> {
  readonly name: ServiceName;
  /** For the mount's `baseUrl`. */
  readonly url: string;
  /** Of the seed. */
  readonly token: string;
  readonly places: Places;
  readonly writes: readonly Write[];
  /** The title in a record's file, where it has no field of that name: such a one is its text. */
  titleIn?(content: string): string;
  /** The document that shows a record, where that is another than its file. */
  documentOf?(path: string): string;
  /** Someone else gives the record another title. */
  retitle(title: string): Promise<void>;
  /** Someone else deletes the record; and the other one's comment, where comments can be deleted. */
  removeRecord(): Promise<void>;
  removeComment?(): Promise<void>;
  /** Someone else renames what records only refer to, and show by its name. */
  renameReferred?(name: string): Promise<void>;
  /** Someone else makes a record. */
  add(title: string): Promise<void>;
}

const START = {
  github: startGithub,
  linear: startLinear,
  notion: startNotion,
  slack: startSlack,
} as const satisfies Record<ServiceName, () => Promise<RunningService>>;

export function startService(name: ServiceName): Promise<RunningService> {
  return START[name]();
}

/** What a service brings of its own to {@link running}. */
interface Own<Row>
  extends Omit<
    RunningService,
    | 'name'
    | 'url'
    | 'token'
    | 'bench'
    | 'fault'
    | 'clearFaults'
    | 'asked'
    | 'opener'
    | typeof Symbol.asyncDispose
  > {
  create: (options: ServiceOptions) => ServiceMount;
  /** Begins the stand-in anew. */
  reseed(): Promise<void>;
  /** Does a request write, and what is it? */
  seen(row: Row): { write: boolean; what: string };
}

/** The faults of the line that every stand-in has. */
const STAND_IN_KINDS = ['cut', 'cut-body', 'lost-answer', 'server-error', 'lag', 'slow'] as const;
export type StandInFault =
  | Extract<LineFault, { ms: number }>
  | (Omit<LineFault, 'kind'> & { kind: 'cut' | 'cut-body' | 'lost-answer' | 'server-error' });

function standInFault(fault: LineFault): StandInFault {
  if (STAND_IN_KINDS.some((kind) => kind === fault.kind)) return fault as StandInFault;
  throw new Error(`a stand-in has a ${fault.kind} of its own, and not of its line`);
}

/** A stand-in with what is the same for every service. */
function running<Row extends { status: number | null }>(
  name: ServiceName,
  service: StandIn<StandInFault, Row>,
  { create, reseed, seen, ...own }: Own<Row>,
): RunningService {
  const { url, token } = service;
  // Counted, not cleared: a request that comes between a question and a clearing would be lost.
  let told = 0;
  return {
    ...own,
    name,
    url,
    token,
    bench: async () => {
      await reseed();
      await service.resetRequests();
      told = 0;
      const bench = new ServiceBench<ServiceOptions>(name, create, { baseUrl: url, token });
      return Object.assign(bench, { [Symbol.dispose]: () => bench.end() });
    },
    opener: openerOf(name, url, token),
    fault: (fault) => service.fault(standInFault(fault)),
    clearFaults: () => service.clearFaults(),
    asked: async () => {
      const rows = (await service.requests()).slice(told);
      told += rows.length;
      return rows.map((row) => ({ ...seen(row), status: row.status }));
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

const title = (before: string, text: string) => before.replace(/^title: .*$/m, `title: ${text}`);
const body = (before: string, text: string) =>
  `${before.slice(0, before.indexOf('\n---\n') + 5)}\n${text}\n`;

const NEW_RECORD = '---\ntitle: Only once\n---\n\nThe text\n';
const count = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length;
const madeRecord = ({ records }: Held) => count(records, (one) => one.title === 'Only once');
const edited = ({ records }: Held) =>
  count(records, (one) => one.title === 'Mine' && one.text.trim() === 'My text');
const madeComment = ({ comments }: Held) => count(comments, (one) => one.trim() === 'Said once');
const editedComment = ({ comments }: Held) => count(comments, (one) => one.trim() === 'Said anew');

/** The writes that every service has. */
function writesOn({ list, record, comment }: Places): Write[] {
  const comments = comment.slice(0, comment.lastIndexOf('/'));
  const edit = (before: string) => body(title(before, 'Mine'), 'My text');
  return [
    { what: 'a new record', path: `${list}/new.md`, content: () => NEW_RECORD, made: madeRecord },
    { what: 'an edit', path: record, content: edit, made: edited },
    {
      what: 'a new comment',
      path: `${comments}/new.md`,
      content: () => 'Said once\n',
      made: madeComment,
    },
    {
      what: 'an edited comment',
      path: comment,
      content: (before) => body(before, 'Said anew'),
      made: editedComment,
    },
  ];
}

/** Of the services whose comments can be removed. */
function removedComment({ comment }: Places): Write {
  return {
    what: 'a removed comment',
    path: comment,
    content: () => null,
    made: ({ comments }) => (comments.some((one) => one.startsWith('Comment 0 on 2')) ? 0 : 1),
  };
}

const OCTO = { owner: 'octo', repo: 'hello' };

async function startGithub(): Promise<RunningService> {
  // The third is a pull request.
  const seed = github.seed({ issues: 3, commentsEach: 1, pullEvery: 3 });
  const [repository] = seed.repositories;
  if (repository === undefined) throw new Error('the seed has no repository');
  repository.files.push({ path: 'shared.txt', content: 'start\n' });
  for (const path of ['old/a.txt', 'old/b/c.txt']) repository.files.push({ path, content: path });
  const service: GithubStandIn = await startGithubStandIn({ seed });
  const issue = (n: number) => `${github.REPO}/issues/${n}`;
  const places: Places = {
    list: `${github.REPO}/issues`,
    record: `${issue(1)}.md`,
    other: `${issue(2)}.md`,
    comment: `${issue(2)}/comments/10200.md`,
  };
  const edit = async (what: GithubEdit) => void (await service.edit(what));
  return running('github', service, {
    places,
    writes: [
      ...writesOn(places),
      removedComment(places),
      {
        what: 'a review',
        path: `${github.REPO}/pulls/3/reviews/new.md`,
        content: () => '---\nstate: request changes\n---\n\nReviewed once\n',
        made: ({ comments }) => count(comments, (one) => one === 'Reviewed once'),
      },
      {
        what: 'a file of the repository',
        path: `${github.REPO}/files/shared.txt`,
        content: (before) => `${before}more\n`,
        made: ({ files }) => (files['shared.txt'] ?? '').split('more\n').length - 1,
      },
      {
        what: 'a removed directory of files',
        path: `${github.REPO}/files/old`,
        content: () => null,
        made: ({ files }) => (Object.keys(files).some((one) => one.startsWith('old/')) ? 0 : 1),
      },
    ],
    create: (options) => createGithubMount({ ...options, repository: 'octo/hello', writeGapMs: 0 }),
    reseed: () => service.reseed(seed),
    seen: ({ method, url }) => ({ write: method !== 'GET', what: `${method} ${url}` }),
    held: async () => {
      const data = (await service.dump()).repositories[0];
      return {
        records: (data?.issues ?? []).map((one) => ({ title: one.title, text: one.body ?? '' })),
        comments: [...(data?.comments ?? []), ...(data?.reviews ?? [])].map((one) => one.body),
        files: Object.fromEntries((data?.files ?? []).map((one) => [one.path, one.content])),
      };
    },
    retitle: (text) => edit({ op: 'edit-issue', ...OCTO, number: 1, fields: { title: text } }),
    removeRecord: () => edit({ op: 'delete-issue', ...OCTO, number: 1 }),
    removeComment: () => edit({ op: 'delete-comment', ...OCTO, id: 10_200 }),
    add: (text) => edit({ op: 'create-issue', ...OCTO, title: text }),
  });
}

async function startLinear(): Promise<RunningService> {
  const { uuid, IDS } = linear;
  const born = (id: number) => ({
    id: uuid(id),
    createdAt: '2025-01-01T00:00:00.000Z',
    updatedAt: '2025-01-01T00:00:00.000Z',
  });
  const seed = {
    ...linear.seed({ issues: 2, commentsEach: 1 }),
    documents: [
      { ...born(800), slugId: 'aaaa0001', title: 'A plan', content: 'As it was', teamId: uuid(1) },
    ],
    notifications: [
      {
        ...born(700),
        userId: uuid(IDS.user),
        type: 'issueMention',
        title: 'You were named',
        issueId: uuid(IDS.issue + 1),
      },
    ],
  };
  const service: LinearStandIn = await startLinearStandIn({ seed });
  const places: Places = {
    list: linear.ISSUES,
    record: `${linear.ISSUES}/ENG-1.md`,
    other: `${linear.ISSUES}/ENG-2.md`,
    comment: linear.commentPath(2, 0),
  };
  const comment = places.comment.slice(places.comment.lastIndexOf('/') + 1, -'.md'.length);
  let made = 2;
  return running('linear', service, {
    places,
    writes: [
      ...writesOn(places),
      removedComment(places),
      {
        what: 'a relation',
        path: places.record,
        content: (before) => before.replace('blocks: []', 'blocks: [ENG-2]'),
        made: ({ files }) => (files['relations'] ?? '').split('blocks').length - 1,
      },
      {
        what: 'a move to another team',
        path: places.record,
        content: (before) => before.replace('team: ENG', 'team: OPS'),
        made: ({ files }) => (files['teams'] ?? '').split('OPS').length - 1,
      },
      {
        what: 'a new document',
        path: '/documents/new.md',
        content: () => '---\ntitle: Only once\nteam: ENG\n---\n\nThe text\n',
        made: madeRecord,
      },
      {
        what: 'an edited document',
        path: '/documents/aaaa0001.md',
        content: (before) => body(title(before, 'Mine'), 'My text'),
        made: edited,
      },
      {
        what: 'an update of a project',
        path: `${linear.TEAM}/projects/abc0def/updates/new.md`,
        content: () => '---\nhealth: at risk\n---\n\nSaid once\n',
        made: madeComment,
      },
      {
        what: 'a notification that is marked read',
        path: `/inbox/${uuid(700)}.md`,
        content: (before) => before.replace('read: false', 'read: true'),
        made: ({ files }) => (files['inbox'] === 'read' ? 1 : 0),
      },
    ],
    create: createLinearMount,
    reseed: () => {
      made = 2;
      return service.reseed(seed);
    },
    seen: ({ operation, fields }) => ({ write: operation === 'mutation', what: fields.join(' ') }),
    held: async () => {
      const data = await service.dump();
      return {
        records: [
          ...data.issues.map((one) => ({ title: one.title, text: one.description ?? '' })),
          ...data.documents.map((one) => ({ title: one.title, text: one.content ?? '' })),
        ],
        comments: [...data.comments, ...data.updates]
          .filter((one) => (one.archivedAt ?? null) === null)
          .map((one) => one.body),
        files: {
          relations: data.relations.map(({ type }) => type).join('\n'),
          teams: data.issues
            .map(({ teamId }) => data.teams.find(({ id }) => id === teamId)?.key)
            .join('\n'),
          inbox: data.notifications.every(({ readAt }) => readAt !== null) ? 'read' : 'unread',
        },
      };
    },
    retitle: async (text) => {
      await service.edit({ op: 'set', table: 'issues', id: 'ENG-1', fields: { title: text } });
    },
    removeRecord: async () => {
      await service.edit({ op: 'remove', table: 'issues', id: 'ENG-1' });
    },
    removeComment: async () => {
      await service.edit({ op: 'remove', table: 'comments', id: comment });
    },
    renameReferred: async (name) => {
      // The second issue has it.
      const id = linear.uuid(linear.IDS.label);
      await service.edit({ op: 'set', table: 'labels', id, fields: { name } });
    },
    add: async (text) => {
      const [like] = (await service.dump()).issues;
      const { id: _, createdAt: _at, updatedAt: _then, ...fields } = like ?? { id: '' };
      const own = { ...fields, number: ++made, title: text };
      await service.edit({ op: 'add', table: 'issues', fields: own });
    },
  });
}

async function startNotion(): Promise<RunningService> {
  const { id, named, page, TASKS, workspace } = notion;
  const said = (key: string) => ({
    id: id(`comment on ${key}`),
    page: id(key),
    discussion: id(`discussion of ${key}`),
    text: `Comment 0 on ${key}`,
    // Notion lets an integration edit its own comments only.
    by: id('bot'),
    createdAt: notion.minute(1),
  });
  const pages = ['First', 'Second'].map((key) => page(key, { markdown: `Body of ${key}` }));
  const rows = [page('Row', { markdown: 'row text', values: { Status: 'Open' } })];
  const seed = { ...workspace(pages, rows), comments: ['First', 'Second'].map(said) };
  const service: NotionStandIn = await startNotionStandIn({ seed });
  const places: Places = {
    list: `/${named('Second')}`,
    record: `/${named('First')}.md`,
    other: `/${named('Second')}.md`,
    comment: `/${named('Second')}/comments/${id('comment on Second').replaceAll('-', '')}.md`,
  };
  return running('notion', service, {
    places,
    writes: [
      ...writesOn(places),
      { what: 'a new row', path: `${TASKS}/new.md`, content: () => NEW_RECORD, made: madeRecord },
      {
        what: 'an edited row',
        path: `${TASKS}/${named('Row')}.md`,
        content: (before) => body(title(before, 'Mine'), 'My text'),
        made: edited,
      },
      {
        what: 'a removed page',
        path: places.record,
        content: () => null,
        made: ({ records }) => (records.some((one) => one.title === 'First') ? 0 : 1),
      },
    ],
    create: createNotionMount,
    reseed: () => service.reseed(seed),
    seen: ({ method, url }) => {
      const reads = method === 'GET' || /^\/v1\/(search|data_sources\/[^/]+\/query)/.test(url);
      return { write: !reads, what: `${method} ${url}` };
    },
    held: async () => {
      const all = (await service.dump()).filter(({ inTrash }) => !inTrash);
      return {
        records: all.map((one) => ({
          title: one.title,
          text: one.markdown.replaceAll('<br>', '\n'),
        })),
        comments: all.flatMap((one) => one.comments),
        files: {},
      };
    },
    retitle: async (text) => {
      await service.edit({ op: 'title', id: id('First'), title: text });
    },
    removeRecord: async () => {
      await service.edit({ op: 'trash', id: id('First') });
    },
    add: async (text) => {
      await service.edit({ op: 'create', parent: id('Second'), title: text });
    },
  });
}

async function startSlack(): Promise<RunningService> {
  const { ADA, GENERAL, ME, tsOf, workspace } = slack;
  const [record, other, comment] = [tsOf(60 * 24 * 3), tsOf(60), tsOf(30)];
  const messages = '/general/messages';
  const seed = workspace([
    { ts: record, user: ME, text: 'First' },
    { ts: other, user: ME, text: 'Second' },
    { ts: comment, user: ME, text: 'Comment 0 on 2', thread_ts: other },
    { ts: tsOf(20), user: ADA, text: 'Third' },
  ]);
  const service: SlackStandIn = await startSlackStandIn({ seed });
  const places: Places = {
    list: messages,
    record: `${messages}/${record}.md`,
    other: `${messages}/${other}.md`,
    comment: `/general/threads/${other}/${comment}.md`,
  };
  const text = (content: string) => content.slice(content.indexOf('\n---\n') + 6, -1);
  const said = ({ records }: Held, wanted: string) =>
    count(records, (one) => one.text.trim() === wanted);
  return running('slack', service, {
    places,
    titleIn: text,
    documentOf: (path) => {
      const [, ts = ''] = /(\d+\.\d{6})\.md$/.exec(path) ?? [];
      return `/general/days/${new Date(Number(ts) * 1000).toISOString().slice(0, 10)}.md`;
    },
    writes: [
      {
        what: 'a new record',
        path: `${messages}/new.md`,
        content: () => 'Only once\n',
        made: (held) => said(held, 'Only once'),
      },
      {
        what: 'an edit',
        path: places.record,
        content: (before) => body(before, 'My text'),
        made: (held) => said(held, 'My text'),
      },
      ...writesOn(places).filter(({ what }) => what.includes('comment')),
      removedComment(places),
      {
        what: 'two reactions',
        path: places.record,
        content: (before) => before.replace('my_reactions: []', 'my_reactions: [eyes, tada]'),
        made: ({ files }) => (files['reactions'] === 'eyes tada' ? 1 : 0),
      },
    ],
    create: createSlackMount,
    reseed: () => service.reseed(seed),
    seen: ({ method }) => ({ write: /^(chat|reactions)\./.test(method), what: method }),
    held: async () => {
      const all = (await service.dump()).filter(({ channel }) => channel === GENERAL);
      const texts = (answers: boolean) =>
        all
          .filter(({ ts, thread_ts = ts }) => (thread_ts !== ts) === answers)
          .map((one) => plainOf(one.text));
      const reactions = Object.keys(all.find(({ ts }) => ts === record)?.reactions ?? {});
      return {
        records: texts(false).map((one) => ({ title: one, text: one })),
        comments: texts(true),
        files: { reactions: reactions.join(' ') },
      };
    },
    retitle: async (wanted) => {
      await service.edit({ op: 'reword', channel: GENERAL, ts: record, text: wanted });
    },
    removeRecord: async () => {
      await service.edit({ op: 'delete', channel: GENERAL, ts: record });
    },
    renameReferred: async (name) => {
      await service.edit({ op: 'rename-user', id: ME, name });
    },
    add: async (wanted) => {
      await service.edit({ op: 'post', channel: GENERAL, text: wanted, user: ME });
    },
  });
}
