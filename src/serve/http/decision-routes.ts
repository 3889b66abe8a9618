/** What waits for a person, and their answers: each bound to what was shown. */

import type { z } from '@hono/zod-openapi';
import type { Question } from '../../policy/question.ts';
import type { Service } from '../service.ts';
import { body, json, route } from './describe.ts';
import type { ServeApp } from './identity.ts';
import * as schemas from './schemas.ts';

const listApprovals = route(
  'get',
  '/v1/approvals',
  'Requests for approval, the oldest first',
  { query: schemas.approvalQuery },
  { 200: json(schemas.approval.array(), 'Those that whoever asks may see') },
);
const getApproval = route(
  'get',
  '/v1/approvals/{id}',
  'A request for approval',
  { params: schemas.rowParams },
  { 200: json(schemas.approval, 'It') },
);
const postAnswer = route(
  'post',
  '/v1/approvals/{id}/answer',
  'Answer a request, as it was shown; one that is not pending any more is left as it is',
  { params: schemas.rowParams, ...body(schemas.answer) },
  { 200: json(schemas.approval, 'What it is now') },
);
const listQuestions = route(
  'get',
  '/v1/questions',
  'Questions of agents, the oldest first',
  { query: schemas.questionQuery },
  { 200: json(schemas.question.array(), 'Those that whoever asks may see') },
);
const getQuestion = route(
  'get',
  '/v1/questions/{id}',
  'A question of an agent',
  { params: schemas.rowParams },
  { 200: json(schemas.question, 'It') },
);
const postQuestionAnswer = route(
  'post',
  '/v1/questions/{id}/answer',
  'Answer a question of one’s own session, as it was shown; one that is not pending any more is left as it is',
  { params: schemas.rowParams, ...body(schemas.questionAnswer) },
  { 200: json(schemas.question, 'What it is now') },
);
const listChanges = route(
  'get',
  '/v1/changes',
  'Writes to services, the oldest first',
  {},
  {
    200: json(schemas.change.array(), 'Each with its diff and the exact request'),
  },
);
const getChange = route(
  'get',
  '/v1/changes/{id}',
  'A write to a service',
  { params: schemas.changeParams },
  { 200: json(schemas.change, 'It') },
);
const postApply = route(
  'post',
  '/v1/changes/apply',
  'Send what is staged, if it still is what was shown',
  body(schemas.shownChanges),
  { 200: json(schemas.applied, 'What became of each') },
);
const postDrop = route(
  'post',
  '/v1/changes/drop',
  'Give up what is staged',
  body(schemas.changeIds),
  { 200: json(schemas.applied, 'What became of each') },
);
const listProposals = route(
  'get',
  '/v1/proposals',
  'What agents propose to change in the harness',
  {},
  { 200: json(schemas.proposals, 'As patches') },
);
const postAccept = route(
  'post',
  '/v1/proposals/accept',
  'Put a proposal in its place, as it was shown',
  body(schemas.shownProposal),
  { 200: json(schemas.done, 'It is there') },
);
const postReject = route(
  'post',
  '/v1/proposals/reject',
  'Remove a proposal',
  body(schemas.namedProposal),
  { 200: json(schemas.done, 'It is gone') },
);

export function decisionRoutes(app: ServeApp, { decisions }: Service): void {
  app.openapi(listApprovals, (c) =>
    c.json(decisions.approvals(c.get('caller'), c.req.valid('query').state).map(mutable), 200),
  );
  app.openapi(getApproval, (c) =>
    c.json(mutable(decisions.approval(c.get('caller'), c.req.valid('param').id)), 200),
  );
  app.openapi(postAnswer, (c) => {
    const { digest, decision, scope, prefix } = c.req.valid('json');
    const answer = {
      decision,
      ...(scope === undefined ? {} : { scope }),
      ...(prefix === undefined ? {} : { prefix }),
    };
    const { id } = c.req.valid('param');
    return c.json(mutable(decisions.decide(c.get('caller'), id, digest, answer)), 200);
  });
  app.openapi(listQuestions, (c) =>
    c.json(decisions.questions(c.get('caller'), c.req.valid('query').state).map(told), 200),
  );
  app.openapi(getQuestion, (c) =>
    c.json(told(decisions.question(c.get('caller'), c.req.valid('param').id)), 200),
  );
  app.openapi(postQuestionAnswer, (c) => {
    const { digest, value } = c.req.valid('json');
    const { id } = c.req.valid('param');
    return c.json(told(decisions.answerQuestion(c.get('caller'), id, digest, value)), 200);
  });
  app.openapi(listChanges, async (c) => c.json(await decisions.changes(c.get('caller')), 200));
  app.openapi(getChange, async (c) =>
    c.json(await decisions.change(c.get('caller'), c.req.valid('param').id), 200),
  );
  app.openapi(postApply, async (c) =>
    c.json(await decisions.apply(c.get('caller'), c.req.valid('json').changes), 200),
  );
  app.openapi(postDrop, async (c) =>
    c.json(await decisions.drop(c.get('caller'), c.req.valid('json').ids), 200),
  );
  app.openapi(listProposals, (c) => c.json(decisions.proposals(c.get('caller')), 200));
  app.openapi(postAccept, (c) => {
    const { path, digest } = c.req.valid('json');
    decisions.accept(c.get('caller'), path, digest);
    return c.json({ done: true as const }, 200);
  });
  app.openapi(postReject, (c) => {
    decisions.reject(c.get('caller'), c.req.valid('json').path);
    return c.json({ done: true as const }, 200);
  });
}

const mutable = <T extends { operations: readonly object[]; people: readonly string[] }>(
  approval: T,
) => ({
  ...approval,
  people: [...approval.people],
  operations: [...approval.operations] as T['operations'][number][],
});

// The schema of the answer knows no lists that may not be changed.
const told = (asked: Question) => structuredClone(asked) as z.input<typeof schemas.question>;
