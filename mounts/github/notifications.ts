/** The notifications of whoever the token belongs to: a file each, marked as read by writing it. */
import { z } from 'zod';
import { at, descending, flag, record, resource, shown } from '../../src/mount/index.ts';
import { type At, got, listed } from './collections.ts';
import { isShown, requireToken } from './finds.ts';
import { type RepoName, repoUrl } from './store.ts';

/** GitHub asks to be asked no more often (`X-Poll-Interval`), in ms. */
const FRESH_MS = 60_000;

const DIRECTORY = '/@me/notifications';

const notification = record(
  'notification',
  {
    id: at('id', shown('number'), { shows: Number }),
    unread: at('unread', flag('write `false` to mark it as read; GitHub has no way back'), {
      given: z.boolean(),
    }),
    reason: at('reason', shown('why you were told: assign, mention, review_requested …')),
    repository: at('repository.full_name', shown('OWNER/REPO')),
    type: at('subject.type', shown('of what it is about: Issue, PullRequest, Release …')),
    title: at('subject.title', shown('of what it is about')),
    subject: shown('the file of what it is about, from this directory; null where it has none'),
    updated_at: at('updated_at', shown('time')),
    last_read_at: at('last_read_at?', shown('time')),
  },
  { also: { 'subject.url?': z.string() } },
);
type Thread = z.infer<typeof notification.schema>;

/** `only`: the one repository that is shown; then what is about it is. */
export function notificationsOf(only: RepoName | null) {
  return resource(idOf(only), {
    ...notification,
    about: 'a notification; one that was read is found when it is named',
    directory: 'what GitHub tells you of and you have not read',
    removeHint: 'mark it as read by writing `unread: false`; it is then listed no more',
    path: `${DIRECTORY}/:id.md`,
    costly: true,
    freshMs: FRESH_MS,
    where: (thread) => isShown(only, repoOf(thread)),
    listed: ({ unread }) => unread,
    list: async function* ({ client }: At, since, from) {
      requireToken(client);
      const top = only === null ? '' : repoUrl(only);
      // Those that were read are in no listing.
      for await (const page of listed(client, `${top}/notifications?per_page=50`, since, from))
        yield { ...page, partial: true, covers: ({ unread }) => unread };
    },
    get: (id, { client }: At, etag) => {
      requireToken(client);
      return got(client, urlOf(id), etag);
    },
    values: (one) => ({ ...notification.values(one), subject: subjectOf(one) }),
    check: async ({ unread }) =>
      unread === true
        ? [{ field: 'unread', message: 'GitHub has no way to make it unread again' }]
        : [],
    update: ({ id }) => ({ method: 'PATCH', url: urlOf(id), body: null }),
    // The answer has no body: what is known is that it was read, and when GitHub says so is asked.
    made: (_answer, _request, one) => one && { ...one, unread: false },
    table: {
      about: 'one line each: id, reason, repository, type, title, subject, updated',
      readOnly: 'it is made from the notifications: write `unread: false` into one to mark it read',
      columns: [
        'id',
        'reason',
        'repository',
        'type',
        'title',
        'subject',
        ['updated', 'updated_at'],
      ],
      order: descending(({ updated_at }) => updated_at),
      where: ({ unread }) => unread,
    },
  });
}

/** What is listed of one repository is no listing of all. */
function idOf(only: RepoName | null): string {
  return only === null ? 'notifications' : `notifications of ${only.owner} ${only.repo}`;
}

/** From the directory of the notifications: the path holds wherever the mount is attached. */
function subjectOf({ subject, repository }: Thread): string | null {
  const [, kind, number] = /\/(issues|pulls)\/(\d+)$/.exec(subject.url ?? '') ?? [];
  return kind === undefined ? null : `../../${repository.full_name}/${kind}/${number}.md`;
}

function repoOf({ repository }: Thread): RepoName {
  const [owner = '', repo = ''] = repository.full_name.split('/');
  return { owner, repo };
}

function urlOf(id: string): string {
  return `/notifications/threads/${id}`;
}
