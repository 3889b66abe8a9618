/** How a pull request is reviewed: a verdict, a text, and comments on lines of the diff. */
import {
  type Create,
  type Outcome,
  type Params,
  type Problem,
  type ServiceRequest,
  unknownName,
  type Values,
} from '../../src/mount/index.ts';
import { type LineComment, refusedLines, splitLineComments } from './line-comments.ts';
import { pagesFrom } from './pages.ts';
import {
  type ApiReview,
  REVIEW_EVENTS,
  REVIEW_STATES,
  reviewRecord,
  reviewSchema,
} from './records.ts';
import { expectShape, pullFileSchema } from './schemas.ts';
import { ofNumber, repoOf, repoUrl } from './store.ts';
import { madeSince, ownLogin, sameText, type WriteParts } from './writes.ts';

/** The newest reviews are on the last page, and one of ours is among them. */
const PAGE = 100;

/** Reviews a pull request, in one request. */
export function reviewCreate(parts: WriteParts): Create {
  return {
    record: reviewRecord.type,
    check: (params, values) => check(parts, params, values),
    request: (params, values) => {
      const { body, comments } = splitLineComments(textOf(values));
      return {
        method: 'POST',
        url: url(params),
        body: {
          event: eventOf(values),
          ...(body === '' ? {} : { body }),
          ...(comments.length === 0 ? {} : { comments: comments.map(asSent) }),
        },
      };
    },
    send: async (params, request) => {
      const { data } = await parts.client.send(request);
      return keep(parts, params, request, expectShape(reviewSchema, data, 'the review'));
    },
    find: (params, request, sentAt) => find(parts, params, request, sentAt),
  };
}

function url(params: Params): string {
  return `${repoUrl(repoOf(params))}/pulls/${params['number']}/reviews`;
}

function textOf({ body }: Values): string {
  return typeof body === 'string' ? body : '';
}

function eventOf({ state }: Values): string {
  return REVIEW_EVENTS[state as keyof typeof REVIEW_EVENTS];
}

function asSent({ path, line, start, body }: LineComment): Values {
  const from = start === null ? {} : { start_line: start, start_side: 'RIGHT' };
  return { path, line, side: 'RIGHT', ...from, body };
}

/** What GitHub would refuse; the files of the pull request are looked up only for comments on lines. */
async function check(parts: WriteParts, params: Params, values: Values): Promise<Problem[]> {
  const { store, sync } = parts;
  const problems: Problem[] = [];
  const state = values['state'];
  const { body, comments } = splitLineComments(textOf(values));
  if (body === '' && state !== undefined && state !== 'approve') {
    const message = `must not be empty: a review that is no approval says what it is about`;
    problems.push({ field: 'body', message });
  }
  if (comments.length > 0) problems.push(...(await checkLines(parts, params, comments)));
  if (problems.length === 0 && state !== undefined && state !== 'comment') {
    await sync.ensureIssue(params, 'pull', 'cover');
    const author = store.issue(repoOf(params), params['number'] ?? '')?.issue.user?.login;
    if (author !== undefined && author === (await ownLogin(parts))) {
      const message = `nobody can ${state} on a pull request of their own, and this is yours: \`state: comment\` is possible`;
      problems.push({ field: 'state', message: message.replace('approve on', 'approve') });
    }
  }
  return problems;
}

async function checkLines(
  { store, sync }: WriteParts,
  params: Params,
  comments: readonly LineComment[],
): Promise<Problem[]> {
  await sync.ensureIssue(params, 'pull', 'cover');
  await sync.ensureFiles(params);
  const into = ofNumber('files', repoOf(params), params['number'] ?? '');
  const files = new Map(
    store.replica.all(store.mount, into).map((record) => {
      const file = pullFileSchema.parse(record.value);
      return [file.filename, file] as const;
    }),
  );
  return comments.flatMap((comment) => {
    const file = files.get(comment.path);
    const message =
      file === undefined
        ? unknownName('changed file', comment.path, [...files.keys()])
        : comment.body === ''
          ? `there is nothing below \`## ${comment.path}:${comment.line}\``
          : file.patch === undefined
            ? `GitHub shows no diff of ${comment.path}: say it in the text above`
            : refusedLines(comment, file.patch);
    return message === null ? [] : [{ field: 'body', message }];
  });
}

/** The one review of ours, newer than the request, with its verdict and its very text. */
async function find(
  parts: WriteParts,
  params: Params,
  request: ServiceRequest,
  sentAt: number,
): Promise<Outcome | null> {
  const { client, store } = parts;
  const wanted = request.body as Values;
  const into = ofNumber('reviews', repoOf(params), params['number'] ?? '');
  const isOurs = await madeSince(parts, sentAt);
  const found: ApiReview[] = [];
  for await (const { data } of pagesFrom(client, `${url(params)}?per_page=${PAGE}&page=1`)) {
    found.push(
      ...expectShape(reviewSchema.array(), data, 'the reviews').filter(
        (review) =>
          review.state === REVIEW_STATES[String(wanted['event'])] &&
          sameText(review.body, wanted['body']) &&
          isOurs({
            createdAt: review.submitted_at ?? '',
            author: review.user?.login,
            held: store.replica.head(store.mount, into, review.id),
          }),
      ),
    );
  }
  const [review] = found;
  if (review === undefined || found.length > 1) return null;
  return keep(parts, params, request, review);
}

/** Its comments on lines get their numbers from GitHub: what has some is asked for again. */
function keep(
  { store }: WriteParts,
  params: Params,
  request: ServiceRequest,
  review: ApiReview,
): Outcome {
  const name = repoOf(params);
  const number = params['number'] ?? '';
  const into = ofNumber('reviews', name, number);
  const listing = store.replica.listing(store.mount, into);
  const sent = request.body as { comments?: unknown };
  store.replica.transaction(() => {
    store.putReview(name, number, { ...review, lines: [] }, 'write');
    if (listing !== null && sent.comments !== undefined) {
      store.replica.setListing(store.mount, into, { ...listing, complete: false });
    }
  });
  return {
    path: `/${params['owner']}/${params['repo']}/pulls/${number}/reviews/${review.id}.md`,
    ...(review.html_url === undefined ? {} : { url: review.html_url }),
  };
}
