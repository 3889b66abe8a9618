/**
 * Issues and their comments. As on GitHub the directory of what belongs to an issue stands beside the
 * issue's file. An archived issue is in no listing and no index, as in Linear's own; by its name it can
 * be read, and brought back with `archived: false`.
 */
import { z } from 'zod';
import {
  ascending,
  type Brought,
  Cursors,
  connectionSchema,
  createdId,
  descending,
  type GraphqlAnswer,
  joint,
  mutation,
  type Place,
  type Problem,
  type Resource,
  renderRecord,
  resource,
  type Scope,
  type ServiceRequest,
  type Values,
  type View,
  view,
} from '../../src/mount/index.ts';
import { isDuplicate, type LinearClient } from './client.ts';
import { expectShape, graph } from './graph.ts';
import { attached, related, withParts } from './issue-parts.ts';
import { inputOf, labelNames, names } from './names.ts';
import { teamIn } from './paths.ts';
import * as queries from './queries.ts';
import {
  type ApiComment,
  ATTACHED,
  comment,
  type HeldIssue,
  heldIssueSchema,
  isPutAway,
  issue,
} from './records.ts';
import {
  relatedIn,
  relationChanges,
  relationSchema,
  relationValues,
  withoutNone,
} from './relations.ts';
import { labels, refusedTeam, states, type teamsOf } from './teams.ts';

type At = Scope<LinearClient>;
const TEAM = '/teams/:team';
const ISSUES = `${TEAM}/issues`;

/** How comments are asked for and changed. */
const commentKind = graph.kind('comment', comment.schema);
const issueKind = graph.kind('issue', issue.schema);

const isLive = ({ archivedAt }: HeldIssue): boolean => (archivedAt ?? null) === null;

/** Issues of all teams, by their UUIDs: one that is moved is the same issue. */
const held: Resource<HeldIssue, LinearClient> = resource('issues', {
  ...issue,
  about: 'an issue',
  path: `${ISSUES}/:issue.md`,
  heldAt: '',
  within: ({ team }) => ({ team: team.key }),
  schema: heldIssueSchema,
  values: valuesOf,
  formerNames: ({ previousIdentifiers }) => previousIdentifiers,
  moved: ({ identifier }) => `it was moved to another team and is ${identifier} there`,
  gone: ({ trashed }) => trashed === true,
  listed: isLive,
  parts: [related, attached],
  told: (one, place) => withParts(one, place, (id) => place.held(held, id)?.identifier ?? null),
});

const comments = resource('comments', {
  ...comment,
  ...commentKind.ways,
  about: 'a comment',
  directory: 'its comments',
  path: `${ISSUES}/:issue/comments/:id.md`,
  document: true,
  owner: { of: held, key: ({ issue: of }) => of?.id ?? null },
  gone: isPutAway,
  create: ({ body }, at: At, key) =>
    commentKind.create({ id: key, issueId: uuidOf(at, at.params['issue'] ?? ''), body }),
  update: ({ id }, { body }) => commentKind.update(id, { body }),
  remove: ({ id }) => commentKind.remove(id),
});

/** An issue wherever it is, if it is held. */
function issueAt(place: Place, identifier: string): HeldIssue | null {
  return place.at({ team: teamIn(identifier), issue: identifier }).find(held);
}

function uuidOf(place: Place, identifier: string): string {
  return issueAt(place, identifier)?.id ?? identifier;
}

function valuesOf(one: HeldIssue, place: Place): Values {
  return {
    ...issue.values(one),
    ...relationValues(one),
    labels: labelNames(place.at({ team: one.team.key }), one.labelIds),
    pull_requests: one.pulls.length > 0 ? one.pulls : undefined,
  };
}

/** The place of an issue once these values are written: names are those of that team. */
function placeAfter(place: Place, { team }: Values): Place {
  return typeof team === 'string' ? place.at({ ...place.params, team }) : place;
}

/** `only`: the key of the one team that is shown. */
export function issuesOf(only: string | null, teams: ReturnType<typeof teamsOf>) {
  const issues = resource<HeldIssue, LinearClient>('issues', {
    ...held,
    directory: 'issues that are not archived',
    removeHint: 'close it with a state of type completed or canceled, or write `archived: true`',
    document: true,
    with: [labels],
    offers: names.offers,
    allowed: (place) => names.allowed(place),
    check: (values, one, at) => checkIssue(values, one, at, only),
    normal: (values, place) =>
      withoutNone(place.find(held), names.spelled(values, placeAfter(place, values))),
    repeatable: true,
    taken: isDuplicate,
    create: async (values, at, key) => {
      await at.ensure(labels);
      const input = { id: key, teamId: at.record(teams).id, ...inputOf(at, values) };
      return issueKind.create(input);
    },
    find: async (request, { client }) => {
      const variables = { id: createdId(request), after: null, comments: false, related: false };
      return client.find(queries.LOOK_UP_ISSUE, 'issue', variables);
    },
    update: updated,
    made: (answer, _request, one) => madeOf(answer as GraphqlAnswer) ?? one,
    brings: (answer) => ({ related: relationsIn(answer as GraphqlAnswer) }),
  });

  /** Changes an issue: fields by one mutation, archiving by another, relations by one each, all in one request. */
  function updated(issue: HeldIssue, delta: Values, at: At): ServiceRequest {
    const { archived, ...fields } = delta;
    const place = placeAfter(at, delta);
    const input: Values = {
      ...inputOf(place, fields),
      ...(delta['team'] === undefined ? {} : { teamId: place.record(teams).id }),
    };
    const update = Object.keys(input).length > 0;
    // What is archived cannot be changed: it is brought back before, and put away after.
    const steps = [
      ...(archived === false ? (['unarchive'] as const) : []),
      ...(update ? (['update'] as const) : []),
      ...(archived === true ? (['archive'] as const) : []),
    ];
    const { made, gone } = relationChanges(issue, delta, (other) => uuidOf(at, other));
    const counts = { made: made.length, gone: gone.length };
    return mutation(queries.updateIssue(steps, counts), {
      ...(steps.length > 0 ? { id: issue.id } : {}),
      ...(update ? { input } : {}),
      ...Object.fromEntries(made.map((one, n) => [`relate${n}`, one])),
      ...Object.fromEntries(gone.map((one, n) => [`unrelate${n}`, one])),
    });
  }

  /** Names must be known, and other issues must be there: each is asked for once, and only when it is named. */
  async function checkIssue(
    values: Values,
    one: HeldIssue | null,
    at: At,
    shown: string | null,
  ): Promise<Problem[]> {
    const team = values['team'];
    const refused = typeof team === 'string' ? await refusedTeam(team, at, shown, teams) : null;
    if (refused !== null) return [{ field: 'team', message: refused }];
    const after = at.at(typeof team === 'string' ? { ...at.params, team } : at.params);
    if (team !== undefined) await after.ensure(labels);
    const problems = await names.check(values, after);
    const parent = values['parent'];
    const named = relatedIn(values);
    if (typeof parent === 'string') named.push({ field: 'parent', identifier: parent });
    for (const { field, identifier } of named) {
      const message = await refusedOther(field, identifier, one, at);
      if (message !== null) problems.push({ field, message });
    }
    return problems;
  }

  const ofIssues = { of: issues, schema: heldIssueSchema, key: issue.key };

  const places = resource('issue-places', {
    ...ofIssues,
    listed: isLive,
    about: 'what belongs to it',
    path: `${ISSUES}/:issue`,
    with: [labels],
    uploads: ({ description }, place) => [
      description ?? '',
      ...commentsOf(place).map(({ body }) => body),
    ],
    files: {
      'attachments.tsv': {
        about: 'what is attached to it, pull requests among others: title, source, status, url',
        readOnly: 'what is attached is linked in Linear, or by a pull request that names the issue',
        columns: ATTACHED,
        rows: (one) => one.attached.map((row) => ATTACHED.map((column) => row[column])),
      },
      'thread.md': {
        about: 'the issue with its comments, oldest first; read-only',
        readOnly:
          'it is made of the issue and its comments: write those, and comments/new.md to add one',
        hidden: true,
        text: (one, place) =>
          [renderRecord(issue.type, valuesOf(one, place))]
            .concat(commentsOf(place).map(paragraph))
            .join(''),
      },
    },
  });

  // Links, since an issue leaves it by its state.
  const triage = resource('triage', {
    ...ofIssues,
    about: 'a link to an issue',
    directory: 'links to the issues that wait for triage; giving one another state takes it out',
    readOnly: 'it leads to the issue: write that one',
    path: `${TEAM}/triage/:issue.md`,
    linked: true,
    with: [states],
    isThere: (place) => place.find(teams)?.triageEnabled === true,
    where: (one, place) => isLive(one) && place.held(states, one.state.id)?.type === 'triage',
  });

  const index: View<HeldIssue> = view({
    about: 'one line each: identifier, state, title, labels, assignee, priority, updated',
    path: `${ISSUES}/index.tsv`,
    of: issues,
    columns: [
      'identifier',
      'state',
      'title',
      'labels',
      'assignee',
      'priority',
      ['updated', 'updated_at'],
    ],
    order: descending(({ number }) => number),
    where: isLive,
  });
  return {
    resources: [related, attached, issues, places, triage, comments],
    views: [index],
    questions: [teamIssues, oneIssue],
  };
}

/** The issues of a team with their comments, and with them what Linear lists for the whole workspace only. */
const teamIssues = joint({
  id: 'issues',
  path: TEAM,
  of: [held, comments],
  wide: [related, attached],
  covers: { issues: isLive },
  // Linear does not count a new name of a state, a project or another such thing among the updates of issues.
  basis: (place) => {
    const { assignee: _, ...shown } = names.allowed(place);
    // Every team has states: without them its names are not known yet.
    return place.all(states).length > 0 ? JSON.stringify(shown) : null;
  },
  list: ({ client, params }: At, asking) => {
    const ofTeam = { team: { key: { eq: params['team'] } } };
    return graph.followed(client, asking, queries.SYNC_ISSUES, {
      newestFirst: ['related'],
      variables: (updated) => ({
        issues: { ...ofTeam, ...updated('issues') },
        comments: { issue: ofTeam, ...updated('comments') },
        attachments: updated('attached'),
        // A delta must tell of what was archived; a whole listing shows what is not.
        archived: asking.since !== null,
      }),
    });
  },
});

const foundSchema = issue.schema.extend({
  comments: connectionSchema.optional(),
  relations: connectionSchema.optional(),
  inverseRelations: connectionSchema.optional(),
  attachments: connectionSchema.optional(),
});

type FoundIssue = z.infer<typeof foundSchema>;

/** One issue by its identifier, with what relates to it, and its comments page by page. */
const oneIssue = joint({
  id: 'issue',
  path: `${ISSUES}/:issue`,
  one: held,
  of: [related, attached, comments],
  list: async function* ({ client, params: { team, issue: id = '' } }: At, { of }) {
    if (teamIn(id) !== team) return yield { of: {} };
    const more = { comments: of.has('comments'), related: true };
    const cursors = new Cursors('Linear', `comments of ${id}`);
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const found: unknown = await client.find(queries.LOOK_UP_ISSUE, 'issue', {
        id,
        after,
        ...more,
      });
      if (found === undefined) return yield { of: {} };
      const all: FoundIssue = expectShape(foundSchema, found, `issue ${id}`);
      const { comments: page, relations, inverseRelations, attachments, ...one } = all;
      yield {
        of: {
          issues: [one],
          ...(relations && { related: rowsOf(relations, inverseRelations) }),
          ...(attachments && { attached: rowsOf(attachments) }),
          ...(page && { comments: page.nodes }),
        },
      };
      more.related = false;
      after =
        page?.pageInfo.hasNextPage === true ? cursors.next(page.pageInfo.endCursor) : undefined;
    }
  },
});

type Connection = z.infer<typeof connectionSchema> | undefined;

function rowsOf(...all: readonly Connection[]) {
  const rows = all.flatMap((one) => one?.nodes ?? []);
  return { rows, whole: all.every((one) => one?.pageInfo.hasNextPage === false) };
}

/** The comments of an issue, oldest first. */
function commentsOf(place: Place): ApiComment[] {
  return place.all(comments).sort(ascending(({ createdAt }) => createdAt));
}

function paragraph({ id, user, createdAt, body }: ApiComment): string {
  const who = user?.displayName ?? 'somebody';
  return `\n## ${who}, ${createdAt} (comments/${id}.md)\n\n${body}\n`;
}

/** Why another issue cannot be named; null where it can. */
async function refusedOther(
  field: string,
  identifier: string,
  one: HeldIssue | null,
  at: At,
): Promise<string | null> {
  if (identifier === one?.identifier) {
    return field === 'parent'
      ? 'an issue cannot be part of itself'
      : 'an issue cannot be related to itself';
  }
  const other = at.at({ team: teamIn(identifier), issue: identifier });
  if (other.find(held) === null) await other.look(held);
  if (other.find(held) !== null) return null;
  const elsewhere = other.elsewhere(held);
  return elsewhere === null
    ? `there is no issue ${identifier} on Linear`
    : `${identifier} is none any more: ${elsewhere}`;
}

const isOfRelation = (name: string): boolean => /^(un)?relate\d/.test(name);

/** The issue after the last step of a write; undefined where none was of the issue itself. */
function madeOf({ data }: GraphqlAnswer): unknown {
  return Object.entries(data)
    .filter(([name]) => !isOfRelation(name))
    .map(([, payload]) => (payload as Values | null)?.['issue'])
    .at(-1);
}

const relationAnswer = z.union([
  z.looseObject({ issueRelation: relationSchema }),
  z.looseObject({ entityId: z.string() }),
]);

/** The relations that came or went with a write. */
function relationsIn({ data }: GraphqlAnswer): Brought {
  const answers = Object.entries(data)
    .filter(([name]) => isOfRelation(name))
    .map(([, payload]) => expectShape(relationAnswer, payload, 'the relation that was written'));
  return {
    made: answers.flatMap((one) => ('issueRelation' in one ? [one.issueRelation] : [])),
    gone: answers.flatMap((one) => ('entityId' in one ? [String(one.entityId)] : [])),
  };
}
