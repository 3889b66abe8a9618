/**
 * Issues and their comments. As on GitHub the directory of what belongs to an issue stands beside the
 * issue's file. An archived issue is in no listing and no index, as in Linear's own; by its name it can
 * be read, and brought back with `archived: false`.
 */
import { z } from 'zod';
import {
  createdId,
  type GraphqlAnswer,
  mutation,
  type Params,
  type Place,
  type Problem,
  renderRecord,
  resource,
  type Scope,
  type ServiceRequest,
  type Values,
  type View,
  view,
} from '../../src/mount/index.ts';
import { isDuplicate, type LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { inputOf, labelNames, names } from './names.ts';
import * as queries from './queries.ts';
import { commentRecord, commentValues, issueRecord, issueValues } from './records.ts';
import { relatedIn, relationChanges, withoutNone } from './relations.ts';
import {
  type ApiComment,
  commentSchema,
  expectShape,
  type HeldIssue,
  heldIssueSchema,
  issueSchema,
  relationSchema,
} from './schemas.ts';
import { pathOf, teamIn } from './store.ts';
import { labels, refusedTeam, states, type teamsOf } from './teams.ts';

type At = Scope<LinearClient>;
const TEAM = '/teams/:team';
const ISSUES = `${TEAM}/issues`;

/** Where issues went that were moved to another team, by the identifier that they had. */
const moved = resource('moved', {
  about: 'where an issue is',
  schema: z.string(),
  key: (identifier) => identifier,
});

/** How comments are asked for and changed. */
export const comment = graph.kind<ApiComment>('comment', commentSchema);
const written = graph.kind<HeldIssue>('issue', issueSchema);

const comments = resource<ApiComment, LinearClient>('comments', {
  ...comment.ways,
  about: 'a comment',
  directory: 'its comments',
  path: `${ISSUES}/:issue/comments/:id.md`,
  document: true,
  heldAt: TEAM,
  within: ({ issue }) => ({ issue: issue?.identifier ?? '' }),
  schema: commentSchema,
  key: ({ id }) => id,
  url: ({ url }) => url,
  type: commentRecord,
  values: commentValues,
  create: ({ body }, at, key) =>
    comment.create({ id: key, issueId: uuidOf(at, at.params['issue'] ?? ''), body }),
  update: ({ id }, { body }) => comment.update(id, { body }),
  remove: ({ id }) => comment.remove(id),
});

/** Every team's issues: here they are looked at, and changed. */
const held = resource<HeldIssue, LinearClient>('issues', {
  about: 'an issue',
  path: `${ISSUES}/:issue.md`,
  schema: heldIssueSchema,
  key: ({ identifier }) => identifier,
});

/** An issue wherever it is, if it is held. */
function issueAt(place: Place, identifier: string): HeldIssue | null {
  return place.at({ team: teamIn(identifier) }).held(held, identifier);
}

function uuidOf(place: Place, identifier: string): string {
  return issueAt(place, identifier)?.id ?? identifier;
}

const isLive = ({ archivedAt }: HeldIssue): boolean => (archivedAt ?? null) === null;

function valuesOf(issue: HeldIssue, place: Place): Values {
  const ofTeam = place.at({ team: issue.team.key });
  return issueValues(issue, labelNames(ofTeam, issue.labelIds));
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
    within: ({ team }) => ({ team: team.key }),
    with: [labels],
    listed: isLive,
    url: ({ url }) => url,
    movedTo: ({ params, held: heldOf }) => movedTo(heldOf(moved, params['issue'] ?? ''), only),
    type: issueRecord,
    values: valuesOf,
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
      return written.create(input);
    },
    find: async (request, { client }) => {
      const variables = { id: createdId(request), after: null, comments: false, related: false };
      const issue = await client.find(queries.LOOK_UP_ISSUE, 'issue', variables);
      return issue === undefined ? null : { issue };
    },
    update: updated,
    made: (answer) => madeOf(answer as GraphqlAnswer),
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

  const places = resource<HeldIssue, LinearClient>('issue-places', {
    about: 'what belongs to it',
    path: `${ISSUES}/:issue`,
    of: issues,
    with: [labels],
    schema: heldIssueSchema,
    key: ({ identifier }) => identifier,
    listed: isLive,
    uploads: ({ description }, place) => [
      description ?? '',
      ...commentsOf(place).map(({ body }) => body),
    ],
    files: {
      'thread.md': {
        about: 'the issue with its comments, oldest first; read-only',
        readOnly:
          'it is made of the issue and its comments: write those, and comments/new.md to add one',
        hidden: true,
        text: (issue, place) =>
          [renderRecord(issueRecord, valuesOf(issue, place))]
            .concat(commentsOf(place).map(paragraph))
            .join(''),
      },
    },
  });

  // Links, since an issue leaves it by its state.
  const triage = resource<HeldIssue, LinearClient>('triage', {
    about: 'a link to an issue',
    directory: 'links to the issues that wait for triage; giving one another state takes it out',
    readOnly: 'it leads to the issue: write that one',
    path: `${TEAM}/triage/:issue.md`,
    of: issues,
    linked: true,
    with: [states],
    schema: heldIssueSchema,
    key: ({ identifier }) => identifier,
    isThere: (place) => place.find(teams)?.triageEnabled === true,
    where: (issue, place) => isLive(issue) && place.held(states, issue.state.id)?.type === 'triage',
  });

  const index: View<HeldIssue> = view({
    about: 'one line each: identifier, state, title, labels, assignee, priority, updated',
    path: `${ISSUES}/index.tsv`,
    of: issues,
    columns: ['identifier', 'state', 'title', 'labels', 'assignee', 'priority', 'updated'],
    order: (a, b) => b.number - a.number,
    rows: (issue, place) => {
      if (!isLive(issue)) return [];
      const named = labelNames(place, issue.labelIds).join(',');
      const { state, title, assignee, priority } = issueValues(issue, []);
      const cells = [issue.identifier, state, title, named, assignee, priority, issue.updatedAt];
      return [cells.map((cell) => String(cell ?? ''))];
    },
  });
  return {
    issues,
    comments,
    moved,
    resources: [moved, issues, places, triage, comments],
    views: [index],
  };
}

/** The comments of an issue, oldest first. */
function commentsOf(place: Place): ApiComment[] {
  return place.all(comments).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

function paragraph({ id, user, createdAt, body }: ApiComment): string {
  const who = user?.displayName ?? 'somebody';
  return `\n## ${who}, ${createdAt} (comments/${id}.md)\n\n${body}\n`;
}

/** Where an issue is that had another name, and how that is said. */
function movedTo(identifier: string | null, only: string | null) {
  if (identifier === null) return null;
  const place = `it was moved to another team and is ${identifier} there`;
  const isHidden = only !== null && teamIn(identifier) !== only;
  const says = isHidden
    ? `${place}, which this mount does not show`
    : `${place}: ${pathOf(identifier)}.md of this mount`;
  return { params: { team: teamIn(identifier), issue: identifier } satisfies Params, says };
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
  const place = at.held(moved, identifier);
  return place === null
    ? `there is no issue ${identifier} on Linear`
    : `${identifier} was moved to another team: it is ${place}`;
}

const relationAnswer = z.union([
  z.looseObject({ issueRelation: relationSchema }),
  z.looseObject({ entityId: z.string() }),
]);
type RelationAnswer = z.infer<typeof relationAnswer>;

/** What a write of an issue led to: the issue after the last step, and relations that came or went. */
export interface MadeIssue {
  issue?: unknown;
  relations?: readonly RelationAnswer[];
}

function madeOf({ data }: GraphqlAnswer): MadeIssue {
  const fields = Object.entries(data);
  const relations = fields
    .filter(([name]) => /^(un)?relate\d/.test(name))
    .map(([, payload]) => expectShape(relationAnswer, payload, 'the relation that was written'));
  const [last] = fields
    .filter(([name]) => !/^(un)?relate\d/.test(name))
    .map(([, payload]) => (payload as Values | null)?.['issue'])
    .slice(-1);
  return { issue: last, relations };
}
