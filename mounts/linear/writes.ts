/** How issues and comments are changed, made and removed. */
import { z } from 'zod';
import {
  type Create,
  type Edit,
  type Outcome,
  type Params,
  type Place,
  type Problem,
  type Remove,
  ServiceFailure,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import { isDuplicate } from './failures.ts';
import { idOf, kindOf, lookedUp, mutation } from './graph.ts';
import { checkNames, inputOf, spelledNames } from './names.ts';
import * as queries from './queries.ts';
import { commentRecord, commentValues, issueRecord } from './records.ts';
import { type RelationChanges, relatedIn, relationChanges, withoutNone } from './relations.ts';
import { issueFields } from './render.ts';
import {
  type ApiComment,
  type ApiIssue,
  commentSchema,
  expectShape,
  issueSchema,
  relationSchema,
} from './schemas.ts';
import { type LinearStore, pathOf, teamOf } from './store.ts';
import type { WriteParts } from './sync.ts';
import { refusedTeam, states } from './teams.ts';

const comment = kindOf<ApiComment>('comment', queries.COMMENT_FIELDS);

const issueIn = (params: Params): string => params['issue'] ?? '';
const idIn = (params: Params): string => params['id'] ?? '';

/** Changes an issue: fields by one mutation, archiving by another, both in one request. */
export function issueEdit(parts: WriteParts): Edit {
  const { store, sync } = parts;
  return {
    record: issueRecord,
    current: (params) => {
      const found = issueFields(parts, issueIn(params));
      return found === null ? null : { values: found.values, version: found.record.version };
    },
    refresh: async (params) => {
      // Labels are ids until the team's are known: a base with ids would differ from what is read later.
      await parts.scope(params).ensure(states);
      await sync.lookups.issue(issueIn(params), false);
    },
    settled: (params) => {
      const moved = store.movedTo(issueIn(params));
      const found = moved === null ? null : issueFields(parts, moved);
      return found === null ? null : { values: found.values, version: found.record.version };
    },
    check: (params, delta) => checkIssue(parts, params, delta),
    normal: (params, delta) =>
      withoutNone(
        store.issue(issueIn(params))?.issue,
        spelledNames(placeAfter(parts, params, delta), delta),
      ),
    request: (params, delta) => {
      const { archived, ...fields } = delta;
      const place = placeAfter(parts, params, delta);
      const input: Values = {
        ...inputOf(place, fields),
        ...(delta['team'] === undefined ? {} : { teamId: place.record(parts.teams).id }),
      };
      const update = Object.keys(input).length > 0;
      // What is archived cannot be changed: it is brought back before, and put away after.
      const steps = [
        ...(archived === false ? (['unarchive'] as const) : []),
        ...(update ? (['update'] as const) : []),
        ...(archived === true ? (['archive'] as const) : []),
      ];
      const issue = store.issue(issueIn(params))?.issue;
      const idOf = (identifier: string) => store.issue(identifier)?.issue.id ?? identifier;
      const { made, gone } =
        issue === undefined ? NO_RELATIONS : relationChanges(issue, delta, idOf);
      const counts = { made: made.length, gone: gone.length };
      return mutation(queries.updateIssue(steps, counts), {
        ...(steps.length > 0 ? { id: idOf(issueIn(params)) } : {}),
        ...(update ? { input } : {}),
        ...Object.fromEntries(made.map((one, n) => [`relate${n}`, one])),
        ...Object.fromEntries(gone.map((one, n) => [`unrelate${n}`, one])),
      });
    },
    send: (params, request) => sendUpdate(parts, params, request),
  };
}

/** Makes an issue under an id of our own: the same request can never make two. */
export function issueCreate(parts: WriteParts): Create {
  const { client, store } = parts;
  return {
    record: issueRecord,
    repeatable: true,
    check: (params, values) => checkIssue(parts, params, values),
    normal: (params, values) => spelledNames(parts.scope(params), values),
    request: async (params, values, key) => {
      const at = parts.scope(params);
      await at.ensure(states);
      const input = { id: key, teamId: at.record(parts.teams).id, ...inputOf(at, values) };
      return mutation(queries.CREATE_ISSUE, { input });
    },
    send: async (_params, request) => {
      try {
        const { data } = await client.send(request);
        return storedIssue(store, data['issueCreate']);
      } catch (error) {
        return orMade(error, () => findIssue(parts, request));
      }
    },
    find: (_params, request) => findIssue(parts, request),
  };
}

/** Changes the text of a comment. */
export function commentEdit({ client, store, sync }: WriteParts): Edit {
  return {
    record: commentRecord,
    current: (params) => {
      const found = store.comment(issueIn(params), idIn(params));
      if (found === null) return null;
      return { values: commentValues(found.comment), version: found.record.version };
    },
    refresh: (params) => sync.lookups.comment(issueIn(params), idIn(params)),
    request: (params, delta) => comment.update(idIn(params), { body: delta['body'] }),
    send: async (_params, request) =>
      storedComment(store, (await client.send(request)).data['commentUpdate']),
  };
}

/** Makes a comment under an id of our own. */
export function commentCreate(parts: WriteParts): Create {
  const { client, store } = parts;
  return {
    record: commentRecord,
    repeatable: true,
    request: (params, values, key) => {
      const issueId = store.issue(issueIn(params))?.issue.id ?? issueIn(params);
      return comment.create({ id: key, issueId, body: values['body'] });
    },
    send: async (_params, request) => {
      try {
        const { data } = await client.send(request);
        return storedComment(store, data['commentCreate']);
      } catch (error) {
        return orMade(error, () => findComment(parts, request));
      }
    },
    find: (_params, request) => findComment(parts, request),
  };
}

/** Deletes a comment, for good. */
export function commentRemove({ client, store, sync }: WriteParts): Remove {
  return {
    request: (params) => comment.remove(idIn(params)),
    send: async (params, request) => {
      await client.send(request);
      store.deletedComment(teamOf(params), idIn(params));
    },
    gone: async (params) => {
      await sync.lookups.comment(issueIn(params), idIn(params));
      return store.comment(issueIn(params), idIn(params)) === null;
    },
  };
}

/** Names must be known, and other issues must be there: each is asked for once, and only when it is named. */
async function checkIssue(parts: WriteParts, params: Params, values: Values): Promise<Problem[]> {
  const { only, teams } = parts;
  const team = values['team'];
  const refused =
    typeof team === 'string' ? await refusedTeam(team, parts.scope(params), only, teams) : null;
  if (refused !== null) return [{ field: 'team', message: refused }];
  const at = parts.scope({ ...params, team: typeof team === 'string' ? team : teamOf(params) });
  if (team !== undefined) await at.ensure(states);
  const problems = await checkNames(at, values);
  const parent = values['parent'];
  const named = relatedIn(values);
  if (typeof parent === 'string') named.push({ field: 'parent', identifier: parent });
  for (const { field, identifier } of named) {
    const message = await checkOther(parts, params, field, identifier);
    if (message !== null) problems.push({ field, message });
  }
  return problems;
}

/** The place of an issue once these values are written: names are those of that team. */
function placeAfter(parts: WriteParts, params: Params, { team }: Values): Place {
  return parts.scope(typeof team === 'string' ? { ...params, team } : params);
}

/** Why another issue cannot be named; null where it can. */
async function checkOther(
  { store, sync }: WriteParts,
  params: Params,
  field: string,
  identifier: string,
): Promise<string | null> {
  if (identifier === params['issue']) {
    return field === 'parent'
      ? 'an issue cannot be part of itself'
      : 'an issue cannot be related to itself';
  }
  if (store.issue(identifier) === null) await sync.lookups.issue(identifier, false);
  if (store.issue(identifier) !== null) return null;
  const moved = store.movedTo(identifier);
  return moved === null
    ? `there is no issue ${identifier} on Linear`
    : `${identifier} was moved to another team: it is ${moved}`;
}

async function sendUpdate(
  { client, store }: WriteParts,
  params: Params,
  request: ServiceRequest,
): Promise<Outcome> {
  try {
    const { data } = await client.send(request);
    const names = Object.keys(data);
    for (const name of names.filter((one) => /^(un)?relate\d/.test(one))) {
      keepRelation(store, data[name]);
    }
    const outcomes = names
      .filter((one) => Object.hasOwn(queries.UPDATE, one))
      .map((name) => storedIssue(store, data[name]));
    return outcomes.at(-1) ?? { path: `${pathOf(issueIn(params))}.md` };
  } catch (error) {
    const { query } = request.body as { query: string };
    const steps = query.match(/^ {2}\w+: issue/gm) ?? [];
    // The first of several may have been carried out when another was refused.
    const refused = error instanceof ServiceFailure && !error.uncertain && !error.unsent;
    if (refused && error.kind !== 'limited' && error.kind !== 'auth' && steps.length > 1) {
      throw new ServiceFailure('protocol', error.message, { cause: error });
    }
    throw error;
  }
}

const NO_RELATIONS: RelationChanges = { made: [], gone: [] };

const relationAnswer = z.union([
  z.looseObject({ issueRelation: relationSchema }),
  z.looseObject({ entityId: z.string() }),
]);

/** Stores what came of making or deleting a relation. */
function keepRelation(store: LinearStore, payload: unknown): void {
  const answer = expectShape(relationAnswer, payload, 'the relation that was written');
  if ('issueRelation' in answer)
    store.putRelation(relationSchema.parse(answer.issueRelation), 'write');
  else store.deletedRelation(String(answer.entityId));
}

async function findIssue(
  { store, sync }: WriteParts,
  request: ServiceRequest,
): Promise<Outcome | null> {
  const issue = await sync.lookups.issueById(idOf(request));
  return issue === null ? null : storedIssue(store, { issue });
}

async function findComment(
  { client, store }: WriteParts,
  request: ServiceRequest,
): Promise<Outcome | null> {
  const variables = { id: idOf(request) };
  const found = await lookedUp(client, queries.LOOK_UP_COMMENT, 'comment', variables);
  return found === undefined ? null : storedComment(store, { comment: found });
}

/** A create that was refused since its id is taken was carried out before. */
async function orMade(error: unknown, find: () => Promise<Outcome | null>): Promise<Outcome> {
  if (!(error instanceof ServiceFailure) || !isDuplicate(error)) throw error;
  const made = await find();
  if (made === null) throw error;
  return made;
}

function storedIssue(store: LinearStore, payload: unknown): Outcome {
  const value = (payload as { issue?: unknown } | null)?.issue;
  const issue: ApiIssue = expectShape(issueSchema, value, 'the issue that was written');
  store.putIssue(issue, 'write');
  return { path: `${pathOf(issue.identifier)}.md`, url: issue.url };
}

function storedComment(store: LinearStore, payload: unknown): Outcome {
  const value = (payload as { comment?: unknown } | null)?.comment;
  const comment: ApiComment = expectShape(commentSchema, value, 'the comment that was written');
  store.putComment(comment, 'write');
  const identifier = comment.issue?.identifier ?? '';
  return { path: `${pathOf(identifier)}/comments/${comment.id}.md`, url: comment.url };
}
